import type { ActionNode } from "../../../model/graph.js";
import { round } from "../../route-models.js";
import { clip } from "../../transition.js";
import type { GraphDraft, GraphSource } from "../draft.js";

/** One node for each action, with its task, its decision and its estimate: all that later stages need travels here. */
export function addActions(draft: GraphDraft, source: GraphSource): void {
  const slots = new Map(draft.slots.map((slot, i) => [`${slot.workflowId} ${slot.phase}`, i]));
  for (let i = 0; i < source.actions.length; i++) {
    const slot = slots.get(`${source.actions[i]?.workflowId} ${source.actions[i]?.phase}`) ?? -1;
    draft.actionNodes.push(draft.addNode(actionNode(draft, source, i)));
    draft.slotOfAction.push(slot);
    draft.slots[slot]?.actions.push(i);
  }
}

function actionNode(draft: GraphDraft, { actions, decisions, costs, resolutions }: GraphSource, i: number): ActionNode {
  const action = actions[i] as (typeof actions)[number];
  const decision = decisions[i] as (typeof decisions)[number];
  const { estimate, costUsd, decision: model } = costs[i] as (typeof costs)[number];
  const { planned, entry, task } = action;
  const parameters = resolutions.parameters.get(planned.command_id);
  const about = task === undefined ? planned.intent : task.description;
  // The keys stand in order, so that the canonical form is what JSON.stringify writes.
  return {
    command_ref: planned.command_id,
    ...(about === undefined ? {} : { description: clip(about, 1000) }),
    effects: action.effects as ActionNode["effects"],
    evidence_refs: planned.evidence_refs,
    label: clip(task?.title ?? entry.title, 160),
    metadata: {
      decision: { decision: decision.decision, rule_id: decision.rule_id },
      estimate: {
        ...(estimate.beforeLearning === undefined ? {} : { before_learning: sorted(estimate.beforeLearning) }),
        cost_usd: round(costUsd),
        minutes: estimate.minutes,
        source: estimate.source,
        tokens: estimate.tokensIn + estimate.tokensOut,
      },
      model_decision: model.decision_id,
      // Lanes are assigned near the end, when it is known who stands where.
      owner: "",
      owner_because: "covers_phase",
      ...(parameters === undefined ? {} : { parameters: Object.fromEntries(parameters) }),
      phase: action.phase,
      ...(action.reads.length === 0 ? {} : { reads: action.reads as string[] }),
      ...(task === undefined ? {} : { task }),
      workflow_id: action.workflowId ?? "",
      ...(action.writes.length === 0 ? {} : { writes: action.writes as string[] }),
    },
    node_id: draft.ids.make("node_action_", action.key),
    node_type: "action_proposal",
    risk_level: planned.risk_level,
  };
}

function sorted({ minutes, samples, tokens }: { minutes: number; samples: number; tokens: number }) {
  return { minutes, samples, tokens };
}
