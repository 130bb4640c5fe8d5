import { z } from "zod";
import { DateTime, Sensitivity, text, WorkflowId } from "./primitives.js";
import { Refusal } from "./scope.js";

/*
 * What a person asks, what intake decides of it, and what the person is told. The request and the response are the
 * specification's, field by field; the decision adds the rules, reasons and places in the text behind it.
 */

const TypeName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{1,40}$/, { error: "must be a short lower-case name, e.g. frontend" });
const RuleName = z.string().regex(/^[a-z][a-z0-9_]{2,80}$/);
const ClassName = z.string().regex(/^[a-z][a-z0-9_]{1,60}$/);
const Count = z.int().min(0);

const Attachment = z.strictObject({
  type: z.enum(["file", "url", "image"]),
  content: z.string().describe("Text, an address, or base64."),
  description: z.string().default(""),
});

export const Preferences = z.strictObject({
  model: text(1, 200)
    .optional()
    .describe("A model, a family of models such as claude or ollama, or an agent: nothing else is used then."),
  max_budget_tokens: z.int().min(1).optional(),
  max_time_seconds: z.int().min(1).optional(),
});

export const UserRequest = z.strictObject({
  request_id: z.uuid(),
  timestamp: DateTime,
  user_request: z.string(),
  context: z
    .strictObject({
      project_path: text(1, 4096).optional(),
      // A name outside the policy's list is not a malformed request: it is rejected with the supported ones named.
      project_type: text(1, 80).optional(),
      preferences: Preferences.optional(),
      data_sensitivity: Sensitivity.optional().describe(
        "How sensitive what is asked is. Confidential and restricted data go only to agents that the person's own settings accept.",
      ),
    })
    .optional(),
  attachments: z.array(Attachment).max(1_000).optional(),
});
export type UserRequest = z.infer<typeof UserRequest>;

/** What a hand found under `project_path`. Intake reads no file itself. */
export const RepositoryFacts = z.strictObject({
  files: z.array(text(1, 4096)).describe("Paths relative to the repository, with `/`, e.g. `ios/App.xcodeproj`."),
  dependencies: z
    .array(z.string())
    .default([])
    .describe("Names from the manifests (package.json, pyproject.toml, Cargo.toml, go.mod, build.gradle …)."),
});
export type RepositoryFacts = z.infer<typeof RepositoryFacts>;

const IntakeVerdict = z.enum(["approved", "rejected", "needs_clarification"]);

/** A place in what was given that speaks for a decision. Offsets count UTF-16 units of the source. */
export const Evidence = z.strictObject({
  source: z.string().describe("`user_request`, `attachments[0]`, `context` or `repository`."),
  start: Count,
  end: Count,
  text: z.string(),
  says: z.string().describe("What it was read as: a word class, a cue or a fact."),
});
export type Evidence = z.infer<typeof Evidence>;

const INTAKE_STEPS = ["parse", "project_type", "approach", "safety", "clarity", "feasibility", "support"] as const;

export const IntakeStep = z.strictObject({
  step: z.enum(INTAKE_STEPS),
  outcome: z.enum(["passed", "noted", "failed"]),
  rule_id: RuleName,
  reason: z.string(),
  evidence: z.array(Evidence),
});
export type IntakeStep = z.infer<typeof IntakeStep>;

export const ParsedIntent = z.strictObject({
  action: z.string().nullable(),
  object: z.string().nullable(),
  purpose: z.string().nullable(),
  places: z.array(z.string()),
  acceptance: z.array(z.string()),
});
export type ParsedIntent = z.infer<typeof ParsedIntent>;

export const Approach = z.enum([
  "new_project",
  "enhancement",
  "fix",
  "refactor",
  "research",
  "docs",
  "test",
  "migration",
  "release",
]);
export type Approach = z.infer<typeof Approach>;

export const ProjectTypeFinding = z.strictObject({
  type: z.string().nullable().describe("null when nothing tells it."),
  source: z.enum(["context", "repository", "text", "none"]),
  confidence: z.number().min(0).max(1),
  candidates: z.array(z.strictObject({ type: z.string(), score: z.number() })),
});
export type ProjectTypeFinding = z.infer<typeof ProjectTypeFinding>;

export const ResourceEstimate = z.strictObject({
  tokens: Count,
  time_seconds: Count,
  api_calls: Count,
  cost_usd: z.number().min(0),
  model: z.string(),
  complexity: z.enum(["small", "medium", "large"]),
  breakdown: z.array(z.strictObject({ part: z.string(), count: z.number().min(0), tokens: Count })),
  budget: z.strictObject({ max_tokens: Count.nullable(), max_time_seconds: Count.nullable(), source: z.string() }),
});
export type ResourceEstimate = z.infer<typeof ResourceEstimate>;

export const ClarificationQuestion = z.strictObject({
  id: z.enum(["object", "behaviour", "place", "acceptance", "choice", "field"]),
  question: z.string(),
});
export type ClarificationQuestion = z.infer<typeof ClarificationQuestion>;

export const IntakeDecision = z.strictObject({
  request_id: z.string().nullable(),
  decision: IntakeVerdict,
  rule_id: RuleName,
  reason: z.string(),
  safety_category: z.string().nullable(),
  intent: ParsedIntent,
  project_type: ProjectTypeFinding,
  approach: Approach.nullable(),
  workflow_id: WorkflowId.nullable(),
  gates: z.array(z.string()),
  estimate: ResourceEstimate.nullable(),
  questions: z.array(ClarificationQuestion).max(5),
  steps: z.array(IntakeStep),
});
export type IntakeDecision = z.infer<typeof IntakeDecision>;

export const CoordinatorResponse = z.strictObject({
  response_id: z.uuid(),
  request_id: z.string(),
  timestamp: DateTime,
  status: z.enum(["completed", "in_progress", "failed", "blocked"]),
  decision: IntakeVerdict,
  message: z.string(),
  deliverables: z.array(
    z.strictObject({
      type: z.enum(["code", "documentation", "report", "plan"]),
      path: z.string(),
      description: z.string(),
      metadata: z.record(z.string(), z.unknown()),
    }),
  ),
  /** What proves each task that is done, in words, and what people let pass. Absent where no task has a verdict. */
  proof: z
    .array(
      z.strictObject({
        task_id: z.string(),
        proven_by: z.array(z.string()),
        accepted: z.array(z.string()),
        failed_before: z.array(z.string()),
        unreached: z.array(z.string()),
        notes: z.array(z.string()).optional(),
        /** The completion promise its agent gave, and after how many turns. Absent where none was asked for. */
        promise: z.strictObject({ text: z.string(), given: z.boolean(), iterations: z.int().min(0) }).optional(),
      }),
    )
    .optional(),
  /** What the agent of each task said last and was refused. Absent where none has said anything. */
  last_words: z
    .array(
      z.strictObject({
        task_id: z.string(),
        attempt: z.int().min(1),
        said: z.string().nullable(),
        refused: z.array(Refusal),
      }),
    )
    .optional(),
  project_state: z.strictObject({
    phase: z.enum(["initiation", "planning", "execution", "monitoring", "closure"]),
    progress_percentage: z.int().min(0).max(100),
    tasks_completed: Count,
    tasks_remaining: Count,
  }),
  resource_usage: z.strictObject({
    tokens_used: Count,
    api_calls: Count,
    time_elapsed_seconds: Count,
    cost_usd: z.number().min(0),
  }),
  next_steps: z.array(z.string()),
  blockers: z.array(
    z.strictObject({
      severity: z.enum(["critical", "high", "medium", "low"]),
      description: z.string(),
      resolution_required: z.boolean(),
    }),
  ),
});
export type CoordinatorResponse = z.infer<typeof CoordinatorResponse>;

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

const SafetyLearned = z.strictObject({
  refuse_at: z.number().describe("How much a short request must look like those known to harm. Higher refuses less."),
});

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

/** What speaks for one project type, in words, in code and in a repository. */
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
        .enum(["clarify", "accept"])
        .default("clarify")
        .describe("What becomes of a request that is not in English, which the word lists cannot judge."),
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
