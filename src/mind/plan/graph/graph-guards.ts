import type { Limits } from "../../../model/plan/policy.js";
import { abortGuard, blockGuard, type Guard, passGuard } from "../transition.js";
import type { GraphDraft, GraphSource } from "./draft.js";
import { topologyOf } from "./topology.js";
import { wiresOf } from "./wires.js";

/** The guards of a draft before it may become a graph. */
export function graphGuards(draft: GraphDraft, source: GraphSource, limits: Limits): Guard[] {
  return [
    graphIsAcyclic(draft),
    checkPhasesMapped(draft, source),
    everyNodeInALane(draft, source),
    everyNodeReachable(draft),
    actionsHaveEvidence(draft),
    checkNodeLimit(draft, limits),
  ];
}

export function graphIsAcyclic(draft: GraphDraft): Guard {
  const { cycle } = topologyOf(wiresOf(draft));
  if (cycle === null)
    return passGuard("graph_is_acyclic", `${draft.nodes.length} nodes and ${draft.wires.size} edges without a cycle`);
  const names = [...cycle, cycle[0] as number].map((n) => draft.nodes[n]?.node_id);
  return blockGuard("graph_is_acyclic", `The plan waits for itself: ${names.join(" → ")}`, {
    type: "constraint_violation",
    recovery: ["Take one dependency or one `needs` on this cycle away, or move a command to a later phase."],
  });
}

export function checkPhasesMapped(draft: GraphDraft, { parsed, registry, actions }: GraphSource): Guard {
  const unknown = parsed.workflows.flatMap(({ workflow_id, phases }) => {
    const known = new Set(registry.workflows.get(workflow_id)?.phases.map((p) => p.phase));
    return phases.filter((phase) => !known.has(phase)).map((phase) => `${workflow_id} has no ${phase} phase`);
  });
  const homeless = actions
    .filter((_, i) => draft.slotOfAction[i] === -1)
    .map(({ key, phase }) => `${key} belongs to the ${phase} phase, which no selected workflow has`);
  const problems = [...unknown, ...new Set(homeless)];
  if (problems.length === 0) return passGuard("all_phases_mapped", `${draft.slots.length} phases, each with its node`);
  return blockGuard("all_phases_mapped", problems.slice(0, 10).join("; "), {
    type: "constraint_violation",
    recovery: ["Select the phase in selected_workflows, or give the command another phase in the registry."],
  });
}

export function everyNodeInALane(draft: GraphDraft, { parsed }: GraphSource): Guard {
  const without = draft.nodes.filter((_, n) => (draft.laneOfNode[n] ?? -1) < 0);
  if (without.length === 0) return passGuard("every_node_in_a_lane", `${parsed.agents.length} lanes take all nodes`);
  return blockGuard(
    "every_node_in_a_lane",
    `No selected agent covers ${without
      .slice(0, 5)
      .map((n) => n.node_id)
      .join(", ")}`,
    {
      type: "constraint_violation",
      recovery: ["Select the agent that owns the command, or one whose registry entry lists the phase."],
    },
  );
}

export function everyNodeReachable(draft: GraphDraft): Guard {
  const { rows } = topologyOf(wiresOf(draft));
  const reached = new Uint8Array(draft.nodes.length);
  const queue = draft.slots.filter((slot) => slot.before === -1).map((slot) => slot.node);
  for (const n of queue) reached[n] = 1;
  for (let at = 0; at < queue.length; at++) {
    const n = queue[at] as number;
    for (let i = rows.offset[n] as number; i < (rows.offset[n + 1] as number); i++) {
      const target = rows.targets[i] as number;
      if (reached[target] === 1) continue;
      reached[target] = 1;
      queue.push(target);
    }
  }
  if (queue.length === draft.nodes.length)
    return passGuard("every_node_reachable", "Every node is reached from a first phase");
  const lost = draft.nodes.filter((_, n) => reached[n] === 0).slice(0, 5);
  return blockGuard("every_node_reachable", `No phase leads to ${lost.map((n) => n.node_id).join(", ")}`, {
    type: "constraint_violation",
    recovery: ["Select a workflow with the phases these actions belong to."],
  });
}

export function actionsHaveEvidence(draft: GraphDraft): Guard {
  const bare = draft.nodes.find((node) => node.node_type === "action_proposal" && node.evidence_refs.length === 0);
  if (bare === undefined)
    return passGuard("actions_have_evidence", `${draft.actionNodes.length} actions, each with evidence`);
  return abortGuard("actions_have_evidence", `Red line I4: ${bare.node_id} has no evidence`, {
    type: "red_line_violation",
    recovery: ["Every action must say what it is based on."],
  });
}

export function checkNodeLimit({ nodes }: GraphDraft, { max_nodes }: Limits): Guard {
  if (nodes.length <= max_nodes) return passGuard("node_limit_kept", `${nodes.length} of ${max_nodes} nodes`);
  return blockGuard("node_limit_kept", `The plan has ${nodes.length} nodes; the limit max_nodes is ${max_nodes}`, {
    type: "constraint_violation",
    recovery: ["Split the intent, or raise limits.max_nodes in the policy."],
  });
}

export function noPlaceholderLeft({ nodes }: GraphDraft): Guard {
  const open = nodes.find((node) => node.node_type === "question" && node.metadata.status === "placeholder");
  if (open === undefined) return passGuard("no_placeholder_left", "Every question is answered or has fallen back");
  return blockGuard("no_placeholder_left", `${open.node_id} is still a placeholder`, {
    type: "constraint_violation",
    recovery: ["Answer the question it stands for."],
  });
}
