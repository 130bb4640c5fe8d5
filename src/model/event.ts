import { z } from "zod";
import { ProofSummary } from "./settings/check.js";
import { ModelUse } from "./plan/decision.js";
import { BriefRef, RequirementResult } from "./intent-spec.js";
import { Checksum, DateTime } from "./primitives.js";
import {
  Amounts,
  AttemptOutcome,
  BreakerState,
  BudgetLimits,
  ChangeId,
  Decider,
  Escalation,
  EscalationId,
  EscalationOrder,
  GateDecision,
  Iteration,
  Waivable,
  Message,
  PlanRef,
  LogKey,
  Promised,
  RunPolicy,
  TaskChange,
  TaskKey,
  Usage,
  Verdict,
} from "./run.js";
import { RouteContext } from "./routing.js";
import { Judgement, Refusal, SandboxGrade, ScopeAddition, ToolUse } from "./scope.js";

/*
 * The one event union: what the log holds, what is streamed, what the views are folded from. An event says what
 * happened and never what should happen; `mind/run/transition.ts` says what follows from it.
 */

/** More than this of an agent's last words, and of what it was refused, stands in the record of the attempt only. */
export const MOST_LAST_WORDS = 4000;
export const MOST_REFUSALS = 50;

const attempt = { task_id: TaskKey, attempt: z.int().min(1) };

/** The checksum of a record beside the log, as records name it. Absent in logs of earlier versions. */
const RecordRef = z.string().regex(/^sha256:[0-9a-f]{64}$/);

export const RunEvent = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("request_received"),
    request_id: z.string(),
    request: z.string(),
    seed: z.int(),
    policy: RunPolicy,
  }),
  z.strictObject({
    type: z.literal("intake_decided"),
    decision: z.enum(["approved", "rejected", "needs_clarification"]),
    reason: z.string(),
    unsafe: z.boolean(),
    /** The questions to answer first, when it needs clarification. */
    questions: z.array(z.string()).optional(),
  }),
  z.strictObject({
    type: z.literal("route_decided"),
    routed_to: z.enum(["product", "dev"]),
    rule_id: z.string(),
    /** The person who classified the request instead of the rules. */
    decider: Decider.optional(),
    /** Each document of the context registry, given or not, with its rule. Absent where there is none, and in old logs. */
    context: z.array(RouteContext).optional(),
  }),
  z.strictObject({ type: z.literal("message_sent"), message: Message }),
  z.strictObject({ type: z.literal("plan_frozen"), plan: PlanRef, verified: z.boolean() }),
  z.strictObject({ type: z.literal("plan_approved"), decider: Decider }),
  z.strictObject({ type: z.literal("plan_rejected"), decider: Decider, reason: z.string() }),
  z.strictObject({ type: z.literal("review_approved"), gate_id: z.string(), decider: Decider }),
  z.strictObject({ type: z.literal("review_rejected"), gate_id: z.string(), decider: Decider, reason: z.string() }),
  z.strictObject({
    type: z.literal("attempt_started"),
    ...attempt,
    agent: z.string(),
    /** The model the agent is told to use. Absent: the one of its own settings, or its own choice. */
    model: z.string().optional(),
    reserved: Amounts,
  }),
  /** An agent or its model was unavailable or limited: the task goes to the fallback that was planned. */
  z.strictObject({
    type: z.literal("fallback_taken"),
    ...attempt,
    from: ModelUse,
    to: ModelUse,
    reason: z.string(),
  }),
  /**
   * A technical blocker that is not critical: before a person is asked, another approach is tried once. `attempt` is the
   * one that failed, `failed` how.
   */
  z.strictObject({
    type: z.literal("alternative_chosen"),
    ...attempt,
    agent: z.string(),
    how: z.enum(["another_agent", "another_prompt"]),
    failed: z.string().max(2000),
  }),
  /** The whole usage of an attempt up to now, not what was added since the last report. */
  z.strictObject({ type: z.literal("attempt_progressed"), ...attempt, usage: Usage, note: z.string() }),
  /**
   * A child asked for more than it was given, and routing was evaluated again, from the registry as it is now. `dispatched`:
   * there are more documents for it, and another attempt gets them. `escalated`: there are none, and a person is asked.
   */
  z.strictObject({
    type: z.literal("route_reevaluated"),
    ...attempt,
    outcome: z.enum(["dispatched", "escalated"]),
    reason: z.string(),
    context: RouteContext,
    /** Documents given from now on, beside those given before. */
    documents: z.array(z.strictObject({ ref: z.string(), checksum: Checksum })),
    /** The record with their texts; absent when there are none. */
    record: RecordRef.optional(),
  }),
  /** Evidence and nothing more: what follows from a violation is said by how the attempt ends. */
  z.strictObject({ type: z.literal("tool_judged"), ...attempt, use: ToolUse, judgement: Judgement }),
  /** One turn of the agent within its attempt has ended; the same session goes on where `next` says so. */
  z.strictObject({ type: z.literal("iteration_finished"), ...attempt, ...Iteration.shape }),
  z.strictObject({
    type: z.literal("attempt_finished"),
    ...attempt,
    outcome: AttemptOutcome,
    usage: Usage,
    /** The last words of the agent, and the uses it was refused. Absent in logs of earlier versions, and where there is none. */
    said: z.string().max(MOST_LAST_WORDS).optional(),
    refused: z.array(Refusal).max(MOST_REFUSALS).optional(),
    /** The record of the attempt: its commit, its changes, what the gates said. Absent where it left none. */
    record: RecordRef.optional(),
    /** Whether the agent gave its completion promise. Absent in logs of earlier versions, and where none was asked for. */
    promise: Promised.optional(),
  }),
  z.strictObject({
    type: z.literal("verification_finished"),
    ...attempt,
    verdict: Verdict,
    evidence: z.string(),
    liftable: Waivable.optional(),
    /** Absent in logs of earlier versions. */
    proof: ProofSummary.optional(),
  }),
  z.strictObject({
    type: z.literal("integration_finished"),
    ...attempt,
    integrated: z.boolean(),
    ref: z.string(),
    liftable: Waivable.optional(),
    /** The record of what became of it. Absent where nothing was merged. */
    record: RecordRef.optional(),
  }),
  /** A person waived what held the result of this attempt: it has a place again, and is judged where it was held. */
  z.strictObject({ type: z.literal("judgement_resumed"), ...attempt }),
  /** Git cannot merge a change onto the branch as it was then; `ref` says where the change stands. */
  z.strictObject({
    type: z.literal("conflict_found"),
    ...attempt,
    round: z.int().min(1),
    onto: z.string(),
    paths: z.array(z.string()),
    ref: z.string(),
  }),
  /** An agent made something of it that may be taken; the record holds what, and onto what it was made. */
  z.strictObject({
    type: z.literal("conflict_resolved"),
    ...attempt,
    round: z.int().min(1),
    tree: z.string(),
    ref: z.string(),
  }),
  z.strictObject({ type: z.literal("review_finished"), ...attempt, accepted: z.boolean(), summary: z.string() }),
  /** The brief that the run was begun with. */
  z.strictObject({ type: z.literal("brief_kept"), brief: BriefRef }),
  /** Every requirement on the tree that all tasks together made; the record holds what each was seen by. */
  z.strictObject({
    type: z.literal("requirements_judged"),
    round: z.int().min(1),
    commit: z.string(),
    tree: z.string(),
    results: z.array(RequirementResult),
    ref: z.string(),
  }),
  z.strictObject({ type: z.literal("gate_decided"), gate: GateDecision }),
  z.strictObject({
    type: z.literal("question_asked"),
    question_id: z.string(),
    task_id: TaskKey.nullable(),
    question: z.string(),
    /** Answers the person who asks would take; others may do as well. */
    options: z.array(z.string()).optional(),
  }),
  z.strictObject({
    type: z.literal("question_answered"),
    question_id: z.string(),
    answer: z.string(),
    decider: Decider,
    /** When it was said, where that was before this log began. */
    answered_at: DateTime.optional(),
  }),
  z.strictObject({
    type: z.literal("scope_widened"),
    task_id: TaskKey,
    request_id: z.string(),
    addition: ScopeAddition,
    decider: Decider,
  }),
  z.strictObject({
    type: z.literal("scope_refused"),
    task_id: TaskKey,
    request_id: z.string(),
    decider: Decider,
    reason: z.string(),
  }),
  z.strictObject({ type: z.literal("escalation_raised"), escalation: Escalation }),
  z.strictObject({
    type: z.literal("escalation_answered"),
    escalation_id: EscalationId,
    order: EscalationOrder,
    decider: Decider,
  }),
  /** A person raised the budget of the run before it asked. `limits` says what is allowed in all from now on. */
  z.strictObject({
    type: z.literal("budget_raised"),
    limits: BudgetLimits,
    decider: Decider,
    note: z.string().max(1000).optional(),
  }),
  /** Somebody wants a task changed. It waits for approval, and nothing is changed yet. */
  z.strictObject({
    type: z.literal("change_proposed"),
    change_id: ChangeId,
    task_id: TaskKey,
    change: TaskChange,
    decider: Decider,
  }),
  z.strictObject({
    type: z.literal("change_decided"),
    change_id: ChangeId,
    approved: z.boolean(),
    decider: Decider,
    reason: z.string(),
  }),
  /** The reservation of a session of coordination before it starts; its usage comes under the same purpose. */
  z.strictObject({
    type: z.literal("coordination_reserved"),
    purpose: z.string(),
    tokens: Amounts.shape.tokens,
    cost_usd: Amounts.shape.cost_usd,
  }),
  /** The usage of coordination itself: model calls of planning and review, which belong to no attempt. */
  z.strictObject({
    type: z.literal("coordination_used"),
    purpose: z.string(),
    tokens: Amounts.shape.tokens,
    cost_usd: Amounts.shape.cost_usd,
    source: Usage.shape.source,
  }),
  /** How well the sandbox holds that this run's agents are put into: said once by each process that carries it out. */
  z.strictObject({
    type: z.literal("sandbox_graded"),
    grade: SandboxGrade,
    reason: z.string(),
    /** A person has ordered to go on with this grade. */
    by_order: z.boolean(),
    /** Login files of a person's that agents of this run can read inside, as they agreed to. Absent: none. */
    logins: z.array(z.strictObject({ agent: z.string(), files: z.array(z.string()).min(1) })).optional(),
    /** The records that the process uses beside the plan: where the run began, which reviews come before its merge. */
    records: z.array(z.strictObject({ name: z.string(), ref: RecordRef })).optional(),
  }),
  /** Somebody confirmed with --yes what the contract wants a person to approve, or what would have been asked. */
  z.strictObject({
    type: z.literal("approval_given"),
    action: z.string(),
    /** The reason why it has to be approved: the clause of the contract, or what would have been asked. */
    clause: z.string(),
    decider: Decider,
  }),
  /** Somebody was told, or could not be; nothing follows from it. */
  z.strictObject({
    type: z.literal("notification_sent"),
    effect_id: z.string(),
    about: z.enum(["waiting", "ended", "failed"]),
    ways: z.array(z.strictObject({ way: z.enum(["command", "webhook"]), problem: z.string().nullable() })),
  }),
  z.strictObject({ type: z.literal("breaker_changed"), agent: z.string(), to: BreakerState }),
  z.strictObject({ type: z.literal("dispatch_paused"), reason: z.string() }),
  z.strictObject({ type: z.literal("wait_ended"), effect_id: z.string() }),
  z.strictObject({ type: z.literal("run_cancelled"), decider: Decider, reason: z.string() }),
  z.strictObject({
    type: z.literal("run_finished"),
    status: z.enum(["completed", "failed"]),
    reason: z.string(),
  }),
  /** A person took what the run made onto a branch of theirs. */
  z.strictObject({
    type: z.literal("run_merged"),
    how: z.enum(["fast_forward", "merge_commit", "exported"]),
    into: z.string(),
    from: z.string().nullable(),
    to: z.string(),
    /** The reviews that were to come before it, and as whom each was given. */
    reviews: z.array(z.strictObject({ gate_id: z.string(), by: z.string() })),
    decider: Decider,
    /** The record of what the signed statement on the commit says. */
    record: RecordRef.optional(),
  }),
]);
export type RunEvent = z.infer<typeof RunEvent>;
export type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
export type RunEventType = RunEvent["type"];

/** An event as it stands in the log: numbered, timed, and chained to the one before it. */
export const LoggedEvent = z.strictObject({
  run_id: LogKey,
  sequence: z.int().min(1),
  at: DateTime,
  /** Milliseconds of the run's own clock: it never goes back, whatever the wall clock does. */
  clock_ms: z.number().min(0),
  event: RunEvent,
  previous_hash: Checksum,
  hash: Checksum,
});
export type LoggedEvent = z.infer<typeof LoggedEvent>;
