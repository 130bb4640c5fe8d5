import type { EventOf, LoggedEvent, RunEvent, RunEventType } from "../../../model/event.js";
import type { RiskLevel } from "../../../model/primitives.js";
import {
  type Amounts,
  type Escalation,
  type GateDecision,
  type Message,
  type PlanRef,
  RunPhase,
} from "../../../model/run.js";
import { describeGate } from "../../run/decide/assignments.js";
import { describeFailure } from "../../run/decide/escalate.js";
import { NOTHING } from "../../run/amounts.js";
import { attemptKey, bookedAmounts, seenSoFar } from "../../run/ledger.js";
import { messageOf } from "./project-messages.js";
import { scopeRequestId } from "../../run/state.js";

/*
 * What the log says about a project, gathered event by event. An end of an attempt that is not open is an echo of one
 * already counted, and adds nothing.
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

export interface ProjectFold {
  request_id: string | null;
  seed: number;
  needs_plan_approval: boolean;
  /** Whether anything has been done about the request: it never becomes pending again. */
  begun: boolean;
  intake: "approved" | "rejected" | "needs_clarification" | null;
  plan: PlanRef | null;
  readonly titles: Map<string, string>;
  plan_decided: "approved" | "rejected" | null;
  phase: RunPhase;
  readonly used: { tokens: number; api_calls: number; cost_usd: number };
  added_tokens: number;
  /** By `task#attempt`. */
  readonly open: Map<string, { readonly agent: string; readonly reserved: Amounts; readonly in_flight: Amounts }>;
  readonly completed: Set<string>;
  readonly given_up: Set<string>;
  readonly approved_gates: Set<string>;
  readonly outputs: Partial<Record<RunPhase, Output[]>>;
  /** By task: where its work is. */
  readonly integrated: Map<string, { readonly attempt: number; readonly ref: string }>;
  readonly issues: Issue[];
  readonly escalations: Map<string, Escalation>;
  readonly questions: Map<string, { readonly task_id: string | null; readonly question: string }>;
  /** By the id of the request: what a task needs that its scope does not allow. */
  readonly scope_requests: Map<string, { readonly task_id: string; readonly message: string }>;
  /** By the id of the change: what somebody wants changed about a task. */
  readonly changes: Map<string, EventOf<"change_proposed">>;
  readonly skipped: Set<string>;
  coordination_tokens: number;
  attempts_ended: number;
  /** Assignments nobody has answered, by `task#attempt`. */
  readonly assigned: Map<string, { readonly agent: string; readonly message_id: string }>;
  readonly messages: Message[];
  readonly go_decisions: Partial<Record<RunPhase, GateDecision>>;
  paused: boolean;
  finished: "completed" | "failed" | null;
}

export function foldProject(events: readonly LoggedEvent[]): ProjectFold {
  const fold = newProjectFold();
  for (const logged of events) takeEvent(fold, logged);
  return fold;
}

/** For anyone who follows a log: the fold after one more event, and the message the event is, if it is one. */
export function takeEvent(fold: ProjectFold, logged: LoggedEvent): Message | null {
  apply(fold, logged.event);
  const message = messageOf(fold, logged);
  if (message !== null) fold.messages.push(message);
  return message;
}

export function newProjectFold(): ProjectFold {
  return {
    request_id: null,
    seed: 0,
    needs_plan_approval: true,
    begun: false,
    intake: null,
    plan: null,
    titles: new Map(),
    plan_decided: null,
    phase: "initiation",
    used: { tokens: 0, api_calls: 0, cost_usd: 0 },
    added_tokens: 0,
    open: new Map(),
    completed: new Set(),
    given_up: new Set(),
    approved_gates: new Set(),
    outputs: {},
    integrated: new Map(),
    issues: [],
    escalations: new Map(),
    questions: new Map(),
    scope_requests: new Map(),
    changes: new Map(),
    skipped: new Set(),
    coordination_tokens: 0,
    attempts_ended: 0,
    assigned: new Map(),
    messages: [],
    go_decisions: {},
    paused: false,
    finished: null,
  };
}

const BEGINS: ReadonlySet<RunEventType> = new Set([
  "intake_decided",
  "plan_frozen",
  "attempt_started",
  "question_asked",
  "escalation_raised",
]);

function apply(fold: ProjectFold, event: RunEvent): void {
  fold.begun ||= BEGINS.has(event.type);
  switch (event.type) {
    case "request_received":
      fold.request_id = event.request_id;
      fold.seed = event.seed;
      fold.needs_plan_approval = event.policy.plan_needs_approval;
      return;
    case "intake_decided":
      fold.intake = event.decision;
      if (event.decision === "approved") enter(fold, "planning");
      output(fold, "initiation", { name: "intake decision", ref: event.decision, task_id: null, attempt: null });
      return;
    case "route_decided":
      return output(fold, "initiation", {
        name: "routing decision",
        ref: `${event.routed_to} by ${event.rule_id}`,
        task_id: null,
        attempt: null,
      });
    case "plan_frozen":
      fold.plan = event.plan;
      fold.plan_decided = null;
      for (const { task_id, title } of event.plan.tasks) fold.titles.set(task_id, title);
      enter(fold, "planning");
      output(fold, "planning", { name: "plan", ref: event.plan.plan_id, task_id: null, attempt: null });
      return;
    case "plan_approved":
      fold.plan_decided = "approved";
      enter(fold, "execution");
      return;
    case "plan_rejected":
      fold.plan_decided = "rejected";
      return issue(fold, "high", `plan rejected: ${event.reason}`);
    case "review_approved":
      fold.approved_gates.add(event.gate_id);
      return;
    case "review_rejected":
      fold.approved_gates.delete(event.gate_id);
      return issue(fold, "high", `${describeGate(event.gate_id)} rejected: ${event.reason}`);
    case "attempt_started":
      enter(fold, "execution");
      for (const [id, { type, attempt }] of fold.escalations)
        if (type === "resource_exhaustion" && attempt === null) fold.escalations.delete(id);
      fold.open.set(attemptKey(event.task_id, event.attempt), {
        agent: event.agent,
        reserved: event.reserved,
        in_flight: NOTHING,
      });
      return;
    case "attempt_progressed":
      return attemptProgressed(fold, event);
    case "attempt_finished":
      return attemptFinished(fold, event);
    case "verification_finished":
      if (event.verdict !== "PASS") issue(fold, "high", `verdict ${event.verdict}: ${event.evidence}`, event);
      return;
    case "integration_finished":
      if (event.integrated) fold.integrated.set(event.task_id, { attempt: event.attempt, ref: event.ref });
      else issue(fold, "high", `not integrated: ${event.ref}`, event);
      return;
    case "review_finished":
      if (event.accepted) fold.completed.add(event.task_id);
      else issue(fold, "high", `review did not accept: ${event.summary}`, event);
      return;
    case "alternative_chosen":
      return issue(fold, "medium", `another approach is tried after: ${event.failed}`, event);
    case "iteration_finished":
    case "judgement_resumed":
    case "conflict_found":
    case "conflict_resolved":
    case "brief_kept":
    case "coordination_reserved":
    case "requirements_judged":
      return;
    case "gate_decided":
      fold.go_decisions[event.gate.phase] = event.gate;
      if (event.gate.decision === "GO") enter(fold, next(event.gate.phase));
      return;
    case "question_asked":
      fold.questions.set(event.question_id, { task_id: event.task_id, question: event.question });
      return;
    case "question_answered":
      fold.questions.delete(event.question_id);
      // What was unclear is answered: intake decides anew.
      if (fold.intake === "needs_clarification") fold.intake = null;
      return;
    case "escalation_raised":
      fold.escalations.set(event.escalation.escalation_id, event.escalation);
      return;
    case "escalation_answered": {
      const { task_id } = fold.escalations.get(event.escalation_id) ?? { task_id: null };
      fold.escalations.delete(event.escalation_id);
      if (event.order.action === "raise_budget") fold.added_tokens += event.order.add.tokens;
      if (event.order.action === "resume") fold.paused = false;
      if (event.order.action === "give_up" && task_id !== null) fold.given_up.add(task_id);
      if (event.order.action === "retry" && task_id !== null) fold.given_up.delete(task_id);
      return;
    }
    case "scope_widened":
    case "scope_refused":
      fold.scope_requests.delete(event.request_id);
      return;
    case "change_proposed":
      fold.changes.set(event.change_id, event);
      return;
    case "change_decided":
      return changeDecided(fold, event);
    case "coordination_used":
      fold.coordination_tokens += event.tokens;
      use(fold, { ...NOTHING, tokens: event.tokens, cost_usd: event.cost_usd });
      return;
    case "sandbox_graded":
      if (event.grade === "none") issue(fold, "high", `no sandbox, by order: ${event.reason}`);
      return;
    case "fallback_taken":
      return issue(fold, "medium", `${event.from.agent ?? "its agent"} could not go on: ${event.reason}`, event);
    case "tool_judged":
      if (event.judgement.decision === "violation" || event.judgement.decision === "safety")
        issue(fold, "critical", `${event.use.title}: ${event.judgement.reason}`, event);
      return;
    case "route_reevaluated":
      return output(fold, "execution", {
        name: "routing decision",
        ref: `${event.outcome}: ${event.reason}`,
        task_id: event.task_id,
        attempt: event.attempt,
      });
    case "message_sent":
    case "breaker_changed":
    case "wait_ended":
    case "approval_given":
    case "notification_sent":
    case "run_merged":
      return;
    case "dispatch_paused":
      fold.paused = true;
      return issue(fold, "critical", `dispatch paused: ${event.reason}`);
    case "run_cancelled":
      fold.finished ??= "failed";
      settleOpen(fold);
      return issue(fold, "high", `cancelled: ${event.reason}`);
    case "run_finished":
      fold.finished ??= event.status;
      settleOpen(fold);
      if (event.status === "completed") enter(fold, "closure");
      return;
  }
}

/** A task that people skip or delete is asked about no more. */
function changeDecided(fold: ProjectFold, event: EventOf<"change_decided">): void {
  const proposed = fold.changes.get(event.change_id);
  fold.changes.delete(event.change_id);
  const action = proposed?.change.action;
  if (proposed === undefined || !event.approved || (action !== "skip_task" && action !== "delete_task")) return;
  const { task_id } = proposed;
  (action === "skip_task" ? fold.skipped : fold.given_up).add(task_id);
  for (const open of [fold.escalations, fold.questions, fold.scope_requests, fold.changes])
    for (const [id, entry] of open) if (entry.task_id === task_id) open.delete(id);
}

type Finished = EventOf<"attempt_finished">;

function attemptProgressed(fold: ProjectFold, event: EventOf<"attempt_progressed">): void {
  const key = attemptKey(event.task_id, event.attempt);
  const opened = fold.open.get(key);
  if (opened !== undefined) fold.open.set(key, { ...opened, in_flight: seenSoFar(opened.in_flight, event.usage) });
}

function attemptFinished(fold: ProjectFold, event: Finished): void {
  const key = attemptKey(event.task_id, event.attempt);
  const opened = fold.open.get(key);
  if (opened === undefined) return;
  fold.open.delete(key);
  fold.attempts_ended++;
  use(fold, bookedAmounts(opened.reserved, event.usage, opened.in_flight));
  const { outcome, task_id, attempt } = event;
  if (outcome.kind === "completed") {
    output(fold, "execution", { name: fold.titles.get(task_id) ?? task_id, ref: outcome.output_ref, task_id, attempt });
  } else if (outcome.kind === "scope_request") {
    fold.scope_requests.set(scopeRequestId(key), { task_id, message: outcome.message });
  } else if (outcome.kind !== "cancelled") {
    issue(fold, outcome.kind === "safety" ? "critical" : "medium", describeFailure(outcome), event);
  }
}

function use({ used }: ProjectFold, { tokens, api_calls, cost_usd }: Amounts): void {
  used.tokens += tokens;
  used.api_calls += api_calls;
  used.cost_usd += cost_usd;
}

/** As the ledger does it at the end of a run: what no longer reports counts as far as it was seen or set aside. */
function settleOpen(fold: ProjectFold): void {
  for (const { reserved, in_flight } of fold.open.values())
    use(fold, bookedAmounts(reserved, { amounts: in_flight, source: "estimated" }));
  fold.open.clear();
}

const PHASES = RunPhase.options;

/** Phases are entered in their order and never left backwards. */
function enter(fold: ProjectFold, phase: RunPhase): void {
  if (PHASES.indexOf(phase) > PHASES.indexOf(fold.phase)) fold.phase = phase;
}

function next(phase: RunPhase): RunPhase {
  return PHASES[PHASES.indexOf(phase) + 1] ?? phase;
}

function output(fold: ProjectFold, phase: RunPhase, made: Output): void {
  (fold.outputs[phase] ??= []).push(made);
}

function issue(fold: ProjectFold, severity: RiskLevel, description: string, at?: { task_id: string; attempt: number }) {
  fold.issues.push({ severity, description, task_id: at?.task_id ?? null, attempt: at?.attempt ?? null });
}
