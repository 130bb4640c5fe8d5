import type { ExecutionGraph, GraphNode } from "../../../model/plan/graph.js";

const SHAPES: Readonly<Record<GraphNode["node_type"], readonly [string, string]>> = {
  phase: ["([", "])"],
  action_proposal: ["[", "]"],
  decision_point: ["{{", "}}"],
  question: [">", "]"],
  review_gate: ["{", "}"],
};

/** The graph as a Mermaid flowchart with one box for each lane. */
export function toMermaid({ nodes, edges, swimlanes }: ExecutionGraph): string {
  const byId = new Map(nodes.map((node) => [node.node_id, node]));
  const lines = ["flowchart TD"];
  for (const lane of swimlanes) {
    if (lane.node_refs.length === 0) continue;
    lines.push(`  subgraph ${lane.swimlane_id}[${quote(`${lane.agent_id} (${lane.role})`)}]`);
    for (const ref of lane.node_refs) {
      const node = byId.get(ref);
      if (node === undefined) continue;
      const [open, close] = SHAPES[node.node_type];
      lines.push(`    ${node.node_id}${open}${quote(node.label)}${close}`);
    }
    lines.push("  end");
  }
  for (const { from_node, to_node, edge_type, condition, label } of edges) {
    const note = condition ?? label;
    const arrow = edge_type === "conditional" || edge_type === "fallback" ? "-.->" : "-->";
    lines.push(`  ${from_node} ${arrow}${note === undefined ? "" : `|${quote(note)}|`} ${to_node}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Mermaid has no escape inside quotes, only entities; a line break would end the label. */
function quote(text: string): string {
  return `"${text.replace(/[&<>"#|\r\n]/g, (sign) => (sign === "\r" || sign === "\n" ? " " : `#${sign.charCodeAt(0)};`))}"`;
}
