import type { GraphNode } from "../../../model/plan/graph.js";
import type { ReviewPack } from "../../../model/plan/review.js";
import type { GraphDraft, GraphSource } from "../graph/draft.js";
import { round } from "./route-models.js";

/** How many suggestions are worth a person's time. */
const MOST = 10;

/**
 * Cheaper plans that reach the same end: a command the registry calls equivalent and that is estimated to cost less
 * with the same model. Suggestions only; a plan is never changed behind the back of the one who wrote the intent.
 */
export function findSavings({ actions, costs, registry }: GraphSource, draft: GraphDraft): ReviewPack["savings"] {
  const found: ReviewPack["savings"] = [];
  for (let i = 0; i < actions.length; i++) {
    const { entry } = actions[i] as (typeof actions)[number];
    if (entry.equivalents.length === 0) continue;
    const { costUsd, estimate } = costs[i] as (typeof costs)[number];
    const tokens = estimate.tokensIn + estimate.tokensOut;
    for (const id of entry.equivalents) {
      const other = registry.commands.get(id);
      if (other === undefined || other.status !== "active" || tokens === 0) continue;
      const share = (other.estimate.tokens_in + other.estimate.tokens_out) / tokens;
      const saves = round(costUsd * (1 - share));
      if (saves <= 0) continue;
      found.push({
        node: (draft.nodes[draft.actionNodes[i] as number] as GraphNode).node_id,
        instead_of: entry.id,
        use: id,
        saves_usd: saves,
        why: `${other.title} reaches the same end with about ${Math.round(share * 100)} % of the tokens.`,
      });
    }
  }
  return found.sort((a, b) => b.saves_usd - a.saves_usd || (a.node < b.node ? -1 : 1)).slice(0, MOST);
}
