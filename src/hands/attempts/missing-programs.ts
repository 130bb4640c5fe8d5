import { join } from "node:path";
import { mkdirSync, mkdtempSync, rmSync } from "../../foundation/files/write-files-sync.js";
import type { Configuration } from "../../model/settings/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { openSandbox } from "../sandbox/open-sandbox.js";
import { toolFolders } from "./agent-sandbox.js";
import { temporaryDirectory } from "../workspace/state-places.js";

/* Whether the programs of a project's checks are there inside a sandbox, where less is seen than outside. */

export interface MissingPrograms {
  /** Programs that no sandbox of this project would find, in the order of the checks. */
  readonly missing: readonly string[];
  /** Why no sandbox could be opened. */
  readonly problem: CoordinatorError | null;
}

/** Contract: runs no check; leaves nothing behind. */
export async function findMissingPrograms(
  configuration: Configuration,
  environment: NodeJS.ProcessEnv,
): Promise<MissingPrograms> {
  const programs = [...new Set(configuration.checks.flatMap(({ run }) => programOf(run)))];
  if (programs.length === 0) return { missing: [], problem: null };
  const folder = mkdtempSync(join(temporaryDirectory(), "coordinator-trial-"));
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  try {
    const sandbox = await openSandbox({
      workspace,
      writable: "whole",
      tools: toolFolders(configuration.workspace.tools, environment),
      records: join(folder, "cages"),
    });
    try {
      const missing: string[] = [];
      for (const program of programs) if (!(await isThere(program, sandbox))) missing.push(program);
      return { missing, problem: null };
    } finally {
      await sandbox.close();
    }
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    return { missing: [], problem: error };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The program that a command line calls first; nothing where a shell would have to be asked, or where it is in the repository. */
export function programOf(run: string): string[] {
  const word = run
    .trim()
    .split(/\s+/)
    .find((each) => !/^\w+=/.test(each));
  return word !== undefined && /^[\w.+-]+$/.test(word) ? [word] : [];
}

export async function isThere(program: string, sandbox: Sandbox): Promise<boolean> {
  const looked = sandbox.spawn({ argv: ["/bin/sh", "-c", 'command -v -- "$1" > /dev/null', "look", program] });
  looked.stdout.resume();
  looked.stderr.resume();
  return (await looked.exited).code === 0;
}
