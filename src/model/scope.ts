import { z } from "zod";
import { text } from "./primitives.js";

/*
 * The scope of an attempt (what it may read, write, run and reach), the uses of tools by agents, and their judgement. A scope
 * comes from the plan; a person may widen it, and the widening is recorded. Nothing is allowed by being left out.
 */

/** The kind of a tool of an agent, in the words of the Agent Client Protocol. */
export const ToolKind = z.enum([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
]);
export type ToolKind = z.infer<typeof ToolKind>;

const Globs = z.array(text(1, 1024)).max(10_000);

export const Scope = z.strictObject({
  tools: z.array(ToolKind).describe("Kinds of tools that may be used at all."),
  commands: z
    .array(text(1, 2048))
    .max(1000)
    .describe("What may be run: `*` stands for any characters but those that join, redirect or substitute commands."),
  read: Globs.describe("Paths from the root of the repository; what no pattern matches is not in the workspace."),
  write: Globs.describe("Paths that may be made, changed or removed."),
  network: z.array(text(1, 255)).max(200).describe("Hosts the agent's own tools may reach; empty for none."),
  minutes: z.number().min(0).describe("Wall-clock time an attempt may take."),
  output_bytes: z.int().min(0).describe("How much an attempt may print."),
  files: z.int().min(0).describe("How many files an attempt may change."),
});
export type Scope = z.infer<typeof Scope>;

/** Who sets a limit of a scope. `contract`: `most` in the scope policy. */
export const LimitSource = z.enum(["routing policy", "contract", "plan", "task", "request", "project"]);
export type LimitSource = z.infer<typeof LimitSource>;

const LimitValue = z.union([z.number(), z.array(z.string())]);

/** One limit of a scope: which value holds, by whom, and what the others would have allowed. */
export const ScopeLimit = z.strictObject({
  what: z.enum(["tools", "write", "network", "minutes", "output_bytes"]),
  value: LimitValue,
  by: LimitSource,
  others: z.array(z.strictObject({ by: LimitSource, value: LimitValue })).max(10),
});
export type ScopeLimit = z.infer<typeof ScopeLimit>;

/** The addition of a person to a scope. It has only the fields that may be added at all. */
export const ScopeAddition = z.strictObject({
  commands: Scope.shape.commands.default([]),
  write: Scope.shape.write.default([]),
  network: Scope.shape.network.default([]),
});
export type ScopeAddition = z.infer<typeof ScopeAddition>;

/** One use of a tool: asked for before it happens, or seen when it has. */
export const ToolUse = z.strictObject({
  tool_call_id: z.string(),
  /** `request`: the agent asks and waits for the answer. `effect`: it has been done, or is being done. */
  stage: z.enum(["request", "deed"]),
  kind: ToolKind,
  title: z.string(),
  /** From the root of the workspace, `/` between the parts; one that leads outside is given as it came. */
  paths: z.array(z.strictObject({ path: z.string(), access: z.enum(["read", "write", "delete"]) })),
  command: z.string().nullable(),
  hosts: z.array(z.string()),
});
export type ToolUse = z.infer<typeof ToolUse>;

/**
 * How a tool use was judged. A request is allowed, denied, or denied and put to a person (`ask`). An effect is allowed,
 * or a violation of the scope, or of the safety class, which ends the run.
 */
export const Judgement = z.strictObject({
  decision: z.enum(["allow", "deny", "ask", "violation", "safety"]),
  rule_id: z.string(),
  reason: z.string(),
  /** The addition to the scope that a person would have to make; present for `ask`. */
  addition: ScopeAddition.optional(),
});
export type Judgement = z.infer<typeof Judgement>;

/** One thing an agent asked for and was refused, as it stood when its attempt ended. */
export const Refusal = z.strictObject({
  kind: ToolKind,
  /** The use in words, for people: `edit src/x.py`, `run npm publish`. */
  what: z.string().max(1000),
  /** Paths it would have written. */
  paths: z.array(z.string()).max(100),
  command: z.string().max(4096).nullable(),
  rule_id: z.string(),
  reason: z.string().max(1000),
  /** The addition to the scope that would allow it; absent where nothing a person adds allows it. */
  addition: ScopeAddition.optional(),
  /** Why the work does not depend on it any more; absent while it may. */
  settled: z.string().max(400).optional(),
});
export type Refusal = z.infer<typeof Refusal>;

/** How well a sandbox holds. Printed and logged for every run; `none` only by explicit order. */
export const SandboxGrade = z.enum(["strong", "reduced", "none"]);
export type SandboxGrade = z.infer<typeof SandboxGrade>;
