import { AMOUNTS } from "./amount-names.js";
import { z } from "zod";
import { Alternative, ModelUse } from "./plan/decision.js";
import { Checksum, DateTime, RiskLevel, Sensitivity, text } from "./primitives.js";
import { EscalationTrigger, RoutingBounds } from "./routing.js";
import { Scope, ScopeAddition, ScopeLimit } from "./scope.js";
import { TaskType } from "./task.js";

/*
 * A run: one request on its way from intake to report. It is an append-only log of events; every status, cost and
 * inbox is a fold of that log. What follows are the nouns the log speaks of.
 */

const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[a-z0-9_-]{4,80}$`));
export const RunKey = id("run");
/** A log: of a run, or of a request that is none yet. */
export const LogKey = id("(?:run|req)");
export const TaskKey = z.string().min(1).max(80);
export const EscalationId = id("esc");
export const ChangeId = id("chg");

export const RunStatus = z.enum(["pending", "in_progress", "completed", "failed", "blocked"]);
export type RunStatus = z.infer<typeof RunStatus>;

export const RunPhase = z.enum(["initiation", "planning", "execution", "monitoring", "closure"]);
export type RunPhase = z.infer<typeof RunPhase>;

/** How much of each thing: what a budget allows, what is set aside, what was used. */
export const Amounts = z.strictObject({
  tokens: z.number().min(0),
  cost_usd: z.number().min(0),
  minutes: z.number().min(0),
  files: z.number().min(0),
  commits: z.number().min(0),
  api_calls: z.number().min(0),
});
export type Amounts = z.infer<typeof Amounts>;

/** Some of the amounts: those that a person names when they raise a budget. */
export const BudgetLimits = Amounts.partial();
export type BudgetLimits = z.infer<typeof BudgetLimits>;

const Priority = z.enum(["P0", "P1", "P2", "P3"]);

/** What a plan thought of a task, before anybody set room aside: what its use is compared with. */
const PlannedFigures = z.strictObject({
  command_id: z.string(),
  task_type: z.string().nullable(),
  tokens: z.number().min(0),
  minutes: z.number().min(0),
  cost_usd: z.number().min(0),
  /** Where the figures come from; those that are measured ones teach no correction of estimates. */
  source: z.enum(["registry", "task", "memory"]),
  /** The figures before what earlier runs taught corrected them. */
  before_learning: z.strictObject({ tokens: z.number().min(0), minutes: z.number().min(0) }).optional(),
});

/** One unit of work of a run, from one action of its frozen plan. */
export const RunTask = z.strictObject({
  task_id: TaskKey,
  title: z.string(),
  agent: z.string(),
  phase: z.string(),
  priority: Priority,
  dependencies: z.array(TaskKey),
  estimate: Amounts,
  /** The review gate of the plan that must be approved before this task starts, if any. */
  gates: z.array(z.string()),
  description: z.string().optional(),
  /** The kind of agent that is to do it; `agent` says which one does. */
  builder: z.string().min(1).max(80).optional(),
  /** The model its agent is started with; absent, the one of the agent's own settings. */
  model: z.string().optional(),
  /** Who takes over when that agent or its model is unavailable or limited, as the plan says. */
  fallbacks: z.array(ModelUse).max(20).optional(),
  /** Why the plan gives it to that agent and model, and which others it did not take. Absent in logs of earlier versions. */
  model_choice: z
    .strictObject({ decision_id: z.string(), reason: z.string(), rejected: z.array(Alternative).max(100) })
    .optional(),
  /** How sensitive what it works with is, as far as the plan knows. */
  data_sensitivity: Sensitivity.optional(),
  /** What its attempts may do, before anybody widened it. Without one they may do nothing that needs a scope. */
  scope: Scope.optional(),
  /** What set each limit of the scope, and what others would have allowed. Absent in logs of earlier versions. */
  limits: z.array(ScopeLimit).max(20).optional(),
  /** Commands whose results decide whether the work is good. */
  checks: z.array(text(1, 2048)).max(1000).optional(),
  /** What kind of work it is, and the decision record it comes from. */
  type: TaskType.optional(),
  adr: text(1, 64).optional(),
  /** What its builder says when it has done, and the paths the plan names for it. */
  completion_promise: text(1, 120).optional(),
  files: z.array(text(1, 512)).max(1000).optional(),
  tests: z.array(text(1, 512)).max(1000).optional(),
  /** How often a builder may try again on failing checks within one attempt. */
  iterations: z.int().min(1).max(1000).optional(),
  planned: PlannedFigures.optional(),
  /** Other agents that are configured and may take over when `agent` cannot get through, best first. */
  alternatives: z.array(text(1, 200)).max(100).optional(),
  /** What all its attempts together may use; without one only the run and its phase limit it. */
  budget: Amounts.optional(),
});
export type RunTask = z.infer<typeof RunTask>;

/** A review of the plan that a named role must approve. */
export const RunGate = z.strictObject({ gate_id: z.string(), category: z.string(), reviewers: z.array(z.string()) });
export type RunGate = z.infer<typeof RunGate>;

export const FailurePolicy = z.strictObject({
  max_retries: z.int().min(0).max(10).default(3),
  base_delay_ms: z.int().min(0).default(1000),
  backoff_multiplier: z.number().min(1).default(2),
  max_delay_ms: z.int().min(0).default(60_000),
  /** How long a limit that says when it ends is waited for. One that ends later is a person's to decide. */
  max_wait_ms: z
    .int()
    .min(0)
    .default(24 * 3_600_000),
  breaker_failures: z.int().min(1).default(5),
  breaker_open_ms: z.int().min(0).default(30_000),
  same_signature_tasks: z.int().min(2).default(3),
  /**
   * What a person is asked about; any other failure that is not tried again ends its task. From the routing policy, and
   * absent where none was in force: then a person is asked about everything.
   */
  escalation_triggers: z.array(EscalationTrigger).optional(),
});
export type FailurePolicy = z.infer<typeof FailurePolicy>;

export const GatePolicy = z.strictObject({
  quality_threshold: z.number().min(0).max(100).default(80),
  min_tokens_for_next_phase: z.number().min(0).default(1000),
  /** The phases that end with a gate. Absent in runs of earlier versions, where execution alone did. */
  phases: z.array(z.enum(["planning", "execution", "closure"])).optional(),
});
export type GatePolicy = z.infer<typeof GatePolicy>;

/** The numbers a run goes by. The defaults are the specification's. */
export const RunPolicy = z.strictObject({
  max_concurrent_tasks: z.int().min(1).max(1000).default(3),
  failure: FailurePolicy.prefault({}),
  gate: GatePolicy.prefault({}),
  plan_needs_approval: z.boolean().default(true),
  /** `dataflow`: a task starts when all it builds on is done. `levels`: and when the level before it has ended. */
  schedule: z.enum(["dataflow", "levels"]).default("dataflow"),
  /** When the work of a level is reviewed by a model: where tasks touched the same files, each time, or never. */
  coordinator_mode: z.enum(["conflicts", "always", "off"]).default("conflicts"),
  /** How often one change may be resolved, when the branch has moved on each time so that it conflicts again. */
  conflict_rounds: z.int().min(1).max(20).default(3),
});
export type RunPolicy = z.infer<typeof RunPolicy>;

export const StructuralError = z.enum([
  "malformed_output",
  "timeout",
  "crash",
  "lost_connection",
  "rate_limit",
  "usage_limit",
  /** The agent cannot be started with the model it is to use, or its provider does not have it. */
  "model_unavailable",
]);

/** How an attempt ended. Exactly one of these, whatever happened. */
export const AttemptOutcome = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("completed"), output_ref: z.string() }),
  z.strictObject({
    kind: z.literal("structural"),
    error: StructuralError,
    message: z.string(),
    /** A usage limit says when it ends; milliseconds of the run's clock. */
    wait_until_ms: z.number().optional(),
  }),
  z.strictObject({ kind: z.literal("semantic"), violation: z.enum(["rule", "spec", "scope"]), message: z.string() }),
  z.strictObject({ kind: z.literal("resource"), what: z.enum(AMOUNTS), message: z.string() }),
  z.strictObject({ kind: z.literal("clarification"), question: z.string() }),
  /** The workspace could not be used: setup failed, the disk is full, ignore files take too long. Never the agent's failure. */
  z.strictObject({
    kind: z.literal("environment"),
    message: z.string(),
    /** The whole output of what failed. */
    log_ref: z.string().optional(),
  }),
  /** The work needs more than its scope allows, and nothing was done outside of it. */
  z.strictObject({ kind: z.literal("scope_request"), request: ScopeAddition, message: z.string() }),
  z.strictObject({ kind: z.literal("quality"), message: z.string() }),
  z.strictObject({ kind: z.literal("safety"), message: z.string() }),
  z.strictObject({ kind: z.literal("cancelled") }),
]);
export type AttemptOutcome = z.infer<typeof AttemptOutcome>;

/** What an attempt used. What an agent does not report is estimated and marked so; it is never zero. */
export const Usage = z.strictObject({
  amounts: Amounts,
  source: z.enum(["reported", "estimated"]),
  /** Amounts that anyone who held the attempt has counted, whatever the source of the rest: these may be zero. */
  counted: z
    .array(z.enum(["files", "commits", "cost_usd"]))
    .max(3)
    .optional(),
});
export type Usage = z.infer<typeof Usage>;

/** Whether an agent gave the completion promise it was asked for, and after how many turns. */
export const Promised = z.strictObject({
  text: text(1, 120),
  given: z.boolean(),
  iterations: z.int().min(0),
  /** Why it was not asked to go on, where something was missing; empty otherwise. */
  reason: z.string().max(1000),
});
export type Promised = z.infer<typeof Promised>;

/** One turn of an agent within an attempt: what it promised, what its checks say, what it used. */
export const Iteration = z.strictObject({
  iteration: z.int().min(1),
  limit: z.int().min(1),
  /** It ended with the completion promise. */
  promised: z.boolean(),
  /** How many findings of each check fail that did not on the base, and how many did. */
  checks: z
    .array(z.strictObject({ check: z.string(), failing: z.int().min(0), failed_before: z.int().min(0) }))
    .max(1000),
  /** Names of what fails, the first of them. */
  failing: z.array(z.string().max(300)).max(20),
  /** Whether the agent was told to go on, and why not where something is missing. */
  next: z.enum(["done", "again", "ask"]),
  reason: z.string().max(1000),
  /** What this turn used. */
  tokens: Amounts.shape.tokens,
  cost_usd: Amounts.shape.cost_usd,
  source: z.enum(["reported", "estimated"]),
});
export type Iteration = z.infer<typeof Iteration>;

export const EscalationType = z.enum([
  "technical_blocker",
  "resource_exhaustion",
  "clarification_needed",
  "quality_failure",
  "safety_concern",
  "unknown",
]);
export type EscalationType = z.infer<typeof EscalationType>;

/** What the specification answers to each type of escalation. */
export const EscalationResponse = z.enum([
  "pause_and_ask_user",
  "alternative_approach",
  "budget_increase_or_terminate",
  "ask_user",
  "terminate_and_report",
]);
export type EscalationResponse = z.infer<typeof EscalationResponse>;

/** A test that ran on the base and does not any more, as its check names it. */
const MissingTest = z.strictObject({ check: z.string(), id: z.string(), name: z.string() });
export type MissingTest = z.infer<typeof MissingTest>;
/** One that a person let go. */
export type WaivedTest = MissingTest & { readonly by: string };

/** A guardrail that blocks a result at a path, and who may waive it there: any person, or one who reviews a category. */
const HeldGuardrail = z.strictObject({ rule_id: z.string(), path: z.string(), override: z.string() });
export type HeldGuardrail = z.infer<typeof HeldGuardrail>;

/**
 * Why a result is not taken as it is although no check fails.
 * - `unproven`: a check shows nothing about any result, because it shows nothing about the base. The id is the check, or `*`
 *   when no check at all shows anything.
 * - `refused`: the agent was refused something that its task may need. The id is what it was.
 * - `unfinished`: the agent itself says that its task is not done.
 * - `weakened`: the result changes what judges it: a test, its expected values, a file that steers a check.
 * - `untested`: a fix without a test that fails on the base.
 */
const ObjectionKind = z.enum(["unproven", "refused", "unfinished", "weakened", "untested"]);
export const Objection = z.strictObject({
  kind: ObjectionKind,
  id: z.string().min(1).max(1000),
  /** What it is, for people. */
  message: z.string().max(2000),
  /** For `unproven`: what would have to be equal for two results to have the same cause. */
  cause: z.string().max(400).optional(),
  /** For `refused`: what would have to be added to the scope so that it is allowed. */
  addition: ScopeAddition.optional(),
});
export type Objection = z.infer<typeof Objection>;

/** More than this nobody looks at one by one: a result that lets more go is not for a person to waive. */
export const MOST_WAIVED = 1000;
const waivable = {
  tests: z.array(MissingTest).max(MOST_WAIVED),
  guardrails: z.array(HeldGuardrail).max(MOST_WAIVED),
  /** Absent in logs of earlier versions. */
  objections: z.array(Objection).max(MOST_WAIVED).optional(),
};

/** What alone keeps a result from passing, each by its name, where a person may waive it. */
export const Waivable = z.strictObject(waivable);
export type Waivable = z.infer<typeof Waivable>;

/** Something only a person may decide, with everything needed to decide it. */
export const Escalation = z.strictObject({
  escalation_id: EscalationId,
  type: EscalationType,
  severity: RiskLevel,
  task_id: TaskKey.nullable(),
  attempt: z.int().min(0).nullable(),
  response: EscalationResponse,
  summary: z.string(),
  package: z.strictObject({
    input: z.string(),
    injected_context: z.array(z.string()),
    output: z.string(),
    violation: z.string(),
  }),
  liftable: Waivable.optional(),
});
export type Escalation = z.infer<typeof Escalation>;

/** What a person orders when answering an escalation. */
export const EscalationOrder = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("retry"), agent: z.string().optional(), note: z.string().optional() }),
  z.strictObject({ action: z.literal("raise_budget"), add: Amounts }),
  z.strictObject({ action: z.literal("give_up") }),
  z.strictObject({ action: z.literal("resume") }),
  /** These may go, of this result and of no other: it is judged once more, without another attempt. */
  z.strictObject({
    /** A waiver. Logs have held this word from the first version on. */
    action: z.literal("lift"),
    ...waivable,
    /** `not_applicable`: the checks named do not count for this run. Otherwise the result is accepted without what is waived. */
    not_applicable: z.literal(true).optional(),
    note: text(1, 1000).optional(),
  }),
  /** What was broken around the work is mended: the same result is judged once more. */
  z.strictObject({ action: z.literal("recheck"), note: text(1, 1000).optional() }),
  /** The task may do more than it was allowed to, and goes on. */
  z.strictObject({ action: z.literal("widen"), addition: ScopeAddition, note: z.string().optional() }),
  /** The task is not done, and what builds on it goes on as if it were. */
  z.strictObject({ action: z.literal("skip"), reason: text(1, 1000) }),
]);
export type EscalationOrder = z.infer<typeof EscalationOrder>;

/** What people may change about a task while nobody works on it, by the name the contract has for it. */
export const TaskChange = z.discriminatedUnion("action", [
  /** It is not done, and what builds on it goes on as if it were. */
  z.strictObject({ action: z.literal("skip_task"), reason: text(1, 1000) }),
  /** It is not done, and neither is what builds on it. */
  z.strictObject({ action: z.literal("delete_task"), reason: text(1, 1000) }),
  z.strictObject({ action: z.literal("change_priority"), priority: Priority }),
  z.strictObject({ action: z.literal("reassign_task"), agent: text(1, 200) }),
]);
export type TaskChange = z.infer<typeof TaskChange>;

/** Who decided, when, and how it came about. */
export const Decider = z.strictObject({
  by: text(1, 200),
  how: z.enum(["rule", "person", "timeout_default", "agent"]),
  via: z
    .enum(["yes", "terminal", "command", "dashboard", "api", "mcp", "comment"])
    .optional()
    .describe(
      "How a person said so: beforehand with --yes, when asked at a terminal, by the command itself, in the dashboard, by a " +
        "program with a token of theirs, through their agent over MCP, or by a comment on an issue. With `agent`, that agent said so itself.",
    ),
});
export type Decider = z.infer<typeof Decider>;

export const BreakerState = z.enum(["closed", "open", "half_open"]);
export type BreakerState = z.infer<typeof BreakerState>;

export const Verdict = z.enum(["PASS", "FAIL", "BLOCKED"]);

export const GateCriterion = z.strictObject({
  criterion: z.enum(["deliverables", "quality", "risks", "blockers", "resources"]),
  passed: z.boolean(),
  reason: z.string(),
  evidence: z.array(z.string()),
});
export type GateCriterion = z.infer<typeof GateCriterion>;

export const GateDecision = z.strictObject({
  phase: RunPhase,
  decision: z.enum(["GO", "NO_GO"]),
  reason: z.string(),
  criteria: z.array(GateCriterion),
});
export type GateDecision = z.infer<typeof GateDecision>;

const message = {
  message_id: z.uuid(),
  from: z.string().min(1),
  to: z.string().min(1),
  timestamp: DateTime,
  in_reply_to: z.uuid().optional(),
};

const Severity = RiskLevel;

/** What the tiers say to each other: typed, kept, and nothing else. */
export const Message = z.discriminatedUnion("type", [
  z.strictObject({
    ...message,
    type: z.literal("planning_request"),
    payload: z.strictObject({
      request_id: z.string(),
      objective: z.string(),
      requirements: z.array(
        z.strictObject({
          requirement: z.string(),
          priority: z.enum(["must_have", "should_have", "nice_to_have"]),
          acceptance_criteria: z.array(z.string()),
        }),
      ),
      constraints: z.strictObject({
        max_tokens: z.int().min(0),
        max_time_seconds: z.int().min(0),
        technologies: z.array(z.string()),
        project_type: z.string(),
      }),
      context: z.record(z.string(), z.unknown()),
    }),
  }),
  z.strictObject({
    ...message,
    in_reply_to: z.uuid(),
    type: z.literal("planning_response"),
    payload: z.strictObject({
      status: z.enum(["success", "partial", "failed"]),
      plan: z.strictObject({
        phases: z.array(
          z.strictObject({
            phase: z.string(),
            tasks: z.array(
              z.strictObject({
                task_id: z.string(),
                description: z.string(),
                assigned_to: z.string(),
                dependencies: z.array(z.string()),
                estimated_tokens: z.int().min(0),
                estimated_time_seconds: z.int().min(0),
              }),
            ),
          }),
        ),
        total_estimated_tokens: z.int().min(0),
        total_estimated_time_seconds: z.int().min(0),
      }),
      risks: z.array(z.strictObject({ risk: z.string(), severity: Severity, mitigation: z.string() })),
      recommendations: z.array(z.string()),
    }),
  }),
  z.strictObject({
    ...message,
    type: z.literal("progress_update"),
    payload: z.strictObject({
      request_id: z.string(),
      progress_percentage: z.int().min(0).max(100),
      current_phase: z.string(),
      current_task: z.string(),
      tasks_completed: z.int().min(0),
      tasks_remaining: z.int().min(0),
      blockers: z.array(
        z.strictObject({ severity: Severity, description: z.string(), requires_coordinator_decision: z.boolean() }),
      ),
    }),
  }),
  z.strictObject({ ...message, type: z.literal("escalation"), payload: Escalation }),
  z.strictObject({
    ...message,
    type: z.literal("task_assignment"),
    payload: z.strictObject({ task_id: z.string(), attempt: z.int().min(1), agent: z.string(), reserved: Amounts }),
  }),
  z.strictObject({
    ...message,
    type: z.literal("task_result"),
    payload: z.strictObject({ task_id: z.string(), attempt: z.int().min(1), outcome: AttemptOutcome, usage: Usage }),
  }),
]);
export type Message = z.infer<typeof Message>;

/** What the type of the project asks of the run beside its tasks, and the check of the project that shows it. */
export const RunCriterion = z.strictObject({ criterion: z.string().min(1).max(80), check: z.string().nullable() });
export type RunCriterion = z.infer<typeof RunCriterion>;

export const PlanRef = z.strictObject({
  plan_id: z.string(),
  plan_checksum: Checksum,
  tasks: z.array(RunTask),
  gates: z.array(RunGate),
  budget: Amounts,
  /** What the tasks of a phase may use together, for the phases that have a limit of their own. */
  phase_budgets: z.record(z.string(), Amounts).optional(),
  /** The limits of the routing policy that hold for every attempt. Absent in logs of earlier versions. */
  bounds: RoutingBounds.optional(),
  criteria: z.array(RunCriterion).max(20).optional(),
});
export type PlanRef = z.infer<typeof PlanRef>;
