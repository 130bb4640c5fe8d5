import { AFTER_THE_END } from "../../../model/after-the-end.js";
import type { EventOf, LoggedEvent, RunEvent, RunEventType } from "../../../model/event.js";
import type { RiskLevel } from "../../../model/primitives.js";
import { type GateDecision, type Message, type PlanRef, RunPhase } from "../../../model/run.js";
import { apply } from "../../run/apply.js";
import { describeGate } from "../../run/decide/assignments.js";
import { describeFailure } from "../../run/decide/failure.js";
import { indexOf, isOver, NEW_RUN, type RunState, taskAt } from "../../run/state.js";
import type { InboxEntry } from "../../run/inbox-entry.js";
import { type AttemptUsage, countUsage, isAttemptOpen, newAttemptUsage } from "./attempt-usage.js";
import { type LogTold, newLogTold, tellLogged } from "./log-told.js";
import { messageOf } from "./project-messages.js";

/*
 * The state of a run, and what its log says that the state does not keep: outputs, issues, messages, decisions of gates
 * and the phase they lead to, and what was used. Tasks, budgets, approvals and the inbox are read from the state.
 */

interface At {
  readonly task_id: string | null;
  readonly attempt: number | null;
}

interface Output extends At {
  readonly name: string;
  readonly ref: string;
}

interface Issue extends At {
  readonly severity: RiskLevel;
  readonly description: string;
}

export interface ProjectNotes {
  run: RunState;
  readonly told: LogTold;
  /** Whether anything has been done about the request: it never becomes pending again. */
  begun: boolean;
  intake: "approved" | "rejected" | "needs_clarification" | null;
  /** The plan that was frozen last. The state of the run has none that does not verify. */
  plan: PlanRef | null;
  /** As the specification counts phases: a gate that says GO leads to the next one, and cancellation to none. */
  phase: RunPhase;
  readonly outputs: Partial<Record<RunPhase, Output[]>>;
  /** By task: where its work is. */
  readonly integrated: Map<string, { readonly attempt: number; readonly ref: string }>;
  readonly issues: Issue[];
  /** The inbox of the run, and at its end what was open then. */
  asked: readonly InboxEntry[];
  readonly usage: AttemptUsage;
  /** Somebody rejected the plan; the run ends by it. */
  plan_rejected: boolean;
  /** Reviews that somebody rejected: they are listed until the run ends. */
  readonly rejected_gates: Set<string>;
  /** Dispatch was paused, and nobody has ordered to resume. The run itself goes on after any answer. */
  paused: boolean;
  /** Assignments nobody has answered, by `task#attempt`. */
  readonly assigned: Map<string, { readonly agent: string; readonly message_id: string }>;
  readonly messages: Message[];
  readonly go_decisions: Partial<Record<RunPhase, GateDecision>>;
}

export function readNotes(events: readonly LoggedEvent[]): ProjectNotes {
  const notes = newProjectNotes();
  for (const logged of events) takeEvent(notes, logged);
  return notes;
}

/**
 * For anyone who follows a log: takes one more event, and returns the message the event is, if it is one.
 *
 * Contract: `after` is the state of the run after the event, for a caller that has applied it.
 */
export function takeEvent(
  notes: ProjectNotes,
  logged: LoggedEvent,
  after: RunState = stateAfter(notes.run, logged),
): Message | null {
  notes.run = after;
  if (!isOver(after)) notes.asked = after.inbox;
  tellLogged(notes.told, logged);
  note(notes, logged.event);
  countUsage(notes.usage, logged.event);
  const message = messageOf(notes, logged);
  if (message !== null) notes.messages.push(message);
  return message;
}

/** A view is shown of every log: an event that does not fit the state changes nothing of it. */
function stateAfter(run: RunState, { event, clock_ms }: LoggedEvent): RunState {
  if (isOver(run) && !AFTER_THE_END.has(event.type)) return run;
  try {
    return apply(run, event, clock_ms);
  } catch {
    return run;
  }
}

export function newProjectNotes(): ProjectNotes {
  return {
    run: NEW_RUN,
    told: newLogTold(),
    begun: false,
    intake: null,
    plan: null,
    phase: "initiation",
    outputs: {},
    integrated: new Map(),
    issues: [],
    asked: [],
    usage: newAttemptUsage(),
    plan_rejected: false,
    rejected_gates: new Set(),
    paused: false,
    assigned: new Map(),
    messages: [],
    go_decisions: {},
  };
}

const BEGINS: ReadonlySet<RunEventType> = new Set([
  "intake_decided",
  "plan_frozen",
  "attempt_started",
  "question_asked",
  "escalation_raised",
]);

function note(notes: ProjectNotes, event: RunEvent): void {
  notes.begun ||= BEGINS.has(event.type);
  switch (event.type) {
    case "intake_decided":
      notes.intake = event.decision;
      if (event.decision === "approved") enter(notes, "planning");
      output(notes, "initiation", { name: "intake decision", ref: event.decision, task_id: null, attempt: null });
      return;
    case "route_decided":
      return output(notes, "initiation", {
        name: "routing decision",
        ref: `${event.routed_to} by ${event.rule_id}`,
        task_id: null,
        attempt: null,
      });
    case "plan_frozen":
      notes.plan = event.plan;
      notes.plan_rejected = false;
      enter(notes, "planning");
      output(notes, "planning", { name: "plan", ref: event.plan.plan_id, task_id: null, attempt: null });
      return;
    case "plan_approved":
      enter(notes, "execution");
      return;
    case "plan_rejected":
      notes.plan_rejected = true;
      return issue(notes, "high", `plan rejected: ${event.reason}`);
    case "review_rejected":
      notes.rejected_gates.add(event.gate_id);
      return issue(notes, "high", `${describeGate(event.gate_id)} rejected: ${event.reason}`);
    case "attempt_started":
      enter(notes, "execution");
      return;
    case "attempt_finished":
      return applyAttemptEnd(notes, event);
    case "verification_finished":
      if (event.verdict !== "PASS") issue(notes, "high", `verdict ${event.verdict}: ${event.evidence}`, event);
      return;
    case "integration_finished":
      if (event.integrated) notes.integrated.set(event.task_id, { attempt: event.attempt, ref: event.ref });
      else issue(notes, "high", `not integrated: ${event.ref}`, event);
      return;
    case "review_finished":
      if (!event.accepted) issue(notes, "high", `review did not accept: ${event.summary}`, event);
      return;
    case "alternative_chosen":
      return issue(notes, "medium", `another approach is tried after: ${event.failed}`, event);
    case "gate_decided":
      notes.go_decisions[event.gate.phase] = event.gate;
      if (event.gate.decision === "GO") enter(notes, next(event.gate.phase));
      return;
    case "question_answered":
      // The question is answered: intake decides anew.
      if (notes.intake === "needs_clarification") notes.intake = null;
      return;
    case "sandbox_graded":
      if (event.grade === "none") issue(notes, "high", `no sandbox, by order: ${event.reason}`);
      return;
    case "fallback_taken":
      return issue(notes, "medium", `${event.from.agent ?? "its agent"} could not go on: ${event.reason}`, event);
    case "tool_judged":
      if (event.judgement.decision === "violation" || event.judgement.decision === "safety")
        issue(notes, "critical", `${event.use.title}: ${event.judgement.reason}`, event);
      return;
    case "route_reevaluated":
      return output(notes, "execution", {
        name: "routing decision",
        ref: `${event.outcome}: ${event.reason}`,
        task_id: event.task_id,
        attempt: event.attempt,
      });
    case "escalation_answered":
      if (event.order.action === "resume") notes.paused = false;
      return;
    case "dispatch_paused":
      notes.paused = true;
      return issue(notes, "critical", `dispatch paused: ${event.reason}`);
    case "run_cancelled":
      return issue(notes, "high", `cancelled: ${event.reason}`);
    case "run_finished":
      if (event.status === "completed") enter(notes, "closure");
      return;
    default:
      return;
  }
}

/** Contract: the event is not counted yet. An end of an attempt that is not open is an echo, and adds nothing. */
function applyAttemptEnd(notes: ProjectNotes, event: EventOf<"attempt_finished">): void {
  const { outcome, task_id, attempt } = event;
  if (!isAttemptOpen(notes.usage, event)) return;
  if (outcome.kind === "completed") {
    output(notes, "execution", { name: titleOf(notes.run, task_id), ref: outcome.output_ref, task_id, attempt });
  } else if (outcome.kind !== "cancelled" && outcome.kind !== "scope_request") {
    issue(notes, outcome.kind === "safety" ? "critical" : "medium", describeFailure(outcome), event);
  }
}

function titleOf(run: RunState, taskId: string): string {
  const index = indexOf(run, taskId);
  return index < 0 ? taskId : taskAt(run, index).title;
}

const PHASES = RunPhase.options;

/** Phases are entered in their order and never left backwards. */
function enter(notes: ProjectNotes, phase: RunPhase): void {
  if (PHASES.indexOf(phase) > PHASES.indexOf(notes.phase)) notes.phase = phase;
}

function next(phase: RunPhase): RunPhase {
  return PHASES[PHASES.indexOf(phase) + 1] ?? phase;
}

function output(notes: ProjectNotes, phase: RunPhase, made: Output): void {
  (notes.outputs[phase] ??= []).push(made);
}

function issue(
  notes: ProjectNotes,
  severity: RiskLevel,
  description: string,
  at?: { task_id: string; attempt: number },
) {
  notes.issues.push({ severity, description, task_id: at?.task_id ?? null, attempt: at?.attempt ?? null });
}
