import type { ReviewPack } from "../../../../model/plan/review.js";
import type { PlanMade } from "../../../../app/plan-reports.js";
import { costLines } from "./plan-cost.js";
import { openQuestionsText } from "./plan-questions.js";
import { decisionsOf, taskLines } from "./plan-tasks.js";
import { needsLines } from "./plan-needs.js";
import { problemLines } from "../problems.js";
import { oneLine } from "../../../../foundation/text/one-line.js";
import { count, type Paint, row, type ScreenSize, USUAL_WIDTH, wrap } from "../screen.js";

/** A plan the way a person reads it: what, where, how it is proven, what it costs, and what needs them. */
export function planText(report: PlanMade, paint: Paint, size: ScreenSize | null = null): string[] {
  const width = size?.columns ?? USUAL_WIDTH;
  const { outcome, stages } = report;
  const shown = stages.flatMap(({ stage, graph }) => [paint.bold(`After ${stage}`), graph, ""]);
  switch (outcome.state) {
    case "DONE":
      return [...shown, ...doneText(report, paint, width)];
    case "AWAITING_ANSWERS":
      return [...shown, ...openQuestionsText(report, paint, width)];
    default:
      return [...shown, ...refusedText(report, paint, width)];
  }
}

function doneText(report: PlanMade, paint: Paint, width: number): string[] {
  const { outcome, bundle, writtenTo, next, runId, told = [], isAsked = false } = report;
  const { graph, review } = outcome;
  if (graph === null || review === null || bundle === null) return [];
  const { title, goal } = review.summary;
  const says = oneLine(goal);
  const isSame = says.toLowerCase().startsWith(oneLine(title).replace(/…$/, "").toLowerCase());
  return [
    wrap(paint.bold(isSame && says.length <= 2 * width ? says : oneLine(title)), "", width),
    ...(isSame ? [] : [wrap(says, "  ", width)]),
    "",
    ...taskLines(report, graph, paint, width),
    ...row("Rules", decisionsOf(graph), width),
    ...proofLines(report, width),
    ...costLines(report, review, width),
    ...row("Risk", riskOf(review), width),
    ...needsLines(report, graph, review, paint, width),
    ...notes(told, width),
    "",
    ...(runId === undefined ? [] : [wrap(`Run ${runId} waits for your approval of this plan.`, "", width)]),
    // A person who is asked right here needs no command to type.
    ...(isAsked ? [] : footer(writtenTo, next)),
    wrap(`Plan ${bundle.manifest.plan_checksum.slice(0, 12)}, ${countsOf(review)}`, "", width),
  ];
}

/** `10 tasks in 7 levels, 2 reviews, 1 question, risk medium`. */
function countsOf({ summary, risk }: ReviewPack): string {
  return [
    `${count(summary.actions, "task")} in ${count(summary.levels, "level")}`,
    count(summary.reviews, "review"),
    count(summary.questions_answered + summary.fallbacks_used, "question"),
    `risk ${risk.overall_risk}`,
  ].join(", ");
}

/** The checks by name, where they run, and what must come of it. */
function proofLines({ ground }: PlanMade, width: number): string[] {
  if (ground === undefined) return [];
  if (ground.checks.length === 0)
    return row(
      "Proof",
      "none: no check is configured, so nothing proves the result (checks in coordinator.yaml)",
      width,
    );
  const named = ground.checks.map(({ name, run }) => (run === name ? name : `${name} (${oneLine(run)})`));
  const most =
    named.length > MOST_CHECKS ? [...named.slice(0, MOST_CHECKS), `${named.length - MOST_CHECKS} more`] : named;
  return row("Proof", `${most.join(", ")}: on the base and on the result; nothing may get worse`, width);
}

const MOST_CHECKS = 6;

function riskOf({ risk }: ReviewPack): string {
  const factors = risk.factors.filter((f) => f.level === risk.overall_risk).map((f) => oneLine(f.factor));
  // The factor of all commands repeats those of single commands.
  const named = factors.filter((factor) => !/^Commands of \w+ risk$/.test(factor) || factors.length === 1);
  return named.length === 0 ? risk.overall_risk : `${risk.overall_risk}: ${named[0] ?? ""}`;
}

/** How it came about: one line for the usual, and what a person should know before they say yes. */
function notes(told: readonly string[], width: number): string[] {
  const usual = told.filter((line) => /^(?:Intake|Route|Planner): /.test(line));
  const others = told.filter((line) => !usual.includes(line));
  return others.flatMap((line) => row("Note", line, width));
}

function footer(writtenTo: string | null, next: readonly string[]): string[] {
  return [
    writtenTo === null ? "Not written; add --out DIR to keep it." : `Written: ${writtenTo}`,
    ...next.map((command) => `Next: ${command}`),
  ];
}

function refusedText({ outcome, problems }: PlanMade, paint: Paint, width: number): string[] {
  const failure = outcome.tape.failure_info;
  return [
    ...row(paint.bad(`x ${outcome.state}`), failure?.failure_message ?? "No reason was given", width),
    ...(failure === undefined
      ? []
      : [paint.dim(`  ${failure.failure_type}, after ${failure.failed_at_state}, ${outcome.intentId}`)]),
    "",
    ...(problems.length === 0
      ? []
      : [paint.bold(count(problems.length, "problem")), ...problemLines(problems, paint), ""]),
    ...(failure?.recovery_suggestions ?? []).map((way) => wrap(`Way on: ${oneLine(way)}`, "", width)),
    "Nothing was written.",
    "",
    `Plan: none, ${outcome.state}`,
  ];
}
