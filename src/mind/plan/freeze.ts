import type { ExecutionGraph, Lineage } from "../../model/plan/graph.js";
import type { QuestionPack } from "../../model/plan/questions.js";
import type { ReviewPack } from "../../model/plan/review.js";
import type { RunTape, StateTransition } from "../../model/tape.js";
import { checksumOf, type Services } from "./services.js";
import { blockGuard, type Guard, passGuard } from "./transition.js";

/** The artefacts of a plan that have a content of their own. Renderings (Markdown, Mermaid, DOT, audit) follow from them. */
export interface Outputs {
  readonly graph: ExecutionGraph;
  readonly questions: readonly QuestionPack[];
  readonly review: ReviewPack;
}

export interface FrozenOutputs {
  readonly checksums: { readonly graph: string; readonly questions: string; readonly review: string };
  readonly lineage: Lineage;
}

/** Freeze what a plan says: a checksum for each output over its content, and where it came from. */
export function freeze({ graph, questions, review }: Outputs, lineage: Lineage, services: Services): FrozenOutputs {
  return {
    checksums: {
      graph: checksumOf(graphContent(graph), services),
      questions: checksumOf(questions.map(questionsContent), services),
      review: checksumOf(review, services),
    },
    lineage,
  };
}

/*
 * The content of an artefact is what it says, without when it was said: the same plan made tomorrow has the same
 * content. The graph's structure is in it by its own checksum, which covers nodes, edges and swimlanes.
 */

export function graphContent({
  created_at: _,
  nodes: _nodes,
  edges: _edges,
  swimlanes: _lanes,
  ...rest
}: ExecutionGraph): unknown {
  return rest;
}

export function questionsContent({ created_at: _, ...rest }: QuestionPack): unknown {
  return rest;
}

export function tapeContent(tape: RunTape): unknown {
  const { started_at: _started, completed_at: _completed, ...rest } = tape;
  const dropTime = <T extends { timestamp: string }>({ timestamp: _timestamp, ...entry }: T) => entry;
  return {
    ...rest,
    states: tape.states.map(dropTime),
    decisions: tape.decisions.map(dropTime),
    rule_evaluations: tape.rule_evaluations.map(dropTime),
    model_routing_decisions: tape.model_routing_decisions.map(dropTime),
  };
}

export function freezeGuards({ checksums, lineage }: FrozenOutputs): Guard[] {
  return [checksumsComplete(checksums), lineageComplete(lineage)];
}

export function checksumsComplete(checksums: FrozenOutputs["checksums"]): Guard {
  const missing = Object.entries(checksums).filter(([, checksum]) => !/^[a-f0-9]{64}$/.test(checksum));
  if (missing.length === 0)
    return passGuard("checksums_complete", `${Object.keys(checksums).length} outputs, each with its checksum`);
  return blockGuard("checksums_complete", `No checksum for ${missing.map(([name]) => name).join(", ")}`, {
    type: "constraint_violation",
    recovery: ["This is a defect of the Coordinator; please report it."],
  });
}

export function lineageComplete({ derived_from_intent, intent_checksum, registry_versions }: Lineage): Guard {
  const holes = [
    ...(derived_from_intent === "" ? ["the intent"] : []),
    ...(intent_checksum === "" ? ["the intent's checksum"] : []),
    ...(Object.keys(registry_versions.workflows).length === 0 ? ["the workflows' versions"] : []),
    ...(Object.keys(registry_versions.agents).length === 0 ? ["the agents' versions"] : []),
  ];
  if (holes.length === 0)
    return passGuard("lineage_complete", `From ${derived_from_intent} over the registry to every output`, [
      derived_from_intent,
    ]);
  return blockGuard("lineage_complete", `The lineage lacks ${holes.join(", ")}`, {
    type: "constraint_violation",
    recovery: ["This is a defect of the Coordinator; please report it."],
  });
}

/** The tape's checksums are those of the frozen outputs: nothing changed between building and freezing. */
export function outputsCarryTheirChecksums(
  transitions: readonly StateTransition[],
  graph: ExecutionGraph,
  { checksums }: FrozenOutputs,
): Guard {
  const name = "outputs_carry_their_checksums";
  const checksumOf = (state: string) =>
    transitions.find((entry) => entry.to_state === state)?.outputs_produced[0]?.checksum;
  const differing = [
    ...(checksumOf("GRAPH_FINALIZED") === graph.checksum ? [] : ["the graph"]),
    ...(checksumOf("REVIEW_PACK_BUILT") === checksums.review ? [] : ["the review pack"]),
  ];
  if (differing.length === 0)
    return passGuard(name, `graph ${checksums.graph}, review ${checksums.review}`, [graph.graph_id]);
  return blockGuard(name, `${differing.join(" and ")} changed after being recorded on the tape`, {
    type: "constraint_violation",
    recovery: ["This is a defect of the Coordinator; please report it."],
  });
}
