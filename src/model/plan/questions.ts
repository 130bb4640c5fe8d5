import { z } from "zod";
import { DateTime, IntentId, Mode, NodeId, QuestionId, RiskLevel, RunId, text } from "../primitives.js";
import { RiskChange } from "./registry.js";

export const QuestionType = z.enum(["clarification", "blocker", "optimization", "risk_mitigation"]);
export type QuestionType = z.infer<typeof QuestionType>;

const ImpactScope = z.enum(["entire_plan", "single_phase", "single_action", "optimization_only"]);

export const Question = z.strictObject({
  question_id: QuestionId,
  type: QuestionType,
  blocking_level: RiskLevel,
  question_text: text(10, 2000),
  context: text(10, 4000),
  evidence_refs: z.array(text(1, 512)).min(1),
  default_strategy: text(0, 1000).optional(),
  impact: z.strictObject({
    scope: ImpactScope,
    description: text(0, 1000),
    affected_nodes: z.array(NodeId).optional(),
  }),
  suggested_answers: z
    .array(z.strictObject({ answer_text: text(0, 1000), rationale: text(0, 1000), risk_change: RiskChange.optional() }))
    .optional(),
});
export type Question = z.infer<typeof Question>;

export const QuestionPack = z
  .strictObject({
    pack_id: z.string().regex(/^qpack_[a-z0-9_]{6,64}$/),
    schema_version: z.literal("0.9.2"),
    coordinator_run_id: RunId,
    intent_id: IntentId,
    questions: z.array(Question).min(1),
    policy_constraints: z.strictObject({
      execution_mode: Mode,
      question_budget: z.int().min(0),
      question_policy: z.enum(["all", "blockers_only", "never"]),
      budget_consumed: z.int().min(0),
      budget_remaining: z.int().min(0),
    }),
    created_at: DateTime,
    expires_at: DateTime.optional(),
    metadata: z.strictObject({
      emitted_from_state: z.string(),
      total_questions: z.int().min(1),
      round: z.int().min(1),
    }),
  })
  .refine((pack) => pack.policy_constraints.execution_mode !== "full_auto", {
    error: "full_auto never asks",
    path: ["questions"],
  });
export type QuestionPack = z.infer<typeof QuestionPack>;

export const Answer = z.strictObject({
  question_id: QuestionId,
  answer_type: z.enum(["text", "choice", "structured", "fallback"]),
  answer_text: text(1, 10_000),
  answer_data: z.record(z.string(), z.unknown()).optional(),
  confidence: z.number().min(0).max(1).optional(),
  provided_at: DateTime,
  provided_by: z.enum(["human", "fallback", "policy_default"]),
  rationale: text(0, 2000).optional(),
});
export type Answer = z.infer<typeof Answer>;

export const AnswerPack = z.strictObject({
  pack_id: z.string().regex(/^apack_[a-z0-9_]{6,64}$/),
  schema_version: z.literal("0.9.2"),
  question_pack_id: z.string().regex(/^qpack_[a-z0-9_]{6,64}$/),
  answers: z.array(Answer).min(1),
  provided_at: DateTime,
  completeness: z
    .looseObject({
      total_questions: z.int().min(0).optional(),
      answered: z.int().min(0).optional(),
      unanswered_question_ids: z.array(QuestionId).optional(),
      fallback_used: z.boolean().optional(),
    })
    .optional(),
  metadata: z.looseObject({ answerer_id: z.string().optional(), session_id: z.string().optional() }).optional(),
});
export type AnswerPack = z.infer<typeof AnswerPack>;
