import type { RuleDecision } from "../../../../model/plan/decision.js";
import type { ActionNode } from "../../../../model/plan/graph.js";
import type { CommandEntry } from "../../../../model/plan/registry.js";
import type { Action } from "../../rules/actions.js";
import { type ActionCost, round } from "../../models/route-models.js";
import { clip } from "../../transition.js";
import type { GraphDraft, GraphSource } from "../draft.js";

/** One node for each action, with its task, its decision and its estimate: all that later stages need travels here. */
export function addActions(draft: GraphDraft, source: GraphSource): void {
  const slots = new Map(draft.slots.map((slot, i) => [`${slot.workflowId} ${slot.phase}`, i]));
  const shared: Shared = { slotOfCommand: new Map(), estimates: new Map(), decisions: new Map() };
  for (let i = 0; i < source.actions.length; i++) {
    const { entry, workflowId, phase } = source.actions[i] as Action;
    let slot = shared.slotOfCommand.get(entry);
    if (slot === undefined) shared.slotOfCommand.set(entry, (slot = slots.get(`${workflowId} ${phase}`) ?? -1));
    draft.actionNodes.push(draft.addNode(actionNode(draft, source, i, shared)));
    draft.slotOfAction.push(slot);
    draft.slots[slot]?.actions.push(i);
  }
}

/** Parts that many nodes have in common stand in memory once. INVARIANT: nobody changes a part of a node that is shared here. */
interface Shared {
  readonly slotOfCommand: Map<CommandEntry, number>;
  readonly estimates: Map<ActionCost, Metadata["estimate"]>;
  readonly decisions: Map<string, Metadata["decision"]>;
}

type Metadata = ActionNode["metadata"];

function actionNode(draft: GraphDraft, source: GraphSource, i: number, shared: Shared): ActionNode {
  const action = source.actions[i] as Action;
  const { planned, entry, task } = action;
  const about = task === undefined ? planned.intent : task.description;
  const effects = action.effects as ActionNode["effects"];
  const label = clip(task?.title ?? entry.title, 160);
  const metadata = metadataOf(source, i, shared);
  const node_id = draft.ids.make("node_action_", action.key);
  const { command_id: command_ref, evidence_refs, risk_level } = planned;
  const node_type = "action_proposal";
  // The keys stand in order, which is how the canonical form is written fastest.
  return about === undefined
    ? { command_ref, effects, evidence_refs, label, metadata, node_id, node_type, risk_level }
    : {
        command_ref,
        description: clip(about, 1000),
        effects,
        evidence_refs,
        label,
        metadata,
        node_id,
        node_type,
        risk_level,
      };
}

function metadataOf({ actions, decisions, costs, resolutions }: GraphSource, i: number, shared: Shared): Metadata {
  const { planned, phase, reads, task, workflowId, writes } = actions[i] as Action;
  const cost = costs[i] as ActionCost;
  const metadata: Partial<Metadata> = {
    decision: decisionOf(decisions[i] as RuleDecision, shared),
    estimate: estimateOf(cost, shared),
    model_decision: cost.decision.decision_id,
    // Lanes are assigned near the end, when it is known who stands where.
    owner: "",
    owner_because: "covers_phase",
  };
  const parameters = resolutions.parameters.get(planned.command_id);
  if (parameters !== undefined) metadata.parameters = Object.fromEntries(parameters);
  metadata.phase = phase;
  if (reads.length > 0) metadata.reads = reads as string[];
  if (task !== undefined) metadata.task = task;
  metadata.workflow_id = workflowId ?? "";
  if (writes.length > 0) metadata.writes = writes as string[];
  return metadata as Metadata;
}

function decisionOf({ decision, rule_id }: RuleDecision, { decisions }: Shared): Metadata["decision"] {
  const known = decisions.get(rule_id);
  if (known?.decision === decision) return known;
  const made = { decision, rule_id };
  decisions.set(rule_id, made);
  return made;
}

function estimateOf(cost: ActionCost, { estimates }: Shared): Metadata["estimate"] {
  const known = estimates.get(cost);
  if (known !== undefined) return known;
  const { minutes, source, tokensIn, tokensOut, beforeLearning } = cost.estimate;
  const figures = { cost_usd: round(cost.costUsd), minutes, source, tokens: tokensIn + tokensOut };
  const made = beforeLearning === undefined ? figures : { before_learning: sortEstimate(beforeLearning), ...figures };
  estimates.set(cost, made);
  return made;
}

function sortEstimate({ minutes, samples, tokens }: { minutes: number; samples: number; tokens: number }) {
  return { minutes, samples, tokens };
}
