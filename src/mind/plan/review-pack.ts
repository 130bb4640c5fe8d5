import type { GraphNode, ReviewNode } from "../../model/plan/graph.js";
import type { ExecutionPolicy } from "../../model/plan/policy.js";
import { ReviewCategory } from "../../model/primitives.js";
import type { ReviewPack } from "../../model/plan/review.js";
import type { Action } from "./rules/actions.js";
import type { GraphDraft, GraphSource } from "./graph/draft.js";
import { ASKED_BY_INTENT } from "./graph/transforms/add-review-gates.js";
import type { GraphOrder } from "./graph/finish-graph.js";
import type { Settled } from "./questions/integrate-answers.js";
import { distinctModels, round } from "./models/route-models.js";
import { findSavings } from "./models/savings.js";
import { blockGuard, type Guard, passGuard } from "./transition.js";

export interface ReviewSource {
  readonly source: GraphSource;
  readonly draft: GraphDraft;
  readonly order: GraphOrder;
  readonly settled: readonly Settled[];
  readonly runId: string;
}

/** The text a person reads before approving: what will happen, what it risks, what it costs, and the way back. */
export function buildReviewPack({ source, draft, order, settled, runId }: ReviewSource): ReviewPack {
  const { parsed, actions, decisions, costs, risk, policy } = source;
  const { intent } = parsed;
  const nodeId = (n: number) => (draft.nodes[n] as GraphNode).node_id;
  const gates = draft.nodes.filter((node): node is ReviewNode => node.node_type === "review_gate");
  const models = distinctModels(costs);
  const planned = plannedAmounts(source);
  return {
    review_id: `review_${intent.id.slice("intent_".length)}`,
    schema_version: "1.0.0",
    coordinator_run_id: runId,
    intent_id: intent.id,
    summary: {
      title: intent.title,
      goal: intent.objective.goal,
      success_criteria: intent.objective.success_criteria,
      non_goals: intent.objective.non_goals,
      actions: actions.length,
      levels: order.levels.length,
      reviews: gates.length,
      questions_open: 0,
      questions_answered: settled.filter(({ by }) => by === "human").length,
      fallbacks_used: settled.filter(({ by }) => by !== "human").length,
    },
    risk,
    change_impact: {
      writes: distinct(actions, (a) => a.writes).sort(),
      reads: distinct(actions, (a) => a.reads).sort(),
      effects: countEffects(source),
      areas: [...new Set(intent.scope.targets.areas)].sort(),
      outside_lock_scope: distinct(actions, (a) => a.outsideLockScope).sort(),
      predicted_conflicts: draft.conflicts.map(({ first, second, pattern }) => ({
        first: nodeId(first),
        second: nodeId(second),
        pattern,
        reason: "Both write it, so one follows the other.",
      })),
    },
    rollback_guide: rollbackGuide(source, draft),
    required_reviews: gates.map((gate) => ({
      category: gate.metadata.category,
      gate: gate.node_id,
      reviewers: gate.metadata.reviewers,
      because: whyReviewed(gate),
    })),
    warnings: warningsOf(source, settled),
    estimate: {
      budget: budgetOf(intent.budgets, policy),
      planned,
      minutes_critical_path: round(order.criticalMinutes),
      minutes_total: round(order.totalMinutes),
      cost_is: models.some((m) => m.cost_is === "assumed") ? "partly_assumed" : "priced",
    },
    schedule: scheduleOf(order, nodeId),
    models,
    savings: findSavings(source, draft),
  };

  function warningsOf({ actions: all }: GraphSource, answers: readonly Settled[]): string[] {
    const warned = new Map<string, string[]>();
    for (let i = 0; i < decisions.length; i++)
      for (const { decision, rule_id, reason } of (decisions[i] as (typeof decisions)[number]).evaluations) {
        if (decision !== "warn") continue;
        const why = `${rule_id}: ${reason}`;
        const keys = warned.get(why) ?? [];
        if (keys.length < 20) warned.set(why, [...keys, (all[i] as (typeof all)[number]).key]);
      }
    return [
      ...[...warned].map(([why, keys]) => `${why} (${keys.join(", ")})`),
      ...answers
        // Who reviews stands with the reviews.
        .filter(({ by, uncertainty }) => by !== "human" && uncertainty.subject.kind !== "reviewer")
        .map(({ uncertainty }) =>
          `Not answered: ${uncertainty.question} ${uncertainty.fallback?.strategy ?? ""}`.trim(),
        ),
      ...models
        .filter((m) => m.model === null && m.agent === undefined)
        .map((m) => `No model for ${m.task_type}: ${m.reason}`),
    ];
  }
}

function whyReviewed({ metadata, description, review_criteria }: ReviewNode): string[] {
  if (metadata.when === "before_action") return review_criteria;
  const isAsked = description === undefined || description === ASKED_BY_INTENT;
  return [isAsked ? "The intent asks for it (risk.requires_review)." : description];
}

function distinct(actions: readonly Action[], listOf: (action: Action) => readonly string[]): string[] {
  const found = new Set<string>();
  for (let i = 0; i < actions.length; i++) {
    const list = listOf(actions[i] as Action);
    for (let j = 0; j < list.length; j++) found.add(list[j] as string);
  }
  return [...found];
}

function countEffects({ actions }: GraphSource): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { effects } of actions) for (const effect of effects) counts[effect] = (counts[effect] ?? 0) + 1;
  return counts;
}

/** The lower of the intent's and the policy's budget holds. */
export function budgetOf(
  budgets: { max_files: number; max_commits: number; max_tokens: number; max_cost_usd: number },
  policy: ExecutionPolicy,
) {
  const lower = (own: number, limit: number | undefined) => (limit === undefined ? own : Math.min(own, limit));
  return {
    files: lower(budgets.max_files, policy.budgets.max_files),
    commits: lower(budgets.max_commits, policy.budgets.max_commits),
    tokens: lower(budgets.max_tokens, policy.budgets.max_tokens),
    cost_usd: lower(budgets.max_cost_usd, policy.budgets.max_cost_usd),
  };
}

/** The amounts a plan expects to use: distinct paths written, one commit for each writing action, tokens and money. */
function plannedAmounts({ actions, costs }: GraphSource) {
  const writing = actions.filter((a) => a.effects.includes("write"));
  let tokens = 0;
  let cost = 0;
  for (let i = 0; i < costs.length; i++) {
    const { estimate, costUsd } = costs[i] as (typeof costs)[number];
    tokens += estimate.tokensIn + estimate.tokensOut;
    cost += costUsd;
  }
  return {
    files: distinct(writing, (a) => a.writes).length,
    commits: writing.length,
    tokens,
    cost_usd: round(cost),
  };
}

/** Backwards through the plan, for every action that changes something. */
function rollbackGuide({ actions }: GraphSource, draft: GraphDraft): ReviewPack["rollback_guide"] {
  const guide: ReviewPack["rollback_guide"] = [];
  for (let i = actions.length - 1; i >= 0; i--) {
    const { effects, entry, task } = actions[i] as Action;
    if (effects.every((effect) => effect === "read")) continue;
    const node = draft.nodes[draft.actionNodes[i] as number] as GraphNode;
    const how =
      entry.rollback ??
      (effects.includes("write") ? "Revert the commit of this action." : "No way back is registered for this command.");
    guide.push({ node: node.node_id, action: task?.title ?? entry.title, how });
  }
  return guide;
}

/** How long the plan takes at best with so many actions at once, and where more of them stop helping. */
function scheduleOf(order: GraphOrder, nodeId: (n: number) => string): ReviewPack["schedule"] {
  const widest = order.levels.reduce((most, level) => Math.max(most, level.length), 0);
  const useful = order.criticalMinutes === 0 ? 1 : Math.ceil(order.totalMinutes / order.criticalMinutes - 1e-9);
  return {
    critical_path: order.criticalPath.map(nodeId),
    widest_level: widest,
    makespan: [1, 2, 3, 5, 8].map((concurrency) => ({
      concurrency,
      minutes: round(Math.max(order.criticalMinutes, order.totalMinutes / concurrency)),
    })),
    suggested_concurrency: Math.max(1, Math.min(useful, Math.max(1, widest))),
  };
}

export function reviewGuards(pack: ReviewPack, source: GraphSource): Guard[] {
  return [checkReviewCategories(pack, source), checkBudgets(pack)];
}

export function checkReviewCategories({ required_reviews }: ReviewPack, { parsed, decisions }: GraphSource): Guard {
  const name = "review_categories_covered";
  const wanted = new Set<string>(parsed.intent.risk.requires_review);
  for (const { decision, reviews, reviews_of_work = [] } of decisions) {
    if (decision === "require_review") for (const r of reviews) wanted.add(r);
    for (const { category } of reviews_of_work) wanted.add(category);
  }
  const uncovered = [...wanted].filter(
    (category) => !required_reviews.some((r) => r.category === category && r.reviewers.length > 0),
  );
  const known = ReviewCategory.options.filter((category) => wanted.has(category));
  if (uncovered.length === 0)
    return passGuard(
      name,
      known.length === 0 ? "No review is wanted" : `A gate and a reviewer for ${known.join(", ")}`,
    );
  return blockGuard(name, `No gate with a reviewer for ${uncovered.join(", ")}`, {
    type: "constraint_violation",
    recovery: ["Name a reviewer in the policy (reviewers), or answer the question who reviews."],
  });
}

export function checkBudgets({ estimate: { budget, planned } }: ReviewPack): Guard {
  const name = "budgets_kept";
  const over = (["files", "commits", "tokens", "cost_usd"] as const).filter((what) => planned[what] > budget[what]);
  if (over.length === 0)
    return passGuard(
      name,
      `${planned.files} files, ${planned.commits} commits, ${planned.tokens} tokens, $${planned.cost_usd.toFixed(2)}: all within budget`,
    );
  return blockGuard(name, over.map((what) => `${what} ${planned[what]} of at most ${budget[what]}`).join("; "), {
    type: "constraint_violation",
    recovery: ["Plan less, choose cheaper models, or raise the budget in the intent and the policy."],
    diagnostics: over.map((what) => ({
      code: "BUDGET_EXCEEDED",
      path: `budgets.max_${what}`,
      message: `${planned[what]} planned, ${budget[what]} allowed`,
    })),
  });
}
