import { join } from "node:path";
import type { Check } from "../../../model/settings/check.js";
import type { RunChecks } from "../../checks/verify.js";
import { type Regressions, regressionsOf } from "../../checks/regressions.js";
import { writeSeenTree } from "../../workspace/view.js";
import type { AttemptOrder } from "../attempt-order.js";
import { checkTrees, knownResults } from "../../checks/on-trees/check-trees.js";
import { openRecords } from "../run-records.js";
import type { IterationParts } from "./iterations.js";

/*
 * The checks between two turns of an agent: on a clean copy of its change, made ready and sandboxed as for the verdict, and not
 * in the agent's own workspace. Files that checks leave behind would otherwise be taken for the agent's work, and what the agent
 * left behind would decide about its checks. Results are kept where the verdict looks for them.
 *
 * The copy holds the whole repository, also files that the agent must not see, and an agent can write a test that prints
 * them. So an agent is told only of failures in a copy that holds what it sees.
 */

export interface IterationChecks {
  readonly treeOf: (commit: string) => Promise<string>;
  readonly run: (tree: string, signal: AbortSignal) => Promise<Regressions>;
  /** Regressions of a commit as far as the agent may be told of them. */
  readonly tellable: (
    commit: string,
    regressions: Regressions["regressions"],
    signal: AbortSignal,
  ) => Promise<TellableFailures>;
}

interface TellableFailures {
  /** The regressions that remain where there are only the files that the agent sees. */
  readonly regressions: Regressions["regressions"];
  /** The checks whose failures depend on files that the agent does not see. */
  readonly unseen: readonly string[];
}

export function iterationChecks(
  order: AttemptOrder,
  loop: NonNullable<AttemptOrder["loop"]>,
  { quarantine, workspaces, note }: Pick<IterationParts, "quarantine" | "workspaces" | "note">,
): IterationChecks {
  const configuration = { workspace: { setup: order.setup, tools: order.tools }, sandbox: order.sandbox };
  const known = knownResults(openRecords(join(loop.state_folder, "baselines")), configuration);
  const treeOf = async (commit: string) =>
    (
      await quarantine.git.must("Reading the tree", {
        gitDir: quarantine.gitDir,
        args: ["rev-parse", `${commit}^{tree}`],
      })
    )
      .toString("latin1")
      .trim();
  let checks: Promise<RunChecks> | null = null;
  const open = async () =>
    checkTrees({
      runId: order.name.runId,
      quarantine,
      workspaces,
      configuration,
      environment: process.env,
      sandbox: { records: order.cage_records, unsafeNoSandbox: order.unsafe_no_sandbox },
      cache: order.setup_cache,
      pristineTree: await treeOf(loop.pristine),
      nextPorts: async () => loop.env,
      tell: ({ step, name, state }) => {
        if (state === "started") note({ type: "busy", text: step === "setup" ? step : `check ${name}` });
      },
    });
  const view = { read: order.scope.read, hidden: order.hidden, withheld: order.withheld };
  const compare = async (base_tree: string, tree: string, compared: readonly Check[], signal: AbortSignal) =>
    regressionsOf({ base_tree, tree, checks: compared, signal }, await (checks ??= open()), known);
  return {
    treeOf,
    run: async (tree, signal) => compare(await treeOf(order.base), tree, loop.checks, signal),
    tellable: async (commit, regressions, signal) => {
      const seen = await writeSeenTree(quarantine, commit, view);
      if (seen === (await treeOf(commit))) return { regressions, unseen: [] };
      const failed = new Set(regressions.map(({ check }) => check));
      const again = loop.checks.filter(({ name }) => failed.has(name));
      const found = await compare(await writeSeenTree(quarantine, order.base, view), seen, again, signal);
      const told = new Set(found.regressions.map(({ check }) => check));
      return { regressions: found.regressions, unseen: [...failed].filter((name) => !told.has(name)) };
    },
  };
}
