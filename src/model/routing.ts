import { z } from "zod";
import { RuleId, text } from "./primitives.js";
import { ToolKind } from "./scope.js";

/*
 * Routing: what a request is, where it goes and what the child agent may see. A policy is data; it decides, nobody else.
 */

export const RoutingTarget = z.enum(["product", "dev"]);
export type RoutingTarget = z.infer<typeof RoutingTarget>;

export const RoutingCategory = z.enum(["ambiguous", "business", "strategic", "technical_explicit"]);
export type RoutingCategory = z.infer<typeof RoutingCategory>;

const RoutingConfidence = z.enum(["deterministic", "heuristic"]);

export const InputType = z.enum(["technical", "product", "ambiguous"]);
export type InputType = z.infer<typeof InputType>;

const Condition = text(1, 4096).describe("A CEL condition over the named facts; it must be a bool.");

// ---------------------------------------------------------------------------------------------- context documents

export const DocumentKind = z.enum(["principles", "adr", "intent_spec", "standard", "source"]);
export type DocumentKind = z.infer<typeof DocumentKind>;

/** Where a project keeps its context registry. No child is ever shown these files. */
export const CONTEXT_FILES = ["governance/context.yaml", "governance/context.yml", "governance/context.json"] as const;

/** One document of the context registry. Only what selection needs: the text itself never passes through routing. */
export const ContextDocument = z.strictObject({
  ref: text(1, 1024),
  kind: DocumentKind,
  domain: text(0, 128).default("").describe("Empty: it holds for the whole project."),
  status: z.enum(["active", "proposed", "superseded", "deprecated", "rejected"]).default("active"),
  tags: z.array(text(1, 64)).max(32).default([]),
  title: text(0, 300).default(""),
  size: z.int().min(0).default(0).describe("In bytes; 0 when unknown."),
});
export type ContextDocument = z.infer<typeof ContextDocument>;

// ---------------------------------------------------------------------------------------------- policy

/**
 * Which rule speaks for an operator's own classification. The targets are the specification's and cannot be changed.
 */
const ExplicitRules = z.strictObject({
  technical: RuleId.default("operator_says_technical"),
  product: RuleId.default("operator_says_product"),
  ambiguous: RuleId.default("operator_says_ambiguous"),
});

export const RoutingRule = z
  .strictObject({
    id: RuleId,
    description: text(0, 500).optional(),
    category: RoutingCategory,
    target: RoutingTarget,
    confidence: RoutingConfidence,
    when: Condition,
  })
  .check((ctx) => {
    // INVARIANT: only an explicit technical instruction may reach dev; all that is uncertain goes to product.
    if (ctx.value.target === "dev" && ctx.value.category !== "technical_explicit")
      ctx.issues.push({
        code: "custom",
        path: ["target"],
        message: "must be product: only technical_explicit may go to dev",
        input: ctx.value,
      });
  });
export type RoutingRule = z.infer<typeof RoutingRule>;

/** Rules are tried in order for each document; the first that matches decides. No match leaves the document out. */
export const ContextRule = z.strictObject({
  id: RuleId,
  description: text(0, 500).optional(),
  target: RoutingTarget,
  decision: z.enum(["include", "exclude"]),
  requirement: z
    .enum(["mandatory", "conditional"])
    .default("conditional")
    .describe("Limits drop conditional documents; mandatory ones they cannot hold fail the decision."),
  when: Condition,
});
export type ContextRule = z.infer<typeof ContextRule>;

export const ContextLimits = z.strictObject({
  max_documents: z.int().min(1).max(10_000).default(20),
  max_bytes: z.int().min(1).default(262_144),
  whole_registry_above: z
    .int()
    .min(1)
    .default(3)
    .describe("A registry with more documents than this is never injected whole."),
});
export type ContextLimits = z.infer<typeof ContextLimits>;

/** The names a policy has for tools: those of the Agent Client Protocol, and `run` for running commands. */
export const RoutingTool = z.enum([...ToolKind.options, "run"]);
export type RoutingTool = z.infer<typeof RoutingTool>;

/**
 * The most that a child agent may use, write and reach. It is a limit: an attempt gets what its task needs, and never more
 * than this. A field that is left out limits nothing; an empty list permits nothing.
 */
export const ChildScope = z.strictObject({
  tools: z
    .array(RoutingTool)
    .max(100)
    .default([...ToolKind.options])
    .describe("Kinds of tools the child may use."),
  write: z.array(text(1, 512)).max(1_000).default(["**"]).describe("Glob patterns the child may write to."),
  network: z
    .array(text(1, 253))
    .max(1_000)
    .default(["*"])
    .describe("Hosts the child may reach, as far as its task may; empty means none."),
  time_limit_ms: z.int().min(1).default(7_200_000),
  max_output_bytes: z.int().min(1).default(67_108_864),
});
export type ChildScope = z.infer<typeof ChildScope>;

export const EscalationTrigger = z.enum([
  "retries_exhausted",
  "insufficient_input",
  "rule_violation",
  "spec_violation",
  "scope_violation",
]);
export type EscalationTrigger = z.infer<typeof EscalationTrigger>;

/** A semantic error always escalates: these three cannot be taken off the list. */
const ALWAYS_ESCALATED: readonly EscalationTrigger[] = ["rule_violation", "spec_violation", "scope_violation"];

export const RoutingFailurePolicy = z.strictObject({
  max_retries: z.int().min(0).max(10).default(3),
  escalation_triggers: z
    .array(EscalationTrigger)
    .default([...EscalationTrigger.options])
    .check((ctx) => {
      for (const trigger of ALWAYS_ESCALATED)
        if (!ctx.value.includes(trigger))
          ctx.issues.push({ code: "custom", message: `must hold ${trigger}: it always escalates`, input: ctx.value });
    }),
});
export type RoutingFailurePolicy = z.infer<typeof RoutingFailurePolicy>;

const RoutingLimits = z.strictObject({
  max_body_chars: z.int().min(1).default(2_000_000),
  max_registry_documents: z.int().min(1).default(100_000),
  evidence_per_signal: z.int().min(0).max(100).default(5),
});

const uniqueIds = (ctx: { value: readonly { id: string }[]; issues: z.core.$ZodRawIssue[] }): void => {
  const seen = new Set<string>();
  for (const [index, { id }] of ctx.value.entries()) {
    if (seen.has(id))
      ctx.issues.push({ code: "custom", path: [index, "id"], message: `is used twice: ${id}`, input: ctx.value });
    seen.add(id);
  }
};

export const RoutingPolicy = z.strictObject({
  schema_version: z.literal("1.0.0"),
  policy_id: z.string().regex(/^policy_[a-z0-9_]{2,64}$/),
  explicit: ExplicitRules.prefault({}),
  rules: z.array(RoutingRule).max(500).check(uniqueIds),
  context_rules: z.array(ContextRule).max(500).default([]).check(uniqueIds),
  context_limits: ContextLimits.prefault({}),
  child_scopes: z.strictObject({ product: ChildScope.prefault({}), dev: ChildScope.prefault({}) }).prefault({}),
  failure: RoutingFailurePolicy.prefault({}),
  limits: RoutingLimits.prefault({}),
});
export type RoutingPolicy = z.infer<typeof RoutingPolicy>;

/** The limits that a routing policy sets to the attempts of one run, as they were when the run was begun. */
export const RoutingBounds = z.strictObject({
  policy_id: z.string(),
  target: RoutingTarget,
  child_scope: ChildScope,
  failure: RoutingFailurePolicy,
});
export type RoutingBounds = z.infer<typeof RoutingBounds>;

// ---------------------------------------------------------------------------------------------- input

/** The operator's payload. Fields of its own pass through untouched; routing reads these two. */
const RoutingPayload = z.looseObject({ type: InputType.optional(), body: z.string() });

export const RoutingInput = z.strictObject({
  task_id: text(1, 256),
  input: RoutingPayload,
  context_registry: z.array(z.union([text(1, 1024), ContextDocument])),
  policy: RoutingPolicy,
});
export type RoutingInput = z.infer<typeof RoutingInput>;

// ---------------------------------------------------------------------------------------------- decision

const Span = z.strictObject({ start: z.int(), end: z.int(), text: z.string() });

export const FiredSignal = z.strictObject({ name: z.string(), count: z.int(), evidence: z.array(Span) });
export type FiredSignal = z.infer<typeof FiredSignal>;

export const TriedRule = z.strictObject({
  rule_id: z.string(),
  outcome: z.enum(["matched", "not_matched", "error"]),
  reads: z.array(z.string()),
  message: z.string().optional(),
});
export type TriedRule = z.infer<typeof TriedRule>;

export const RoutingExplanation = z.strictObject({
  signals: z.array(FiredSignal),
  rules_tried: z.array(TriedRule),
});
export type RoutingExplanation = z.infer<typeof RoutingExplanation>;

export const ContextLogEntry = z.strictObject({
  ref: z.string(),
  decision: z.enum(["included", "excluded"]),
  rule_id: z.string(),
  reason: z.string(),
});
export type ContextLogEntry = z.infer<typeof ContextLogEntry>;

/** Which documents were given to one child and which were not, each with its rule. */
export const RouteContext = z.strictObject({ target: RoutingTarget, documents: z.array(ContextLogEntry) });
export type RouteContext = z.infer<typeof RouteContext>;

export const RoutingClassification = z.strictObject({
  category: RoutingCategory,
  confidence: RoutingConfidence,
  rule_id: z.string(),
});
export type RoutingClassification = z.infer<typeof RoutingClassification>;

export const RoutingReason = z.strictObject({
  code: z.enum([
    "malformed_input",
    "policy_error",
    "rule_error",
    "no_rule_matched",
    "context_rule_error",
    "mandatory_context_over_limit",
  ]),
  message: z.string(),
  rule_id: z.string().nullable(),
});
export type RoutingReason = z.infer<typeof RoutingReason>;

const told = { explanation: RoutingExplanation, context_log: z.array(ContextLogEntry) };

/** The status is the discriminant: what was not routed names no target, injects nothing and gives the input back. */
export const RoutingDecision = z.discriminatedUnion("status", [
  z.strictObject({
    task_id: z.string(),
    status: z.literal("routed"),
    routed_to: RoutingTarget,
    injected_context: z.array(z.string()),
    classification: RoutingClassification,
    child_scope: ChildScope,
    ...told,
  }),
  z.strictObject({
    task_id: z.string().nullable(),
    status: z.enum(["escalated", "failed"]),
    routed_to: z.null(),
    injected_context: z.array(z.string()).max(0),
    classification: RoutingClassification.nullable(),
    child_scope: z.null(),
    reason: RoutingReason,
    returned_input: z.unknown().describe("The input as it was received."),
    ...told,
  }),
]);
export type RoutingDecision = z.infer<typeof RoutingDecision>;
export type RoutedDecision = Extract<RoutingDecision, { status: "routed" }>;
