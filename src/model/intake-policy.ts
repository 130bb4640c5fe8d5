import { z } from "zod";
import { text, WorkflowId } from "./primitives.js";
import { Approach, ClassName, Count, RuleName, TypeName } from "./request.js";

/*
 * The policy: everything a team may want to change about intake, as data.
 *
 * A pattern is words with spaces between. `a|b` is one of several words, `_` any one word, `..` up to four words.
 */
const Pattern = text(1, 500);
/** A list, or for long ones a text with commas between: word lists stay readable as paragraphs. */
const Patterns = z.preprocess(
  (given) =>
    typeof given === "string"
      ? given
          .split(",")
          .map((pattern) => pattern.trim())
          .filter(Boolean)
      : given,
  z.array(Pattern).max(2_000),
);

const WORD_KINDS = ["action", "thing", "harmful", "harmful_alone", "mark"] as const;

/**
 * A class of words. `action`: verbs, counted only where the request asks for them. `thing`: nouns, wherever they stand.
 * `harmful`: nouns that are harmful in themselves, counted unless the sentence defends against them; `harmful_alone`:
 * only when they do not qualify another noun. `mark`: phrases that tell purpose, owner, consent or concealment.
 */
const WordClass = z.strictObject({ kind: z.enum(WORD_KINDS), patterns: Patterns });

const ClassList = z.array(ClassName).max(40);

/** Refuses when an asked action meets an object of it, and every list of `with` and none of `unless` is spoken of. */
export const SafetyRule = z.strictObject({
  id: RuleName,
  category: RuleName,
  reason: text(3, 300),
  action: ClassList.default([]),
  object: ClassList.default([]),
  reach: z.int().min(1).max(60).default(14).describe("How many words the object may stand from its action."),
  with: z.array(ClassList.min(1)).max(6).default([]),
  unless: ClassList.default([]),
});
export type SafetyRule = z.infer<typeof SafetyRule>;

const Points = z.record(ClassName, z.number().min(0).max(100));

/** Weighing for what no rule names: the strongest class of each group counts, relief is taken off. */
const SafetyPoints = z.strictObject({
  refuse_at: z.number().min(0),
  min_groups: z.int().min(1).max(20),
  groups: z.record(ClassName, Points),
  relief: Points.default({}),
});

const Chance = z.int().min(1).max(100);

/** From which chance of harm, of 100, the learned layer holds and refuses. */
const SafetyLearned = z
  .strictObject({
    hold_at: Chance.describe("A person is asked what for and who agreed. Higher holds less."),
    hold_without_sign_at: Chance.optional().describe(
      "The same for a request that shows no sign of harm: unusual wording alone says little. As hold_at when absent.",
    ),
    hold_lone_sign_in_code_at: Chance.optional().describe(
      "The same for a request that names code and shows one sign of harm only, which is not about credentials: a word that means something else there. As hold_at when absent.",
    ),
    hold_other_languages_at: Chance.optional().describe(
      "The same for a request that is not in English and shows a sign of harm and none against it. As hold_at when absent.",
    ),
    refuse_at: Chance.describe("The request is refused. Higher refuses less."),
  })
  .refine(({ hold_at, refuse_at }) => hold_at <= refuse_at, { error: "hold_at must not be above refuse_at" });

const SafetyPolicy = z
  .strictObject({
    short_request_words: z.int().min(0).max(2_000).default(90),
    classes: z.record(ClassName, WordClass),
    harmless: Patterns.default([]).describe("Fixed expressions whose words mean nothing by themselves."),
    defend: Patterns.default([]).describe("Words after which harm is spoken of, not asked for."),
    adversary: Patterns.default([]).describe("Who does harm in a text that defends against it."),
    refers: Patterns.default([]).describe("By which a request hands over to what it quotes or attaches."),
    points: SafetyPoints.optional(),
    learned: SafetyLearned.optional(),
    rules: z.array(SafetyRule).max(200),
  })
  .check((ctx) => {
    const { points } = ctx.value;
    for (const group of points === undefined ? [] : [...Object.values(points.groups), points.relief])
      for (const name of Object.keys(group))
        if (!Object.hasOwn(ctx.value.classes, name))
          ctx.issues.push({
            code: "custom",
            path: ["points"],
            message: `names the class ${name}, which safety.classes does not have`,
            input: name,
          });
    ctx.value.rules.forEach((rule, index) => {
      const named = [...rule.action, ...rule.object, ...rule.with.flat(), ...rule.unless];
      for (const name of named)
        if (!Object.hasOwn(ctx.value.classes, name))
          ctx.issues.push({
            code: "custom",
            path: ["rules", index],
            message: `names the class ${name}, which safety.classes does not have`,
            input: rule,
          });
      if (rule.action.length + rule.object.length === 0)
        ctx.issues.push({
          code: "custom",
          path: ["rules", index],
          message: "must name an action or an object",
          input: rule,
        });
    });
  });

const Weighted = z.strictObject({
  strong: Patterns.default([]),
  medium: Patterns.default([]),
  weak: Patterns.default([]),
});

/** Cues for one project type, in words, in code and in a repository. */
const TypeCues = z.strictObject({
  words: Weighted.prefault({}),
  structure: z.record(ClassName, z.number().min(-20).max(20)).default({}),
  files: z.array(text(1, 200)).default([]).describe("`name`, `*.suffix` or `folder/`."),
  dependencies: z.array(text(1, 120)).default([]),
});

/** S1's strategies: how one project type is judged, where it differs from the default. */
export const IntakeStrategy = z.strictObject({
  max_tokens: z.int().min(1).optional(),
  max_time_seconds: z.int().min(1).optional(),
  estimate_factor: z.number().min(0.01).max(100).optional(),
  gates: z.array(text(1, 80)).max(20).optional(),
  min_object_words: z.int().min(0).max(20).optional(),
});
export type IntakeStrategy = z.infer<typeof IntakeStrategy>;

const ModelPrice = z.strictObject({
  usd_per_million_tokens: z.number().min(0),
  tokens_per_second: z.number().min(0.1),
});

export const IntakePolicy = z
  .strictObject({
    schema_version: z.literal("1.0.0"),
    policy_id: z.string().regex(/^policy_[a-z0-9_]{2,64}$/),
    supported_types: z.array(TypeName).min(1).max(100),
    types: z.record(TypeName, TypeCues),
    type_weights: z
      .strictObject({
        strong: z.number(),
        medium: z.number(),
        weak: z.number(),
        title: z.number(),
        code: z.number(),
        repository: z.number(),
      })
      .prefault({ strong: 4, medium: 2, weak: 1, title: 1.5, code: 0.3, repository: 3 }),
    type_caps: z
      .strictObject({ strong: z.number(), medium: z.number(), weak: z.number(), structure: z.number() })
      .prefault({ strong: 24, medium: 9, weak: 2, structure: 6 }),
    min_type_score: z.number().min(0).default(2),
    strategies: z.record(TypeName, IntakeStrategy).default({}),
    default_strategy: IntakeStrategy.prefault({}),
    approaches: z
      .array(z.strictObject({ approach: Approach, workflow_id: WorkflowId, base_tokens: Count, patterns: Patterns }))
      .min(1)
      .max(40)
      .describe("In order: the first of two that speak equally early wins. The last one holds when none speaks."),
    clarity: z.strictObject({
      actions: Patterns.describe("Verbs that ask for a change."),
      vague: Patterns.describe("Words that name no object of work."),
      generic: Patterns.describe("Objects too general to work on alone."),
      function_words: Patterns,
      choices: Patterns.default([]).describe("By which a request leaves open which of two things it wants."),
      decided: Patterns.default([]).describe("By which it says which."),
      to_us: Patterns.default([]).describe(
        "Words to the reader of the request, who takes no orders: they name no object.",
      ),
      other_languages: z
        .enum(["judge", "clarify", "accept"])
        .default("judge")
        .describe(
          "What becomes of a request that is not in English: judged by its wording, asked for in English, or taken as clear. " +
            "Where safety has no learned layer, judge asks for English, too.",
        ),
      max_questions: z.int().min(1).max(5).default(5),
    }),
    estimate: z.strictObject({
      tokens_per_object: Count,
      tokens_per_place: Count,
      tokens_per_acceptance: Count,
      tokens_per_list_entry: Count,
      tokens_per_hundred_words: Count,
      tokens_per_api_call: z.int().min(1),
      medium_from_tokens: Count,
      large_from_tokens: Count,
      default_model: z.string(),
      models: z.record(z.string(), ModelPrice),
    }),
    safety: SafetyPolicy,
  })
  .check((ctx) => {
    const { estimate } = ctx.value;
    if (!Object.hasOwn(estimate.models, estimate.default_model))
      ctx.issues.push({
        code: "custom",
        path: ["estimate", "default_model"],
        message: "must be one of estimate.models",
        input: estimate.default_model,
      });
  });
export type IntakePolicy = z.infer<typeof IntakePolicy>;
