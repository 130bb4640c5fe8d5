import { z } from "zod";
import { AttachedImage } from "./attached-image.js";
import { Check } from "./settings/check.js";
import { Checksum, SemVer, text } from "./primitives.js";

/*
 * The Intent Spec: what must be true when the work is done, said so that a program can tell. The product agent writes
 * one; rules decide whether it is complete, consistent, verifiable and traceable; people and builders read it.
 */

const Item = z.string().regex(/^[A-Z]{1,4}-\d{1,4}$/, { error: "must be like REQ-1" });

/** A path pattern inside the repository. */
const Pattern = text(1, 512);

/** How a program finds out whether a requirement holds. Everything here is decided without a model. */
export const Verification = z.discriminatedUnion("kind", [
  z
    .strictObject({ kind: z.literal("command"), run: text(1, 2048), exit_code: z.int().min(0).max(255).default(0) })
    .describe("A command line, run in the sandbox on the result."),
  z
    .strictObject({ kind: z.literal("check"), name: Check.shape.name })
    .describe("One of the project's own checks passes."),
  z
    .strictObject({ kind: z.literal("test"), name: text(1, 500), check: Check.shape.name.optional() })
    .describe("A test of that name runs and passes; the name may be a part of the full one."),
  z
    .strictObject({ kind: z.literal("file_exists"), path: Pattern, exists: z.boolean().default(true) })
    .describe("A path of that pattern is there in the result, or none is."),
  z
    .strictObject({
      kind: z.literal("file_contains"),
      path: Pattern,
      text: text(1, 1000),
      contains: z.boolean().default(true),
    })
    .describe("A file of that pattern holds the text, or none does."),
]);
export type Verification = z.infer<typeof Verification>;

/** Where something is taken from: the request, an injected document, an answer of a person, or what the scan saw. */
const Source = text(1, 1024).regex(/^(?:request|document|answer|fact):/, {
  error: "must begin with request:, document:, answer: or fact:",
});

export const Requirement = z.strictObject({
  id: Item,
  description: text(3, 1000),
  verification: Verification,
  source: Source.describe("What of the input asks for it."),
  priority: z.enum(["must_have", "should_have", "nice_to_have"]).default("must_have"),
});
export type Requirement = z.infer<typeof Requirement>;

export const IntentSpec = z.strictObject({
  schema_version: z.literal("1.0.0"),
  id: z.string().regex(/^IS-[A-Za-z0-9_-]{1,60}$/, { error: "must be like IS-csv-export" }),
  version: SemVer.default("1.0.0"),
  objective: text(5, 2000),
  requirements: z.array(Requirement).min(1).max(100),
  constraints: z.array(z.strictObject({ id: Item, description: text(3, 1000), source: Source })).max(100),
  out_of_scope: z.array(text(3, 500)).min(1).max(50).describe("Never empty: what is not asked for is said."),
  assumptions: z
    .array(z.strictObject({ id: Item, description: text(3, 1000), source: Source }))
    .max(50)
    .describe("What was taken for granted, each with where it comes from."),
  context_refs: z.array(text(1, 1024)).max(200).describe("The injected documents it rests on."),
});
export type IntentSpec = z.infer<typeof IntentSpec>;

/** The answer of a product agent when the input is not enough: nothing is invented, questions are asked. */
export const InsufficientInput = z.strictObject({
  insufficient: z
    .array(z.strictObject({ question: text(10, 500), why: text(3, 1000) }))
    .min(1)
    .max(20),
});
export type InsufficientInput = z.infer<typeof InsufficientInput>;

/** One requirement as it was found on a result. */
export const RequirementResult = z.strictObject({
  id: Item,
  holds: z.boolean().nullable().describe("Null: it could not be evaluated, which is not a pass."),
  evidence: z.string(),
});
export type RequirementResult = z.infer<typeof RequirementResult>;

/** The brief of a run: kept in its records before the plan is approved, and never changed. */
export const Brief = z.strictObject({
  request: z.string().describe("What was asked, word for word."),
  spec: z.strictObject({ spec: IntentSpec, checksum: Checksum }).nullable(),
  documents: z
    .array(
      z.strictObject({
        ref: text(1, 1024),
        checksum: Checksum,
        text: z.string(),
        image: AttachedImage.optional().describe("What was attached as an image; the text names it by its checksum."),
      }),
    )
    .describe("The injected documents, as they were."),
  withheld: z
    .array(text(1, 1024))
    .default([])
    .describe("Documents of the context registry that were not given: they are in no workspace."),
});
export type Brief = z.infer<typeof Brief>;

/** The reference of the log to a brief: the fields that decisions use, and the checksum of its record. */
export const BriefRef = z.strictObject({
  ref: z.string(),
  spec: z
    .strictObject({
      id: IntentSpec.shape.id,
      checksum: Checksum,
      requirements: z.array(z.strictObject({ id: Item, priority: Requirement.shape.priority.unwrap() })),
    })
    .nullable(),
  documents: z.array(Brief.shape.documents.element.omit({ text: true, image: true })),
});
export type BriefRef = z.infer<typeof BriefRef>;

/** A brief as a person writes it down: what has no checksum gets one, and what has one must be what it says. */
export const BriefDraft = z.strictObject({
  request: text(1, 100_000),
  spec: IntentSpec.nullable().default(null),
  documents: z
    .array(Brief.shape.documents.element.partial({ checksum: true }))
    .max(200)
    .default([]),
  withheld: Brief.shape.withheld,
});
/** A draft with a spec that is sealed already. */
export const SealedBriefDraft = BriefDraft.extend({ spec: Brief.shape.spec });
export type BriefDraft = z.infer<typeof BriefDraft> | z.infer<typeof SealedBriefDraft>;
