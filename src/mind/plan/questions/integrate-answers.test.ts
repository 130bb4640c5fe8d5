import { describe, expect, it } from "vitest";
import {
  answersTo,
  planWith,
  type Difference,
  fact,
  parameter,
  command,
  plannedCommand,
  rule,
  workbench,
} from "../../../testing/plan-fixtures.js";
import { fallBack, readAnswers, resolve } from "./integrate-answers.js";
import { NOTHING_RESOLVED } from "./resolutions.js";
import { checkAnswerConflicts } from "./weigh-answers.js";

const asking: Difference = {
  registry: (r) => {
    r.facts = [
      fact("is_ready"),
      fact("how_many", { type: "number" }),
      fact("who_owns", { type: "string" }),
      fact("which_ones", { type: "strings" }),
      fact("disputed"),
    ];
    r.rules.push(
      ...[
        "facts.is_ready",
        "facts.how_many > 3.0",
        `facts.who_owns == "eve"`,
        `"x" in facts.which_ones`,
        "facts.disputed",
      ].map((when, i) => rule(`reads_${i}`, `command.id == "name_it" && ${when}`, { decision: "warn" })),
    );
    const options = [
      { answer: "red", rationale: "It is warm" },
      { answer: "blue", rationale: "It is cold" },
    ];
    r.commands.push(
      command("name_it", {
        writes: ["lib/name.ts"],
        parameters: [parameter("colour", { options }), parameter("title_of_it")],
      }),
    );
  },
  intent: (i) => {
    i.planned_commands.push(plannedCommand("name_it"));
    i.constraints.lock_scope = { mode: "files", paths: ["src/**"] };
  },
  facts: {
    disputed: [
      { value: true, evidence_ref: "ci://1" },
      { value: false, evidence_ref: "ci://2" },
    ],
  },
  policy: (p) => (p.reviewers = {}),
};
const { source } = workbench(asking);
const pack = planWith(asking).questions[0];
const read = (answers: Record<string, string>, packId?: string) => {
  const given = answersTo(pack, answers);
  if (pack === undefined) throw new Error("no questions");
  return readAnswers(packId === undefined ? given : { ...given, question_pack_id: packId }, pack, source.uncertainties);
};
const problems = (answers: Record<string, string>) =>
  read(answers).problems.map(({ path, message }) => `${path}: ${message}`);

describe("readAnswers [S4-051]", () => {
  it.each([
    ["q_fact_is_ready", "yes", "must be a bool"],
    ["q_fact_how_many", "many", "must be a number"],
    ["q_fact_how_many", " ", "must be a number"],
    ["q_fact_which_ones", "x", "must be a list of strings in JSON"],
    ["q_fact_which_ones", "[1]", "must be a list of strings in JSON"],
    ["q_evidence_disputed", "perhaps", "must be one of true, false"],
    ["q_param_name_it_colour", "green", "must be one of red, blue"],
    ["q_scope_name_it", "maybe", "must be widen or stop"],
    ["q_reviewer_architecture", "  ", "must name a person or a role"],
    ["q_param_name_it_colour", "fallback", "q_param_name_it_colour has no fallback; it needs an answer"],
  ])("does not take %s = %j: %s", (id, answer, message) => {
    expect(problems({ [id]: answer })).toEqual([`answers[0].answer_text: ${message}`]);
  });

  it.each([
    ["q_fact_is_ready", "true"],
    ["q_fact_how_many", " 4.5 "],
    ["q_fact_who_owns", "unknown"],
    ["q_fact_which_ones", '["x"]'],
    ["q_evidence_disputed", "false"],
    ["q_param_name_it_colour", " red "],
    ["q_param_name_it_title_of_it", "anything at all"],
    ["q_scope_name_it", "widen"],
    ["q_reviewer_architecture", "ada, bob"],
    ["q_fact_is_ready", "fallback"],
  ])("takes %s = %j", (id, answer) => {
    expect(problems({ [id]: answer })).toEqual([]);
    expect(read({ [id]: answer }).settled).toHaveLength(1);
  });

  it("names an answer to a question nobody asked, one given twice, and a pack for other questions", () => {
    const given = answersTo(pack, { q_fact_is_ready: "true", q_nobody_asked: "x" });
    if (pack === undefined) throw new Error("no questions");
    const twice = { ...given, question_pack_id: "qpack_another_one", answers: [...given.answers, ...given.answers] };
    expect(readAnswers(twice, pack, source.uncertainties).problems.map((p) => p.path)).toEqual([
      "question_pack_id",
      "answers[1].question_id",
      "answers[2].question_id",
      "answers[3].question_id",
    ]);
  });

  it("knows what was left unanswered", () => {
    const { unanswered } = read({ q_fact_is_ready: "true" });
    expect(unanswered).toHaveLength(source.uncertainties.length - 1);
  });
});

describe("resolve [S4-051]", () => {
  const resolved = (answers: Record<string, string>) => resolve(NOTHING_RESOLVED, read(answers).settled);

  it("makes facts of answers, in their types", () => {
    const { facts } = resolved({
      q_fact_is_ready: "false",
      q_fact_how_many: "4.5",
      q_fact_who_owns: "eve",
      q_fact_which_ones: '["x","y"]',
      q_evidence_disputed: "true",
    });
    expect(Object.fromEntries(facts)).toEqual({
      is_ready: false,
      how_many: 4.5,
      who_owns: "eve",
      which_ones: ["x", "y"],
      disputed: true,
    });
  });

  it("keeps a fact unknown that only fell back", () => {
    expect(resolved({ q_fact_is_ready: "fallback", q_fact_who_owns: "fallback" }).facts.size).toBe(0);
    expect(resolved({ q_fact_who_owns: "unknown" }).facts.get("who_owns")).toBe("unknown");
  });

  it("takes the registry's default of a fact of any type", () => {
    const { source: defaulted } = workbench({
      registry: (r) => {
        r.facts = [
          fact("who_owns", { type: "string", default: "ada" }),
          fact("which_ones", { type: "strings", default: ["x"] }),
        ];
        r.rules.push(rule("reads", `facts.who_owns == "eve"`), rule("also", `"x" in facts.which_ones`));
      },
    });
    expect(Object.fromEntries(resolve(NOTHING_RESOLVED, fallBack(defaulted.uncertainties)).facts)).toEqual({
      who_owns: "ada",
      which_ones: ["x"],
    });
  });

  it("keeps parameters by command, reviewers by category, scopes by action", () => {
    const { parameters, reviewers, scopeWidened } = resolved({
      q_param_name_it_colour: "red",
      q_param_name_it_title_of_it: "It",
      q_reviewer_architecture: "ada, , bob",
      q_scope_name_it: "widen",
    });
    expect(Object.fromEntries(parameters.get("name_it") ?? [])).toEqual({ colour: "red", title_of_it: "It" });
    expect(reviewers.get("architecture")).toEqual(["ada", "bob"]);
    expect([...scopeWidened]).toEqual(["name_it"]);
  });

  it("does not widen on stop, and changes nothing it was given", () => {
    expect(resolved({ q_scope_name_it: "stop" }).scopeWidened.size).toBe(0);
    expect(NOTHING_RESOLVED).toEqual({
      facts: new Map(),
      parameters: new Map(),
      reviewers: new Map(),
      scopeWidened: new Set(),
    });
  });
});

describe("checkAnswerConflicts [S4-052]", () => {
  const decision = (kind: "allow" | "warn" | "require_review" | "deny") => [
    { ...(source.decisions[0] as (typeof source.decisions)[number]), decision: kind },
  ];
  it.each([
    ["allow", "allow", 0],
    ["allow", "warn", 1],
    ["warn", "require_review", 1],
    ["require_review", "deny", 1],
    ["require_review", "allow", 0],
    ["deny", "allow", 0],
  ] as const)("from %s to %s: %d", (before, after, count) => {
    expect(checkAnswerConflicts(decision(before), decision(after))).toHaveLength(count);
  });
});

describe("answers in the graph [S4-051, S4-014]", () => {
  const answers = {
    q_fact_is_ready: "true",
    q_fact_how_many: "fallback",
    q_fact_who_owns: "bob",
    q_fact_which_ones: "[]",
    q_evidence_disputed: "false",
    q_param_name_it_colour: "red",
    q_param_name_it_title_of_it: "The name",
    q_scope_name_it: "widen",
    q_reviewer_architecture: "ada",
  };
  const out = planWith({ ...asking, answers: [answersTo(pack, answers)] });

  it("stand on the question nodes, say who gave them, and reach the actions", () => {
    expect(out.tape.failure_info).toBeUndefined();
    expect(out.state).toBe("DONE");
    const nodes = out.graph?.nodes.filter((n) => n.node_type === "question") ?? [];
    expect(nodes).toHaveLength(9);
    expect(nodes.find((n) => n.question_ref === "q_param_name_it_colour")?.metadata).toEqual({
      status: "answered",
      answer: "red",
      provided_by: "human",
    });
    expect(nodes.find((n) => n.question_ref === "q_fact_how_many")?.metadata).toMatchObject({ status: "fallback" });
    expect(out.graph?.nodes.find((n) => n.node_id === "node_action_name_it")).toMatchObject({
      metadata: { parameters: { colour: "red", title_of_it: "The name" } },
    });
    expect(out.review?.required_reviews[0]?.reviewers).toEqual(["ada"]);
    expect(out.review?.summary).toMatchObject({ questions_answered: 8, fallbacks_used: 1 });
  });
});
