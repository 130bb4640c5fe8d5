import type { GraphDraft, GraphSource } from "../draft.js";

/**
 * Every node stands in the lane of one selected agent. An action goes to the agent its task names, else to the owner
 * of its command, else to a selected agent that covers the phase; what surrounds an action stands in its lane. An
 * action that no selected agent covers stays without a lane, and validation refuses the graph.
 */
export function assignLanes(draft: GraphDraft, { parsed, actions, registry }: GraphSource): void {
  const laneOf = new Map(parsed.agents.map(({ agent_id }, lane) => [agent_id, lane]));
  const covering = new Map<string, number>();
  for (const [lane, { agent_id }] of [...parsed.agents.entries()].reverse())
    for (const phase of registry.agents.get(agent_id)?.phases ?? []) covering.set(phase, lane);
  const lanes = new Int32Array(draft.nodes.length).fill(-1);

  for (let i = 0; i < actions.length; i++) {
    const { task, entry, phase } = actions[i] as (typeof actions)[number];
    const named = task?.agent === undefined ? undefined : laneOf.get(task.agent);
    const lane = named ?? laneOf.get(entry.owner) ?? covering.get(phase) ?? -1;
    const node = draft.nodes[draft.actionNodes[i] as number];
    lanes[draft.actionNodes[i] as number] = lane;
    lanes[draft.decisionOfAction[i] as number] = lane;
    for (const gate of draft.gatesOfAction[i] ?? []) lanes[gate] = lane;
    if (node?.node_type !== "action_proposal" || lane < 0) continue;
    node.metadata.owner = parsed.agents[lane]?.agent_id ?? "";
    node.metadata.owner_because =
      named !== undefined ? "task_names_it" : laneOf.has(entry.owner) ? "owns_command" : "covers_phase";
  }
  for (const slot of draft.slots) {
    const first = slot.actions[0];
    const led = first === undefined ? undefined : lanes[draft.actionNodes[first] as number];
    lanes[slot.node] = led ?? covering.get(slot.phase) ?? 0;
  }
  for (const { node, actions: touched } of draft.questionNodes)
    lanes[node] = touched[0] === undefined ? 0 : (lanes[draft.actionNodes[touched[0]] as number] as number);
  for (const gate of draft.workGates) lanes[gate] = covering.get("review") ?? 0;
  for (const lane of lanes) draft.laneOfNode.push(lane);
}
