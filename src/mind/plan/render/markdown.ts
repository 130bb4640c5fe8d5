import type { ActionNode, ExecutionGraph } from "../../../model/plan/graph.js";
import type { QuestionPack } from "../../../model/plan/questions.js";
import type { ReviewPack } from "../../../model/plan/review.js";
import { duration } from "../graph/finish-graph.js";
import { summaryLine } from "./summary.js";

/** The plan as a page for a pull request: what will happen, who must agree, what it costs, how to go back. */
export function toMarkdown(graph: ExecutionGraph, review: ReviewPack, planChecksum: string): string {
  const actions = new Map(
    graph.nodes.filter((n): n is ActionNode => n.node_type === "action_proposal").map((n) => [n.node_id, n]),
  );
  const { estimate, risk, summary, schedule } = review;
  return page([
    `# Plan: ${line(summary.title)}`,
    summaryLine(review, planChecksum),
    `**Goal.** ${line(summary.goal)}`,
    section(
      "Done when",
      summary.success_criteria.map((c) => `- ${line(c)}`),
    ),
    section(
      "Not part of it",
      summary.non_goals.map((c) => `- ${line(c)}`),
    ),
    "## What will happen",
    ...graph.metadata.levels.map((level, i) =>
      [
        `### Level ${i + 1}`,
        "",
        table(
          ["Action", "Agent", "Effects", "Risk", "Writes", "Decided by"],
          level.flatMap((id) => actionRow(actions.get(id))),
        ),
      ].join("\n"),
    ),
    graph.metadata.levels.length === 0 ? "The plan has no actions." : "",
    section(
      "Who must agree",
      review.required_reviews.map(
        (r) =>
          `- **${r.category}**: ${r.reviewers.map(line).join(", ") || "nobody named"} (\`${r.gate}\`). ${r.because.slice(0, 3).map(line).join(" ")}`,
      ),
    ),
    section(
      "Warnings",
      review.warnings.map((w) => `- ${line(w)}`),
    ),
    "## Risk",
    `Overall **${risk.overall_risk}**.`,
    risk.factors.map((f) => `- ${f.level}: ${line(f.factor)}`).join("\n"),
    "## Cost and time",
    table(
      ["", "planned", "budget"],
      [
        ["files", String(estimate.planned.files), String(estimate.budget.files)],
        ["commits", String(estimate.planned.commits), String(estimate.budget.commits)],
        ["tokens", String(estimate.planned.tokens), String(estimate.budget.tokens)],
        ["cost", `$${estimate.planned.cost_usd.toFixed(2)}`, `$${estimate.budget.cost_usd.toFixed(2)}`],
      ],
    ),
    `Critical path ${duration(estimate.minutes_critical_path)}; ${schedule.suggested_concurrency} at once is as many as help.${estimate.cost_is === "partly_assumed" ? " Part of the cost is assumed: no model was found for some of the work." : ""}`,
    section(
      "Cheaper ways",
      review.savings.map(
        (s) => `- \`${s.use}\` instead of \`${s.instead_of}\` saves about $${s.saves_usd.toFixed(4)}: ${line(s.why)}`,
      ),
    ),
    section(
      "What it touches",
      review.change_impact.writes.map((w) => `- \`${w.replaceAll("`", "'")}\``),
    ),
    section(
      "The way back",
      review.rollback_guide.map((r) => `- ${line(r.action)}: ${line(r.how)}`),
    ),
    "## Where it comes from",
    `Intent \`${graph.intent_id}\` (\`${graph.lineage.intent_checksum}\`), Coordinator ${graph.lineage.coordinator_version}. Plan checksum \`${planChecksum}\`.`,
  ]);
}

/** A plan that waits for answers. */
export function renderWaiting(title: string, pack: QuestionPack): string {
  return page([
    `# Plan: ${line(title)} (waiting for answers)`,
    `${pack.questions.length} ${pack.questions.length === 1 ? "question is" : "questions are"} open.`,
    ...pack.questions.map((q) =>
      page([
        `## ${line(q.question_text)}`,
        `\`${q.question_id}\` · ${q.type} · ${q.blocking_level}`,
        line(q.context),
        (q.suggested_answers ?? []).map((s) => `- **${line(s.answer_text)}**: ${line(s.rationale)}`).join("\n"),
        q.default_strategy === undefined
          ? "There is no fallback: without an answer the plan is blocked."
          : `Without an answer: ${line(q.default_strategy)}`,
      ]).trimEnd(),
    ),
  ]);
}

function actionRow(node: ActionNode | undefined): string[][] {
  if (node === undefined) return [];
  const { metadata } = node;
  const paths = metadata.writes ?? [];
  const writes = paths
    .slice(0, 3)
    .map((w) => `\`${w.replaceAll("`", "'")}\``)
    .join(", ");
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
  return [
    [
      `${line(node.label)} (\`${node.node_id}\`)`,
      metadata.owner,
      node.effects.join(", "),
      node.risk_level,
      writes + more,
      `${metadata.decision.decision}: \`${metadata.decision.rule_id}\``,
    ],
  ];
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `## ${title}\n\n${lines.join("\n")}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [cells(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(cells)].join("\n");
}

function page(blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

/** Texts of an intent are foreign: one line, and nothing that opens HTML or a heading. */
function line(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("<", "&lt;").trim();
}
