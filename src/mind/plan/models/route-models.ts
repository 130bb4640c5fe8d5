import type { ModelDecision } from "../../../model/plan/decision.js";
import type { PlannedCommand } from "../../../model/plan/intent.js";
import type { ExecutionPolicy, Worker } from "../../../model/plan/policy.js";
import type { ModelEntry } from "../../../model/plan/registry.js";
import { Sensitivity } from "../../../model/primitives.js";
import type { IntentTask } from "../../../model/task.js";
import { priceTokens, UNKNOWN_PRICE } from "../../../model/settings/prices.js";
import type { Action } from "../rules/actions.js";
import { IdMaker } from "../ids.js";
import { QUALITY_WANTED, type Ranking, rankModels } from "./rank-models.js";
import { rankWorkers, describeWorker, type WorkerRanking } from "./rank-workers.js";

/*
 * The model router says which agent does an action with which model, and what that costs. It chooses among what the
 * settings name, and an attempt is started so or not at all; where nobody is named, it advises which model would do.
 * INVARIANT: it never adjudicates; no guard and no rule reads what it says, except that the money it expects to spend
 * counts against the budget.
 */

export interface ActionEstimate {
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly minutes: number;
  readonly source: "registry" | "task" | "memory";
  /** The estimate before earlier runs corrected it. */
  readonly beforeLearning?: { readonly tokens: number; readonly minutes: number; readonly samples: number };
}

export interface ActionCost {
  readonly estimate: ActionEstimate;
  readonly costUsd: number;
  readonly decision: ModelDecision;
}

/** How many earlier runs it takes before what was measured counts for more than what the registry says. */
export const ENOUGH_SAMPLES = 3;

/**
 * The estimate of an action: the task's own estimate, else what earlier runs measured, else the registry's figure. A
 * measured figure is taken as it is; a person's estimate is corrected by how estimates like it compared with use.
 */
export function estimateAction(action: Estimated & Partial<Pick<Action, "ratio">>): ActionEstimate {
  const estimate = uncorrectedEstimate(action);
  const { ratio } = action;
  if (ratio === undefined || estimate.source === "memory") return estimate;
  const tokens = ratio.token_samples >= ENOUGH_SAMPLES ? (ratio.tokens ?? 1) : 1;
  const minutes = ratio.minute_samples >= ENOUGH_SAMPLES ? (ratio.minutes ?? 1) : 1;
  if (tokens === 1 && minutes === 1) return estimate;
  return {
    tokensIn: Math.round(estimate.tokensIn * tokens),
    tokensOut: Math.round(estimate.tokensOut * tokens),
    minutes: round(estimate.minutes * minutes),
    source: estimate.source,
    beforeLearning: {
      tokens: estimate.tokensIn + estimate.tokensOut,
      minutes: estimate.minutes,
      samples: Math.max(ratio.token_samples, ratio.minute_samples),
    },
  };
}

/** Inputs of an estimate. */
type Estimated = Pick<Action, "entry" | "history"> & { readonly task: Pick<IntentTask, "estimate"> | undefined };

function uncorrectedEstimate({ task, entry, history }: Estimated): ActionEstimate {
  const { tokens_in, tokens_out, minutes } = entry.estimate;
  if (task?.estimate !== undefined) {
    const tokensIn = Math.round((task.estimate.tokens * tokens_in) / Math.max(1, tokens_in + tokens_out));
    return { tokensIn, tokensOut: task.estimate.tokens - tokensIn, minutes: task.estimate.minutes, source: "task" };
  }
  if (history !== undefined && history.samples >= ENOUGH_SAMPLES)
    return { tokensIn: history.tokens_in, tokensOut: history.tokens_out, minutes: history.minutes, source: "memory" };
  return { tokensIn: tokens_in, tokensOut: tokens_out, minutes, source: "registry" };
}

export function estimateCost(model: ModelEntry, { tokensIn, tokensOut }: ActionEstimate): number {
  return (tokensIn * model.price.usd_per_million_in + tokensOut * model.price.usd_per_million_out) / 1_000_000;
}

/**
 * Choose a model for every action, spending the budget as it goes. Actions of one kind share one decision, which says
 * how many it covers; a kind is decided again when the budget no longer carries the first choice.
 */
export function routeModels(
  actions: readonly Action[],
  models: readonly ModelEntry[],
  policy: ExecutionPolicy,
  budgetUsd: number,
): ActionCost[] {
  const rankings = new Map<string, Ranked>();
  const decisions = new Map<string, Mutable<ModelDecision>>();
  const ids = new IdMaker();
  const shared = new Map<string, ActionEstimate>();
  const estimateOf = (action: Action): ActionEstimate => {
    if (action.task?.estimate !== undefined) return estimateAction(action);
    const { entry, ratio } = action;
    const alike = ratio?.of === "task_type" ? `${entry.id} ${ratio.name}` : entry.id;
    let estimate = shared.get(alike);
    if (estimate === undefined) shared.set(alike, (estimate = estimateAction(action)));
    return estimate;
  };
  const rankingOf = (action: Action): Ranked => {
    const { capability, sensitivity, quality } = findWantedModel(action, policy);
    const kind = `${capability}_${sensitivity}_q${quality}`;
    let ranked = rankings.get(kind);
    if (ranked === undefined) {
      const ranking = rankModels(models, capability, sensitivity, quality, policy);
      rankings.set(kind, (ranked = { kind, ranking, costs: new Map() }));
    }
    return ranked;
  };
  const decide = ({ kind, ranking }: Ranked, chosen: ModelEntry | null): Mutable<ModelDecision> => {
    const key = `${kind}_${chosen?.id ?? "none"}`;
    let decision = decisions.get(key);
    if (decision === undefined)
      decisions.set(key, (decision = newDecision(ids.make("model_decision_", key), ranking, chosen)));
    return decision;
  };
  const rankedOfCommand = new Map<PlannedCommand, Ranked>();
  let spent = 0;
  const byWorker = workersOf(policy, models, decisions, ids);
  return actions.map((action) => {
    const estimate = estimateOf(action);
    const worked = byWorker(action, estimate, Math.max(0, budgetUsd - spent));
    if (worked !== null) {
      spent += worked.costUsd;
      worked.decision.budget_remaining_usd = round(Math.max(0, budgetUsd - spent));
      return worked;
    }
    let ranked = rankedOfCommand.get(action.planned);
    if (ranked === undefined) rankedOfCommand.set(action.planned, (ranked = rankingOf(action)));
    const { ranking, costs } = ranked;
    const left = Math.max(0, budgetUsd - spent);
    const chosen = chooseAffordable(ranking.candidates, estimate, left);
    let cost = costs.get(estimate);
    if (cost === undefined || cost.decision.model !== (chosen?.id ?? null)) {
      const assumed = chosen ?? ranking.candidates[0] ?? ranking.dearest;
      const costUsd = assumed === undefined ? 0 : estimateCost(assumed, estimate);
      costs.set(estimate, (cost = { estimate, costUsd, decision: decide(ranked, chosen) }));
    }
    const { costUsd, decision } = cost;
    spent += costUsd;
    decision.actions++;
    decision.cost_estimate_usd = round(decision.cost_estimate_usd + costUsd);
    decision.budget_remaining_usd = round(Math.max(0, budgetUsd - spent));
    return cost;
  });
}

/** The demands of an action on a model. */
function findWantedModel({ entry, planned }: Action, policy: ExecutionPolicy) {
  const { capability } = entry;
  const { default_sensitivity, least_sensitivity } = policy.models;
  const delicate = planned.risk_level === "high" || planned.risk_level === "critical";
  return {
    capability,
    sensitivity: atLeast(entry.data_sensitivity ?? default_sensitivity, least_sensitivity),
    quality: Math.min(5, QUALITY_WANTED[capability] + (delicate ? 1 : 0)),
  };
}

function atLeast(one: Sensitivity, least: Sensitivity | undefined): Sensitivity {
  const place = (sensitivity: Sensitivity) => Sensitivity.options.indexOf(sensitivity);
  return least === undefined || place(one) >= place(least) ? one : least;
}

/** How many other agents and models stand behind a choice. */
const MOST_FALLBACKS = 3;

/**
 * Who does each action, out of those the settings name, and what it costs with them. One whose price nobody knows is
 * assumed to be dear: that much is set aside, and the decision says that it is not a price. Null where no agent is named.
 */
function workersOf(
  { workers, ...policy }: ExecutionPolicy,
  models: readonly ModelEntry[],
  decisions: Map<string, Mutable<ModelDecision>>,
  ids: IdMaker,
) {
  const rankings = new Map<string, WorkerRanking>();
  return (
    action: Action,
    estimate: ActionEstimate,
    left: number,
  ): (ActionCost & { decision: Mutable<ModelDecision> }) | null => {
    if (workers === undefined) return null;
    const { task } = action;
    const { capability, sensitivity, quality } = findWantedModel(action, policy);
    const named = task === undefined ? undefined : workers.builders[task.type];
    const kind = `${named?.agent ?? "any"}_${capability}_${sensitivity}_q${quality}`;
    let ranking = rankings.get(kind);
    if (ranking === undefined) {
      const all = workers.choices ?? [workers.default, ...Object.values(workers.builders)];
      const own = named === undefined ? all : all.filter(({ agent }) => agent === named.agent);
      // Plans of earlier versions name one worker for each builder and no others.
      const choices =
        workers.choices === undefined
          ? [named ?? workers.default]
          : own.length === 0
            ? [named ?? workers.default]
            : own;
      ranking = rankWorkers(choices, { taskType: capability, sensitivity, quality }, models, policy);
      rankings.set(kind, ranking);
    }
    const { candidates } = ranking;
    const costOf = ({ price }: Pick<Worker, "price">) =>
      priceTokens({ in: estimate.tokensIn, out: estimate.tokensOut }, price ?? UNKNOWN_PRICE);
    const chosen = candidates.find((worker) => costOf(worker) <= left) ?? candidates[0] ?? null;
    const key = `${kind}_${chosen?.agent ?? "none"}_${chosen?.model ?? "own"}`;
    let decision = decisions.get(key);
    if (decision === undefined)
      decisions.set(
        key,
        (decision = workerDecision(
          ids.make("model_decision_", key),
          { capability, sensitivity, quality },
          ranking,
          chosen,
        )),
      );
    const costUsd = costOf(chosen ?? named ?? workers.default);
    decision.actions++;
    decision.cost_estimate_usd = round(decision.cost_estimate_usd + costUsd);
    return { estimate, costUsd, decision };
  };
}

function workerDecision(
  decision_id: string,
  { capability, sensitivity, quality }: ReturnType<typeof findWantedModel>,
  { candidates, rejected }: WorkerRanking,
  chosen: Worker | null,
): ModelDecision {
  const others = candidates.filter((worker) => worker !== chosen);
  const first = chosen === null ? "" : describeWorker(chosen);
  const works = chosen === null ? "" : `${chosen.agent} works with ${chosen.model ?? "a model of its own choice"}`;
  return {
    decision_id,
    task_type: capability,
    data_sensitivity: sensitivity,
    quality_wanted: quality,
    model: chosen?.model ?? null,
    ...(chosen === null ? {} : { agent: chosen.agent }),
    location: chosen?.local === true ? "local" : null,
    reason:
      chosen === null
        ? `Nobody who is configured here may be shown ${sensitivity} data: ${rejected.map(({ alternative, reason_rejected }) => `${alternative}: ${reason_rejected}`).join("; ")}.`
        : `${works}${chosen.price === null ? ", whose price is not known" : ""}${others.length === 0 ? "" : ": the first of those who may do it, by preference, order of the settings, fitness and price"}.`,
    actions: 0,
    cost_estimate_usd: 0,
    cost_is: chosen === null || chosen.price === null ? "assumed" : "priced",
    budget_remaining_usd: 0,
    fallbacks: others.slice(0, MOST_FALLBACKS).map(({ agent, model }) => ({ agent, model })),
    rejected: [
      ...rejected,
      ...others.map((worker) => ({ alternative: describeWorker(worker), reason_rejected: `${first} comes first` })),
    ],
  };
}

/** The decisions behind the costs of all actions, each once. */
export function distinctModels(costs: readonly ActionCost[]): ModelDecision[] {
  const distinct = new Map<string, ModelDecision>();
  let last: ActionCost | null = null;
  for (let i = 0; i < costs.length; i++) {
    const cost = costs[i] as ActionCost;
    if (cost === last) continue;
    last = cost;
    distinct.set(cost.decision.decision_id, cost.decision);
  }
  return [...distinct.values()];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A ranking with what actions cost that have the same estimate and get the same model. */
interface Ranked {
  readonly kind: string;
  readonly ranking: Ranking;
  readonly costs: Map<ActionEstimate, ActionCost & { readonly decision: Mutable<ModelDecision> }>;
}

function chooseAffordable(
  candidates: readonly ModelEntry[],
  estimate: ActionEstimate,
  left: number,
): ModelEntry | null {
  for (const model of candidates) if (estimateCost(model, estimate) <= left) return model;
  return null;
}

function newDecision(id: string, ranking: Ranking, chosen: ModelEntry | null): ModelDecision {
  const { taskType, sensitivity, quality, candidates } = ranking;
  const dearer = candidates.filter((model) => model !== chosen);
  return {
    decision_id: id,
    task_type: taskType,
    data_sensitivity: sensitivity,
    quality_wanted: quality,
    model: chosen?.id ?? null,
    location: chosen?.location ?? null,
    reason:
      chosen !== null
        ? `The cheapest model of quality ${quality} or better for ${taskType} with ${sensitivity} data.`
        : candidates.length === 0
          ? `No registered model may do ${taskType} with ${sensitivity} data at quality ${quality}.`
          : "Every model that may be used costs more than the budget has left.",
    actions: 0,
    cost_estimate_usd: 0,
    cost_is: chosen === null ? "assumed" : "priced",
    budget_remaining_usd: 0,
    fallbacks: dearer.slice(0, MOST_FALLBACKS).map(({ id }) => ({ model: id })),
    rejected: [
      ...ranking.rejected,
      ...dearer.map((model) => ({
        alternative: model.id,
        reason_rejected:
          chosen === null
            ? "it costs more than the budget has left"
            : `${chosen.id} is preferred or cheaper and good enough`,
      })),
    ],
  };
}

/** Money and minutes are kept to six decimals, so that sums are the same wherever they are made. */
export function round(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}
