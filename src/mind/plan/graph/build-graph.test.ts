import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GraphNode } from "../../../model/plan/graph.js";
import {
  command,
  type Difference,
  fact,
  plannedCommand,
  planWith,
  rule,
  task,
  workbench,
  workflow,
} from "../../../testing/plan-fixtures.js";
import { buildDraft, printDraft, TRANSFORMS } from "./build-graph.js";
import type { GraphDraft } from "./draft.js";
import { topologyOf } from "./topology.js";
import { wiresOf } from "./wires.js";

const draftOf = (difference: Difference = {}) => buildDraft(workbench(difference).source);
const ids = (draft: GraphDraft, type: GraphNode["node_type"]) =>
  draft.nodes.filter((n) => n.node_type === type).map((n) => n.node_id);

/** `from -> to` by node ids, with the label or condition. */
function edges(draft: GraphDraft): string[] {
  const name = (n: number) => draft.nodes[n]?.node_id.replace(/^node_/, "");
  return draft.edges.map(({ from, to, type, label, condition }) =>
    `${name(from)} -${type}-> ${name(to)} ${label ?? condition ?? ""}`.trimEnd(),
  );
}

function leads(draft: GraphDraft, from: string, to: string): boolean {
  const at = (id: string) => draft.nodes.findIndex((n) => n.node_id === id);
  const { rows } = topologyOf(wiresOf(draft));
  const queue = [at(from)];
  for (const n of queue)
    for (let i = rows.offset[n] as number; i < (rows.offset[n + 1] as number); i++)
      if (!queue.includes(rows.targets[i] as number)) queue.push(rows.targets[i] as number);
  return queue.includes(at(to));
}

describe("the transforms", () => {
  it("stand in one fixed order, lanes last; validation follows them [S4-066]", () => {
    expect(TRANSFORMS.map(({ name }) => name)).toEqual([
      "phases",
      "actions",
      "decision points",
      "question placeholders",
      "review gates",
      "dependencies",
      "predicted file conflicts",
      "lanes",
    ]);
  });

  it("only ever add, and every stage can be watched and printed [S4-066]", () => {
    const stages: [string, number, number, number][] = [];
    const { source } = workbench({ policy: (p) => (p.reviewers = {}) });
    const draft = buildDraft(source, (stage, { nodes, edges: drawn, laneOfNode }) => {
      stages.push([stage, nodes.length, drawn.length, laneOfNode.length]);
    });
    expect(stages).toEqual([
      ["phases", 3, 0, 0],
      ["actions", 6, 0, 0],
      ["decision points", 9, 0, 0],
      ["question placeholders", 10, 0, 0],
      ["review gates", 11, 0, 0],
      ["dependencies", 11, expect.any(Number), 0],
      ["predicted file conflicts", 11, expect.any(Number), 0],
      ["lanes", 11, expect.any(Number), 11],
    ]);
    expect(printDraft(draft)).toContain('action_proposal node_action_edit_code "Title of edit_code"');
    expect(printDraft(draft)).toContain("node_question_reviewer_architecture -conditional->");
  });
});

describe("phases", () => {
  it("are those of the selected workflows, in their order [S4-035]", () => {
    const draft = draftOf({
      registry: (r) => r.workflows.push({ ...(r.workflows[0] as (typeof r.workflows)[number]), id: "other_change" }),
      intent: (i) => i.selected_workflows.push({ workflow_id: "other_change", phases: ["validation", "release"] }),
    });
    expect(draft.slots.map(({ workflowId, phase, before }) => [workflowId, phase, before])).toEqual([
      ["small_change", "analysis", -1],
      ["small_change", "implementation", 0],
      ["small_change", "validation", 1],
      ["other_change", "validation", -1],
      ["other_change", "release", 3],
    ]);
    expect(new Set(ids(draft, "phase")).size).toBe(5);
  });

  it("follow each other within a workflow: what is planned later waits for all of it", () => {
    const draft = draftOf();
    expect(leads(draft, "node_action_scan_code", "node_action_edit_code")).toBe(true);
    expect(leads(draft, "node_action_edit_code", "node_action_check_code")).toBe(true);
    expect(leads(draft, "node_action_check_code", "node_action_scan_code")).toBe(false);
  });

  it("without actions are passed through", () => {
    const draft = draftOf({
      intent: (i) => (i.planned_commands = [plannedCommand("check_code", { effects: ["read"] })]),
    });
    expect(
      ids(draft, "phase").every((id) => id.endsWith("_small_change") || leads(draft, id, "node_action_check_code")),
    ).toBe(true);
    expect(leads(draft, ids(draft, "phase")[0] as string, "node_action_check_code")).toBe(true);
  });
});

describe("actions", () => {
  it("carry evidence, the decision, paths and estimate [S4-036, S4-044]", () => {
    const node = draftOf().nodes.find((n) => n.node_id === "node_action_edit_code");
    expect(node).toMatchObject({
      node_type: "action_proposal",
      command_ref: "edit_code",
      effects: ["write"],
      risk_level: "low",
      evidence_refs: ["scan://repository"],
      metadata: {
        workflow_id: "small_change",
        phase: "implementation",
        decision: { decision: "allow", rule_id: "allow_writing" },
        writes: ["src/app.ts"],
        estimate: { tokens: 10_000, minutes: 10, source: "registry" },
      },
    });
  });

  it("carry the whole task, so that later stages need nothing else", () => {
    const own = task("T-1", { tests: ["test/a.ts"], adr: "ADR-1", agent: "analyst" });
    const node = draftOf({ tasks: [own] }).nodes.find((n) => n.node_type === "action_proposal" && n.metadata.task);
    expect(node).toMatchObject({ label: "Task T-1", metadata: { task: own, owner: "analyst" } });
  });

  it("of one phase stand beside each other: parallel edges, no path between them [S4-101, S4-040]", () => {
    const draft = draftOf({
      registry: (r) => {
        for (const c of r.commands) c.writes = [];
      },
      tasks: [task("T-1"), task("T-2")],
    });
    const [one, two] = ids(draft, "action_proposal").filter((id) => id.includes("t_"));
    expect(leads(draft, one as string, two as string) || leads(draft, two as string, one as string)).toBe(false);
    expect(draft.edges.filter((e) => e.type === "parallel")).toHaveLength(2);
  });
});

describe("decision points", () => {
  it("stand before the actions they judge, with every rule that spoke [S4-037]", () => {
    const draft = draftOf({ registry: (r) => r.rules.push(rule("warns_too", "true", { decision: "warn" })) });
    const points = draft.nodes.filter((n) => n.node_type === "decision_point");
    expect(points.map((n) => [n.label, n.rule_refs, n.metadata.targets])).toEqual([
      ["warn, by warns_too", ["allow_reading", "warns_too"], ["scan_code"]],
      ["warn, by warns_too", ["allow_writing", "warns_too"], ["edit_code"]],
      ["warn, by warns_too", ["allow_reading", "warns_too"], ["check_code"]],
    ]);
    for (const [i, action] of draft.actionNodes.entries())
      expect(draft.edges).toContainEqual({ from: draft.decisionOfAction[i], to: action, type: "sequential" });
  });

  it("are shared by actions of one phase that one rule decided in one way", () => {
    expect(ids(draftOf({ tasks: [task("T-1"), task("T-2"), task("T-3")] }), "decision_point")).toHaveLength(3);
  });
});

describe("question placeholders", () => {
  it("stand in the draft before anything is asked, in front of the actions they touch [S4-038]", () => {
    const draft = draftOf({
      registry: (r) => {
        r.facts = [fact("tests_pass")];
        r.rules.push(rule("tested", `command.id == "edit_code" && facts.tests_pass`));
      },
    });
    expect(draft.nodes.find((n) => n.node_type === "question")).toMatchObject({
      node_id: "node_question_fact_tests_pass",
      question_ref: "q_fact_tests_pass",
      metadata: { status: "placeholder" },
    });
    expect(edges(draft)).toContain("question_fact_tests_pass -conditional-> action_edit_code answer received");
  });
});

describe("review gates", () => {
  it("come from requires_review, after the work and before a release [S4-039]", () => {
    const draft = draftOf({
      intent: (i) => {
        i.selected_workflows = [{ workflow_id: "small_change", phases: ["implementation", "release"] }];
        i.planned_commands = [plannedCommand("edit_code"), plannedCommand("ship_code", { effects: ["deploy"] })];
        i.risk.requires_review = ["security", "architecture", "security"];
      },
    });
    const after = ids(draft, "review_gate").filter((id) => id.includes("after"));
    expect(after).toHaveLength(2);
    for (const gate of after) {
      expect(leads(draft, "node_action_edit_code", gate)).toBe(true);
      expect(leads(draft, gate, "node_action_ship_code")).toBe(true);
    }
  });

  it("stand before the actions a rule wants reviewed, with the rule as criterion [S4-039, S4-040]", () => {
    const draft = draftOf({
      registry: (r) => {
        r.rules.push(
          rule("look_first", `command.id == "edit_code"`, { decision: "require_review", review: "security" }),
        );
      },
      policy: (p) => (p.reviewers.security = ["eve"]),
    });
    const gate = draft.nodes.find((n) => n.node_type === "review_gate" && n.metadata.when === "before_action");
    expect(gate).toMatchObject({
      review_criteria: ["look_first: Because of look_first."],
      metadata: { category: "security" },
    });
    const name = gate?.node_id.replace(/^node_/, "");
    expect(edges(draft)).toContain(`${name} -conditional-> action_edit_code review approved`);
    // The only way into the action is through its gate.
    expect(edges(draft).filter((e) => e.includes("> action_edit_code"))).toHaveLength(1);
  });

  it("come last in a plan that is all release, so that none is lost", () => {
    const draft = draftOf({
      intent: (i) => {
        i.selected_workflows = [{ workflow_id: "small_change", phases: ["release"] }];
        i.planned_commands = [plannedCommand("ship_code", { effects: ["deploy"] })];
      },
    });
    const after = ids(draft, "review_gate").find((id) => id.includes("after")) as string;
    expect(leads(draft, "node_action_ship_code", after)).toBe(true);
  });
});

describe("dependencies", () => {
  it("draw no edge that another path makes needless: only the last of a chain leads to the next phase [S4-044]", () => {
    const draft = draftOf({ tasks: [task("task_a"), task("task_b", { dependencies: ["task_a"] })] });
    const next = draft.slots[2]?.node;
    const [a, b] = [2, 3].map((i) => draft.actionNodes[i]);
    const into = draft.edges.filter((e) => e.to === next).map((e) => e.from);
    expect(into).toContain(b);
    expect(into).not.toContain(a);
  });

  it("of tasks and needs of commands become sequential edges [S4-040, S4-044]", () => {
    const draft = draftOf({
      registry: (r) => {
        r.commands.push(command("edit_more", { needs: ["edit_code", "ship_code"], writes: ["src/more.ts"] }));
      },
      intent: (i) => i.planned_commands.push(plannedCommand("edit_more")),
      tasks: [task("T-1", { dependencies: ["T-2"] }), task("T-2")],
    });
    const [one, two] = [draft.actionNodes[3], draft.actionNodes[4]] as [number, number];
    expect(draft.edges).toContainEqual(expect.objectContaining({ from: two, to: one, type: "sequential" }));
    expect(edges(draft).filter((e) => e.endsWith("needs edit_code"))).toHaveLength(2);
    expect(leads(draft, draft.nodes[one]?.node_id as string, "node_action_edit_more")).toBe(true);
  });

  it("keep their label within the published length, however long a command's name is", () => {
    const long = `long_${"x".repeat(110)}`;
    const out = planWith({
      registry: (r) => r.commands.push(command(long), command("after_long", { needs: [long] })),
      intent: (i) => i.planned_commands.push(plannedCommand(long), plannedCommand("after_long")),
    });
    expect(out.state).toBe("DONE");
    expect(Math.max(...(out.graph?.edges ?? []).map((e) => e.label?.length ?? 0))).toBeLessThanOrEqual(100);
  });
});

describe("predicted conflicts", () => {
  const two = (first: string[], second: string[]): Difference => ({
    registry: (r) => {
      for (const c of r.commands) c.writes = [];
    },
    tasks: [task("T-1", { files: first }), task("T-2", { files: second })],
  });

  it("put two writers of one file after each other, with an edge that says why [S4-101]", () => {
    const draft = draftOf(two(["src/a.ts"], ["src/*.ts"]));
    expect(draft.conflicts).toHaveLength(1);
    expect(draft.edges.at(-1)).toMatchObject({ type: "sequential", label: "both write src/a.ts and src/*.ts" });
  });

  it("go the way of the dependencies, so that they never make a cycle", () => {
    const tasks = [
      task("T-1", { files: ["src/a.ts"], dependencies: ["T-3"] }),
      task("T-2", { files: ["src/**"] }),
      task("T-3", { files: ["src/a.ts"] }),
    ];
    expect(topologyOf(wiresOf(draftOf({ tasks }))).cycle).toBeNull();
  });

  it("join writers of two workflows, whose phases do not follow each other", () => {
    const draft = draftOf({
      registry: (r) => {
        r.workflows.push(workflow("other_change", ["design"]));
        r.commands.push(command("edit_early", { phase: "design", writes: ["src/app.ts"] }));
      },
      intent: (i) => {
        i.selected_workflows.push({ workflow_id: "other_change", phases: ["design"] });
        i.planned_commands.push(plannedCommand("edit_early"));
      },
    });
    expect(draft.conflicts).toHaveLength(1);
    const [a, b] = ["node_action_edit_code", "node_action_edit_early"] as const;
    expect(leads(draft, a, b) || leads(draft, b, a)).toBe(true);
  });

  it("leave writers of other files and of other phases alone", () => {
    expect(draftOf(two(["src/a.ts"], ["src/b.ts"])).conflicts).toEqual([]);
    expect(
      draftOf({
        registry: (r) => {
          for (const c of r.commands) c.writes = ["src/app.ts"];
        },
      }).conflicts,
    ).toEqual([]);
  });

  it("never make a cycle, and connect any two actions that write the same, whatever the tasks", () => {
    const path = fc.constantFrom("src/a.ts", "src/b.ts", "src/*.ts", "src/**", "docs/a.md", "**/a.*");
    const tasks = fc.array(
      fc.record({ files: fc.array(path, { maxLength: 3 }), after: fc.array(fc.nat(7), { maxLength: 2 }) }),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(tasks, (list) => {
        const draft = draftOf({
          registry: (r) => {
            for (const c of r.commands) c.writes = [];
          },
          tasks: list.map(({ files, after }, i) =>
            task(`task_${i}`, {
              files,
              dependencies: [...new Set(after.filter((d) => d < i))].map((d) => `task_${d}`),
            }),
          ),
        });
        expect(topologyOf(wiresOf(draft)).cycle).toBeNull();
        for (const [i, one] of list.entries())
          for (const [j, other] of list.entries())
            if (i < j && one.files.some((f) => other.files.includes(f))) {
              const [a, b] = [`node_action_task_${i}`, `node_action_task_${j}`];
              expect(leads(draft, a, b) || leads(draft, b, a)).toBe(true);
            }
      }),
      { numRuns: 60 },
    );
  });
});

describe("lanes", () => {
  const owner = (difference: Difference, id = "node_action_edit_code") => {
    const node = draftOf(difference).nodes.find((n) => n.node_id === id);
    return node?.node_type === "action_proposal" ? [node.metadata.owner, node.metadata.owner_because] : [];
  };

  it("an action goes to the owner of its command [S4-041]", () => {
    expect(owner({})).toEqual(["builder", "owns_command"]);
  });

  it("or to the agent its task names [S4-041]", () => {
    const draft = draftOf({ tasks: [task("task_one", { agent: "analyst" })] });
    expect(draft.nodes.find((n) => n.node_id === "node_action_task_one")).toMatchObject({
      metadata: { owner: "analyst", owner_because: "task_names_it" },
    });
  });

  it("or to a selected agent that covers the phase, and it is said so [S4-041]", () => {
    expect(
      owner({
        registry: (r) => {
          for (const c of r.commands) if (c.id === "edit_code") c.owner = "somebody_else";
        },
      }),
    ).toEqual(["builder", "covers_phase"]);
  });

  it("every node of the finished graph is in exactly one [S4-041, S4-034]", () => {
    const { graph } = planWith();
    const inLanes = graph?.swimlanes.flatMap((lane) => lane.node_refs) ?? [];
    expect(inLanes.sort()).toEqual(graph?.nodes.map((n) => n.node_id).sort());
    expect(graph?.swimlanes.map((lane) => [lane.agent_id, lane.role])).toEqual([
      ["analyst", "Analyst"],
      ["builder", "Builder"],
    ]);
  });
});

it("does not let an action wait for itself behind a review it shares with what it needs", () => {
  const outcome = planWith({
    registry: (r) => {
      r.commands.push(command("polish_code", { needs: ["edit_code"], writes: ["src/polish.ts"] }));
      r.rules.push(
        rule("review_writing", `"write" in command.effects`, { decision: "require_review", review: "architecture" }),
      );
    },
    intent: (i) => i.planned_commands.push(plannedCommand("polish_code")),
  });
  expect(outcome.state).toBe("DONE");
  const gates = outcome.graph?.nodes.filter(
    (n) => n.node_type === "review_gate" && n.metadata.when === "before_action",
  );
  expect(gates).toHaveLength(2);
});
