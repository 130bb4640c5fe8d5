import type { GraphDraft, GraphSource } from "../draft.js";

/** One node for each phase of each selected workflow. First, because everything else stands in a phase. */
export function addPhases(draft: GraphDraft, { parsed, registry }: GraphSource): void {
  for (const { workflow_id, phases } of parsed.workflows) {
    const workflow = registry.workflows.get(workflow_id);
    let before = -1;
    for (const phase of phases) {
      const purpose = workflow?.phases.find((p) => p.phase === phase)?.purpose;
      const node = draft.addNode({
        node_id: draft.ids.make("node_phase_", `${phase}_${workflow_id}`),
        node_type: "phase",
        label: `${phase.charAt(0).toUpperCase()}${phase.slice(1)} phase`,
        ...(purpose === undefined ? {} : { description: purpose }),
        phase_ref: phase,
        metadata: { workflow_id },
      });
      before = draft.slots.push({ workflowId: workflow_id, phase, before, node, actions: [] }) - 1;
    }
  }
}
