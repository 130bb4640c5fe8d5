import type { EventOf } from "../../../model/event.js";
import type { AttemptOutcome, RunTask } from "../../../model/run.js";
import { mayStart } from "./breaker.js";
import { describeFailure } from "./failure.js";
import { alter, breakerOf, indexOf, type RunState, taskAt } from "../state.js";
import type { TaskRecord, TaskState } from "../task-record.js";
import { enqueue, withTask } from "../tasks.js";

/*
 * Another approach to a task whose attempts do not get through: a technical blocker that is not critical. It is tried once,
 * within the budget, before a person is asked: by another agent that is configured, else by the same agent with another
 * prompt of its builder. The failure is described to the worker that is next.
 */

const MOST_FAILED = 2000;

/** Null when there is nothing else to try, or it was tried: then a person decides. Contract: pure. */
export function alternativeFor(
  state: RunState,
  task_id: string,
  attempt: number,
  outcome: AttemptOutcome,
): EventOf<"alternative_chosen"> | null {
  // A workspace that cannot be made ready is the same for everybody.
  if (outcome.kind !== "structural" || state.policy === null || state.paused !== null) return null;
  // The plan names who takes over from a model that is missing, and nobody else does.
  if (outcome.error === "model_unavailable") return null;
  const index = indexOf(state, task_id);
  const { agent, alternative } = state.tasks.get(index);
  if (alternative !== null) return null;
  const { failure } = state.policy;
  // A routing policy that allows no second try allows no other approach either.
  if (state.layout?.plan.bounds?.failure.max_retries === 0) return null;
  const { alternatives = [], type, model } = taskAt(state, index);
  // A model that was decided on is for the agents that the plan names.
  const allowed = model === undefined ? alternatives : [];
  const other = allowed.find(
    (name) => name !== agent && mayStart(breakerOf(state, name), state.clock_ms, failure).answer !== "no",
  );
  const chosen = {
    type: "alternative_chosen",
    task_id,
    attempt,
    failed: describeFailure(outcome).slice(0, MOST_FAILED),
  } as const;
  if (other !== undefined) return { ...chosen, agent: other, how: "another_agent" };
  // A limit of the agent's own holds whatever it is told, and only builders have another prompt.
  const isLimit = outcome.error === "rate_limit" || outcome.error === "usage_limit";
  return type === undefined || isLimit ? null : { ...chosen, agent, how: "another_prompt" };
}

/** INVARIANT: the other approach is one attempt: it has no retries of its own. */
export function applyAlternative(
  state: RunState,
  { task_id, agent, how, failed }: EventOf<"alternative_chosen">,
): RunState {
  const index = indexOf(state, task_id);
  const pending: TaskState = { status: "pending", waiting_on: 0 };
  const retries = state.policy?.failure.max_retries ?? 0;
  // The model was chosen for the agent that failed.
  const model = agent === state.tasks.get(index).agent ? state.tasks.get(index).model : null;
  const change = { agent, model, alternative: { how, failed }, goes_on: null, retries, state: pending };
  return alter(withTask(state, index, change), { ready: enqueue(state, index) });
}

/** The text for a person who is asked after all. Nothing of runs that know no alternatives. */
export function describeTried({ alternative, agent }: TaskRecord, { alternatives }: RunTask): string {
  if (alternatives === undefined) return "";
  if (alternative === null) return "; there is no other agent and no other prompt to try it with";
  return alternative.how === "another_agent"
    ? `; another agent, ${agent}, did not get through either`
    : `; no other agent is configured, and ${agent} did not get through with another prompt either`;
}
