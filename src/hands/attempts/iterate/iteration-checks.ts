import { join } from "node:path";
import type { RunChecks } from "../../checks/verify.js";
import { type Regressions, regressionsOf } from "../../checks/regressions.js";
import type { AttemptOrder } from "../attempt-order.js";
import { checkTrees, knownResults } from "../../checks/on-trees/check-trees.js";
import { openRecords } from "../run-records.js";
import type { IterationParts } from "./iterations.js";

/*
 * The checks between two turns of an agent: on a clean copy of its change, made ready and sandboxed as for the verdict, and not
 * in the agent's own workspace. What checks leave behind would otherwise be taken for the agent's work, and what the agent
 * left behind would decide about its checks. Results are kept where the verdict looks for them.
 */

export interface IterationChecks {
  readonly treeOf: (commit: string) => Promise<string>;
  readonly run: (tree: string, signal: AbortSignal) => Promise<Regressions>;
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
  return {
    treeOf,
    run: async (tree, signal) => {
      const base_tree = await treeOf(order.base);
      return regressionsOf({ base_tree, tree, checks: loop.checks, signal }, await (checks ??= open()), known);
    },
  };
}
