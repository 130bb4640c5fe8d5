import { limitsWith } from "../../mind/run/decide/raise-budget.js";
import type { EventOf } from "../../model/event.js";
import type { BudgetLimits, Decider } from "../../model/run.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import { findRun } from "../inspect/find.js";
import { foldRun } from "../inspect/fold-run.js";
import { withRuns } from "../inspect/runs-at.js";
import { fail, type Finished } from "../report.js";
import { currentUser } from "./current-user.js";
import { decisionSent, NOT_TAKEN, sendDecision } from "./send-decision.js";

export interface RaiseArguments {
  readonly run: string;
  /** How much more is allowed; or, in `to`, what is allowed in all. One of the two. */
  readonly add: BudgetLimits | undefined;
  readonly to: BudgetLimits | undefined;
  readonly note: string | undefined;
  readonly by: string | undefined;
  readonly waitMs: number;
  /** How they said so; by the command when absent. */
  readonly via?: Decider["via"] | undefined;
}

/**
 * Allow a run more before it reaches its limit. Attempts that start from then on use the new limit.
 *
 * Contract: as `decideEntry`. A run without a plan refuses it.
 */
export async function raiseBudget(args: RaiseArguments, context: CommandContext): Promise<Finished> {
  const { add, to, note } = args;
  const named = add ?? to;
  if (named === undefined || (add !== undefined && to !== undefined) || Object.keys(named).length === 0)
    return fail(EXIT.invalid, "USAGE", "A budget is raised by an amount or to one", {
      fix: "Say how much more, like --add cost_usd=5, or the new limit, like --to cost_usd=20,tokens=500000.",
    });
  const by = currentUser(args.by, context.project);
  return withRuns(context.project, async (reader, at) => {
    const run_id = await findRun(reader, args.run);
    const { state, sequence } = await foldRun(reader, run_id);
    const { budget } = state.ledger.run;
    const about = { run_id, id: run_id, decided: "budget raised", by };
    if (budget === null) {
      const reason = "the run has no budget before it has a plan";
      const next = [`coordinator status ${run_id}`];
      return decisionSent({ ...about, ...NOT_TAKEN, status: "refused", reason, next });
    }
    const event: EventOf<"budget_raised"> = {
      type: "budget_raised",
      limits: add === undefined ? named : limitsWith(budget, add),
      decider: { by, how: "person", via: args.via ?? "command" },
      ...(note === undefined ? {} : { note }),
    };
    return sendDecision(at, event, { about, roles: [by], after: sequence, waitMs: args.waitMs }, context);
  });
}
