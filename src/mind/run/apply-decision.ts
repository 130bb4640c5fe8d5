import type { EventOf } from "../../model/event.js";
import type { Amounts, EscalationOrder } from "../../model/run.js";
import type { ScopeAddition } from "../../model/scope.js";
import { describeGate } from "./decide/assignments.js";
import { applyCriterionAnswer } from "./decide/criteria.js";
import { changeTask } from "./decide/changes.js";
import { plus } from "./amounts.js";
import { listWaived, recheckResult } from "./decide/waivers.js";
import { isAboutProof, applyProofAnswer } from "./decide/unproven.js";
import { raiseBudget } from "./ledger.js";
import { alter, indexOf, type RunState, taskAt } from "./state.js";
import { addScopes, type TaskRecord } from "./task-record.js";
import { failTask, makeReady, withTask } from "./tasks.js";
import { taskOfEntry, withoutEntry } from "./inbox.js";

/* Applies the decisions of people to the state of a run. */

export function applyQuestionAnswer(before: RunState, event: EventOf<"question_answered">): RunState {
  const { question_id, answer } = event;
  const criteria = applyCriterionAnswer(before, event);
  const state = criteria === before.criteria ? before : alter(before, { criteria });
  const entry = state.inbox.find(({ id }) => id === question_id);
  const asked = entry?.kind === "question" ? entry.question : null;
  const index = taskOfEntry(state, question_id);
  return makeReady(withoutEntry(state, question_id), index, withGuidance(state, index, asked, answer));
}

/** INVARIANT: the widening stands in the task's record before any attempt goes by it, and that is a new attempt. */
export function applyWidenedScope(
  state: RunState,
  { task_id, request_id, addition }: EventOf<"scope_widened">,
): RunState {
  const index = indexOf(state, task_id);
  return makeReady(withoutEntry(state, request_id), index, wider(state, index, addition));
}

function widenScope(state: RunState, index: number, { addition, note }: Extract<EscalationOrder, { action: "widen" }>) {
  const guidance = note === undefined ? {} : withGuidance(state, index, null, note);
  return makeReady(state, index, { ...wider(state, index, addition), ...guidance });
}

function wider(state: RunState, index: number, addition: ScopeAddition): Partial<TaskRecord> {
  const { widened: before, attempts } = state.tasks.get(index);
  return { widened: before === null ? addition : addScopes(before, addition), goes_on: attempts };
}

export function applyEscalationAnswer(
  before: RunState,
  { escalation_id, order, decider }: EventOf<"escalation_answered">,
): RunState {
  const index = taskOfEntry(before, escalation_id);
  if (isAboutProof(before.inbox.find(({ id }) => id === escalation_id)))
    return applyProofAnswer(withoutEntry(before, escalation_id), escalation_id, order, decider.by);
  const state = askAgain(resumeRun(withoutEntry(before, escalation_id)), index);
  switch (order.action) {
    case "retry":
      return makeReady(state, index, {
        goes_on: null,
        // Whom a person names works as the settings say.
        ...(order.agent === undefined ? {} : { agent: order.agent, model: null }),
        ...(order.note === undefined ? {} : withGuidance(state, index, null, order.note)),
      });
    case "raise_budget":
      return applyRaisedBudget(state, index, order.add);
    case "resume":
      return makeReady(state, index);
    case "give_up":
      return index < 0 ? state : failTask(state, index, decider.how === "rule" ? decider.by : "given up by a person");
    case "lift":
      return index < 0 ? state : listWaived(state, index, order, decider.by);
    case "recheck":
      return index < 0 ? state : recheckResult(state, index, decider.by);
    case "widen":
      return index < 0 ? state : widenScope(state, index, order);
    case "skip":
      return index < 0 ? state : changeTask(state, index, { action: "skip_task", reason: order.reason });
  }
}

export function applyDecidedChange(before: RunState, { change_id, approved }: EventOf<"change_decided">): RunState {
  const entry = before.inbox.find(({ id }) => id === change_id);
  const state = withoutEntry(before, change_id);
  if (!approved || entry?.kind !== "task_change") return state;
  return changeTask(state, indexOf(state, entry.task_id), entry.change);
}

export function failGated(state: RunState, { gate_id, reason }: EventOf<"review_rejected">): RunState {
  return (state.layout?.plan.tasks ?? []).reduce(
    (next, task, i) =>
      task.gates.includes(gate_id) ? failTask(next, i, `${describeGate(gate_id)} rejected: ${reason}`) : next,
    state,
  );
}

/** All is done, and a person wants the requirements looked at once more: something around the work was mended. */
function askAgain(state: RunState, index: number): RunState {
  const { round, judged } = state.requirements;
  return index >= 0 || judged === null ? state : alter(state, { requirements: { round: round + 1, judged: null } });
}

/** More for the run; and, when it is one task that ran out, for its phase and for the task's next attempts too. */
function applyRaisedBudget(state: RunState, index: number, add: Amounts): RunState {
  if (index < 0) return alter(state, { ledger: raiseBudget(state.ledger, add) });
  const granted = plus(state.tasks.get(index).granted, add);
  const ledger = raiseBudget(state.ledger, add, taskAt(state, index).phase);
  return makeReady(withTask(alter(state, { ledger }), index, { granted }), index);
}

function withGuidance(state: RunState, index: number, asked: string | null, said: string): Partial<TaskRecord> {
  return index < 0 ? {} : { guidance: [...state.tasks.get(index).guidance, { asked, said }] };
}

function resumeRun(state: RunState): RunState {
  return alter(state, { paused: null, signatures: {} });
}
