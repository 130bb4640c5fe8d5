import type { ActionNode, ExecutionGraph } from "../../../model/graph.js";
import type { Question } from "../../../model/questions.js";
import type { ReviewPack } from "../../../model/review.js";
import { summaryLine } from "../../../plan/render/summary.js";
import type { PlanMade } from "../../report.js";
import { problemLines } from "./problems.js";
import { count, oneLine, type Paint, wrap } from "./screen.js";

/** A plan the way a person reads it: what will happen, who must agree, what is open, and one line that sums it up. */
export function planText(report: PlanMade, paint: Paint): string[] {
  const { outcome, stages } = report;
  const told = report.told ?? [];
  const shown = [
    ...(told.length === 0 ? [] : [...told.map((line) => paint.dim(oneLine(line))), ""]),
    ...stages.flatMap(({ stage, graph }) => [paint.bold(`After ${stage}`), graph, ""]),
  ];
  switch (outcome.state) {
    case "DONE":
      return [...shown, ...doneText(report, paint)];
    case "AWAITING_ANSWERS":
      return [...shown, ...waitingText(report, paint)];
    default:
      return [...shown, ...refusedText(report, paint)];
  }
}

function doneText({ outcome, bundle, writtenTo, next, runId }: PlanMade, paint: Paint): string[] {
  const { graph, review } = outcome;
  if (graph === null || review === null || bundle === null) return [];
  return [
    paint.bold(oneLine(review.summary.title)),
    wrap(review.summary.goal, "  "),
    "",
    `Marks: ${mark("allow", paint)}  ${mark("require_review", paint)} (a person looks before)  ${mark("warn", paint)}`,
    ...lanes(graph, paint),
    ...reviews(review, paint),
    ...settled(outcome.settled, graph, paint),
    ...warnings(review, paint),
    "",
    estimate(review),
    ...(runId === undefined ? [] : [`Run ${runId} waits for your approval of this plan.`]),
    ...footer(writtenTo, next),
    "",
    summaryLine(review, bundle.manifest.plan_checksum),
  ];
}

const MARKS = { allow: "+ allow", require_review: "~ review", warn: "! warn", deny: "x deny" } as const;
const WIDEST = MARKS.require_review.length;

function mark(decision: keyof typeof MARKS, paint: Paint): string {
  const color = decision === "allow" ? paint.good : decision === "deny" ? paint.bad : paint.careful;
  const text = MARKS[decision];
  return color(text) + " ".repeat(WIDEST - text.length);
}

/** What each agent will do, level by level. */
function lanes(graph: ExecutionGraph, paint: Paint): string[] {
  const levelOf = new Map(graph.metadata.levels.flatMap((level, i) => level.map((id) => [id, i + 1] as const)));
  const actions = new Map(
    graph.nodes.filter((n): n is ActionNode => n.node_type === "action_proposal").map((n) => [n.node_id, n]),
  );
  const width = (text: (action: ActionNode) => string, most: number) =>
    Math.min(most, Math.max(0, ...[...actions.values()].map((action) => text(action).length)));
  const idWidth = width(idOf, 28);
  const nameWidth = width(({ label }) => oneLine(label), 48);
  return graph.swimlanes.flatMap(({ agent_id, role, node_refs }) => {
    const own = node_refs.flatMap((id) => actions.get(id) ?? []);
    own.sort((a, b) => (levelOf.get(a.node_id) ?? 0) - (levelOf.get(b.node_id) ?? 0));
    if (own.length === 0) return [];
    return [
      "",
      `${paint.bold(agent_id)} ${paint.dim(`(${oneLine(role)}), ${count(own.length, "action")}`)}`,
      ...own.map((action) => {
        const { decision, writes = [] } = action.metadata;
        const level = `level ${levelOf.get(action.node_id) ?? "?"}`.padEnd(8);
        const touches = writes.length > 0 ? `writes ${listed([...new Set(writes)])}` : action.effects.join(", ");
        const what = `${idOf(action).padEnd(idWidth)}  ${oneLine(action.label).padEnd(nameWidth)}`;
        return `  ${level}  ${mark(decision.decision, paint)}  ${what}  ${paint.dim(touches)}`;
      }),
    ];
  });
}

/** The shortest name `coordinator explain` knows an action by. */
function idOf({ command_ref, metadata }: ActionNode): string {
  return metadata.task?.id ?? command_ref;
}

function listed(paths: readonly string[]): string {
  const [first = "", ...others] = paths.map(oneLine);
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

function reviews({ required_reviews }: ReviewPack, paint: Paint): string[] {
  if (required_reviews.length === 0) return [];
  return [
    "",
    paint.bold("Needs a person"),
    ...required_reviews.flatMap(({ category, reviewers, because, gate }) => [
      `  ${paint.careful("~ review")}  ${category} by ${reviewers.map(oneLine).join(", ") || "nobody named yet"}  ${paint.dim(gate)}`,
      ...because.slice(0, 3).map((reason) => wrap(reason, "            ")),
    ]),
  ];
}

function settled(answers: PlanMade["outcome"]["settled"], graph: ExecutionGraph, paint: Paint): string[] {
  if (answers.length === 0) return [];
  const nodes = new Map(graph.nodes.flatMap((n) => (n.node_type === "question" ? [[n.question_ref, n.node_id]] : [])));
  return [
    "",
    paint.bold("Questions"),
    ...answers.flatMap(({ uncertainty, answer, by }) => [
      `  ? ${by === "human" ? "answered" : "fallback"}  ${oneLine(uncertainty.question)}  ${paint.dim(nodes.get(uncertainty.id) ?? uncertainty.id)}`,
      `              ${oneLine(answer)}${by === "human" ? "" : `  ${paint.dim(oneLine(uncertainty.fallback?.strategy ?? ""))}`}`,
    ]),
  ];
}

function warnings({ warnings: found }: ReviewPack, paint: Paint): string[] {
  if (found.length === 0) return [];
  return ["", paint.bold("Warnings"), ...found.map((text) => `  ${paint.careful("! warn")}  ${oneLine(text)}`)];
}

function estimate({ estimate: { planned, budget, minutes_critical_path, cost_is }, risk }: ReviewPack): string {
  const assumed = cost_is === "partly_assumed" ? " (partly assumed)" : "";
  const factors = risk.factors.filter((f) => f.level === risk.overall_risk).map((f) => oneLine(f.factor));
  return [
    `Risk ${risk.overall_risk}: ${factors.slice(0, 3).join("; ")}`,
    `Estimate: $${planned.cost_usd.toFixed(2)} of $${budget.cost_usd.toFixed(2)}${assumed}, ${planned.tokens} of ${budget.tokens} tokens, ${planned.files} of ${budget.files} files, at least ${Math.round(minutes_critical_path)} min`,
  ].join("\n");
}

function footer(writtenTo: string | null, next: readonly string[]): string[] {
  return [
    writtenTo === null ? "Not written; add --out DIR to keep it." : `Written: ${writtenTo}`,
    ...next.map((command) => `Next: ${command}`),
  ];
}

function waitingText(report: PlanMade, paint: Paint): string[] {
  const { outcome, bundle, problems, writtenTo, next } = report;
  const pack = outcome.questions.at(-1);
  const questions = pack?.questions ?? [];
  if (problems.length > 0)
    return [
      `${paint.bad("x refused")}  The answers cannot be taken as they are`,
      ...problemLines(problems, paint),
      "",
      `Nothing was changed: the plan goes on waiting for ${count(questions.length, "answer")}.`,
      ...next.map((command) => `Next: ${command}`),
    ];
  return [
    paint.bold(oneLine(outcome.parsed?.intent.title ?? outcome.intentId)),
    `AWAITING_ANSWERS: ${count(questions.length, "question")} for a person  ${paint.dim(pack?.pack_id ?? "")}`,
    ...questions.flatMap((question) => ["", ...questionText(question, paint)]),
    "",
    ...footer(writtenTo, next),
    "",
    `Plan: waiting for ${count(questions.length, "answer")}, checksum ${bundle?.manifest.plan_checksum.slice(0, 12) ?? ""}…`,
  ];
}

function questionText(question: Question, paint: Paint): string[] {
  const { question_id, question_text, type, blocking_level, context, suggested_answers, default_strategy } = question;
  return [
    `  ${paint.careful("?")} ${paint.bold(question_id)}  ${type}, ${blocking_level}`,
    wrap(question_text, "    "),
    wrap(context, "    "),
    ...(suggested_answers ?? []).map(
      ({ answer_text, rationale }) => `      - ${oneLine(answer_text)}: ${oneLine(rationale)}`,
    ),
    default_strategy === undefined
      ? "    Without an answer the plan is blocked."
      : wrap(`Without an answer: ${default_strategy}`, "    "),
  ];
}

function refusedText({ outcome, problems }: PlanMade, paint: Paint): string[] {
  const failure = outcome.tape.failure_info;
  return [
    `${paint.bad(`x ${outcome.state}`)}  ${oneLine(failure?.failure_message ?? "No reason was given")}`,
    ...(failure === undefined
      ? []
      : [paint.dim(`  ${failure.failure_type}, after ${failure.failed_at_state}, ${outcome.intentId}`)]),
    "",
    ...(problems.length === 0
      ? []
      : [paint.bold(count(problems.length, "problem")), ...problemLines(problems, paint), ""]),
    ...(failure?.recovery_suggestions ?? []).map((way) => `Way on: ${oneLine(way)}`),
    "Nothing was written.",
    "",
    `Plan: none, ${outcome.state}`,
  ];
}
