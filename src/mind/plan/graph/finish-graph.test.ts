import { describe, expect, it } from "vitest";
import { ExecutionGraph } from "../../../model/plan/graph.js";
import { checksumOf } from "../services.js";
import { planWith, services, task } from "../../../testing/plan-fixtures.js";
import { duration } from "./finish-graph.js";

const chain = [
  task("task_a", { estimate: { tokens: 100, minutes: 30 } }),
  task("task_b", { estimate: { tokens: 100, minutes: 5 } }),
  task("task_c", { estimate: { tokens: 100, minutes: 40 }, dependencies: ["task_a"] }),
];
const finished = () => {
  const { graph } = planWith({
    tasks: chain,
    registry: (r) => {
      for (const c of r.commands) c.writes = [];
    },
  });
  if (graph === null) throw new Error("no graph");
  return graph;
};

describe("the finished graph", () => {
  it("parses as an ExecutionGraph: nodes, edges, swimlanes [S4-034]", () => {
    const graph = finished();
    expect(ExecutionGraph.parse(graph)).toEqual(graph);
  });

  it("has levels in which each action builds only on earlier ones [S4-101]", () => {
    expect(finished().metadata.levels).toEqual([
      ["node_action_scan_code"],
      ["node_action_task_a", "node_action_task_b"],
      ["node_action_task_c"],
      ["node_action_check_code"],
    ]);
  });

  it("lists all nodes in topological order [S4-043]", () => {
    const { nodes, edges, metadata } = finished();
    const place = new Map(metadata.topological_order.map((id, i) => [id, i]));
    expect([...place.keys()].sort()).toEqual(nodes.map((n) => n.node_id).sort());
    for (const { from_node, to_node } of edges) expect(place.get(from_node)).toBeLessThan(place.get(to_node) as number);
  });

  it("names the critical path and how long it takes [S4-101]", () => {
    const { metadata } = finished();
    expect(metadata.critical_path).toEqual([
      "node_action_scan_code",
      "node_action_task_a",
      "node_action_task_c",
      "node_action_check_code",
    ]);
    expect(metadata.estimated_duration).toBe("about 1.5 h");
  });

  it("has one edge at most from one node to another, each with its own id [S4-040]", () => {
    const { edges } = finished();
    expect(new Set(edges.map((e) => `${e.from_node} ${e.to_node}`)).size).toBe(edges.length);
    expect(new Set(edges.map((e) => e.edge_id)).size).toBe(edges.length);
    expect(new Set(edges.map((e) => e.edge_type))).toEqual(new Set(["sequential", "parallel"]));
  });

  it("carries the checksum of its structure [S4-060]", () => {
    const { nodes, edges, swimlanes, checksum } = finished();
    expect(checksum).toBe(checksumOf({ nodes, edges, swimlanes }, services));
    expect(checksum).toMatch(/^[a-f0-9]{64}$/);
  });

  it("keeps the ids of its nodes when one more action is planned", () => {
    const more = planWith({ tasks: [...chain, task("task_0")] }).graph?.nodes.map((n) => n.node_id);
    for (const node of finished().nodes) expect(more).toContain(node.node_id);
  });
});

it.each([
  [0, "under a minute"],
  [1, "about 1 min"],
  [89.4, "about 89 min"],
  [90, "about 1.5 h"],
  [60 * 35, "about 35 h"],
  [60 * 48, "about 2 days"],
])("%d minutes are %s", (minutes, text) => {
  expect(duration(minutes)).toBe(text);
});
