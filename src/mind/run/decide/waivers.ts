import type { EventOf, RunEvent } from "../../../model/event.js";
import type { EscalationOrder, MissingTest, Objection } from "../../../model/run.js";
import { alter, indexOf, type RunState, taskAt } from "../state.js";
import type { InboxEntry } from "../inbox-entry.js";
import type { HeldAt, Waiver, TaskState } from "../task-record.js";
import { withTask } from "../tasks.js";
import { isAboutProof, makeEmptyWaiver, waiverOf } from "./unproven.js";

/*
 * Waivers of a person: tests that are missing from a result which is good otherwise, and guardrails that block it at a
 * path. It holds for what was named, of that result and of no other; the result is judged once more where it was held, and no agent is asked again.
 */

type WaiveOrder = Extract<EscalationOrder, { action: "lift" }>;

/** Where a result is that is held now; null where nothing can be held. */
export function findHeldStage(task: TaskState): HeldAt | null {
  if (task.status !== "in_progress") return null;
  if (task.stage === "integrate") return { stage: "integrate", conflict: task.conflict };
  return task.stage === "verify" ? { stage: "verify" } : null;
}

/** Why it cannot be waived; null when it can. INVARIANT: nothing but a person waives, and nothing that was not shown. */
export function waiveRefusal(state: RunState, entry: InboxEntry | undefined, order: WaiveOrder): string | null {
  if (entry?.kind !== "escalation" || entry.escalation.liftable === undefined)
    return "there is nothing about it that may be waived";

  const { liftable } = entry.escalation;
  const gone = isAboutProof(entry) ? null : heldRefusal(state, entry);
  if (gone !== null) return gone;
  const left = [...liftable.tests];
  const objections = order.objections ?? [];
  if (order.tests.length + order.guardrails.length + objections.length === 0)
    return "nothing is named that is to be waived";
  const unshown = objections.find((one) => !(liftable.objections ?? []).some((each) => isSameObjection(each, one)));
  if (unshown !== undefined) return `${unshown.kind} ${unshown.id} is not among what holds it`;
  const strange = order.guardrails.find(
    (one) => !liftable.guardrails.some((each) => each.rule_id === one.rule_id && each.path === one.path),
  );
  if (strange !== undefined) return `${strange.rule_id} does not hold it at ${strange.path}`;
  for (const test of order.tests) {
    const at = left.findIndex((each) => isSame(each, test));
    if (at < 0) return `${test.name} of ${test.check} is not among the tests it is about`;
    left.splice(at, 1);
  }
  return null;
}

/** Why a result cannot be judged once more as it is; null when it can. */
export function heldRefusal(state: RunState, entry: InboxEntry | undefined): string | null {
  if (entry?.kind !== "escalation") return "it is not about a result";
  const { task_id, attempt } = entry.escalation;
  const index = indexOf(state, task_id ?? "");
  if (index < 0) return "it is not about a result";
  const { state: task, attempts } = state.tasks.get(index);
  const isHeld = task.status === "blocked" && task.held !== undefined && attempts === attempt;
  return isHeld ? null : "the result it is about is not held any more";
}

const isSameObjection = (one: Objection, other: Objection) =>
  one.kind === other.kind && one.id === other.id && one.cause === other.cause;
const isSame = (one: MissingTest, other: MissingTest) => one.check === other.check && one.id === other.id;

/** Contract: `waiveRefusal` has nothing against it. */
export function listWaived(state: RunState, index: number, order: WaiveOrder, by: string): RunState {
  const { tests, guardrails, objections = [], not_applicable = false } = order;
  const { attempts } = state.tasks.get(index);
  const next = judgeAgain(state, index, { attempt: attempts, tests, guardrails, objections, not_applicable, by });
  const waived = waiverOf(order, by);
  return waived.length === 0 ? next : alter(next, { waived: [...next.waived, ...waived] });
}

/** Nothing is waived, and the result is judged once more. Contract: `heldRefusal` has nothing against it. */
export function recheckResult(state: RunState, index: number, by: string): RunState {
  return judgeAgain(state, index, makeEmptyWaiver(state.tasks.get(index).attempts, by));
}

function judgeAgain(state: RunState, index: number, waiver: Waiver): RunState {
  const { state: task, waivers } = state.tasks.get(index);
  if (task.status !== "blocked" || task.held === undefined) return state;
  const waiting: TaskState = { status: "pending", waiting_on: 0, again: task.held };
  const next = withTask(state, index, { state: waiting, waivers: [...waivers, waiver] });
  return alter(next, { again: [...state.again, index] });
}

/** The result to be judged again next, as the event that says it has its place. It comes before any new attempt. */
export function nextJudgement(state: RunState): RunEvent | null {
  if (state.again.length === 0 || state.policy === null) return null;
  if (state.running >= state.policy.max_concurrent_tasks) return null;
  const index = state.again.find((each) => isWaiting(state.tasks.get(each).state));
  if (index === undefined) return null;
  return {
    type: "judgement_resumed",
    task_id: taskAt(state, index).task_id,
    attempt: state.tasks.get(index).attempts,
  };
}

export const isWaiting = (task: TaskState): boolean => task.status === "pending" && task.again !== undefined;

export function applyResumedJudgement(state: RunState, { task_id }: EventOf<"judgement_resumed">): RunState {
  const index = indexOf(state, task_id);
  const { state: task } = state.tasks.get(index);
  if (task.status !== "pending" || task.again === undefined) return state;
  const at: TaskState =
    task.again.stage === "verify"
      ? { status: "in_progress", stage: "verify", until_ms: null }
      : { status: "in_progress", stage: "integrate", until_ms: null, conflict: task.again.conflict };
  return alter(withTask(state, index, { state: at }), {
    running: state.running + 1,
    again: state.again.filter((each) => each !== index && isWaiting(state.tasks.get(each).state)),
  });
}
