import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ExecutionGraph } from "../../src/model/plan/graph.js";
import { QuestionPack } from "../../src/model/plan/questions.js";
import { ReviewPack } from "../../src/model/plan/review.js";
import { RunTape } from "../../src/model/tape.js";
import { canonicalJson } from "../../src/foundation/canonical-json/canonical.js";
import type { PlanOutcome } from "../../src/mind/plan/plan.js";
import {
  answersTo,
  command,
  type Difference,
  fact,
  fullAuto,
  NOW,
  parameter,
  plannedCommand,
  planWith,
  rule,
  statesOf,
} from "../../src/testing/plan-fixtures.js";

const LATER = "2026-02-04T00:00:00Z";
const STRAIGHT = [
  "RECEIVED",
  "PRECHECKED",
  "CONTEXT_BUILT",
  "RULES_EVALUATED",
  "GRAPH_DRAFTED",
  "GRAPH_FINALIZED",
  "REVIEW_PACK_BUILT",
  "FROZEN_OUTPUTS",
  "DONE",
];

const named: Difference = {
  registry: (r) => r.commands.push(command("name_it", { parameters: [parameter("name")] })),
  intent: (i) => i.planned_commands.push(plannedCommand("name_it")),
};
const ask = (difference: Difference) => planWith(difference).questions;

/** Plans with one round of answers after the other; each is made from the questions asked so far. */
function rounds(difference: Difference, ...given: Record<string, string>[]): PlanOutcome {
  const answers: ReturnType<typeof answersTo>[] = [];
  for (const round of given) {
    const { questions } = planWith({ ...difference, answers });
    answers.push(answersTo(questions.at(-1), round));
  }
  return planWith({ ...difference, answers, instants: [NOW, LATER] });
}

describe("from RECEIVED to DONE", () => {
  const out = planWith();

  it("takes nine transitions, in the order of the specification [S4-083, S4-065, S4-010, S4-011, S4-012, S4-015]", () => {
    expect(statesOf(out)).toEqual(STRAIGHT);
    expect(out.tape.states[0]?.from_state).toBe("INIT");
    const produced = out.tape.states.map((s) => s.outputs_produced.map((o) => o.artifact_type).join());
    expect(produced).toEqual([
      "",
      "precheck_report",
      "context_bundle",
      "rule_decisions",
      "execution_graph",
      "execution_graph",
      "review_pack",
      "frozen_outputs",
      "",
    ]);
  });

  it("takes intent, policy, memory, facts and registry, and gives graph, review, tape and checksums [S4-002, S4-003, S4-006]", () => {
    expect(ExecutionGraph.parse(out.graph)).toEqual(out.graph);
    expect(ReviewPack.parse(out.review)).toEqual(out.review);
    expect(RunTape.parse(out.tape)).toEqual(out.tape);
    expect(Object.keys(out.frozen?.checksums ?? {})).toEqual(["graph", "questions", "review"]);
    expect(out.problems).toEqual([]);
  });

  it("writes every transition on the tape with trigger, guards, reasons and numbered outputs [S4-017, S4-020, S4-005]", () => {
    const { states, metadata, final_state } = out.tape;
    expect(states.map((s) => s.sequence)).toEqual(states.map((_, i) => i + 1));
    for (const [i, state] of states.entries()) {
      expect(state.from_state).toBe(i === 0 ? "INIT" : states[i - 1]?.to_state);
      expect(state.trigger).not.toBe("");
      for (const guard of state.guards_evaluated) {
        expect(guard.passed).toBe(true);
        expect(guard.reason).not.toBe("");
      }
    }
    expect(metadata.state_transitions_count).toBe(9);
    expect(final_state).toBe("DONE");
    expect(states.flatMap((s) => s.guards_evaluated).length).toBeGreaterThan(25);
  });

  it("writes every decision on the tape: rules, risk, graph, models [S4-020]", () => {
    expect(out.tape.decisions.map((d) => d.decision_type)).toEqual([
      "rule_adjudication",
      "rule_adjudication",
      "risk_assessment",
      "graph_building",
    ]);
    expect(out.tape.rule_evaluations.map((e) => [e.rule_id, e.decision, e.target])).toEqual([
      ["allow_reading", "allow", "scan_code, check_code"],
      ["allow_writing", "allow", "edit_code"],
    ]);
    expect(out.tape.model_routing_decisions.map((d) => d.model_selected)).toEqual(["cloud-small", "cloud-small"]);
  });

  it("goes the same way in full_auto and in semi_auto when nothing is uncertain [S4-067]", () => {
    expect(statesOf(planWith({ intent: fullAuto }))).toEqual(STRAIGHT);
    expect(statesOf(planWith({ intent: (i) => (i.interaction.mode = "semi_auto") }))).toEqual(STRAIGHT);
  });

  it("takes an intent that plans nothing", () => {
    const empty = planWith({ intent: (i) => (i.planned_commands = []) });
    expect(empty.state).toBe("DONE");
    expect(empty.graph?.metadata.levels).toEqual([]);
    expect(RunTape.safeParse(empty.tape).success).toBe(true);
  });
});

describe("with questions", () => {
  it("stops in AWAITING_ANSWERS with the questions and nothing frozen [S4-013, S4-067]", () => {
    const out = planWith(named);
    expect(statesOf(out)).toEqual([...STRAIGHT.slice(0, 5), "QUESTIONS_EMITTED", "AWAITING_ANSWERS"]);
    expect(QuestionPack.parse(out.questions[0])).toEqual(out.questions[0]);
    expect([out.graph, out.review, out.frozen]).toEqual([null, null, null]);
    expect(out.tape.completed_at).toBeUndefined();
    expect(out.invalidInput).toBe(false);
  });

  it("goes on with an AnswerPack: eleven transitions, and the tape begins as it did [S4-013, S4-014]", () => {
    const waiting = planWith({ ...named, instants: [NOW] });
    const out = rounds(named, { q_param_name_it_name: "blue" });
    expect(statesOf(out)).toEqual([
      ...STRAIGHT.slice(0, 5),
      "QUESTIONS_EMITTED",
      "AWAITING_ANSWERS",
      ...STRAIGHT.slice(5),
    ]);
    expect(out.tape.states).toHaveLength(11);
    expect(canonicalJson(out.tape.states.slice(0, 7))).toBe(canonicalJson(waiting.tape.states));
    expect(out.tape.states.slice(7).every((s) => s.timestamp === LATER)).toBe(true);
    expect(out.runId).toBe(waiting.runId);
    expect(out.questions).toEqual(waiting.questions);
  });

  it("goes on from what was written to disk: inputs that went through JSON give the same plan", () => {
    const answers = [answersTo(ask(named)[0], { q_param_name_it_name: "blue" })];
    const again = JSON.parse(JSON.stringify(answers)) as typeof answers;
    const plans = [answers, again].map((given) => canonicalJson(planWith({ ...named, answers: given })));
    expect(plans[0]).toBe(plans[1]);
  });

  it("goes on waiting, and says why, when the answers cannot be taken", () => {
    const wrong = answersTo(ask(named)[0], { q_nobody_asked: "x" });
    const out = planWith({ ...named, answers: [wrong] });
    expect(out).toMatchObject({ state: "AWAITING_ANSWERS", invalidInput: true });
    expect(out.problems.map((p) => `${p.code} ${p.path}`)).toEqual(["ANSWER_INVALID answers[0].question_id"]);
  });

  it("is blocked when a question that must be answered is not [S4-085]", () => {
    const two: Difference = {
      ...named,
      policy: (p) => (p.reviewers = {}),
    };
    const out = rounds(two, { q_reviewer_architecture: "ada" });
    expect(out.state).toBe("BLOCKED");
    expect(out.tape.failure_info).toMatchObject({ failed_at_state: "AWAITING_ANSWERS" });
    expect(out.problems).toEqual([
      { code: "QUESTION_UNANSWERED", path: "q_param_name_it_name", message: "Which name shall it be?" },
    ]);
  });

  it("lets the rest of a partly answered pack fall back", () => {
    const out = rounds({ ...named, policy: (p) => (p.reviewers = {}) }, { q_param_name_it_name: "blue" });
    expect(out.state).toBe("DONE");
    expect(out.review?.summary).toMatchObject({ questions_answered: 1, fallbacks_used: 1 });
    expect(out.review?.required_reviews[0]?.reviewers).toEqual(["architecture_reviewer"]);
  });

  it("ends when a person says stop", () => {
    const locked: Difference = { intent: (i) => (i.constraints.lock_scope = { mode: "files", paths: ["docs/**"] }) };
    const out = rounds(locked, { q_scope_edit_code: "stop" });
    expect(out.state).toBe("BLOCKED");
    expect(out.tape.states.at(-1)?.trigger).toContain("nobody_said_stop");
    expect(rounds(locked, { q_scope_edit_code: "widen" }).state).toBe("DONE");
  });
});

const choosing: Difference = {
  registry: (r) => {
    r.commands.push(command("name_it", { writes: ["src/name.ts"], parameters: [parameter("force")] }));
    r.rules.push(rule("no_force", `command.id == "name_it" && command.params["force"] == "yes"`, { decision: "deny" }));
  },
  intent: (i) => i.planned_commands.push(plannedCommand("name_it")),
};

describe("an answer that conflicts with a rule", () => {
  const yes = { q_param_name_it_force: "yes" };

  it("leads back to RULES_EVALUATED, and the question is asked again with the reason [S4-084, S4-052]", () => {
    const out = rounds(choosing, yes);
    expect(statesOf(out).slice(5)).toEqual([
      "QUESTIONS_EMITTED",
      "AWAITING_ANSWERS",
      "RULES_EVALUATED",
      "GRAPH_DRAFTED",
      "QUESTIONS_EMITTED",
      "AWAITING_ANSWERS",
    ]);
    expect(out.questions).toHaveLength(2);
    expect(out.questions[1]?.questions[0]?.context).toContain(
      "Your last answer was not taken: no_force says deny for name_it",
    );
    expect(out.questions[1]?.pack_id).not.toBe(out.questions[0]?.pack_id);
  });

  it("can be mended in the next round [S4-084]", () => {
    const out = rounds(choosing, yes, { q_param_name_it_force: "no" });
    expect(out.state).toBe("DONE");
    expect(out.tape.states).toHaveLength(15);
    expect(out.graph?.nodes.find((n) => n.node_id === "node_action_name_it")).toMatchObject({
      metadata: { parameters: { force: "no" } },
    });
  });

  it("is blocked the fourth time [S4-084, S4-085]", () => {
    const thrice = rounds(choosing, yes, yes, yes);
    expect(thrice.state).toBe("AWAITING_ANSWERS");
    expect(statesOf(thrice).filter((s) => s === "RULES_EVALUATED")).toHaveLength(4);
    const out = rounds(choosing, yes, yes, yes, yes);
    expect(out.state).toBe("BLOCKED");
    expect(out.tape.failure_info?.failure_message).toContain("Answers conflicted with rules 4 times; 3 are allowed");
    expect(statesOf(out).at(-2)).toBe("AWAITING_ANSWERS");
  });

  it("is blocked at once under a policy that allows no round", () => {
    const out = rounds({ ...choosing, policy: (p) => (p.limits.max_replan_rounds = 0) }, yes);
    expect(statesOf(out).slice(-2)).toEqual(["AWAITING_ANSWERS", "BLOCKED"]);
  });

  it("stays within the question budget over all rounds", () => {
    const poor: Difference = {
      ...choosing,
      intent: (i) => {
        choosing.intent?.(i);
        i.interaction.question_budget = 1;
      },
    };
    const out = rounds(poor, yes);
    expect(out.state).toBe("BLOCKED");
    expect(out.tape.failure_info?.failure_message).toContain("the budget of 1 questions is spent");
  });
});

const tested: Difference = {
  registry: (r) => {
    r.facts = [fact("frozen_branch", { blocking_level: "critical" })];
    r.rules.push(
      rule("no_frozen", `command.id == "edit_code" && facts.frozen_branch`, {
        decision: "deny",
        reason: "The branch is frozen.",
      }),
    );
  },
};

describe("an answer that is a fact", () => {
  it("is kept, and a deny it brings aborts the plan [S4-084, S4-085]", () => {
    const out = rounds(tested, { q_fact_frozen_branch: "true" });
    expect(statesOf(out).slice(5)).toEqual(["QUESTIONS_EMITTED", "AWAITING_ANSWERS", "RULES_EVALUATED", "ABORTED"]);
    expect(out.tape.failure_info).toMatchObject({ failure_type: "rule_denied", failed_at_state: "RULES_EVALUATED" });
    expect(out.problems[0]).toMatchObject({ code: "RULE_DENIED", path: "edit_code" });
  });

  it("and the decision that aborts it is on the tape [S4-020]", () => {
    const out = rounds(tested, { q_fact_frozen_branch: "true" });
    expect(out.decisions.find((d) => d.target === "edit_code")).toMatchObject({
      decision: "deny",
      rule_id: "no_frozen",
    });
    expect(out.tape.rule_evaluations).toContainEqual(
      expect.objectContaining({ rule_id: "no_frozen", decision: "deny", reason: "The branch is frozen." }),
    );
  });

  it("lets the plan pass when the rule no longer holds it", () => {
    const out = rounds(tested, { q_fact_frozen_branch: "false" });
    expect(out.state).toBe("DONE");
    expect(out.decisions.find((d) => d.target === "edit_code")?.decision).toBe("allow");
  });
});

describe("what an answer brings up", () => {
  it("a reviewer nobody had to name before has a fallback like any other: the plan is not blocked by it", () => {
    const bringsReview: Difference = {
      registry: (r) => {
        r.facts = [fact("touches_money")];
        r.rules.push(
          rule("audit_it", `command.id == "edit_code" && facts.touches_money`, {
            decision: "require_review",
            review: "compliance",
          }),
          rule("look_at_it", `command.id == "edit_code"`, { decision: "require_review", review: "architecture" }),
        );
      },
    };
    const [pack] = ask(bringsReview);
    const out = rounds(
      bringsReview,
      Object.fromEntries(
        (pack?.questions ?? []).map((q) => [q.question_id, q.question_id === "q_fact_touches_money" ? "true" : "ada"]),
      ),
    );
    expect(out.tape.failure_info).toBeUndefined();
    expect(out.state).toBe("DONE");
  });

  it("and so has one that a fallback brings up in full_auto", () => {
    const out = planWith({
      intent: fullAuto,
      registry: (r) => {
        r.facts = [fact("touches_money", { default: true })];
        r.rules.push(
          rule("audit_it", `command.id == "edit_code" && facts.touches_money`, {
            decision: "require_review",
            review: "compliance",
          }),
        );
      },
      policy: (p) => (p.reviewers.architecture = ["ada"]),
    });
    expect(out.tape.failure_info).toBeUndefined();
    expect(out.state).toBe("DONE");
    expect(out.review?.required_reviews.map((r) => [r.category, r.reviewers])).toContainEqual([
      "compliance",
      ["compliance_reviewer"],
    ]);
  });

  it("a second unknown fact that must be known is asked in another round", () => {
    const chained: Difference = {
      registry: (r) => {
        r.facts = [
          fact("first_thing", { blocking_level: "critical" }),
          fact("second_thing", { blocking_level: "critical" }),
        ];
        r.rules.push(
          rule("both", `command.id == "edit_code" && facts.first_thing && facts.second_thing`, { decision: "warn" }),
        );
      },
    };
    const out = rounds(chained, { q_fact_first_thing: "true" }, { q_fact_second_thing: "false" });
    expect(out.questions.map((p) => p.questions.map((q) => q.question_id))).toEqual([
      ["q_fact_first_thing"],
      ["q_fact_second_thing"],
    ]);
    expect(out.state).toBe("DONE");
  });

  it("a question settled in two rounds stands in the graph once, with its last answer", () => {
    const both: Difference = {
      ...choosing,
      registry: (r) => {
        choosing.registry?.(r);
        r.facts = [fact("is_late")];
        r.rules.push(rule("late", `command.id == "edit_code" && facts.is_late`, { decision: "warn" }));
      },
    };
    const out = rounds(
      both,
      { q_param_name_it_force: "yes", q_fact_is_late: "fallback" },
      { q_param_name_it_force: "no", q_fact_is_late: "false" },
    );
    expect(out.state).toBe("DONE");
    const nodes =
      out.graph?.nodes.filter((n) => n.node_type === "question" && n.question_ref === "q_fact_is_late") ?? [];
    expect(nodes).toHaveLength(1);
    expect(nodes[0]).toMatchObject({ metadata: { status: "answered", answer: "false" } });
    expect(out.review?.summary).toMatchObject({ questions_answered: 2, fallbacks_used: 0 });
  });

  it("counts for the limit of nodes too, when it was settled in an earlier round [S4-091]", () => {
    const chained = (max_nodes: number): Difference => ({
      registry: (r) => {
        r.facts = ["first_thing", "second_thing"].map((id) => fact(id, { blocking_level: "critical" }));
        r.rules.push(
          rule("both", `command.id == "edit_code" && facts.first_thing && facts.second_thing`, { decision: "warn" }),
          rule("look_at_it", `command.id == "edit_code"`, { decision: "require_review" }),
        );
      },
      policy: (p) => (p.limits.max_nodes = max_nodes),
    });
    const given = [{ q_fact_first_thing: "true" }, { q_fact_second_thing: "true" }] as const;
    const nodes = rounds(chained(200), ...given).graph?.nodes.length ?? 0;
    expect(rounds(chained(nodes), ...given).state).toBe("DONE");
    const out = rounds(chained(nodes - 1), ...given);
    expect(statesOf(out).slice(-2)).toEqual(["AWAITING_ANSWERS", "BLOCKED"]);
    expect(out.tape.failure_info?.failure_message).toContain("the limit max_nodes is");
  });

  it("counts for the red line I3: a rule that a fallback lets fire raises the risk, and full_auto ends [S4-080]", () => {
    const out = planWith({
      intent: fullAuto,
      policy: (p) => (p.reviewers = {}),
      registry: (r) => r.rules.push(rule("seen", `"architecture" in policy.reviewed`, { risk: "critical" })),
    });
    expect(out.risk?.overall_risk).toBe("critical");
    expect(statesOf(out).slice(-2)).toEqual(["GRAPH_DRAFTED", "ABORTED"]);
    expect(out.tape.failure_info?.failure_type).toBe("red_line_violation");
  });
});

it("asks fifty questions at most, the most pressing ones; the others fall back [S4-092]", () => {
  const ids = Array.from({ length: 60 }, (_, i) => `name_thing_${i}`);
  const out = planWith({
    registry: (r) => {
      const asked = parameter("name", { blocking_level: "medium", default: "x" });
      r.commands.push(...ids.map((id, i) => command(id, { writes: [`src/${i}.ts`], parameters: [asked] })));
    },
    intent: (i) => {
      i.planned_commands.push(...ids.map((id) => plannedCommand(id)));
      i.interaction.question_budget = 50;
      i.budgets = { max_files: 500, max_commits: 50, max_tokens: 2_000_000, max_cost_usd: 1000 };
    },
  });
  expect(out.state).toBe("AWAITING_ANSWERS");
  expect(out.questions[0]?.questions).toHaveLength(50);
});

it("every part of the engine has its unit tests beside it [S4-082]", () => {
  const parts = {
    engine: ["transition.test.ts"],
    parser: ["parse-intent.test.ts", "rules/red-lines.test.ts"],
    adjudicator: ["rules/adjudicate.test.ts", "rules/compile-rules.test.ts", "assess-risk.test.ts"],
    builder: ["graph/build-graph.test.ts", "graph/graph-guards.test.ts", "graph/topology.test.ts"],
    governor: ["questions/govern.test.ts", "questions/integrate-answers.test.ts"],
    router: ["models/route-models.test.ts"],
    freezer: ["freeze.test.ts", "../../foundation/canonical-json/canonical.test.ts"],
  };
  for (const [part, files] of Object.entries(parts))
    for (const file of files) {
      const source = readFileSync(new URL(`../../src/mind/plan/${file}`, import.meta.url), "utf8");
      expect(source.match(/\bit(?:\.each)?\(/g)?.length ?? 0, `${part}: ${file}`).toBeGreaterThan(1);
    }
});
