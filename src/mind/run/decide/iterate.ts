/*
 * Whether an agent that has ended its turn is told to go on in the same session. It is while its completion promise or
 * a check is missing and the task's limit of iterations is not reached. Time and budget end a turn by themselves, and a
 * violation ends the attempt before this is asked.
 */

/** Iterations of a task whose plan says nothing: twice the estimate the specification shows. */
export const STANDARD_ITERATIONS = 10;

/** How many turns in a row may leave everything as it was before a person is asked. */
export const MOST_IDLE_TURNS = 2;

/** One test or message that fails on the result and did not on the base. */
export interface FailingCheck {
  readonly check: string;
  readonly name: string;
  readonly message: string;
}

export interface IterationState {
  /** The iteration that has just ended, counted from one, and how many there may be. */
  readonly iteration: number;
  readonly limit: number;
  /** The agent has given its completion promise. */
  readonly promised: boolean;
  readonly failing: readonly FailingCheck[];
  /** The agent was refused something that its task may need: only a person can give it that. */
  readonly refused: boolean;
  /** How many turns in a row, this one included, changed no file and left the same things missing. */
  readonly idle: number;
}

export type NextIteration =
  | { readonly next: "done" }
  /** The agent is told what is missing. */
  | { readonly next: "again"; readonly promise_missing: boolean; readonly failing: readonly FailingCheck[] }
  /** The result is judged as it is, and a person decides what is missing. */
  | { readonly next: "ask"; readonly reason: string };

/** Contract: pure and total. `again` at most `limit - 1` times in one attempt. */
export function decideNextIteration(state: IterationState): NextIteration {
  const { iteration, limit, promised, failing, refused, idle } = state;
  if (promised && failing.length === 0) return { next: "done" };
  const missing = describeMissing(state);
  if (refused && !promised)
    return { next: "ask", reason: `${missing}, and the agent was refused something that only a person can allow` };
  if (iteration >= limit) return { next: "ask", reason: `${missing} after ${limit} of ${limit} iterations` };
  if (idle >= MOST_IDLE_TURNS)
    return { next: "ask", reason: `${missing}, and the agent changed nothing in ${idle} further turns` };
  return { next: "again", promise_missing: !promised, failing };
}

/** Describes in words what is missing. */
function describeMissing({ promised, failing }: Pick<IterationState, "promised" | "failing">): string {
  const checks = [...new Set(failing.map(({ check }) => check))].join(", ");
  const failed = failing.length === 0 ? "" : `${checks} ${checks.includes(",") ? "fail" : "fails"}`;
  return [promised ? "" : "the completion promise is missing", failed].filter((part) => part !== "").join(" and ");
}
