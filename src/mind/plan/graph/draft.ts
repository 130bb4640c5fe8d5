import type { RiskAssessment, RuleDecision } from "../../../model/plan/decision.js";
import type { EdgeType, GraphNode } from "../../../model/plan/graph.js";
import type { ExecutionPolicy } from "../../../model/plan/policy.js";
import type { Action } from "../rules/actions.js";
import { IdMaker } from "../ids.js";
import { EdgeColumns, type EdgeNotes } from "./edge-columns.js";
import type { ParsedIntent } from "../parse-intent.js";
import type { RegistryIndex } from "../inputs/registry-index.js";
import type { ActionCost } from "../models/route-models.js";
import type { Resolutions } from "../questions/resolutions.js";
import type { Uncertainty } from "../questions/uncertainty.js";

/** Everything the graph is built from. */
export interface GraphSource {
  readonly parsed: ParsedIntent;
  readonly registry: RegistryIndex;
  readonly policy: ExecutionPolicy;
  readonly actions: readonly Action[];
  readonly decisions: readonly RuleDecision[];
  readonly costs: readonly ActionCost[];
  readonly risk: RiskAssessment;
  readonly uncertainties: readonly Uncertainty[];
  readonly resolutions: Resolutions;
}

export interface DraftEdge extends EdgeNotes {
  readonly from: number;
  readonly to: number;
  readonly type: EdgeType;
}

/** Two actions that would change the same files, and so follow each other. */
export interface PredictedConflict {
  readonly first: number;
  readonly second: number;
  readonly pattern: string;
}

/** One phase of one selected workflow, and what stands in it. */
export interface PhaseSlot {
  readonly workflowId: string;
  readonly phase: string;
  /** The slot before it in the same workflow; -1 for the first. */
  readonly before: number;
  readonly node: number;
  readonly actions: number[];
}

/**
 * A graph under construction. Nodes are numbers (their place in `nodes`) until the end, because looking up strings is
 * most of what building a large graph costs. Transforms only ever add.
 */
export class GraphDraft {
  readonly nodes: GraphNode[] = [];
  readonly wires = new EdgeColumns();
  readonly slots: PhaseSlot[] = [];
  readonly ids = new IdMaker();
  /** The action node of each action, by the action's place in the source. */
  readonly actionNodes: number[] = [];
  /** Which slot each action stands in; -1 when no selected phase takes it. */
  readonly slotOfAction: number[] = [];
  readonly decisionOfAction: number[] = [];
  /** Gates that must be passed before each action. */
  readonly gatesOfAction: (readonly number[])[] = [];
  readonly questionNodes: { readonly node: number; readonly actions: readonly number[] }[] = [];
  readonly workGates: number[] = [];
  readonly conflicts: PredictedConflict[] = [];
  /** The lane (an agent's place among the selected ones) of each node; -1 when none takes it. */
  readonly laneOfNode: number[] = [];

  addNode(node: GraphNode): number {
    return this.nodes.push(node) - 1;
  }

  addEdge(from: number, to: number, type: EdgeType, notes: EdgeNotes | null = null): void {
    this.wires.add(from, to, type, notes);
  }

  /** The edges one by one, for people and tests; building goes by the columns. */
  get edges(): DraftEdge[] {
    return Array.from({ length: this.wires.size }, (_, i) => ({
      from: this.wires.from[i] as number,
      to: this.wires.to[i] as number,
      type: this.wires.types[i] as EdgeType,
      ...this.wires.notes[i],
    }));
  }
}
