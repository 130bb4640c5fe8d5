import type { GraphDraft, GraphSource } from "../draft.js";

/**
 * One node for each judgement: actions of one phase that the same rule decided in the same way share it. An action
 * that needs others of its plan has a node of its own command, which those others then lead into.
 */
export function addDecisionPoints(draft: GraphDraft, { actions, decisions }: GraphSource): void {
  const groups = new Map<string, { node: number; rules: Set<string>; targets: string[] }>();
  const planned = new Set(actions.map((action) => action.planned.command_id));
  for (let i = 0; i < actions.length; i++) {
    const { entry } = actions[i] as (typeof actions)[number];
    const { decision, rule_id, evaluations, target } = decisions[i] as (typeof decisions)[number];
    const own = entry.needs.some((need) => planned.has(need)) ? ` ${entry.id}` : "";
    const key = `${draft.slotOfAction[i]} ${decision} ${rule_id}${own}`;
    let group = groups.get(key);
    if (group === undefined) {
      const slot = draft.slots[draft.slotOfAction[i] as number];
      const rules = new Set<string>();
      const rule_refs: string[] = [];
      const targets: string[] = [];
      const node = draft.addNode({
        node_id: draft.ids.anonymous("node_decision_", `${slot?.workflowId} ${slot?.phase} ${key}`),
        node_type: "decision_point",
        label: `${decision}, by ${rule_id}`,
        rule_refs,
        metadata: { decision, targets },
      });
      group = { node, rules, targets };
      groups.set(key, group);
    }
    draft.decisionOfAction.push(group.node);
    group.targets.push(target);
    const node = draft.nodes[group.node];
    for (const evaluation of evaluations) {
      if (group.rules.has(evaluation.rule_id) || node?.node_type !== "decision_point") continue;
      group.rules.add(evaluation.rule_id);
      node.rule_refs.push(evaluation.rule_id);
    }
  }
}
