import { isBudgetQuestion, type OpenQuestion, type RequestAnswer } from "../../model/request-origin.js";
import type { Proposal } from "../../model/proposal.js";
import type { ExecutionPolicy, Worker } from "../../model/plan/policy.js";
import { priceTokens } from "../../model/settings/prices.js";
import { mayBeShown, describeWorker } from "../plan/models/rank-workers.js";
import type { Limits } from "./budgets.js";
import type { WorkEstimate } from "./estimates.js";

/*
 * The question when planning finds more work than the request allows: the person who asked chooses. A request is not refused for a limit
 * that the person can change, and no limit is ignored in silence.
 */

export interface Afforded {
  readonly proposal: Proposal;
  /** Who works, where the answer chose a cheaper one; absent where the policy's own workers do. */
  readonly worker?: Worker;
  readonly work: WorkEstimate;
  readonly limits: Limits;
}

export interface BudgetInput {
  readonly proposal: Proposal;
  readonly limits: Limits;
  readonly answers: readonly RequestAnswer[];
  readonly estimate: (proposal: Proposal) => WorkEstimate;
  /** Who would work, and who else could for a lower price; null where nobody is configured. */
  readonly workers: { readonly usual: Worker; readonly cheaper: Worker | null } | null;
}

/**
 * The proposal and the limits to draft with, or what has to be asked first. Contract: pure; what is returned to draft with
 * is within its limits, and limits are above what was asked for only where a person said so.
 */
export function fitToBudget({ proposal, limits, answers, estimate, workers }: BudgetInput): Afforded | OpenQuestion {
  const work = estimate(proposal);
  if (fits(work, limits)) return { proposal, work, limits };
  const own = answers.filter(({ id }) => isBudgetQuestion(id));
  const said = own.at(-1)?.answer.trim().toLowerCase() ?? "";
  const narrow = narrowProposal(proposal);
  const narrowWork = narrow === null ? null : estimate(narrow);
  if (said.startsWith("raise")) return { proposal, work, limits: raiseLimits(limits, work) };
  if (said.startsWith("narrow") && narrow !== null && narrowWork !== null)
    return { proposal: narrow, work: narrowWork, limits: raiseLimits(limits, narrowWork) };
  const cheaper = workers?.cheaper ?? null;
  if (said.startsWith("cheaper") && cheaper !== null)
    return { proposal, work, limits: raiseLimits(limits, work), worker: cheaper };
  return {
    id: own.length === 0 ? "budget" : `budget-${own.length + 1}`,
    question: `The plan takes ${amounts(work, limits)}. What should be done?`,
    options: [
      `raise: allow ${target(work, limits)}`,
      ...(narrow === null || narrowWork === null || narrowWork.tokens >= work.tokens
        ? []
        : [
            `narrow: leave out ${describeLeftOut(proposal, narrow)}${fits(narrowWork, limits) ? "" : `, and allow ${target(narrowWork, limits)}`}`,
          ]),
      ...(workers === null || cheaper === null ? [] : [cheaperOption(work, limits, workers.usual, cheaper)]),
    ],
  };
}

function cheaperOption(work: WorkEstimate, limits: Limits, usual: Worker, cheaper: Worker): string {
  const cost = (worker: Worker) => dollars(costOf(work.tokens, worker));
  return `cheaper: ${describeWorker(cheaper)} works, about ${cost(cheaper)} instead of ${cost(usual)}; allow ${target(work, limits)}`;
}

function costOf(tokens: number, { price }: Worker): number {
  return price === null ? Infinity : priceTokens(shareOut(tokens), price);
}

const dollars = (amount: number): string => `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;

/** Four times as much is read as written, as everywhere where models are compared. */
const shareOut = (tokens: number) => ({ in: tokens * 0.8, out: tokens * 0.2 });

/**
 * Who would work and who could for less: the cheapest of the configured agents and models that may be shown the data of the
 * request. Contract: pure. Where one price is unknown nobody is cheaper.
 */
export function compareWorkers({ workers, models }: ExecutionPolicy): BudgetInput["workers"] {
  if (workers === undefined) return null;
  const sensitivity = models.least_sensitivity ?? models.default_sensitivity;
  const most = costOf(1_000_000, workers.default);
  const open = (workers.choices ?? []).filter(
    (worker) =>
      most !== Infinity &&
      costOf(1_000_000, worker) < most &&
      mayBeShown(worker, sensitivity, models.cloud_allowed_up_to).allowed &&
      !models.denied.includes(worker.model ?? ""),
  );
  const cheaper = open.reduce<Worker | null>(
    (least, one) => (least === null || costOf(1_000_000, one) < costOf(1_000_000, least) ? one : least),
    null,
  );
  return { usual: workers.default, cheaper };
}

/** The policy with one worker for everything: a choice of a person binds. */
export function assignWorker(policy: ExecutionPolicy, worker: Worker | undefined): ExecutionPolicy {
  if (worker === undefined) return policy;
  return { ...policy, workers: { default: worker, builders: {}, choices: [worker] } };
}

function fits({ tokens, seconds }: WorkEstimate, limits: Limits): boolean {
  return tokens <= (limits.tokens ?? Infinity) && seconds <= (limits.seconds ?? Infinity);
}

function raiseLimits(limits: Limits, { tokens, seconds }: WorkEstimate): Limits {
  return {
    tokens: limits.tokens === null ? null : Math.max(limits.tokens, tokens),
    seconds: limits.seconds === null ? null : Math.max(limits.seconds, seconds),
  };
}

/** Without the tasks that only add to the main work; null when nothing can be left out. */
function narrowProposal(proposal: Proposal): Proposal | null {
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

function describeLeftOut(proposal: Proposal, narrow: Proposal): string {
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
