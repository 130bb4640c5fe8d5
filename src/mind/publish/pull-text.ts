import { plainTitle, quoteBlock, quoteInline } from "./host-text.js";
import { markerOf } from "./marker.js";

/*
 * The text of a pull request, written from what the log proves. Words of people and agents are quoted in it; nothing in
 * it is written by an agent.
 */

interface PublishedCheck {
  readonly check: string;
  readonly passed: number;
  readonly failed_before: number;
}

export interface PublishedTask {
  readonly task_id: string;
  readonly title: string;
  readonly status: string;
  readonly agent: string;
  /** Null when the agent chose it itself. */
  readonly model: string | null;
  readonly verdict: string | null;
  readonly checks: readonly PublishedCheck[];
  /** Objections that people waived for its result. */
  readonly accepted: readonly string[];
  /** The number of actions its agent was refused. */
  readonly refused: number;
}

export interface PullFacts {
  readonly run_id: string;
  /** The task of a pull request that holds one task alone. */
  readonly task: string | null;
  readonly title: string;
  readonly request: string;
  /** The issue it came from; null when it came from none. */
  readonly issue: number | null;
  readonly closes: boolean;
  readonly plan_id: string;
  readonly plan_checksum: string;
  readonly approved: string | null;
  readonly tasks: readonly PublishedTask[];
  readonly requirements: readonly {
    readonly id: string;
    readonly statement: string;
    readonly priority: string;
    readonly holds: boolean | null;
    readonly evidence: string;
  }[];
  readonly files: readonly { readonly path: string; readonly added: number | null; readonly removed: number | null }[];
  /** Null: nothing was reported, so it is not known. */
  readonly cost_usd: number | null;
  readonly estimated_usd: number;
  readonly tokens: number | null;
  readonly sandbox: string | null;
  readonly base: string;
  readonly head: string;
  /** The commit of the log that the head is a signed copy of; null where it is the commit itself. */
  readonly copy_of: string | null;
  readonly log: { readonly sequence: number; readonly hash: string };
}

/** Hosts take 65,536 characters. */
const MOST_BODY = 60_000;
/** In a comment it stands below the tasks of the plan. */
const MOST_EVIDENCE = 35_000;
const MOST_ROWS = 100;

export function pullTitle({ title, task }: Pick<PullFacts, "title" | "task">): string {
  return plainTitle(task === null ? title : `${title}: ${task}`) || "Work of a run";
}

/** The line by which a host closes an issue when the pull request is merged. */
export const closingLine = (issue: number) => `Closes #${issue}`;

/** Contract: pure; the same facts give the same text. */
export function pullBody(facts: PullFacts): string {
  const { issue, closes, run_id, task } = facts;
  const sections = [
    quoteBlock(facts.request, 2000),
    ...(issue === null ? [] : [closes ? closingLine(issue) : `For #${issue}.`]),
    planSection(facts),
    ...evidenceSections(facts),
  ];
  return `${asLongAsTaken(sections)}\n\n${markerOf(run_id, task ?? "whole")}\n`;
}

/** The part that proves a later change of the same pull request. Contract: as `pullBody`. */
export function changeEvidence(facts: PullFacts): string {
  return asLongAsTaken(evidenceSections(facts), MOST_EVIDENCE);
}

function evidenceSections(facts: PullFacts): string[] {
  return [
    tableOf("Requirements", ["requirement", "priority", "holds", "shown by"], requirementRows(facts)),
    tableOf("Checks", ["task", "check", "failed on the base", "passes now"], checkRows(facts)),
    tableOf("Tasks", ["task", "result", "agent", "model"], taskRows(facts)),
    tableOf("Files", ["file", "added", "removed"], fileRows(facts)),
    costSection(facts),
    verifySection(facts),
  ].filter((section) => section !== "");
}

/** Cut after a whole line: half of a quoted text would not be quoted any more. */
function asLongAsTaken(sections: readonly string[], most = MOST_BODY): string {
  const text = sections.join("\n\n");
  if (text.length <= most) return text;
  return `${text.slice(0, text.lastIndexOf("\n", most))}\n\nThe rest is too long for a pull request.`;
}

function planSection({ plan_id, plan_checksum, approved, sandbox }: PullFacts): string {
  return [
    "### Plan",
    `Plan ${quoteInline(plan_id)}, checksum \`${plan_checksum}\`.`,
    approved === null ? "Nobody's approval stands in the log." : `Approved by ${quoteInline(approved)}.`,
    `Agents worked in a sandbox of grade ${sandbox === null ? "unknown" : quoteInline(sandbox)}.`,
  ].join("\n");
}

function requirementRows({ requirements }: PullFacts): string[][] {
  return requirements.map(({ id, statement, priority, holds, evidence }) => [
    quoteInline(`${id} ${statement}`),
    priority.replaceAll("_", " "),
    holds === null ? "not evaluated" : holds ? "yes" : "**no**",
    quoteInline(evidence),
  ]);
}

function checkRows({ tasks }: PullFacts): string[][] {
  return tasks.flatMap(({ task_id, checks, accepted, verdict }) => {
    const rows = checks.map(({ check, passed, failed_before }) => [
      quoteInline(task_id),
      quoteInline(check),
      failed_before === 0 ? "nothing" : String(failed_before),
      passed === 0 ? "ends well" : String(passed),
    ]);
    const let_pass = accepted.map((what) => [quoteInline(task_id), "waived by a person", "–", quoteInline(what)]);
    if (rows.length + let_pass.length > 0) return [...rows, ...let_pass];
    return [[quoteInline(task_id), "none proves it", "–", quoteInline(verdict ?? "no verdict")]];
  });
}

function taskRows({ tasks }: PullFacts): string[][] {
  return tasks.map(({ task_id, title, status, verdict, agent, model, refused }) => [
    quoteInline(`${task_id}: ${title}`),
    `${status}${verdict === null ? "" : `, ${verdict}`}${refused === 0 ? "" : `, ${refused} uses refused`}`,
    quoteInline(agent),
    model === null ? "unknown" : quoteInline(model),
  ]);
}

function fileRows({ files }: PullFacts): string[][] {
  return files.map(({ path, added, removed }) => [quoteInline(path), amount(added), amount(removed)]);
}

const amount = (value: number | null) => (value === null ? "binary" : String(value));

function costSection({ cost_usd, estimated_usd, tokens }: PullFacts): string {
  const spent = cost_usd === null ? "unknown" : `$${cost_usd.toFixed(2)}`;
  const guessed = cost_usd !== null && estimated_usd > 0 ? `, of which $${estimated_usd.toFixed(2)} is estimated` : "";
  return `### Cost\nCost: ${spent}${guessed}. Tokens: ${tokens === null ? "unknown" : String(tokens)}.`;
}

function verifySection({ run_id, base, head, copy_of, log }: PullFacts): string {
  return [
    "### How to verify",
    `Base \`${base}\`, head \`${head}\`. All of the above is about this head and no later one.`,
    ...(copy_of === null
      ? []
      : [`The head was signed when it was published. The log names it as \`${copy_of}\`, which has the same tree.`]),
    `Log \`${run_id}\` up to event ${log.sequence}, \`${log.hash}\`. Where the run was carried out:`,
    "",
    "```sh",
    `coordinator verify ${run_id}`,
    "```",
  ].join("\n");
}

function tableOf(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const more = rows.length > MOST_ROWS ? [`\n${rows.length - MOST_ROWS} more are in the log.`] : [];
  return [
    `### ${title}`,
    line(heads),
    line(heads.map(() => "---")),
    ...rows.slice(0, MOST_ROWS).map(line),
    ...more,
  ].join("\n");
}
