import { type DraftEdge, GraphDraft, type GraphSource } from "./draft.js";
import { addActions } from "./transforms/add-actions.js";
import { addDecisionPoints } from "./transforms/add-decision-points.js";
import { addDependencies } from "./transforms/add-dependencies.js";
import { addPhases } from "./transforms/add-phases.js";
import { addPredictedConflicts } from "./transforms/add-predicted-conflicts.js";
import { addQuestionPlaceholders } from "./transforms/add-question-placeholders.js";
import { addReviewGates } from "./transforms/add-review-gates.js";
import { assignLanes } from "./transforms/assign-lanes.js";

export interface Transform {
  readonly name: string;
  readonly apply: (draft: GraphDraft, source: GraphSource) => void;
}

/** The order in which a graph grows. Each stage builds on those above it; validation follows the last. */
export const TRANSFORMS: readonly Transform[] = [
  { name: "phases", apply: addPhases },
  { name: "actions", apply: addActions },
  { name: "decision points", apply: addDecisionPoints },
  { name: "question placeholders", apply: addQuestionPlaceholders },
  { name: "review gates", apply: addReviewGates },
  { name: "dependencies", apply: addDependencies },
  { name: "predicted file conflicts", apply: addPredictedConflicts },
  { name: "lanes", apply: assignLanes },
];

/** Called after each transform with what the graph looks like by then. */
export type Watch = (stage: string, draft: GraphDraft) => void;

export function buildDraft(source: GraphSource, watch?: Watch): GraphDraft {
  const draft = new GraphDraft();
  for (const { name, apply } of TRANSFORMS) {
    apply(draft, source);
    watch?.(name, draft);
  }
  return draft;
}

/** A draft at any stage as text, one line a node and one an edge: for people who debug a transform. */
export function printDraft({ nodes, edges }: { nodes: GraphDraft["nodes"]; edges: readonly DraftEdge[] }): string {
  const name = (n: number) => nodes[n]?.node_id ?? `#${n}`;
  return [
    ...nodes.map((node) => `${node.node_type} ${node.node_id} "${node.label}"`),
    ...edges.map(({ from, to, type, label, condition }) =>
      `${name(from)} -${type}-> ${name(to)} ${label ?? condition ?? ""}`.trimEnd(),
    ),
  ].join("\n");
}
