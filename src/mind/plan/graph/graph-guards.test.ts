import { describe, expect, it } from "vitest";
import { agent, command, fact, plannedCommand, rule, task, workbench } from "../../../testing/plan-fixtures.js";
import { buildDraft } from "./build-graph.js";
import {
  actionsHaveEvidence,
  checkPhasesMapped,
  everyNodeInALane,
  everyNodeReachable,
  graphGuards,
  graphIsAcyclic,
  checkNodeLimit,
  noPlaceholderLeft,
} from "./graph-guards.js";

const built = (...args: Parameters<typeof workbench>) => {
  const { source } = workbench(...args);
  return { source, draft: buildDraft(source) };
};

describe("the guards of a draft", () => {
  it("all pass on the base plan [S4-008]", () => {
    const { source, draft } = built();
    const guards = graphGuards(draft, source, source.policy.limits);
    expect(guards.map((g) => [g.guard_name, g.passed])).toEqual([
      ["graph_is_acyclic", true],
      ["all_phases_mapped", true],
      ["every_node_in_a_lane", true],
      ["every_node_reachable", true],
      ["actions_have_evidence", true],
      ["node_limit_kept", true],
    ]);
  });

  it("graph_is_acyclic names the cycle [S4-042, S4-074]", () => {
    const tasks = [
      task("task_a", { dependencies: ["task_b"] }),
      task("task_b", { dependencies: ["task_c"] }),
      task("task_c", { dependencies: ["task_a"] }),
    ];
    const guard = graphIsAcyclic(built({ tasks }).draft);
    expect(guard).toMatchObject({ passed: false, onFail: { state: "BLOCKED", type: "constraint_violation" } });
    const named = guard.reason.replace("The plan waits for itself: ", "").split(" → ");
    expect(named).toHaveLength(4);
    expect(named[0]).toBe(named[3]);
    expect(new Set(named)).toEqual(new Set(["node_action_task_a", "node_action_task_b", "node_action_task_c"]));
  });

  it("graph_is_acyclic finds commands that need each other", () => {
    const { draft } = built({
      registry: (r) => {
        r.commands.push(command("hen_first", { needs: ["egg_first"] }), command("egg_first", { needs: ["hen_first"] }));
      },
      intent: (i) => i.planned_commands.push(plannedCommand("hen_first"), plannedCommand("egg_first")),
    });
    expect(graphIsAcyclic(draft).reason).toContain("node_action_hen_first");
  });

  it("all_phases_mapped finds a phase the workflow does not have, and an action no phase takes", () => {
    const { source, draft } = built({
      intent: (i) => {
        i.selected_workflows = [{ workflow_id: "small_change", phases: ["analysis", "validation", "postmortem"] }];
      },
    });
    expect(checkPhasesMapped(draft, source)).toMatchObject({
      passed: false,
      reason:
        "small_change has no postmortem phase; edit_code belongs to the implementation phase, which no selected workflow has",
    });
  });

  it("every_node_in_a_lane finds an action no selected agent covers", () => {
    const { source, draft } = built({
      registry: (r) => {
        r.agents = [agent("analyst", ["analysis"]), agent("builder", ["validation"])];
        for (const c of r.commands) c.owner = "somebody_else";
      },
    });
    const guard = everyNodeInALane(draft, source);
    expect(guard.passed).toBe(false);
    expect(guard.reason).toContain("node_action_edit_code");
  });

  it("every_node_reachable finds a node nothing leads to", () => {
    const { draft } = built();
    expect(everyNodeReachable(draft).passed).toBe(true);
    draft.addNode({
      node_id: "node_lost_one",
      node_type: "phase",
      label: "Lost",
      phase_ref: "x",
      metadata: { workflow_id: "" },
    });
    expect(everyNodeReachable(draft)).toMatchObject({ passed: false, reason: "No phase leads to node_lost_one" });
  });

  it("actions_have_evidence aborts: red line I4 on nodes", () => {
    const { draft } = built();
    for (const node of draft.nodes) if (node.node_type === "action_proposal") node.evidence_refs = [];
    expect(actionsHaveEvidence(draft)).toMatchObject({
      passed: false,
      onFail: { state: "ABORTED", type: "red_line_violation" },
    });
  });

  it("node_limit_kept counts: at the limit is fine, one over is not [S4-091]", () => {
    const { source, draft } = built();
    const limits = (max_nodes: number) => ({ ...source.policy.limits, max_nodes });
    expect(checkNodeLimit(draft, limits(draft.nodes.length)).passed).toBe(true);
    expect(checkNodeLimit(draft, limits(draft.nodes.length - 1))).toMatchObject({
      passed: false,
      reason: `The plan has ${draft.nodes.length} nodes; the limit max_nodes is ${draft.nodes.length - 1}`,
    });
    expect(source.policy.limits.max_nodes).toBe(200);
  });

  it("no_placeholder_left finds a question nobody settled", () => {
    const { draft } = built({
      registry: (r) => {
        r.facts = [fact("tests_pass")];
        r.rules.push(rule("tested", "facts.tests_pass"));
      },
    });
    expect(noPlaceholderLeft(draft)).toMatchObject({
      passed: false,
      reason: "node_question_fact_tests_pass is still a placeholder",
    });
  });
});
