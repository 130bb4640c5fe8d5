import type { ExecutionGraph, GraphNode } from "../../../model/plan/graph.js";

const SHAPES: Readonly<Record<GraphNode["node_type"], string>> = {
  phase: "oval",
  action_proposal: "box",
  decision_point: "hexagon",
  question: "note",
  review_gate: "diamond",
};

/** The graph in the DOT language, one cluster for each lane. */
export function toDot({ graph_id, nodes, edges, swimlanes }: ExecutionGraph): string {
  const byId = new Map(nodes.map((node) => [node.node_id, node]));
  const lines = [`digraph ${graph_id} {`, "  rankdir=TB;"];
  for (const lane of swimlanes) {
    lines.push(`  subgraph cluster_${lane.swimlane_id} {`, `    label=${quote(`${lane.agent_id} (${lane.role})`)};`);
    for (const ref of lane.node_refs) {
      const node = byId.get(ref);
      if (node !== undefined)
        lines.push(`    ${node.node_id} [shape=${SHAPES[node.node_type]}, label=${quote(node.label)}];`);
    }
    lines.push("  }");
  }
  for (const { from_node, to_node, edge_type, condition, label } of edges) {
    const note = condition ?? label;
    const style = edge_type === "conditional" || edge_type === "fallback" ? ["style=dashed"] : [];
    const attributes = [...style, ...(note === undefined ? [] : [`label=${quote(note)}`])];
    lines.push(`  ${from_node} -> ${to_node}${attributes.length === 0 ? "" : ` [${attributes.join(", ")}]`};`);
  }
  return `${lines.join("\n")}\n}\n`;
}

function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, (sign) => `\\${sign}`).replace(/[\r\n]+/g, " ")}"`;
}
