import { expect, it } from "vitest";
import type { PlanOutcome } from "../../src/mind/plan/plan.js";
import {
  answersTo,
  command,
  type Difference,
  fact,
  parameter,
  plannedCommand,
  planWith,
  rule,
  task,
} from "../../src/testing/plan-fixtures.js";

/*
 * The structure of one fixed plan. It has a node of every kind and an edge of every type that is drawn, so that a
 * change in how graphs are built shows here. A change that is meant is taken over by `npx vitest run test/pins -u`.
 */
const difference: Difference = {
  registry: (r) => {
    r.facts = [fact("on_call", { type: "string", blocking_level: "low", default: "ada" })];
    r.rules.push(
      rule("look_first", `command.id == "check_code"`, { decision: "require_review", review: "security" }),
      rule("watched", `command.id == "ship_code" && facts.on_call == "nobody"`, { decision: "deny" }),
      rule("allow_shipping", `"deploy" in command.effects`),
    );
    for (const c of r.commands) c.writes = [];
    r.commands.push(
      command("name_it", { writes: ["src/name.ts"], parameters: [parameter("name")], needs: ["edit_code"] }),
    );
  },
  intent: (i) => {
    i.selected_workflows[0]?.phases.push("release");
    i.planned_commands.push(plannedCommand("name_it"), plannedCommand("ship_code", { effects: ["deploy"] }));
    i.risk.requires_review = ["architecture", "release"];
  },
  tasks: [
    task("T-1", { files: ["src/one.ts"] }),
    task("T-2", { files: ["src/two.ts"], dependencies: ["T-1"] }),
    task("T-3", { files: ["src/*.ts"] }),
  ],
  policy: (p) => (p.reviewers = { architecture: ["ada"], security: ["eve"] }),
};

function fixedPlan(): PlanOutcome {
  const { questions } = planWith(difference);
  return planWith({ ...difference, answers: [answersTo(questions[0], { q_param_name_it_name: "blue" })] });
}

it("the structure of a fixed plan stays as it is [S4-086]", () => {
  const { state, tape, graph, review, questions } = fixedPlan();
  expect({
    state,
    states: tape.states.map((s) => `${s.from_state} > ${s.to_state}: ${s.guards_evaluated.length} guards`),
    questions: questions.map((pack) => pack.questions.map((q) => `${q.question_id} ${q.type} ${q.blocking_level}`)),
    nodes: graph?.nodes.map((n) => `${n.node_type} ${n.node_id} "${n.label}"`),
    edges: graph?.edges.map((e) =>
      `${e.from_node} -${e.edge_type}-> ${e.to_node} ${e.label ?? e.condition ?? ""}`.trimEnd(),
    ),
    lanes: graph?.swimlanes.map((lane) => `${lane.swimlane_id}: ${lane.node_refs.length} nodes`),
    levels: graph?.metadata.levels,
    critical_path: graph?.metadata.critical_path,
    reviews: review?.required_reviews.map((r) => `${r.category} at ${r.gate} by ${r.reviewers.join(", ")}`),
    planned: review?.estimate.planned,
  }).toMatchSnapshot();
});

it("the fields of every artefact stay as they are [S4-086]", () => {
  const { graph, review, tape, questions } = fixedPlan();
  const fields = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.length === 0 ? [] : [fields(value[0])];
    if (typeof value !== "object" || value === null) return typeof value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fields(inner)]));
  };
  const byType = new Map(graph?.nodes.map((n) => [n.node_type, fields(n)]));
  expect({
    graph: { ...(fields({ ...graph, nodes: [] }) as object), nodes: Object.fromEntries(byType) },
    review: fields(review),
    tape: fields(tape),
    questions: fields(questions),
  }).toMatchSnapshot();
});
