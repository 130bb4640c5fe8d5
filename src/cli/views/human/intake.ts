import type { Evidence, IntakeDecision, IntakeStep, ResourceEstimate } from "../../../model/request.js";
import type { IntakeMade } from "../../../app/plan-reports.js";
import { problemLines } from "./problems.js";
import { oneLine } from "../../../foundation/text/one-line.js";
import { type Paint, wrap } from "./screen.js";

const MOST_EVIDENCE = 2;

/** An intake decision on one screen: what was decided, what it is taken for, why, and what a person can do now. */
export function intakeText(
  { decision, problems, screen, policyId, again, response, recorded, next = [] }: IntakeMade,
  paint: Paint,
): string[] {
  if (problems.length > 0)
    return [
      `${paint.bad("x invalid")}  This is not a request as it stands; nothing was judged`,
      ...problemLines(problems, paint),
    ];
  if (screen !== null) return screen.trimEnd().split("\n");
  return [
    ...headline(decision, paint),
    "",
    ...findings(decision),
    "",
    paint.bold("Why"),
    ...decision.steps.flatMap((step) => stepLines(step, paint)),
    ...questions(decision, again, next, paint),
    ...(decision.decision === "rejected" ? ["", ...response.next_steps.map((way) => wrap(`Way on: ${way}`, ""))] : []),
    "",
    `Intake: ${decision.decision}, request ${decision.request_id ?? "without id"}, policy ${policyId}`,
    ...(recorded === undefined ? [] : [`On record: coordinator response ${recorded}`]),
  ];
}

function headline({ decision, rule_id, reason, safety_category }: IntakeDecision, paint: Paint): string[] {
  const mark = {
    approved: paint.good("+ approved"),
    rejected: paint.bad("x rejected"),
    needs_clarification: paint.careful("? needs clarification"),
  }[decision];
  const category = safety_category === null ? "" : `  ${paint.bold(safety_category)}`;
  return [`${mark}  ${oneLine(reason)}  ${paint.dim(rule_id)}${category}`];
}

function findings({ intent, project_type, approach, workflow_id, gates, estimate }: IntakeDecision): string[] {
  const asked = [intent.action ?? "no action", intent.object ?? "nothing named", intent.purpose ?? ""];
  const type =
    project_type.type === null
      ? "not evident"
      : `${project_type.type} (from the ${project_type.source}, confidence ${project_type.confidence})`;
  return [
    `Asked     ${asked
      .filter((part) => part !== "")
      .map((part) => oneLine(part).slice(0, 60))
      .join(" · ")}`,
    `Type      ${type}`,
    `Approach  ${approach ?? "none"}, workflow ${workflow_id ?? "none"}${gates.length === 0 ? "" : `, gates ${gates.join(", ")}`}`,
    ...(estimate === null ? [] : [`Estimate  ${estimateLine(estimate)}`]),
  ];
}

function estimateLine({ tokens, time_seconds, cost_usd, model, complexity, budget }: ResourceEstimate): string {
  const of = (most: number | null) => (most === null ? "" : ` of ${most}`);
  return `${complexity}: ${tokens}${of(budget.max_tokens)} tokens, ${time_seconds}${of(budget.max_time_seconds)} s, $${cost_usd.toFixed(2)} with ${oneLine(model)}`;
}

function stepLines({ step, outcome, rule_id, reason, evidence }: IntakeStep, paint: Paint): string[] {
  const mark = outcome === "failed" ? paint.bad("x") : outcome === "noted" ? "-" : paint.good("+");
  return [
    `  ${mark} ${step.padEnd(12)} ${oneLine(reason).slice(0, 100)}  ${paint.dim(rule_id)}`,
    ...evidence.slice(0, MOST_EVIDENCE).map((found) => `      ${evidenceLine(found, paint)}`),
    ...(evidence.length > MOST_EVIDENCE
      ? [`      and ${evidence.length - MOST_EVIDENCE} more; --explain shows them`]
      : []),
  ];
}

function evidenceLine({ source, start, end, text, says }: Evidence, paint: Paint): string {
  const place = end > start ? `${source} ${start}–${end}` : source;
  // A sign of the structure, such as the ending of a file, stands for the whole text.
  return text === ""
    ? `${paint.dim(source)} ${oneLine(says)}`
    : `${paint.dim(place)} “${oneLine(text).slice(0, 60)}” as ${oneLine(says)}`;
}

function questions(
  { questions: open }: IntakeDecision,
  again: string,
  next: readonly string[],
  paint: Paint,
): string[] {
  if (open.length === 0) return [];
  return [
    "",
    paint.bold("Open questions"),
    ...open.map(({ id, question }) => wrap(question, "               ").replace(/^ {15}/, `  ? ${id.padEnd(10)} `)),
    "",
    ...(next.length > 0
      ? ["Answer those you can, and go on:", ...next.map((command) => `Next: ${command}`)]
      : [
          "Answer those you can in a file, answers.yaml, and ask again:",
          ...open.map(({ id }) => `  ${id}: …`),
          `Next: ${again}`,
        ]),
  ];
}
