import { join } from "node:path";
import type { Check, CheckResult, VerdictReport } from "../../../model/settings/check.js";
import type { Configuration } from "../../../model/settings/configuration.js";
import { quarantineGit } from "../../integration/merging/quarantine-git.js";
import { createBaselines } from "../baselines.js";
import { dropNotApplicable } from "../objections.js";
import { withObserver } from "../observe.js";
import { createExamine, type ExaminedTask } from "../suspect/examine.js";
import type { Examine } from "../suspect/examined.js";
import { quarantineTrees } from "../suspect/trees.js";
import { baselineOf, resultsOf, verify, type VerifyRequest } from "../verify.js";
import type { Quarantine } from "../../workspace/quarantine.js";
import type { Workspaces } from "../../workspace/workspace.js";
import { activityFolder, reportActivity } from "./activity.js";
import { checkTrees, knownResults } from "./check-trees.js";
import type { TellStep } from "./check-steps.js";
import type { NextPorts } from "../../attempts/port-ranges.js";
import { reachIn } from "./reach-of.js";
import { openRecords } from "../../attempts/run-records.js";

/* The verdict on one tree against another: the project's checks on both, in sandboxes, what is known already not again. */

export interface ProverParts {
  readonly runId: string;
  readonly quarantine: Quarantine;
  readonly workspaces: Workspaces;
  readonly configuration: Configuration;
  readonly stateFolder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Where the run began: the only tree that no agent has touched. */
  readonly base: string;
  readonly unsafeNoSandbox: boolean;
  readonly nextPorts: NextPorts;
  /** The name of the tree that is checked, for anyone who waits; the result when absent. */
  readonly treeIs?: string;
  /** Aborted when nobody waits for verdicts any more. */
  readonly stopped: AbortSignal;
  /** Told what runs on which tree. */
  readonly tell?: TellStep | undefined;
}

export type ProveTree = (
  base_tree: string,
  tree: string,
  more: Partial<VerifyRequest>,
  signal: AbortSignal,
) => Promise<VerdictReport>;

/** Runs checks on one tree alone. `known`: results that are kept already may be used instead. */
export type CheckTree = (
  tree: string,
  checks: readonly Check[],
  known: boolean,
  signal: AbortSignal,
) => Promise<CheckResult[]>;

/** The checks on the tree where everything begins, all run anew and kept as the baseline of later verdicts. */
export type TryBase = (signal: AbortSignal) => Promise<CheckResult[]>;

/** Builds the examination beside the checks, for the result of a task. */
export type ExamineTask = (task: ExaminedTask) => Examine;

export async function treeProver(
  parts: ProverParts,
): Promise<{ prove: ProveTree; check: CheckTree; tryBase: TryBase; examine: ExamineTask }> {
  const { runId, quarantine, workspaces, configuration, stateFolder, base, unsafeNoSandbox, nextPorts } = parts;
  const git = quarantineGit(quarantine.git, quarantine.gitDir, join(quarantine.directory, "temporary"));
  const pristineTree = (await git.run(["rev-parse", `${base}^{tree}`])).stdout.trim();
  const sandbox = { records: join(stateFolder, "cages"), unsafeNoSandbox };
  const cache = join(stateFolder, "setup");
  const run = checkTrees({
    runId,
    quarantine,
    workspaces,
    configuration,
    environment: parts.environment,
    sandbox,
    cache,
    pristineTree,
    nextPorts,
    tell: parts.tell,
  });
  const known = knownResults(openRecords(join(stateFolder, "baselines")), configuration);
  const judged = { changed_files: 1, changes_due: false, blocked: [], may_go: [], lifted: [], security: [] };
  const folder = activityFolder(stateFolder, runId);
  const named = parts.treeIs ?? "the result";
  const reach = reachIn(git);
  const baselines = createBaselines(run, known, parts.stopped);
  return {
    prove: (base_tree, tree, more, signal) => {
      const treeOf = (checked: string) => (checked === "" ? "" : checked === base_tree ? "the base" : named);
      return withObserver(reportActivity(folder, { treeOf, taskId: null }), async () => {
        const checks = dropNotApplicable(configuration.checks, more.accepted ?? []);
        const baseline = await baselines(base_tree, checks);
        return verify({ base_tree, tree, checks, baseline, reach, ...judged, ...more, signal }, run, known);
      });
    },
    tryBase: (signal) =>
      baselineOf(pristineTree, configuration.checks, run, { get: async () => null, put: known.put }, signal),
    check: (tree, checks, mayKnow, signal) =>
      withObserver(reportActivity(folder, { treeOf: () => named, taskId: null }), () =>
        mayKnow ? resultsOf(tree, checks, run, known, signal) : run(tree, checks, signal),
      ),
    examine: (task) => createExamine(quarantineTrees(quarantine), task),
  };
}
