import type { Explanation } from "../../../mind/plan/explain.js";
import type { RunExplanation } from "../../../app/inspect/explain/explanation-part.js";
import type { Explainable } from "../../../app/plan-reports.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { type Paint, wrap } from "./screen.js";

export function explanationText(
  { id, kind, title, why, evidence, alternatives, see }: Explanation | RunExplanation,
  paint: Paint,
): string[] {
  const section = (name: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", paint.bold(name), ...lines];
  return [
    `${paint.bold(oneLine(title))}  ${paint.dim(`${kind} ${id}`)}`,
    ...section(
      "Why",
      why.map((line) => bullet(line)),
    ),
    ...section(
      "Evidence",
      [...new Set(evidence)].map((ref) => `  - ${oneLine(ref)}`),
    ),
    ...section(
      "Alternatives",
      alternatives.map(({ alternative, reason_rejected }) => bullet(`${alternative}: ${reason_rejected}`)),
    ),
    ...section("See also", see.length === 0 ? [] : [`  ${see.join(", ")}`]),
  ];
}

function bullet(text: string): string {
  return wrap(text, "    ").replace(/^ {4}/, "  - ");
}

export function explainableText({ run_id, ids, events }: Explainable, paint: Paint): string[] {
  return [
    `${paint.bold(`What ${run_id} can be asked for`)}  ${paint.dim("coordinator explain ID --run")}`,
    ...ids.map((id) => `  ${id}`),
    `  1 to ${events}: an event by its number, as coordinator replay ${run_id} --events shows them`,
  ];
}
