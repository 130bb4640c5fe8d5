import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { ActionNode, GraphEdge, GraphNode } from "../../../model/plan/graph.js";
import { canonicalJson } from "../../../foundation/canonical-json/canonical.js";
import type { Services } from "../services.js";
import { structureChecksum } from "./structure-checksum.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const streaming: Services = {
  sha256,
  sha256Of: (feed) => {
    const hash = createHash("sha256");
    feed((piece) => hash.update(piece));
    return hash.digest("hex");
  },
  coordinatorVersion: "1.0.0",
};

const name = fc.constantFrom("edit_code", "run_tests", 'a "quoted" one', "größe", "😀");
const names = fc.array(name, { maxLength: 3 });
/** Objects shared by many nodes, and others that only look the same: both must be written as they are. */
const evidence = [["doc://a"], ["doc://a"], ["doc://b", "doc://c"]];
const decisions = [
  { decision: "allow" as const, rule_id: "rule_a" },
  { decision: "allow" as const, rule_id: "rule_b" },
];
const estimates = [
  { cost_usd: 0.008, minutes: 5, source: "registry" as const, tokens: 10_000 },
  {
    before_learning: { minutes: 1, samples: 3, tokens: 5 },
    cost_usd: 1,
    minutes: 2,
    source: "task" as const,
    tokens: 3,
  },
];

const taskFields = {
  command_id: name,
  completion_promise: fc.constantFrom("DONE", "SAID"),
  dependencies: names,
  estimated_iterations: fc.constantFrom(1, 3),
  files: names,
  id: name,
  priority: fc.constantFrom("P1", "P2"),
  tests: names,
  title: name,
  type: fc.constantFrom("feature", "docs"),
};
const metadataFields = {
  decision: fc.constantFrom(...decisions),
  estimate: fc.constantFrom(...estimates),
  model_decision: fc.constantFrom("model_a", "model_b"),
  owner: fc.constantFrom("builder", "tester"),
  owner_because: fc.constant("owns_command"),
  phase: fc.constantFrom("design", "review"),
  task: fc.record(taskFields),
  workflow_id: fc.constant("flow"),
};
const nodeFields = {
  command_ref: fc.constantFrom("edit_code", "run_tests"),
  effects: fc.constantFrom(["read"], ["write"]),
  evidence_refs: fc.constantFrom(...evidence),
  label: name,
  node_id: name,
  node_type: fc.constant("action_proposal"),
  risk_level: fc.constantFrom("low", "medium"),
};

/** Fields more than the ordinary ones, known or not: never left out. */
const ordinary = <K extends object>(fields: K) => ({ requiredKeys: Object.keys(fields) as (keyof K)[] });
const oddTask = fc.record({ ...taskFields, adr: name, later: name }, ordinary(taskFields));
const { task: _, ...withoutTask } = metadataFields;
const oddMetadata = fc.record(
  { ...metadataFields, task: oddTask, parameters: fc.constant({ colour: "red" }), reads: names, later: name },
  ordinary(withoutTask),
);
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ ...nodeFields, metadata: fc.record(metadataFields) }) },
  { weight: 3, arbitrary: fc.record({ ...nodeFields, metadata: fc.record({ ...metadataFields, writes: names }) }) },
  { weight: 1, arbitrary: fc.record({ ...nodeFields, metadata: oddMetadata, description: name, later: name }) },
  { weight: 1, arbitrary: fc.record({ ...nodeFields, metadata: oddMetadata }) },
  { weight: 1, arbitrary: fc.record({ ...nodeFields, metadata: fc.record({ ...metadataFields, task: oddTask }) }) },
) as fc.Arbitrary<unknown> as fc.Arbitrary<ActionNode>;

const phase: GraphNode = {
  node_id: "node_phase",
  node_type: "phase",
  label: "Design phase",
  phase_ref: "design",
  metadata: { workflow_id: "flow" },
};

const edge = fc.record(
  {
    edge_id: name,
    edge_type: fc.constantFrom("sequential", "parallel", "conditional", "fallback"),
    from_node: name,
    to_node: name,
    condition: name,
    label: name,
    later: fc.constant(null),
  },
  { requiredKeys: ["edge_id", "edge_type", "from_node", "to_node"] },
) as fc.Arbitrary<unknown> as fc.Arbitrary<GraphEdge>;

it("is the checksum of the plain canonical form, for graphs of any nodes and edges [S4-060]", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 30 }), fc.array(edge), names, (actions, edges, node_refs) => {
      const swimlanes = [{ agent_id: "builder", node_refs, role: "builds", swimlane_id: "swimlane_of_builder" }];
      const structure = { nodes: [phase, ...actions, ...actions], edges, swimlanes };
      expect(structureChecksum(structure, streaming)).toBe(sha256(canonicalJson(structure)));
    }),
    { numRuns: 300 },
  );
});

it("is the same where the hash takes texts only", () => {
  const structure = { nodes: [phase], edges: [], swimlanes: [] };
  const { sha256Of: _, ...plain } = streaming;
  expect(structureChecksum(structure, plain)).toBe(structureChecksum(structure, streaming));
});

const [base] = fc.sample(fc.record({ ...nodeFields, metadata: fc.record({ ...metadataFields, writes: names }) }), 1);
const fields = [
  ...Object.keys(nodeFields).filter((field) => field !== "node_type"),
  ...[...Object.keys(metadataFields), "writes"].map((field) => `metadata.${field}`),
  ...Object.keys(taskFields).map((field) => `metadata.task.${field}`),
];

it.each(fields)("tells two actions apart that differ in %s alone", (field) => {
  const other = structuredClone(base) as unknown as ActionNode;
  // Everything but the one field is the very same object, as in a plan.
  const changed = { ...base, metadata: { ...base?.metadata, task: { ...base?.metadata.task } } };
  const keys = field.split(".");
  const last = keys.pop() as string;
  const holder = keys.reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, changed);
  const was = holder[last];
  if (last === "task") holder[last] = { ...(was as object), title: "changed" };
  else holder[last] = typeof was === "number" ? 99 : typeof was === "string" ? "changed" : ["changed"];
  const nodes = [base, changed, other, base] as unknown as GraphNode[];
  const structure = { nodes, edges: [], swimlanes: [] };
  expect(structureChecksum(structure, streaming)).toBe(sha256(canonicalJson(structure)));
});
