import type { GraphDraft, GraphSource } from "../draft.js";
import { topologyOf } from "../topology.js";
import { clip } from "../../transition.js";
import { Writers } from "../writers.js";
import { wiresOf } from "../wires.js";
import { PairTable } from "../../rules/pair-table.js";

/**
 * Actions that would write the same files follow each other, with an edge that says why. After the dependencies,
 * because the order of two clashing actions must agree with them: every edge added here points forward in that order.
 */
export function addPredictedConflicts(draft: GraphDraft, { actions }: GraphSource): void {
  const writing = actions.reduce((sum, action) => sum + action.writes.length, 0);
  if (writing < 2) return;
  const topology = topologyOf(wiresOf(draft));
  if (topology.cycle !== null) return; // Validation reports it; there is no order to go by.
  const actionAt = new Int32Array(draft.nodes.length).fill(-1);
  for (let i = 0; i < draft.actionNodes.length; i++) actionAt[draft.actionNodes[i] as number] = i;
  const joined = directEdges(draft, actionAt);
  const writers = new Writers(10_000 + 20 * writing);
  for (const node of topology.order) {
    const second = actionAt[node] as number;
    if (second < 0) continue;
    for (const pattern of actions[second]?.writes ?? []) {
      for (const clash of writers.add(second, pattern)) {
        const first = clash.writer;
        if (first === second || isOrderedByPhase(draft, first, second) || joined.getOrAdd(first, second, 1) >= 0)
          continue;
        const where = clash.pattern === pattern ? pattern : `${clash.pattern} and ${pattern}`;
        draft.addEdge(draft.actionNodes[first] as number, node, "sequential", {
          label: clip(`both write ${where}`, 100),
        });
        draft.conflicts.push({ first: draft.actionNodes[first] as number, second: node, pattern: where });
      }
    }
  }
}

function directEdges(draft: GraphDraft, actionAt: Int32Array): PairTable {
  const { size, from, to } = draft.wires;
  const joined = new PairTable(size);
  for (let i = 0; i < size; i++) {
    const first = actionAt[from[i] as number] as number;
    const second = actionAt[to[i] as number] as number;
    if (first >= 0 && second >= 0) joined.getOrAdd(first, second, 1);
  }
  return joined;
}

/** Phases of one workflow follow each other already. */
function isOrderedByPhase(draft: GraphDraft, first: number, second: number): boolean {
  const a = draft.slotOfAction[first] as number;
  const b = draft.slotOfAction[second] as number;
  return a !== b && draft.slots[a]?.workflowId === draft.slots[b]?.workflowId;
}
