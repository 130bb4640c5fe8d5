import type { ModelDecision } from "../model/decision.js";
import type { PlannedCommand } from "../model/intent.js";
import type { ExecutionPolicy } from "../model/policy.js";
import type { ModelEntry } from "../model/registry.js";
import type { IntentTask } from "../model/task.js";
import { priceTokens, UNKNOWN_PRICE } from "../model/prices.js";
import type { Action } from "./actions.js";
import { IdMaker } from "./ids.js";
import { QUALITY_WANTED, type Ranking, rankModels } from "./rank-models.js";

/*
 * The model router says what an action will cost. Where the settings name who works, it is priced with that agent's
 * model and with no other; where nobody is named, it advises which model would do. INVARIANT: it never adjudicates; no
 * guard and no rule reads what it says, except that the money it expects to spend counts against the budget.
 */

export interface ActionEstimate {
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly minutes: number;
  readonly source: "registry" | "task" | "memory";
  /** What it was before earlier runs corrected it. */
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
 * What an action will take: the task's own estimate, else what earlier runs measured, else the registry's figure. What
 * was measured is taken as it is; what somebody thought is corrected by how thoughts like it stood to what was used.
 */
export function estimateAction(action: Estimated & Partial<Pick<Action, "ratio">>): ActionEstimate {
  const estimate = uncorrected(action);
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

/** What an estimate is made of. */
type Estimated = Pick<Action, "entry" | "history"> & { readonly task: Pick<IntentTask, "estimate"> | undefined };

function uncorrected({ task, entry, history }: Estimated): ActionEstimate {
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

/** The next model to try when the chosen one is not available; null when the chain ends. */
export function selectFallback(decision: ModelDecision, unavailable: readonly string[]): string | null {
  return decision.fallbacks.find((model) => !unavailable.includes(model)) ?? null;
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
  const rankingOf = ({ entry, planned }: Action): Ranked => {
    const { capability } = entry;
    const sensitivity = entry.data_sensitivity ?? policy.models.default_sensitivity;
    const delicate = planned.risk_level === "high" || planned.risk_level === "critical";
    const quality = Math.min(5, QUALITY_WANTED[capability] + (delicate ? 1 : 0));
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
  const byWorker = workersOf(policy, decisions, ids);
  return actions.map((action) => {
    const estimate = estimateOf(action);
    const worked = byWorker(action, estimate);
    if (worked !== null) {
      spent += worked.costUsd;
      worked.decision.budget_remaining_usd = round(Math.max(0, budgetUsd - spent));
      return worked;
    }
    let ranked = rankedOfCommand.get(action.planned);
    if (ranked === undefined) rankedOfCommand.set(action.planned, (ranked = rankingOf(action)));
    const { ranking, costs } = ranked;
    const left = Math.max(0, budgetUsd - spent);
    const chosen = affordable(ranking.candidates, estimate, left);
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

/**
 * What actions cost with the agents that will work. One whose price nobody knows is assumed to be dear: that much is
 * set aside, and the decision says that it is no price. Null where no agent is named.
 */
function workersOf(policy: ExecutionPolicy, decisions: Map<string, Mutable<ModelDecision>>, ids: IdMaker) {
  const { workers } = policy;
  return (action: Action, estimate: ActionEstimate): (ActionCost & { decision: Mutable<ModelDecision> }) | null => {
    if (workers === undefined) return null;
    const { task, entry } = action;
    const { agent, model, price } = (task === undefined ? undefined : workers.builders[task.type]) ?? workers.default;
    const sensitivity = entry.data_sensitivity ?? policy.models.default_sensitivity;
    const key = `${agent}_${entry.capability}_${sensitivity}`;
    let decision = decisions.get(key);
    if (decision === undefined) {
      const with_model = model === null ? "a model of its own choice" : model;
      decision = {
        decision_id: ids.make("model_decision_", key),
        task_type: entry.capability,
        data_sensitivity: sensitivity,
        quality_wanted: QUALITY_WANTED[entry.capability],
        model,
        agent,
        location: null,
        reason: `${agent} works with ${with_model}${price === null ? ", whose price is not known" : ""}.`,
        actions: 0,
        cost_estimate_usd: 0,
        cost_is: price === null ? "assumed" : "priced",
        budget_remaining_usd: 0,
        fallbacks: [],
        rejected: [],
      };
      decisions.set(key, decision);
    }
    const costUsd = priceTokens({ in: estimate.tokensIn, out: estimate.tokensOut }, price ?? UNKNOWN_PRICE);
    decision.actions++;
    decision.cost_estimate_usd = round(decision.cost_estimate_usd + costUsd);
    return { estimate, costUsd, decision };
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

function affordable(candidates: readonly ModelEntry[], estimate: ActionEstimate, left: number): ModelEntry | null {
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
    fallbacks: dearer.slice(0, 3).map((model) => model.id),
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
