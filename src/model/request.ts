import { z } from "zod";
import { DateTime, Sensitivity, text, WorkflowId } from "./primitives.js";
import { Refusal } from "./scope.js";

/*
 * A request, the decision of intake on it, and the response to the person. The request and the response are the
 * specification's, field by field; the decision adds the rules, reasons and places in the text behind it.
 */

export const TypeName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{1,40}$/, { error: "must be a short lower-case name, e.g. frontend" });
export const RuleName = z.string().regex(/^[a-z][a-z0-9_]{2,80}$/);
export const ClassName = z.string().regex(/^[a-z][a-z0-9_]{1,60}$/);
export const Count = z.int().min(0);

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

/** The facts found under `project_path`. Intake reads no file itself. */
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
  id: z.enum(["object", "behaviour", "place", "acceptance", "choice", "field", "purpose", "authorisation"]),
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
  /** The proof of each task that is done, in words, and the objections that people waived. Absent where no task has a verdict. */
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
  /** The last words of each task's agent, and the uses it was refused. Absent where none has said anything. */
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
