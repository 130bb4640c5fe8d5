import { describe, expect, it } from "vitest";
import type { ExecutionGraph } from "../../../model/plan/graph.js";
import { planWith, task } from "../../../testing/plan-fixtures.js";
import { toDot } from "./dot.js";
import { toMarkdown, renderWaiting } from "./markdown.js";
import { toMermaid } from "./mermaid.js";

function graphOf(difference: Parameters<typeof planWith>[0] = {}): ExecutionGraph {
  const { graph } = planWith(difference);
  if (graph === null) throw new Error("the fixture must give a graph");
  return graph;
}

const NASTY = 'A "title" with | pipes, <b>tags</b>, #hash, `ticks`\nand a line; end';

describe("drawing a graph", () => {
  it("names every node and every edge once in Mermaid [S4-104]", () => {
    const graph = graphOf();
    const lines = toMermaid(graph).split("\n");
    expect(lines[0]).toBe("flowchart TD");
    for (const { node_id } of graph.nodes)
      expect(lines.filter((line) => line.trim().startsWith(node_id) && !line.includes("->"))).toHaveLength(1);
    for (const { from_node, to_node } of graph.edges)
      expect(
        lines.filter(
          (line) => line.trim().startsWith(`${from_node} `) && line.endsWith(` ${to_node}`) && line.includes("->"),
        ),
      ).toHaveLength(1);
    expect(lines.filter((line) => line.trim().startsWith("subgraph"))).toHaveLength(2);
  });

  it("names every node and every edge once in DOT [S4-104]", () => {
    const graph = graphOf();
    const text = toDot(graph);
    for (const { node_id } of graph.nodes) expect(text.split(`    ${node_id} [`)).toHaveLength(2);
    for (const { from_node, to_node } of graph.edges) expect(text).toContain(`  ${from_node} -> ${to_node}`);
    expect(text.split("{").length).toBe(text.split("}").length);
  });

  it("draws what depends on a condition with a broken line, and the rest with a whole one [S4-104]", () => {
    const graph = graphOf();
    const [first, ...others] = graph.edges;
    if (first === undefined) throw new Error("a plan has edges");
    const { from_node, to_node, edge_id } = first;
    const gated = { from_node, to_node, edge_id, edge_type: "conditional" as const, condition: "review approved" };
    const drawn = { ...graph, edges: [gated, ...others.filter(({ edge_type }) => edge_type === "sequential")] };
    const mermaid = toMermaid(drawn).split("\n");
    expect(mermaid.filter((line) => line.includes("-.->"))).toEqual([
      `  ${from_node} -.->|"review approved"| ${to_node}`,
    ]);
    expect(mermaid.filter((line) => line.includes("-->"))).toHaveLength(drawn.edges.length - 1);
    expect(
      toDot(drawn)
        .split("\n")
        .filter((line) => line.includes("style=dashed")),
    ).toEqual([`  ${from_node} -> ${to_node} [style=dashed, label="review approved"];`]);
  });

  it("keeps foreign text inside its label", () => {
    const graph = graphOf({ tasks: [task("T-1", { title: NASTY })] });
    const mermaid = toMermaid(graph)
      .split("\n")
      .find((line) => line.includes("node_action_t_1"));
    expect(mermaid).toBe(
      '    node_action_t_1["A #34;title#34; with #124; pipes, #60;b#62;tags#60;/b#62;, #35;hash, `ticks` and a line; end"]',
    );
    const dot = toDot(graph)
      .split("\n")
      .find((line) => line.includes("node_action_t_1 ["));
    expect(dot).toBe(
      '    node_action_t_1 [shape=box, label="A \\"title\\" with | pipes, <b>tags</b>, #hash, `ticks` and a line; end"];',
    );
  });
});

describe("the plan as a page", () => {
  it("says what happens, who agrees, what it costs and how to go back [S4-063]", () => {
    const { graph, review } = planWith();
    if (graph === null || review === null) throw new Error("the fixture must give a plan");
    const page = toMarkdown(graph, review, "f".repeat(64));
    for (const heading of [
      "# Plan: Change one file",
      "## What will happen",
      "### Level 3",
      "## Who must agree",
      "## Risk",
      "## Cost and time",
      "## The way back",
    ])
      expect(page).toContain(heading);
    expect(page).toContain("Revert the commit.");
    expect(page).toContain("`node_action_edit_code`");
  });

  it("lets no foreign text open a table cell, a tag or a heading", () => {
    const { graph, review } = planWith({ tasks: [task("T-1", { title: NASTY })] });
    if (graph === null || review === null) throw new Error("the fixture must give a plan");
    const row = toMarkdown(graph, review, "f".repeat(64))
      .split("\n")
      .filter((line) => line.includes("node_action_t_1"));
    expect(row[0]).toContain('A "title" with \\| pipes, &lt;b>tags&lt;/b>');
  });

  it("lists open questions with their suggestions and what happens without an answer", () => {
    const outcome = planWith({ policy: (policy) => (policy.reviewers = {}) });
    expect(outcome.state).toBe("AWAITING_ANSWERS");
    const pack = outcome.questions.at(-1);
    if (pack === undefined) throw new Error("the fixture must ask");
    const page = renderWaiting("Title", pack);
    expect(page).toContain("Who reviews this plan for architecture?");
    expect(page).toContain("Without an answer:");
  });
});
