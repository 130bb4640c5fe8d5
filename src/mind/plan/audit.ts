import type { QuestionPack } from "../../model/plan/questions.js";
import type { AuditEntry } from "../../model/tape.js";
import type { PlanOutcome } from "./plan.js";
import type { PlanInputs } from "./inputs.js";
import { clip } from "./transition.js";

type Detail = AuditEntry extends infer Entry
  ? Entry extends AuditEntry
    ? Omit<Entry, "log_id" | "schema_version" | "coordinator_run_id" | "timestamp" | "operator" | "metadata"> & {
        at: string;
        note?: string;
      }
    : never
  : never;

/** The audit log: one entry for every transition, red line, judgement, model choice, question and answer, in order. */
export function buildAudit(outcome: PlanOutcome, inputs: PlanInputs): AuditEntry[] {
  const { tape, runId, intentId, parsed } = outcome;
  const short = runId.slice("coord_run_".length);
  const metadata = {
    intent_id: intentId,
    execution_mode: parsed?.intent.interaction.mode ?? ("interactive" as const),
    coordinator_version: tape.coordinator_version,
  };
  return [...auditDetails(outcome, inputs)].map(({ at, note, ...detail }, i): AuditEntry => ({
    log_id: `audit_${short}_${String(i + 1).padStart(6, "0")}`,
    schema_version: "0.9.2",
    coordinator_run_id: runId,
    timestamp: at,
    operator: "coordinator",
    ...detail,
    metadata: note === undefined ? metadata : { ...metadata, note },
  }));
}

function* auditDetails(outcome: PlanOutcome, inputs: PlanInputs): Generator<Detail, void> {
  const { tape } = outcome;
  const start = tape.started_at;
  const judgedLast = tape.states.findLastIndex((state) => state.to_state === "RULES_EVALUATED");
  let round = 0;
  yield { at: start, event_type: "run_started" };
  for (const [i, state] of tape.states.entries()) {
    if (state.from_state === "AWAITING_ANSWERS") yield* answerDetails(inputs, round - 1, state.timestamp);
    yield* guardDetails(state);
    if (i === judgedLast) yield* judgementDetails(outcome, state.timestamp);
    if (state.to_state === "QUESTIONS_EMITTED") yield* questionDetails(outcome.questions[round++], state.timestamp);
    yield {
      at: state.timestamp,
      event_type: "state_transition",
      note: `${state.from_state} → ${state.to_state}: ${state.trigger}`,
    };
  }
  if (outcome.state === "DONE") yield { at: tape.completed_at ?? start, event_type: "run_completed" };
  if (outcome.state === "BLOCKED" || outcome.state === "ABORTED")
    yield { at: tape.completed_at ?? start, event_type: "run_failed" };
}

function* answerDetails({ answers }: PlanInputs, round: number, at: string): Generator<Detail> {
  for (const { question_id, answer_text } of answers[round]?.answers ?? [])
    yield { at, event_type: "answer_received", note: clip(`${question_id}: ${answer_text}`, 1000) };
}

type State = PlanOutcome["tape"]["states"][number];

function* guardDetails({ guards_evaluated, timestamp, to_state, from_state }: State): Generator<Detail> {
  for (const { guard_name, passed, reason } of guards_evaluated) {
    if (guard_name.startsWith("red_line_"))
      yield {
        at: timestamp,
        event_type: "red_line_check",
        red_line_check_record: {
          red_line: guard_name.slice("red_line_".length, "red_line_".length + 2).toUpperCase(),
          passed,
          violation_details: passed ? "" : clip(reason, 2000),
          enforcement_action: passed ? "log" : to_state === "BLOCKED" ? "block" : "abort",
        },
      };
    else if (
      guard_name === "policy_allows_intent" ||
      guard_name === "budgets_kept" ||
      guard_name === "question_budget_available"
    )
      yield {
        at: timestamp,
        event_type: "policy_enforcement",
        policy_enforcement_record: {
          policy_type: guard_name,
          policy_rule: guard_name,
          enforced: !passed,
          enforcement_reason: clip(reason, 2000),
        },
      };
    else if (guard_name === "replan_rounds_left" && from_state === "AWAITING_ANSWERS")
      yield {
        at: timestamp,
        event_type: passed ? "conflict_resolved" : "conflict_detected",
        conflict_handling_record: {
          conflict_type: "answer_against_rule",
          conflicting_entities: [],
          resolution: clip(reason, 2000),
          resolution_strategy: passed ? "rules evaluated again" : "blocked",
        },
      };
  }
}

function* judgementDetails({ decisions, costs }: PlanOutcome, at: string): Generator<Detail> {
  for (const { rule_id, decision, evidence_refs, reason, target } of decisions)
    yield {
      at,
      event_type: "rule_adjudication",
      rule_adjudication_record: {
        rule_id,
        decision,
        evidence: evidence_refs,
        reason: clip(reason, 2000),
        target: clip(target, 200),
      },
    };
  const models = new Map(costs.map((cost) => [cost.decision.decision_id, cost.decision]));
  for (const model of models.values())
    yield {
      at,
      event_type: "model_selected",
      model_selection_record: {
        model: clip(model.model ?? "none", 100),
        reason: clip(model.reason, 2000),
        budget_used: model.cost_estimate_usd,
        data_sensitivity: model.data_sensitivity,
        compliance_check: model.model !== null,
      },
    };
}

function* questionDetails(pack: QuestionPack | undefined, timestamp: string): Generator<Detail> {
  if (pack === undefined) return;
  for (const question of pack.questions)
    yield {
      at: timestamp,
      event_type: "question_emitted",
      question_trigger_record: {
        question_id: question.question_id,
        reason: clip(question.context, 2000),
        policy_check: {
          question_budget: pack.policy_constraints.question_budget,
          budget_remaining: pack.policy_constraints.budget_remaining,
          allowed_by_policy: true,
        },
        blocking_level: question.blocking_level,
      },
    };
}
