import type { Evidence, IntakeDecision } from "../../model/request.js";
import { shorten } from "./evidence.js";

const MOST_WIDTH = 110;
const MOST_EVIDENCE = 5;

/** Why a request was decided so, on one screen: each step with its rule, and the words behind it. */
export function explainIntake(decision: IntakeDecision): string {
  const { intent, project_type, estimate } = decision;
  const lines = [
    `${decision.decision}  ${decision.rule_id}`,
    `  ${decision.reason}`,
    "",
    `intent    ${intent.action ?? "no action"} · ${intent.object ?? "no object"}${intent.purpose === null ? "" : ` · ${intent.purpose}`}`,
    `type      ${project_type.type ?? "not evident"} (${project_type.source}, ${project_type.confidence})  ${project_type.candidates
      .slice(0, 3)
      .map(({ type, score }) => `${type} ${score}`)
      .join(", ")}`,
    `approach  ${decision.approach ?? "none"} → ${decision.workflow_id ?? "none"}`,
  ];
  if (estimate !== null) {
    lines.push(
      `estimate  ${estimate.tokens} tokens, ${estimate.time_seconds} s, ${estimate.cost_usd} USD (${estimate.model})`,
    );
    for (const { part, count, tokens } of estimate.breakdown) lines.push(`          ${tokens}  ${part} × ${count}`);
  }
  lines.push("");
  for (const step of decision.steps) {
    lines.push(`${step.outcome === "failed" ? "✗" : "·"} ${step.step.padEnd(12)} ${step.rule_id}: ${step.reason}`);
    for (const evidence of step.evidence.slice(0, MOST_EVIDENCE)) lines.push(`    ${evidenceLine(evidence)}`);
  }
  for (const { question } of decision.questions) lines.push(`? ${question}`);
  return `${lines.map((line) => shorten(line, MOST_WIDTH)).join("\n")}\n`;
}

function evidenceLine({ source, start, end, text, says }: Evidence): string {
  const place = end > start ? `${source}[${start}–${end}]` : source;
  return `${place} ${JSON.stringify(text)} → ${says}`;
}
