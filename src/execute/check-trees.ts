import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Check, CheckResult } from "../model/check.js";
import { CheckResult as CheckResultSchema } from "../model/check.js";
import type { Configuration } from "../model/configuration.js";
import type { KnownResults, RunChecks } from "../verify/verify.js";
import { READERS_VERSION } from "../verify/reports/read-report.js";
import { runCheck } from "../verify/run-check.js";
import { isInside, openRegular } from "../workspace/path-safety.js";
import { type OpenCage, openCage } from "../workspace/sandbox/open-cage.js";
import type { CageOptions } from "../workspace/sandbox/options.js";
import { commitTree } from "../workspace/view.js";
import type { Quarantine } from "../workspace/quarantine.js";
import type { Workspaces } from "../workspace/workspace.js";
import { limitsIn, shownInHome, toolFolders } from "./agent-cage.js";
import { type TellStep, toldStep } from "./check-steps.js";
import type { NextPorts } from "./port-ranges.js";
import type { RunRecords } from "./run-records.js";
import { keepSetup, restoreSetup, runSetup, type SetupPlace } from "./setup.js";

/* Checks on a tree: a workspace of its own that no agent has been in, the project's setup, and each check in a cage. */

export interface CheckTreesParts {
  readonly runId: string;
  readonly quarantine: Quarantine;
  readonly workspaces: Workspaces;
  readonly configuration: Configuration;
  readonly cage: Pick<CageOptions, "records" | "unsafeNoSandbox">;
  /** Where what setup made is kept for later workspaces. */
  readonly cache: string;
  /** The tree no agent has touched: the only one that may fill the cache. */
  readonly pristineTree: string;
  readonly nextPorts: NextPorts;
  /** Told when setup and each check begin and end. */
  readonly tell?: TellStep | undefined;
}

export function checkTrees(parts: CheckTreesParts): RunChecks {
  return async (tree, checks, signal) => {
    if (checks.length === 0) return [];
    const { quarantine, workspaces, runId } = parts;
    const commit = await commitTree(quarantine, tree, [], "A tree to be checked");
    const workspace = await workspaces.prepare({
      runId,
      taskId: "checks",
      attemptId: randomUUID(),
      base: commit,
      view: { read: ["**"], hidden: [] },
      disposable: true,
    });
    try {
      return await inWorkspace(parts, workspace.path, tree, checks, signal);
    } finally {
      await workspace.remove();
    }
  };
}

async function inWorkspace(
  parts: CheckTreesParts,
  workspace: string,
  tree: string,
  checks: readonly Check[],
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const { setup } = parts.configuration.workspace;
  const env = await parts.nextPorts();
  const place: SetupPlace = { workspace, cache: parts.cache, readFile: readerIn(workspace), env };
  const restored = setup === undefined || (await restoreSetup(setup, place));
  const cage = await openCage(cageOptions(parts, workspace));
  try {
    if (setup !== undefined && !restored) {
      const made = await toldStep(parts.tell, { step: "setup", name: "setup", tree }, () =>
        runSetup(setup, cage, place, signal),
      );
      if (made.exit_code !== 0) return checks.map((check) => withoutSetup(check, tree, made));
      if (tree === parts.pristineTree) await keepSetup(setup, place);
    }
    return await each(checks, cage, tree, place, signal, parts.tell);
  } finally {
    await cage.close();
  }
}

async function each(
  checks: readonly Check[],
  cage: OpenCage,
  tree: string,
  { readFile, env }: SetupPlace,
  signal: AbortSignal,
  tell: TellStep | undefined,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const run = () => runCheck(check, { cage, tree, readFile, env, signal });
    results.push(await toldStep(tell, { step: "check", name: check.name, tree }, run));
  }
  return results;
}

/** Nothing can be said of a tree whose workspace could not be made ready: the check has failed, and says why. */
function withoutSetup(check: Check, tree: string, setup: CheckResult): CheckResult {
  return {
    ...setup,
    check: check.name,
    kind: check.kind,
    command: check.run,
    tree,
    output: `setup failed:\n${setup.output}`,
  };
}

function cageOptions(
  { cage, configuration }: Pick<CheckTreesParts, "cage" | "configuration">,
  workspace: string,
): CageOptions {
  return {
    ...cage,
    workspace,
    writable: "whole",
    tools: toolFolders(configuration.workspace.tools, process.env),
    homeFiles: shownInHome(configuration.workspace.setup?.mounts ?? [], process.env),
    limits: limitsIn(configuration.sandbox),
  };
}

/** Files of a workspace as they are, without following a link anywhere on the way. */
export function readerIn(workspace: string): SetupPlace["readFile"] {
  return async (path, most) => {
    if (!(await isInside(workspace, join(workspace, path)))) return null;
    const file = await openRegular(Buffer.from(`${workspace}/${path}`).toString("latin1"), true);
    if (file === null) return null;
    try {
      const buffer = Buffer.alloc(Math.min(most, (await file.stat()).size));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      return buffer.subarray(0, bytesRead).toString("utf8");
    } finally {
      await file.close();
    }
  };
}

/** Results by tree and by everything that decides them: the check, what it runs in, and how its report is read. */
export function knownResults(records: RunRecords, configuration: Configuration): KnownResults {
  const { setup, tools } = configuration.workspace;
  const nameOf = (tree: string, check: Check) => {
    const decides = JSON.stringify({ check, setup, tools, readers: READERS_VERSION });
    return `${tree}-${createHash("sha256").update(decides).digest("hex").slice(0, 24)}`;
  };
  return {
    get: async (tree, check) => {
      const read = CheckResultSchema.safeParse(await records.read(nameOf(tree, check)));
      return read.success ? read.data : null;
    },
    put: async (tree, check, result) => void (await records.write(nameOf(tree, check), result)),
  };
}
