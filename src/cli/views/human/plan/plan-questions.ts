import type { Question } from "../../../../model/plan/questions.js";
import type { PlanMade } from "../../../../app/plan-reports.js";
import { problemLines } from "../problems.js";
import { oneLine } from "../../../../foundation/text/one-line.js";
import { count, type Paint, wrap } from "../screen.js";

/** A plan that waits for answers: what is asked, and what becomes of it without one. */
export function openQuestionsText(report: PlanMade, paint: Paint, width: number): string[] {
  const { outcome, bundle, problems, writtenTo, next, told = [] } = report;
  const pack = outcome.questions.at(-1);
  const questions = pack?.questions ?? [];
  if (problems.length > 0)
    return [
      `${paint.bad("x refused")}  The answers cannot be taken as they are`,
      ...problemLines(problems, paint),
      "",
      `Nothing was changed: the plan still waits for ${count(questions.length, "answer")}.`,
      ...next.map((command) => `Next: ${command}`),
    ];
  return [
    ...(told.length === 0 ? [] : [...told.map((line) => paint.dim(wrap(oneLine(line), "", width))), ""]),
    paint.bold(wrap(oneLine(outcome.parsed?.intent.title ?? outcome.intentId), "", width)),
    `AWAITING_ANSWERS: ${count(questions.length, "question")} for a person  ${paint.dim(pack?.pack_id ?? "")}`,
    ...questions.flatMap((question) => ["", ...questionText(question, paint, width)]),
    "",
    writtenTo === null ? "Not written; add --out DIR to keep it." : `Written: ${writtenTo}`,
    ...next.map((command) => `Next: ${command}`),
    "",
    `Plan: waiting for ${count(questions.length, "answer")}, checksum ${bundle?.manifest.plan_checksum.slice(0, 12) ?? ""}…`,
  ];
}

function questionText(question: Question, paint: Paint, width: number): string[] {
  const { question_id, question_text, type, blocking_level, context, suggested_answers, default_strategy } = question;
  return [
    `  ${paint.careful("?")} ${paint.bold(question_id)}  ${type}, ${blocking_level}`,
    wrap(question_text, "    ", width),
    wrap(context, "    ", width),
    ...(suggested_answers ?? []).map(({ answer_text, rationale }) =>
      wrap(`- ${oneLine(answer_text)}: ${oneLine(rationale)}`, "      ", width),
    ),
    default_strategy === undefined
      ? "    Without an answer the plan is blocked."
      : wrap(`Without an answer: ${default_strategy}`, "    ", width),
  ];
}
