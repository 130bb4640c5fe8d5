import type { Objection } from "../../model/run.js";
import { missingPromise } from "../../mind/run/decide/promise.js";
import { saysUnfinished } from "../../mind/scope/last-words.js";
import { listOpenRefusals } from "../../mind/scope/refusals.js";
import type { AttemptResult } from "../attempts/attempt-order.js";

/* Objections to a result because of its attempt: refused actions, and what the agent reports itself. */

/** Contract: pure. With those that people have waived since. */
export function attemptObjections({
  refusals,
  output,
  promise,
}: Pick<AttemptResult, "refusals" | "output" | "promise">): Objection[] {
  const refused = listOpenRefusals(refusals).map(({ what, reason, rule_id, addition }): Objection => ({
    kind: "refused",
    id: what,
    message: `the agent was refused: ${what}. ${reason} (${rule_id})`.slice(0, 2000),
    ...(addition === undefined ? {} : { addition }),
  }));
  const unfinished = saysUnfinished(output);
  const own: Objection[] =
    unfinished === null
      ? []
      : [{ kind: "unfinished", id: "last words", message: `the agent says it is not done: ${unfinished}` }];
  const unpromised = missingPromise(promise);
  return [...refused, ...own, ...(unpromised === null ? [] : [unpromised])];
}
