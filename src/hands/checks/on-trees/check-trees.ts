import { createHash } from "node:crypto";
import type { Check, CheckResult } from "../../../model/settings/check.js";
import { CheckResult as CheckResultSchema } from "../../../model/settings/check.js";
import type { Configuration } from "../../../model/settings/configuration.js";
import type { KnownResults, RunChecks } from "../verify.js";
import { READERS_VERSION } from "../reports/read-report.js";
import { runCheck } from "../run-check.js";
import { type TellStep, reportStep } from "./check-steps.js";
import type { RunRecords } from "../../attempts/run-records.js";
import {
  createEnvironments,
  type Environment,
  type EnvironmentParts,
  type NotReady,
} from "../../attempts/setup/environment.js";

/* Checks on a tree: a workspace of its own that no agent has been in, the project's setup, and each check in a sandbox. */

export type CheckTreesParts = EnvironmentParts;

export function checkTrees(parts: CheckTreesParts): RunChecks {
  const inEnvironment = createEnvironments(parts);
  return async (tree, checks, signal) => {
    if (checks.length === 0) return [];
    const results = await inEnvironment(tree, signal, (environment) =>
      runEach(checks, environment, tree, signal, parts.tell),
    );
    return "ready" in results ? checks.map((check) => withoutSetup(check, tree, results)) : results;
  };
}

async function runEach(
  checks: readonly Check[],
  { sandbox, place: { readFile, env } }: Environment,
  tree: string,
  signal: AbortSignal,
  tell: TellStep | undefined,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const run = () => runCheck(check, { sandbox, tree, readFile, env, signal });
    results.push(await reportStep(tell, { step: "check", name: check.name, tree }, run));
  }
  return results;
}

/**
 * A check whose workspace could not be made ready did not run: nothing is said of its tree. Where it is the source of the
 * tree that keeps it from being made ready, the check has failed.
 */
function withoutSetup(check: Check, tree: string, { message, by_tree, exit_code }: NotReady): CheckResult {
  return {
    check: check.name,
    kind: check.kind,
    command: check.run,
    tree,
    exit_code: by_tree ? exit_code : null,
    ended: by_tree ? (exit_code === null ? "timed_out" : "exited") : "not_started",
    format: "exit_code",
    findings: [],
    output: message,
    output_sha256: createHash("sha256").update(message).digest("hex"),
    ...(by_tree ? {} : { unready: message }),
  };
}

type CheckSettings = { readonly workspace: Pick<Configuration["workspace"], "setup" | "tools"> };

/** Results by tree and by everything that decides them: the check, what it runs in, and how its report is read. */
export function knownResults(records: RunRecords, configuration: CheckSettings): KnownResults {
  const { setup, tools } = configuration.workspace;
  const nameOf = (tree: string, check: Check) => {
    const decides = JSON.stringify({ check, setup, tools, readers: READERS_VERSION, environment: ENVIRONMENT_VERSION });
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

/** Raised when workspaces are made ready in another way: what was seen in the old one must not be compared with the new. */
const ENVIRONMENT_VERSION = 3;
