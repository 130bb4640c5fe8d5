import { z } from "zod";
import { CommandId, DateTime, QuestionId, text } from "./primitives.js";

/** A value a rule may look at, and where it was seen. */
export const Fact = z.strictObject({
  value: z.union([z.boolean(), z.number(), z.string().max(4000), z.array(z.string().max(1000)).max(1000)]),
  evidence_ref: text(3, 512),
});
export type Fact = z.infer<typeof Fact>;

/** What is known of the project now. Two sources may disagree: then the fact appears in both and a person decides. */
export const FactPack = z.strictObject({
  schema_version: z.literal("1.0.0"),
  pack_id: z.string().regex(/^facts_[a-z0-9_]{4,64}$/),
  project_id: text(1, 128),
  collected_at: DateTime,
  facts: z.record(z.string().regex(/^[a-z][a-z0-9_]{1,60}$/), z.union([Fact, z.array(Fact).min(1).max(10)])),
});
export type FactPack = z.infer<typeof FactPack>;

/** What earlier runs taught about one command. */
export const CommandHistory = z.strictObject({
  command_id: CommandId,
  samples: z.int().min(1),
  tokens_in: z.int().min(0),
  tokens_out: z.int().min(0),
  minutes: z.number().min(0),
  failures: z.int().min(0),
});
export type CommandHistory = z.infer<typeof CommandHistory>;

/** How a question was answered in earlier plans. */
export const RememberedAnswer = z.strictObject({
  question_id: QuestionId,
  answer: text(1, 1000),
  times: z.int().min(1),
});
export type RememberedAnswer = z.infer<typeof RememberedAnswer>;

/** What is remembered of the project: notes people kept, and what earlier plans and runs taught. */
export const MemoryPack = z.strictObject({
  schema_version: z.literal("1.0.0"),
  pack_id: z.string().regex(/^memory_[a-z0-9_]{4,64}$/),
  project_id: text(1, 128),
  collected_at: DateTime,
  notes: z.array(z.strictObject({ ref: text(3, 256), text: text(1, 4000) })).max(1000),
  history: z.array(CommandHistory).max(10_000),
  answers: z.array(RememberedAnswer).max(10_000).default([]),
});
export type MemoryPack = z.infer<typeof MemoryPack>;
