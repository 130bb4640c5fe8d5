import { z } from "zod";
import { Contract } from "./settings/contract.js";
import { ExecutionGraph } from "./plan/graph.js";
import { IntentLock, IntentV091, IntentV100 } from "./plan/intent.js";
import { PlanManifest } from "./plan/manifest.js";
import { FactPack, MemoryPack } from "./settings/packs.js";
import { ExecutionPolicy } from "./plan/policy.js";
import { AnswerPack, QuestionPack } from "./plan/questions.js";
import {
  AgentEntry,
  CommandEntry,
  FactEntry,
  GuardrailEntry,
  ModelEntry,
  Registry,
  RuleEntry,
  WorkflowEntry,
} from "./plan/registry.js";
import { ReviewPack } from "./plan/review.js";
import { AuditEntry, RunTape } from "./tape.js";
import { WorkQueue } from "./work-queue.js";

/*
 * The schemas other programs may rely on, as JSON Schema. The Zod schema is the source; a test fails when the files
 * under schemas/ are not what it gives.
 */

interface Published {
  /** The file's name without `.schema.json`. */
  readonly name: string;
  readonly version: string;
  readonly title: string;
  readonly schema: z.ZodType;
  /** Rules over several fields, which Zod checks in code and JSON Schema can say too. */
  readonly also?: Readonly<Record<string, unknown>>;
}

const at = (path: readonly string[], schema: object): object =>
  path.reduceRight<object>((inner, key) => ({ properties: { [key]: inner } }), schema);

const WRITES = {
  contains: { properties: { effects: { contains: { enum: ["write", "deploy"] } } }, required: ["effects"] },
};

const intentRules = (needsReview: readonly object[]) => ({
  allOf: [
    {
      $comment: "full_auto asks nothing",
      if: at(["interaction", "mode"], { const: "full_auto" }),
      then: {
        properties: {
          interaction: { properties: { question_budget: { const: 0 }, question_policy: { const: "never" } } },
        },
      },
    },
    {
      $comment: "high or critical risk is never full_auto",
      if: at(["risk", "overall"], { enum: ["high", "critical"] }),
      then: at(["interaction", "mode"], { enum: ["interactive", "semi_auto"] }),
    },
    ...needsReview,
  ],
});

const REVIEWED = at(["risk", "requires_review"], { minItems: 1 });
const INTENT_RULES_091 = intentRules([
  { $comment: "what writes or deploys needs a review", if: at(["planned_commands"], WRITES), then: REVIEWED },
]);
const INTENT_RULES = intentRules([
  {
    $comment: "what writes or deploys at high risk needs a review",
    if: { allOf: [at(["planned_commands"], WRITES), at(["risk", "overall"], { enum: ["high", "critical"] })] },
    then: REVIEWED,
  },
]);

export const PUBLISHED: readonly Published[] = [
  {
    name: "intent-0.9.1",
    version: "0.9.1",
    title: "ExecutionIntent v0.9.1",
    schema: IntentV091,
    also: INTENT_RULES_091,
  },
  { name: "intent", version: "1.0.0", title: "ExecutionIntent v1.0.0", schema: IntentV100, also: INTENT_RULES },
  { name: "intent-lock", version: "1.0.0", title: "Lock file of a v0.9.1 intent", schema: IntentLock },
  { name: "policy", version: "1.0.0", title: "ExecutionPolicy", schema: ExecutionPolicy },
  { name: "registry", version: "1.0.0", title: "Registry", schema: Registry },
  { name: "registry-workflow", version: "1.0.0", title: "Registry entry: workflow", schema: WorkflowEntry },
  { name: "registry-agent", version: "1.0.0", title: "Registry entry: agent", schema: AgentEntry },
  { name: "registry-command", version: "1.0.0", title: "Registry entry: command", schema: CommandEntry },
  { name: "registry-rule", version: "1.0.0", title: "Registry entry: rule", schema: RuleEntry },
  { name: "registry-fact", version: "1.0.0", title: "Registry entry: fact", schema: FactEntry },
  { name: "registry-model", version: "1.0.0", title: "Registry entry: model", schema: ModelEntry },
  { name: "registry-guardrail", version: "1.0.0", title: "Registry entry: guardrail", schema: GuardrailEntry },
  { name: "fact-pack", version: "1.0.0", title: "FactPack", schema: FactPack },
  { name: "memory-pack", version: "1.0.0", title: "MemoryPack", schema: MemoryPack },
  { name: "execution-graph", version: "0.9.2", title: "ExecutionGraph", schema: ExecutionGraph },
  { name: "question-pack", version: "0.9.2", title: "QuestionPack", schema: QuestionPack },
  { name: "answer-pack", version: "0.9.2", title: "AnswerPack", schema: AnswerPack },
  { name: "review-pack", version: "1.0.0", title: "ReviewPack", schema: ReviewPack },
  { name: "run-tape", version: "0.9.2", title: "CoordinatorRunTape", schema: RunTape },
  { name: "audit-entry", version: "0.9.2", title: "CoordinatorAuditLog entry", schema: AuditEntry },
  { name: "contract", version: "1.0.0", title: "Contract of the Coordinator", schema: Contract },
  { name: "work-queue", version: "1.0.0", title: "Work queue", schema: WorkQueue },
  { name: "plan-manifest", version: "1.0.0", title: "PlanManifest", schema: PlanManifest },
];

/** The JSON Schema of one published document. */
export function publish({ name, version, title, schema, also }: Published): Record<string, unknown> {
  const { $schema, ...body } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io: "input",
    unrepresentable: "throw",
  });
  return { $schema, $id: `coordinator://schemas/${version}/${name}.schema.json`, title, ...body, ...also };
}
