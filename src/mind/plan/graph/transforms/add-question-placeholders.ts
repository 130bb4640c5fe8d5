import { clip } from "../../transition.js";
import type { GraphDraft, GraphSource } from "../draft.js";

/** A placeholder for everything that is not known yet, before it is decided which of it is asked. */
export function addQuestionPlaceholders(draft: GraphDraft, { uncertainties }: GraphSource): void {
  for (const uncertainty of uncertainties) {
    const node = draft.addNode({
      node_id: draft.ids.make("node_question_", uncertainty.id.slice(2)),
      node_type: "question",
      label: clip(uncertainty.question, 160),
      description: clip(uncertainty.context, 1000),
      question_ref: uncertainty.id,
      metadata: { status: "placeholder" },
    });
    draft.questionNodes.push({ node, actions: uncertainty.actions });
  }
}
