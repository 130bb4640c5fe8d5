import { isBudgetQuestion, type OpenQuestion, type RequestAnswer } from "../../model/opening.js";
import type { Proposal } from "../../model/proposal.js";
import type { Limits } from "./budgets.js";
import type { WorkEstimate } from "./estimates.js";

/*
 * What happens when planning finds more work than the request allows: whoever asked chooses. Nobody is sent away for a limit
 * that they can change, and no limit is passed over in silence.
 */

export interface Afforded {
  readonly proposal: Proposal;
  readonly work: WorkEstimate;
  readonly limits: Limits;
}

export interface BudgetInput {
  readonly proposal: Proposal;
  readonly limits: Limits;
  readonly answers: readonly RequestAnswer[];
  readonly estimate: (proposal: Proposal) => WorkEstimate;
}

/**
 * The proposal and the limits to draft with, or what has to be asked first. Contract: pure; what is returned to draft with
 * is within its limits, and limits are above what was asked for only where a person said so.
 */
export function affordable({ proposal, limits, answers, estimate }: BudgetInput): Afforded | OpenQuestion {
  const work = estimate(proposal);
  if (fits(work, limits)) return { proposal, work, limits };
  const own = answers.filter(({ id }) => isBudgetQuestion(id));
  const said = own.at(-1)?.answer.trim().toLowerCase() ?? "";
  const narrow = narrowed(proposal);
  const narrowWork = narrow === null ? null : estimate(narrow);
  if (said.startsWith("raise")) return { proposal, work, limits: raised(limits, work) };
  if (said.startsWith("narrow") && narrow !== null && narrowWork !== null)
    return { proposal: narrow, work: narrowWork, limits: raised(limits, narrowWork) };
  return {
    id: own.length === 0 ? "budget" : `budget-${own.length + 1}`,
    question: `The plan takes ${amounts(work, limits)}. What should be done?`,
    options: [
      `raise: allow ${target(work, limits)}`,
      ...(narrow === null || narrowWork === null || narrowWork.tokens >= work.tokens
        ? []
        : [
            `narrow: leave out ${leftOut(proposal, narrow)}${fits(narrowWork, limits) ? "" : `, and allow ${target(narrowWork, limits)}`}`,
          ]),
    ],
  };
}

function fits({ tokens, seconds }: WorkEstimate, limits: Limits): boolean {
  return tokens <= (limits.tokens ?? Infinity) && seconds <= (limits.seconds ?? Infinity);
}

function raised(limits: Limits, { tokens, seconds }: WorkEstimate): Limits {
  return {
    tokens: limits.tokens === null ? null : Math.max(limits.tokens, tokens),
    seconds: limits.seconds === null ? null : Math.max(limits.seconds, seconds),
  };
}

/** Without the tasks that only add to the main work; null when nothing can be left out. */
function narrowed(proposal: Proposal): Proposal | null {
  const needed = new Set(proposal.tasks.flatMap(({ dependencies }) => dependencies));
  const adds = new Set(
    proposal.tasks
      .filter(({ id, type }) => (type === "docs" || type === "test") && !isNeeded(id, proposal, needed))
      .map(({ id }) => id),
  );
  if (adds.size === 0 || adds.size === proposal.tasks.length) return null;
  const tasks = proposal.tasks
    .filter(({ id }) => !adds.has(id))
    .map((task) => ({ ...task, dependencies: task.dependencies.filter((id) => !adds.has(id)) }));
  return { ...proposal, tasks };
}

/** Whether something other than tests and pages builds on a task. */
function isNeeded(id: string, { tasks }: Proposal, needed: ReadonlySet<string>): boolean {
  return (
    needed.has(id) &&
    tasks.some(({ type, dependencies }) => type !== "docs" && type !== "test" && dependencies.includes(id))
  );
}

function leftOut(proposal: Proposal, narrow: Proposal): string {
  const kept = new Set(narrow.tasks.map(({ id }) => id));
  const titles = proposal.tasks.filter(({ id }) => !kept.has(id)).map(({ title }) => title);
  return titles.length === 1 ? `the task "${titles[0]}"` : `${titles.length} tasks that only add tests and pages`;
}

function amounts({ tokens, seconds }: WorkEstimate, limits: Limits): string {
  return [
    ...(limits.tokens !== null && tokens > limits.tokens
      ? [`about ${tokens} tokens, and ${limits.tokens} are allowed`]
      : []),
    ...(limits.seconds !== null && seconds > limits.seconds
      ? [`about ${seconds} s, and ${limits.seconds} s are allowed`]
      : []),
  ].join("; ");
}

function target({ tokens, seconds }: WorkEstimate, limits: Limits): string {
  return [
    ...(limits.tokens !== null && tokens > limits.tokens ? [`${tokens} tokens`] : []),
    ...(limits.seconds !== null && seconds > limits.seconds ? [`${seconds} s`] : []),
  ].join(" and ");
}
