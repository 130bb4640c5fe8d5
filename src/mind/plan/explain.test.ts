import { describe, expect, it } from "vitest";
import { type Difference, inputsWith, parameter, rule, services, task } from "../../testing/plan-fixtures.js";
import { explain, type ExplainSource, similarIds } from "./explain.js";
import { plan } from "./plan.js";

function sourceOf(difference: Difference = {}): ExplainSource {
  const inputs = inputsWith(difference);
  const { graph, questions, review, tape } = plan(inputs, services);
  return { graph, questions, review, tape, registry: inputs.registry.registry };
}

describe("explain", () => {
  it("says of an action which rule let it in, who does it, when, and with what", () => {
    const why = explain("node_action_edit_code", sourceOf());
    expect(why).toMatchObject({ kind: "action", see: ["allow_writing", expect.stringContaining("model_decision_")] });
    expect(why?.why.join("\n")).toMatch(
      /allow, by allow_writing: Because of allow_writing\.[\s\S]*level 2[\s\S]*builder[\s\S]*Estimate/,
    );
    expect(why?.evidence).toContain("scan://repository");
  });

  it("takes a task's or a command's id for its action", () => {
    const source = sourceOf({ tasks: [task("T-1"), task("T-2", { dependencies: ["T-1"] })] });
    expect(explain("T-2", source)?.why.join("\n")).toContain("It comes after node_action_t_1: it depends on it.");
    expect(explain("edit_code", sourceOf())?.id).toBe("node_action_edit_code");
  });

  it("says of a file conflict what both write", () => {
    const source = sourceOf({ tasks: [task("T-1", { files: ["src/a.ts"] }), task("T-2", { files: ["src/a.ts"] })] });
    expect(explain("T-2", source)?.why.join("\n")).toContain("both write src/");
  });

  it("says of a rule its condition, and on what it fired or that it did not", () => {
    const source = sourceOf({ registry: (r) => r.rules.push(rule("never_fires", 'command.id == "nothing"')) });
    expect(explain("allow_writing", source)?.why.join("\n")).toMatch(/When .*then allow[\s\S]*allow for edit_code/);
    expect(explain("never_fires", source)?.why.join("\n")).toContain("It did not fire in this plan.");
  });

  it("says of a model why it was chosen and why the others were not", () => {
    const source = sourceOf();
    const id = source.review?.models[0]?.decision_id ?? "";
    const why = explain(id, source);
    expect(why?.kind).toBe("model");
    expect(why?.alternatives.length).toBeGreaterThan(0);
  });

  it("says of a question what raised it and what happens without an answer", () => {
    const source = sourceOf({ registry: (r) => r.commands[1]?.parameters.push(parameter("strategy")) });
    const why = explain("q_param_edit_code_strategy", source);
    expect(why).toMatchObject({ kind: "question", title: "Which strategy shall it be?" });
    expect(why?.why.join("\n")).toContain("Without an answer the plan is blocked.");
  });

  it("says of a guard whether it passed and why", () => {
    expect(explain("graph_is_acyclic", sourceOf())?.why.join("\n")).toContain("passed");
  });

  it("knows phases, decisions, reviews, edges and lanes too", () => {
    const source = sourceOf();
    const { nodes = [], edges = [], swimlanes = [] } = source.graph ?? {};
    for (const { node_id } of nodes) expect(explain(node_id, source)?.id).toBe(node_id);
    for (const { edge_id } of edges) expect(explain(edge_id, source)?.kind).toBe("edge");
    for (const { swimlane_id } of swimlanes) expect(explain(swimlane_id, source)?.kind).toBe("lane");
  });

  it("gives null for what the plan does not know, and what is close to it", () => {
    const source = sourceOf();
    expect(explain("node_action_edit", source)).toBeNull();
    expect(similarIds("edit", source)).toContain("node_action_edit_code");
    expect(similarIds("zzz", source)).toEqual([]);
  });
});
