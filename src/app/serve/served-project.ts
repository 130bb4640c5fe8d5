import { basename, resolve } from "node:path";
import { loadConfiguration } from "../../hands/settings/load-configuration.js";
import { registerSecrets, secretsIn } from "../../foundation/files/known-secrets.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { enterProject, guardCommand } from "../project/enter-project.js";
import { findRoot, type StateFolder, stateFolder } from "../project/state-folder.js";
import { projectId } from "./project-id.js";
import { quietContext } from "../quiet-context.js";

/** A project that a server works on. */
export interface ServedProject {
  /** `prj_` and the beginning of the checksum of its root: the same in every process. */
  readonly id: string;
  readonly name: string;
  readonly root: string;
  readonly at: StateFolder;
  readonly context: CommandContext;
}

/**
 * The guards that a command passes at the command line, before a server does the same in a project.
 *
 * Contract: as `guardCommand`.
 */
export async function guardServed({ context }: ServedProject, command: string): Promise<void> {
  const { cwd, environment, approved } = context;
  await guardCommand({ command, cwd, environment, approved });
}

/**
 * Open a project for a server, with a context and variables of its own.
 *
 * Contract: throws FILE_NOT_FOUND for a folder that is not there, and as `enterProject` does. Nothing is written.
 */
export async function openServedProject(
  folder: string,
  { cwd, environment }: { readonly cwd: string; readonly environment: NodeJS.ProcessEnv },
): Promise<ServedProject> {
  const own = { ...environment };
  registerSecrets([...secretsIn(own)].map(([value, name]) => [name, value]));
  const here = await quietContext({ cwd: resolve(cwd), environment: own, approved: false });
  const entered = await enterProject(folder, "--project", "serve", here);
  const root = findRoot(entered.cwd);
  // A server works at the root of a project, wherever in it somebody stood.
  const context = root === entered.cwd ? entered : await enterProject(root, "--project", "serve", here);
  const { configuration, problems } = await loadConfiguration(root, context.environment);
  const [first] = problems;
  if (first !== undefined)
    throw new CoordinatorError("DOCUMENT_INVALID", `${first.file ?? root}: ${first.path} ${first.message}`, {
      fix: first.fix ?? "`coordinator doctor` shows every problem of the settings.",
    });
  return {
    id: projectId(root),
    name: configuration.project ?? basename(root),
    root,
    at: stateFolder(root),
    context,
  };
}
