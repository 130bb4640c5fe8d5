import type { EdgeType, ExecutionGraph, GraphEdge, GraphNode, Lineage, Swimlane } from "../../../model/plan/graph.js";
import type { ExecutionIntent } from "../../../model/plan/intent.js";
import type { Services } from "../services.js";
import { markOf, markText, mixMarks } from "../ids.js";
import { PairTable } from "../rules/pair-table.js";
import type { GraphDraft } from "./draft.js";
import type { EdgeNotes } from "./edge-columns.js";
import { structureChecksum } from "./structure-checksum.js";
import { longestPaths, type Topology, topologyOf } from "./topology.js";
import { wiresOf } from "./wires.js";

/** The order of the finished graph, by node numbers of the draft. */
export interface GraphOrder {
  readonly topology: Topology;
  /** Actions by level, by their place in the plan. */
  readonly levels: readonly (readonly number[])[];
  readonly criticalPath: readonly number[];
  readonly criticalMinutes: number;
  readonly totalMinutes: number;
}

export interface FinishedGraph {
  readonly graph: ExecutionGraph;
  readonly order: GraphOrder;
}

/** Turn a valid draft into the graph that is frozen. Contract: the draft has no cycle. */
export function finishGraph(
  draft: GraphDraft,
  intent: ExecutionIntent,
  lineage: Lineage,
  now: string,
  services: Services,
): FinishedGraph {
  const order = orderOf(draft);
  const id = (n: number) => (draft.nodes[n] as GraphNode).node_id;
  const structure = { nodes: draft.nodes, edges: edgesOf(draft), swimlanes: swimlanesOf(draft, intent) };
  const graph: ExecutionGraph = {
    graph_id: `graph_${intent.id.slice("intent_".length)}`,
    schema_version: "0.9.2",
    intent_id: intent.id,
    created_at: now,
    ...structure,
    lineage,
    checksum: structureChecksum(structure, services),
    metadata: {
      execution_policy: intent.interaction.mode,
      estimated_duration: duration(order.criticalMinutes),
      complexity_score: complexity(draft),
      topological_order: Array.from(order.topology.order, id),
      levels: order.levels.map((level) => level.map((i) => id(draft.actionNodes[i] as number))),
      critical_path: order.criticalPath.map(id),
    },
  };
  return { graph, order };
}

function edgesOf({ nodes, wires }: GraphDraft): GraphEdge[] {
  const high = new Int32Array(nodes.length);
  const low = new Int32Array(nodes.length);
  for (let n = 0; n < nodes.length; n++) ({ high: high[n], low: low[n] } = markOf((nodes[n] as GraphNode).node_id));
  const { size, from: starts, to: ends, types, notes } = wires;
  const pairs = new PairTable(size);
  const ids = new PairTable(size);
  const edges: GraphEdge[] = [];
  for (let i = 0; i < size; i++) {
    const from = starts[i] as number;
    const to = ends[i] as number;
    // Two edges between the same nodes say the same: the first one stays.
    if (pairs.getOrAdd(from, to, i) >= 0) continue;
    const mark = mixMarks(high[from] as number, low[from] as number, high[to] as number, low[to] as number);
    const taken = ids.getOrAdd(mark.high, mark.low, i) >= 0;
    const edge_id = taken ? `edge_${markText(mark)}_${i}` : `edge_${markText(mark)}`;
    const edge_type = types[i] as EdgeType;
    const from_node = (nodes[from] as GraphNode).node_id;
    const to_node = (nodes[to] as GraphNode).node_id;
    const { condition, label } = notes[i] ?? NOTHING_NOTED;
    // The keys stand in order, which is how the canonical form is written fastest.
    if (condition !== undefined) edges.push({ condition, edge_id, edge_type, from_node, to_node });
    else if (label !== undefined) edges.push({ edge_id, edge_type, from_node, label, to_node });
    else edges.push({ edge_id, edge_type, from_node, to_node });
  }
  return edges;
}

const NOTHING_NOTED: EdgeNotes = {};

function swimlanesOf(draft: GraphDraft, intent: ExecutionIntent): Swimlane[] {
  const lanes = intent.selected_agents.map(({ agent_id, role }): Swimlane => ({
    agent_id,
    node_refs: [],
    role,
    swimlane_id: draft.ids.make("swimlane_of_", agent_id),
  }));
  for (let n = 0; n < draft.laneOfNode.length; n++)
    lanes[draft.laneOfNode[n] as number]?.node_refs.push((draft.nodes[n] as GraphNode).node_id);
  return lanes;
}

function orderOf(draft: GraphDraft): GraphOrder {
  const topology = topologyOf(wiresOf(draft));
  const size = draft.nodes.length;
  const minutes = new Float64Array(size);
  const counted = new Float64Array(size);
  let totalMinutes = 0;
  for (const n of draft.actionNodes) {
    const node = draft.nodes[n] as GraphNode;
    if (node.node_type !== "action_proposal") continue;
    minutes[n] = node.metadata.estimate.minutes;
    counted[n] = 1;
    totalMinutes += node.metadata.estimate.minutes;
  }
  const depth = longestPaths(topology, counted);
  const levels: number[][] = [];
  for (let i = 0; i < draft.actionNodes.length; i++)
    (levels[(depth[draft.actionNodes[i] as number] as number) - 1] ??= []).push(i);
  const finish = longestPaths(topology, minutes);
  const { path, length } = criticalPathOf(topology, finish, minutes, counted);
  return { topology, levels, criticalPath: path, criticalMinutes: length, totalMinutes };
}

/** Back from the node that finishes last, along the predecessors that made it wait; only actions are listed. */
function criticalPathOf(
  { rows, order }: Topology,
  finish: Float64Array,
  minutes: Float64Array,
  counted: Float64Array,
): { path: number[]; length: number } {
  let last = -1;
  const heldBy = new Int32Array(finish.length).fill(-1);
  for (let at = 0; at < order.length; at++) {
    const n = order[at] as number;
    if (last < 0 || (finish[n] as number) > (finish[last] as number)) last = n;
    for (let i = rows.offset[n] as number; i < (rows.offset[n + 1] as number); i++) {
      const target = rows.targets[i] as number;
      const through = (finish[n] as number) + (minutes[target] as number);
      if (heldBy[target] === -1 && through === finish[target]) heldBy[target] = n;
    }
  }
  const path: number[] = [];
  for (let n = last; n >= 0; n = heldBy[n] as number) if (counted[n] === 1) path.push(n);
  return { path: path.reverse(), length: last < 0 ? 0 : (finish[last] as number) };
}

/** Minutes as a person says them. */
export function duration(minutes: number): string {
  if (minutes < 1) return "under a minute";
  if (minutes < 90) return `about ${Math.round(minutes)} min`;
  const hours = minutes / 60;
  return hours < 36 ? `about ${Number(hours.toFixed(1))} h` : `about ${Math.round(hours / 24)} days`;
}

/** 0 for nothing to do, towards 100 for a plan nobody can keep in mind. */
function complexity({ actionNodes, workGates, questionNodes, conflicts, gatesOfAction }: GraphDraft): number {
  const gates = workGates.length + new Set(gatesOfAction.flat()).size;
  const weight = actionNodes.length + 2 * gates + 3 * questionNodes.length + conflicts.length;
  return Math.round((100 * weight) / (weight + 20));
}
