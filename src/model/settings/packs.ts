import { z } from "zod";
import { CommandId, DateTime, QuestionId, text } from "../primitives.js";

/** A value a rule may look at, and where it was seen. */
export const Fact = z.strictObject({
  value: z.union([z.boolean(), z.number(), z.string().max(4000), z.array(z.string().max(1000)).max(1000)]),
  evidence_ref: text(3, 512),
});
export type Fact = z.infer<typeof Fact>;

/** The known facts of the project. Two sources may disagree: then the fact appears in both and a person decides. */
export const FactPack = z.strictObject({
  schema_version: z.literal("1.0.0"),
  pack_id: z.string().regex(/^facts_[a-z0-9_]{4,64}$/),
  project_id: text(1, 128),
  collected_at: DateTime,
  facts: z.record(z.string().regex(/^[a-z][a-z0-9_]{1,60}$/), z.union([Fact, z.array(Fact).min(1).max(10)])),
});
export type FactPack = z.infer<typeof FactPack>;

/** The figures of earlier runs for one command. */
export const CommandHistory = z.strictObject({
  command_id: CommandId,
  samples: z.int().min(1),
  tokens_in: z.int().min(0),
  tokens_out: z.int().min(0),
  minutes: z.number().min(0),
  failures: z.int().min(0),
});
export type CommandHistory = z.infer<typeof CommandHistory>;

/**
 * How what tasks used stood to what was estimated for them: the median of used ÷ estimated over earlier runs. Null where
 * too few tasks said so.
 */
export const EstimateRatio = z.strictObject({
  of: z.enum(["command", "task_type"]),
  name: text(1, 128),
  tokens: z.number().min(0.01).max(100).nullable(),
  token_samples: z.int().min(0),
  minutes: z.number().min(0.01).max(100).nullable(),
  minute_samples: z.int().min(0),
});
export type EstimateRatio = z.infer<typeof EstimateRatio>;

/** How a question was answered in earlier plans. */
export const RememberedAnswer = z.strictObject({
  question_id: QuestionId,
  answer: text(1, 1000),
  times: z.int().min(1),
});
export type RememberedAnswer = z.infer<typeof RememberedAnswer>;

/** One thing that is remembered: written by a person, or read from a decision, a run or a handoff. */
const MemoryNote = z.strictObject({
  ref: text(3, 256),
  text: text(1, 4000),
  kind: z.enum(["decision", "run", "handoff"]).optional().describe("Absent for what a person wrote."),
  at: DateTime.optional().describe("When it happened or was decided."),
  files: z.array(text(1, 512)).max(200).optional().describe("The files it is about."),
});

/** The memory of the project: notes of people, and figures of earlier plans and runs. */
export const MemoryPack = z.strictObject({
  schema_version: z.literal("1.0.0"),
  pack_id: z.string().regex(/^memory_[a-z0-9_]{4,64}$/),
  project_id: text(1, 128),
  collected_at: DateTime,
  notes: z.array(MemoryNote).max(1000),
  history: z.array(CommandHistory).max(10_000),
  answers: z.array(RememberedAnswer).max(10_000).default([]),
  learned_from: z
    .array(z.string().regex(/^[0-9a-f]{64}$/))
    .max(100_000)
    .optional()
    .describe("Checksums of the plans and observations it was made from: none of them is counted twice."),
  // Absent and not empty where nothing was learnt: a pack of an earlier version stays what it was, to the byte.
  ratios: z.array(EstimateRatio).max(10_000).optional(),
});
export type MemoryPack = z.infer<typeof MemoryPack>;
