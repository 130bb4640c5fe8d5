import type { ReviewCategory } from "../../../../model/primitives.js";
import type { GraphDraft, GraphSource } from "../draft.js";

/**
 * A gate for each review of the work that the intent or a rule asks for, after the work and before any release; and a
 * gate before the actions that a rule wants reviewed, one for each phase and category.
 */
export function addReviewGates(
  draft: GraphDraft,
  { parsed, actions, decisions, policy, resolutions }: GraphSource,
): void {
  const reviewers = (category: ReviewCategory) => [
    ...(resolutions.reviewers.get(category) ?? policy.reviewers[category] ?? []),
  ];
  const gates = new Map<string, number>();
  const planned = new Set(actions.map((action) => action.planned.command_id));
  const ownDecision = new Set(
    draft.decisionOfAction.filter((_, i) => actions[i]?.entry.needs.some((need) => planned.has(need))),
  );
  for (let i = 0; i < decisions.length; i++) {
    const { decision, reviews, rule_id, reason } = decisions[i] as (typeof decisions)[number];
    if (decision !== "require_review") {
      draft.gatesOfAction.push([]);
      continue;
    }
    const slot = draft.slots[draft.slotOfAction[i] as number];
    draft.gatesOfAction.push(
      reviews.map((category) => {
        // An action that needs others has a decision point of its own, and so has its gate: behind one it shared with
        // what it needs, it would wait for itself.
        const own = ownDecision.has(draft.decisionOfAction[i] as number) ? ` ${draft.decisionOfAction[i]}` : "";
        const key = `${slot?.workflowId} ${slot?.phase} ${category}${own}`;
        let gate = gates.get(key);
        if (gate === undefined) {
          gate = draft.addNode({
            node_id: draft.ids.make("node_review_", `${category}_${slot?.phase}_${slot?.workflowId}`),
            node_type: "review_gate",
            label: `${category} review before the ${slot?.phase ?? "unmapped"} actions`,
            review_criteria: [],
            metadata: { category, reviewers: reviewers(category), when: "before_action" },
          });
          gates.set(key, gate);
        }
        const node = draft.nodes[gate];
        const criterion = `${rule_id}: ${reason}`;
        if (
          node?.node_type === "review_gate" &&
          node.review_criteria.length < 20 &&
          !node.review_criteria.includes(criterion)
        )
          node.review_criteria.push(criterion);
        return gate;
      }),
    );
  }
  const byRules = rulesOfWork(decisions);
  const byIntent = new Set(parsed.intent.risk.requires_review);
  for (const category of [...new Set([...byIntent, ...byRules.keys()])].sort())
    draft.workGates.push(
      draft.addNode({
        node_id: draft.ids.make("node_review_", `${category}_after_work`),
        node_type: "review_gate",
        label: `${category} review of the work`,
        description: byIntent.has(category) ? ASKED_BY_INTENT : (byRules.get(category) ?? []).join(" ").slice(0, 1000),
        review_criteria: [...parsed.intent.objective.success_criteria],
        metadata: { category, reviewers: reviewers(category), when: "after_work" },
      }),
    );
}

export const ASKED_BY_INTENT = "Asked for by the intent (risk.requires_review).";

/** Why rules want the finished work to be looked at, by who is to look. */
function rulesOfWork(decisions: GraphSource["decisions"]): Map<ReviewCategory, string[]> {
  const found = new Map<ReviewCategory, string[]>();
  for (const { reviews_of_work = [] } of decisions)
    for (const { category, rule_id, reason } of reviews_of_work) {
      const why = `${rule_id}: ${reason}`;
      const known = found.get(category) ?? [];
      if (known.length < 20 && !known.includes(why)) known.push(why);
      found.set(category, known);
    }
  return found;
}
