import type { ActionNode, ExecutionGraph, GraphEdge, GraphNode } from "../../../model/plan/graph.js";
import type { IntentTask } from "../../../model/task.js";
import { type ByteWriter, prepareBytes, writeBytes } from "../../../foundation/canonical-json/canonical-bytes.js";
import { checksumOf, type Services } from "../services.js";

export type GraphStructure = Pick<ExecutionGraph, "edges" | "nodes" | "swimlanes">;

/**
 * SHA-256 of the canonical form of a graph's structure: checksumOf({ nodes, edges, swimlanes }), and several times as
 * fast. Three quarters of what a large graph says of its actions is the same for all actions of a command; those bytes
 * are made once and copied.
 */
export function structureChecksum({ nodes, edges, swimlanes }: GraphStructure, services: Services): string {
  const { sha256Of } = services;
  if (sha256Of === undefined) return checksumOf({ nodes, edges, swimlanes }, services);
  return sha256Of((take) =>
    writeBytes(take, (out) => {
      out.ascii('{"edges":');
      writeList(out, edges, (edge) => writeEdge(out, edge));
      out.ascii(',"nodes":');
      const stencils = new Map<string, Stencil[]>();
      writeList(out, nodes, (node) => writeNode(out, node, stencils));
      out.ascii(',"swimlanes":');
      out.value(swimlanes);
      out.ascii("}");
    }),
  );
}

function writeList<T>(out: ByteWriter, values: readonly T[], write: (value: T) => void): void {
  out.ascii("[");
  for (let i = 0; i < values.length; i++) {
    if (i > 0) out.ascii(",");
    write(values[i] as T);
  }
  out.ascii("]");
}

const EDGE_ID = prepareBytes`{"edge_id":`;
const FROM: Readonly<Record<GraphEdge["edge_type"], Uint8Array>> = {
  sequential: prepareBytes`,"edge_type":"sequential","from_node":`,
  parallel: prepareBytes`,"edge_type":"parallel","from_node":`,
  conditional: prepareBytes`,"edge_type":"conditional","from_node":`,
  fallback: prepareBytes`,"edge_type":"fallback","from_node":`,
};
const TO = prepareBytes`,"to_node":`;

/** An edge of these four fields alone; one that says more is written like any value. */
function writeEdge(out: ByteWriter, edge: GraphEdge): void {
  if (countKeys(edge) !== 4) return out.value(edge);
  out.prepared(EDGE_ID);
  out.value(edge.edge_id);
  out.prepared(FROM[edge.edge_type]);
  out.value(edge.from_node);
  out.prepared(TO);
  out.value(edge.to_node);
  out.ascii("}");
}

/** The bytes around what differs between the actions of a command, and the node they were made from. */
interface Stencil {
  readonly node: ActionNode;
  readonly task: IntentTask;
  readonly beforeLabel: Uint8Array;
  readonly beforeDependencies: Uint8Array;
  readonly beforeFiles: Uint8Array;
  readonly beforeTests: Uint8Array;
  readonly afterTitle: Uint8Array;
  readonly end: Uint8Array;
}

const TASK_ID = prepareBytes`,"id":`;
const TITLE = prepareBytes`,"title":`;
const WRITES = prepareBytes`,"writes":`;
const NODE_ID = prepareBytes`},"node_id":`;

/** A command whose actions differ more than that is not worth the looking. */
const MOST_STENCILS = 4;

function writeNode(out: ByteWriter, node: GraphNode, stencils: Map<string, Stencil[]>): void {
  if (node.node_type !== "action_proposal") return out.value(node);
  const { metadata } = node;
  const { task } = metadata;
  // INVARIANT: the counts are those of exactly the fields that are written below, so a field more is never left out.
  if (
    task === undefined ||
    countKeys(node) !== 8 ||
    countKeys(metadata) !== (metadata.writes === undefined ? 8 : 9) ||
    countKeys(task) !== 10
  )
    return out.value(node);
  const stencil = stencilFor(node, task, stencils);
  if (stencil === null) return out.value(node);
  out.prepared(stencil.beforeLabel);
  out.value(node.label);
  out.prepared(stencil.beforeDependencies);
  out.value(task.dependencies);
  out.prepared(stencil.beforeFiles);
  out.value(task.files);
  out.prepared(TASK_ID);
  out.value(task.id);
  out.prepared(stencil.beforeTests);
  out.value(task.tests);
  out.prepared(TITLE);
  out.value(task.title);
  out.prepared(stencil.afterTitle);
  if (metadata.writes !== undefined) {
    out.prepared(WRITES);
    out.value(metadata.writes);
  }
  out.prepared(NODE_ID);
  out.value(node.node_id);
  out.prepared(stencil.end);
}

function stencilFor(node: ActionNode, task: IntentTask, stencils: Map<string, Stencil[]>): Stencil | null {
  let same = stencils.get(node.command_ref);
  if (same === undefined) stencils.set(node.command_ref, (same = []));
  for (let i = 0; i < same.length; i++) if (fits(same[i] as Stencil, node, task)) return same[i] as Stencil;
  if (same.length === MOST_STENCILS) return null;
  const made = stencilOf(node, task);
  same.push(made);
  return made;
}

function fits({ node, task }: Stencil, other: ActionNode, otherTask: IntentTask): boolean {
  const a = node.metadata;
  const b = other.metadata;
  return (
    node.effects === other.effects &&
    node.evidence_refs === other.evidence_refs &&
    node.risk_level === other.risk_level &&
    a.decision === b.decision &&
    a.estimate === b.estimate &&
    a.model_decision === b.model_decision &&
    a.owner === b.owner &&
    a.owner_because === b.owner_because &&
    a.phase === b.phase &&
    a.workflow_id === b.workflow_id &&
    task.command_id === otherTask.command_id &&
    task.completion_promise === otherTask.completion_promise &&
    task.estimated_iterations === otherTask.estimated_iterations &&
    task.priority === otherTask.priority &&
    task.type === otherTask.type
  );
}

function stencilOf(node: ActionNode, task: IntentTask): Stencil {
  const { command_ref, effects, evidence_refs, metadata: m, risk_level } = node;
  return {
    node,
    task,
    beforeLabel: prepareBytes`{"command_ref":${command_ref},"effects":${effects},"evidence_refs":${evidence_refs},"label":`,
    beforeDependencies: prepareBytes`,"metadata":{"decision":${m.decision},"estimate":${m.estimate},"model_decision":${m.model_decision},"owner":${m.owner},"owner_because":${m.owner_because},"phase":${m.phase},"task":{"command_id":${task.command_id},"completion_promise":${task.completion_promise},"dependencies":`,
    beforeFiles: prepareBytes`,"estimated_iterations":${task.estimated_iterations},"files":`,
    beforeTests: prepareBytes`,"priority":${task.priority},"tests":`,
    afterTitle: prepareBytes`,"type":${task.type}},"workflow_id":${m.workflow_id}`,
    end: prepareBytes`,"node_type":"action_proposal","risk_level":${risk_level}}`,
  };
}

function countKeys(object: object): number {
  let count = 0;
  for (const _ in object) count++;
  return count;
}
