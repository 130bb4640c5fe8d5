import { z } from "zod";
import {
  AgentId,
  CommandId,
  EntryStatus,
  IntentEffect,
  Phase,
  ReviewCategory,
  RiskLevel,
  RuleId,
  SemVer,
  Sensitivity,
  text,
  WorkflowId,
} from "../primitives.js";
import { McpServerSettings } from "../settings/agent-config.js";
import { TaskType } from "../task.js";

/*
 * The registry: everything a plan may refer to. Entries are versioned and have a status; only active ones may be
 * planned with. A plan records the versions it used, and a later change of one is drift.
 */

const entry = { version: SemVer, status: EntryStatus, title: text(3, 160), description: text(0, 2000).optional() };

/** A path pattern relative to the repository: `*`, `?`, `**` and `{a,b}`; never absolute, never `..`. */
const PathPattern = text(1, 512).refine((value) => unsafePath(value) === null, {
  error: (issue) => `is not a safe path: ${unsafePath(issue.input as string) ?? "unknown"}`,
});

/** Why a repository-relative path is not safe, or null when it is. */
export function unsafePath(path: string): string | null {
  if (path.includes("\0")) return "it contains a NUL byte";
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return "it is absolute";
  if (path.includes("\\")) return "it contains a backslash";
  if (path.split("/").includes("..")) return "it leaves the repository through ..";
  return null;
}

export const WorkflowEntry = z.strictObject({
  kind: z.literal("workflow"),
  id: WorkflowId,
  ...entry,
  phases: z
    .array(
      z.strictObject({
        phase: Phase,
        purpose: text(3, 400),
        commands: z.array(CommandId).max(200).default([]),
      }),
    )
    .min(1)
    .max(12),
});
export type WorkflowEntry = z.infer<typeof WorkflowEntry>;

export const TaskCapability = z.enum(["extraction", "writing", "reasoning", "coding", "review"]);
export type TaskCapability = z.infer<typeof TaskCapability>;

export const AgentEntry = z.strictObject({
  kind: z.literal("agent"),
  id: AgentId,
  ...entry,
  builder: TaskType.optional().describe("The type of task this agent builds, when it is a builder."),
  phases: z.array(Phase).min(1).max(12).describe("The phases whose nodes may stand in this agent's lane."),
  responsibilities: z.array(text(3, 200)).min(1).max(20),
  completion_promise: text(1, 120).optional(),
  writes: z.array(PathPattern).max(100).default([]),
  mcp_servers: z
    .array(McpServerSettings)
    .max(20)
    .optional()
    .describe("Servers every agent gets that plays this role, beside those of its own settings."),
});
export type AgentEntry = z.infer<typeof AgentEntry>;

export const RiskChange = z.enum(["increase", "decrease", "no_change"]);

export const CommandParameter = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{1,40}$/),
  question: text(10, 500),
  why: text(10, 1000),
  blocking_level: RiskLevel,
  options: z
    .array(z.strictObject({ answer: text(1, 200), rationale: text(3, 500), risk_change: RiskChange.optional() }))
    .max(8)
    .default([]),
  default: text(1, 200).optional().describe("Used when nobody answers. Without it, a critical parameter blocks."),
});
export type CommandParameter = z.infer<typeof CommandParameter>;

export const CommandEntry = z.strictObject({
  kind: z.literal("command"),
  id: CommandId,
  ...entry,
  phase: Phase,
  owner: AgentId,
  effects: z.array(IntentEffect).min(1).max(6),
  needs: z.array(CommandId).max(50).default([]).describe("Commands that come first when they are planned too."),
  reads: z.array(PathPattern).max(100).default([]),
  writes: z.array(PathPattern).max(100).default([]),
  parameters: z.array(CommandParameter).max(10).default([]),
  capability: TaskCapability.default("coding"),
  data_sensitivity: Sensitivity.optional(),
  estimate: z.strictObject({
    tokens_in: z.int().min(0).max(100_000_000),
    tokens_out: z.int().min(0).max(100_000_000),
    minutes: z.number().min(0).max(100_000),
  }),
  rollback: text(3, 1000).optional(),
  equivalents: z.array(CommandId).max(10).default([]).describe("Commands that reach the same end by another way."),
});
export type CommandEntry = z.infer<typeof CommandEntry>;

export const DecisionKind = z.enum(["allow", "deny", "warn", "require_review"]);
export type DecisionKind = z.infer<typeof DecisionKind>;

export const RuleEntry = z.strictObject({
  kind: z.literal("rule"),
  id: RuleId,
  ...entry,
  when: z.string().min(1).max(4096).describe("A CEL condition over command, intent, policy and facts."),
  // One flat shape and not a union by decision: an author who forgets a field is told which field it is.
  then: z.strictObject({
    decision: DecisionKind,
    reason: z.string().max(1000).default(""),
    review: ReviewCategory.optional().describe("Who must look, for require_review."),
    at: z
      .enum(["before_action", "after_work"])
      .optional()
      .describe("For require_review: before the action begins, or of the finished work, before the merge."),
    mandatory: z.boolean().default(false).describe("With allow: this action has to happen. A deny beside it blocks."),
    alternatives: z.array(text(3, 300)).max(5).default([]),
    risk: RiskLevel.optional().describe("The least overall risk of a plan in which this rule fires."),
  }),
});
export type RuleEntry = z.infer<typeof RuleEntry>;

export const FactEntry = z.strictObject({
  kind: z.literal("fact"),
  id: z.string().regex(/^[a-z][a-z0-9_]{1,60}$/),
  ...entry,
  type: z.enum(["bool", "number", "string", "strings"]),
  question: text(10, 500).describe("What to ask a person when the fact pack does not say."),
  blocking_level: RiskLevel,
  default: z.union([z.boolean(), z.number(), z.string().max(1000), z.array(z.string().max(1000)).max(100)]).optional(),
});
export type FactEntry = z.infer<typeof FactEntry>;

export const ModelEntry = z.strictObject({
  kind: z.literal("model"),
  id: z.string().regex(/^[a-z0-9][a-z0-9._:/-]{1,98}$/),
  ...entry,
  provider: text(1, 80),
  location: z.enum(["local", "cloud"]),
  capabilities: z.array(TaskCapability).min(1).max(10),
  quality: z.int().min(1).max(5),
  context_tokens: z.int().min(1024).max(100_000_000),
  price: z.strictObject({
    usd_per_million_in: z.number().min(0).max(10_000),
    usd_per_million_out: z.number().min(0).max(10_000),
    as_of: z.string().regex(/^\d{4}-\d\d-\d\d$/, { error: "must be a date YYYY-MM-DD" }),
  }),
});
export type ModelEntry = z.infer<typeof ModelEntry>;

/** The consequence of a guardrail that matches, strictest first. */
export const GuardrailSeverity = z.enum(["safety", "frozen", "block", "validate", "warn"]);
export type GuardrailSeverity = z.infer<typeof GuardrailSeverity>;

/** The subject of a security finding. */
export const SecurityKind = z.enum(["secret", "personal_data", "dangerous_call", "audit"]);

/** How a file differs from the base. */
export const ChangeKind = z.enum(["added", "modified", "deleted", "typechanged"]);
export type ChangeKind = z.infer<typeof ChangeKind>;

/**
 * Something that agents must keep away from whatever their scope says: a tool use by a condition, or a result by the paths it
 * changes and the lines it adds or takes away. Guardrails only ever make a scope narrower.
 */
export const GuardrailEntry = z
  .strictObject({
    kind: z.literal("guardrail"),
    id: RuleId,
    ...entry,
    watches: z.enum(["tool_use", "result"]),
    severity: GuardrailSeverity.describe(
      "safety ends the run; frozen is a violation nobody waives; block waits for a person; validate asks for a check; warn is only told.",
    ),
    reason: text(3, 1000),
    override: z
      .enum(["nobody", "person", ...ReviewCategory.options])
      .default("person")
      .describe("Who may waive a block: any person, or one who reviews that category."),
    when: z.string().min(1).max(4096).optional().describe("For a tool use: a CEL condition over use and scope."),
    paths: z.array(PathPattern).min(1).max(200).default(["**"]).describe("For a result: the files it looks at."),
    except: z.array(PathPattern).max(200).default([]),
    changes: z.array(ChangeKind).min(1).max(4).default(["added", "modified", "deleted", "typechanged"]),
    unless_named: z.boolean().default(false).describe("Not for a path that the scope names without a wildcard."),
    added: z.array(text(2, 200)).max(100).default([]).describe("Text in added lines; a blank stands for any blanks."),
    removed: z.array(text(2, 200)).max(100).default([]).describe("Text in lines that are taken away."),
    unless: z.array(text(2, 200)).max(100).default([]).describe("Text that makes a line harmless when it has it too."),
    where: z
      .enum(["code", "comment", "string", "source", "anywhere"])
      .default("anywhere")
      .describe("source: code and strings, and no comment."),
    secrets: z.boolean().default(false).describe("Keys, tokens and passwords in added lines."),
    personal_data: z
      .boolean()
      .default(false)
      .describe("Data of people in added lines: accounts, ids, lists of addresses."),
    security: SecurityKind.optional().describe("What of security it is about: it is a part of the verdict of its own."),
    document: text(1, 1024)
      .optional()
      .describe("The document it comes from: it holds for attempts that were given this document, and for no others."),
    validation: text(3, 400).optional().describe("With validate: what has to be shown first."),
  })
  .check((ctx) => {
    for (const [field, message] of guardrailProblems(ctx.value))
      ctx.issues.push({ code: "custom", message, path: [field], input: ctx.value });
  });
export type GuardrailEntry = z.infer<typeof GuardrailEntry>;

interface GuardrailFields {
  readonly watches: "tool_use" | "result";
  readonly severity: GuardrailSeverity;
  readonly override: string;
  readonly when?: string | undefined;
  readonly validation?: string | undefined;
  readonly document?: string | undefined;
  readonly secrets: boolean;
  readonly personal_data: boolean;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

function* guardrailProblems(entry: GuardrailFields): Iterable<readonly [string, string]> {
  const onUse = entry.watches === "tool_use";
  if (onUse && entry.when === undefined) yield ["when", "is missing: a tool use is watched by a condition"];
  if (!onUse && entry.when !== undefined) yield ["when", "is for tool uses; a result is watched by paths and lines"];
  if (onUse && (entry.severity === "validate" || entry.severity === "warn"))
    yield ["severity", "must be safety, frozen or block: a tool use is let through or not"];
  if (onUse && (entry.secrets || entry.personal_data || entry.added.length + entry.removed.length > 0))
    yield ["watches", "must be result for a guardrail that looks at lines"];
  if (entry.document !== undefined && onUse)
    yield ["document", "is for results: what an attempt made is held against what it was given"];
  if (entry.document !== undefined && entry.severity !== "frozen")
    yield ["severity", "must be frozen: work that contradicts a document it was given is not taken"];
  if (entry.severity === "validate" && entry.validation === undefined)
    yield ["validation", "is missing: say what has to be shown first"];
  if (entry.severity === "frozen" && entry.override !== "nobody" && entry.override !== "person")
    yield ["override", "must be nobody: what is frozen is not waived"];
}

export const RegistryEntry = z.discriminatedUnion("kind", [
  WorkflowEntry,
  AgentEntry,
  CommandEntry,
  RuleEntry,
  FactEntry,
  ModelEntry,
  GuardrailEntry,
]);
export type RegistryEntry = z.infer<typeof RegistryEntry>;

/**
 * A registry as one document: what a plan keeps of it, each list in the order of ids. Guardrails are not in it: they
 * judge how a plan is carried out and not what it is, so a new one leaves every frozen plan as it was.
 */
export const Registry = z.strictObject({
  schema_version: z.literal("1.0.0"),
  workflows: z.array(WorkflowEntry),
  agents: z.array(AgentEntry),
  commands: z.array(CommandEntry),
  rules: z.array(RuleEntry),
  facts: z.array(FactEntry),
  models: z.array(ModelEntry),
});
export type Registry = z.infer<typeof Registry>;
