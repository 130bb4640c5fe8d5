import { AMOUNTS, UNLIMITED } from "../../../model/amount-names.js";
import type { EventOf } from "../../../model/event.js";
import type { Amounts, BudgetLimits } from "../../../model/run.js";
import { each, tidy } from "../amounts.js";
import { alter, type RunState } from "../state.js";
import { isBudgetEntry } from "../inbox-entry.js";

/* A person raises the budget of a run before it reaches its limit. */

/** The limits after a person allowed this much more. Limits that are not named stay as they are. */
export function limitsWith(budget: Amounts, add: BudgetLimits): BudgetLimits {
  return Object.fromEntries(
    AMOUNTS.flatMap((name) => {
      const more = add[name];
      return more === undefined ? [] : [[name, tidy(budget[name] + more)]];
    }),
  );
}

/**
 * Why a budget cannot be raised like this; null when it can.
 *
 * The event says what the limits are afterwards and not what is added: of two people who add the same at the same time, one
 * is refused and told, and the budget is not raised twice.
 */
export function raiseRefusal(state: RunState, { limits }: EventOf<"budget_raised">): string | null {
  const { budget, used, reserved } = state.ledger.run;
  if (state.layout === null || budget === null) return "the run has no budget before it has a plan";
  const asking = state.inbox.find(isBudgetEntry);
  if (asking !== undefined) return `the run asks for more already: answer ${asking.id} with raise_budget`;
  const named = AMOUNTS.flatMap((name) => {
    const limit = limits[name];
    return limit === undefined ? [] : [{ name, limit }];
  });
  if (named.length === 0) return "no limit is named";
  for (const { name, limit } of named) {
    if (budget[name] >= UNLIMITED) return `${name} has no limit in this run`;
    const spent = tidy(used[name] + reserved[name]);
    if (limit < spent) return `${limit} ${name} is less than the ${spent} that are used or set aside already`;
    if (limit <= budget[name]) return `${limit} ${name} is not more than the budget of ${budget[name]}`;
  }
  return null;
}

/** Contract: pure; `raiseRefusal` has nothing against it. Phases and tasks with a budget of their own keep it. */
export function applyRaisedBudget(state: RunState, { limits }: EventOf<"budget_raised">): RunState {
  const { budget } = state.ledger.run;
  if (budget === null) return state;
  const raised = each((name) => limits[name] ?? budget[name]);
  return alter(state, { ledger: { ...state.ledger, run: { ...state.ledger.run, budget: raised } } });
}
