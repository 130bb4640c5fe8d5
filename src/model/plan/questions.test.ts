import { expect, it } from "vitest";
import { command, parameter, plannedCommand, planWith } from "../../testing/plan-fixtures.js";
import { AnswerPack, QuestionPack } from "./questions.js";
import { NOW } from "../../testing/plan-fixtures.js";

const pack = planWith({
  registry: (r) => r.commands.push(command("name_it", { parameters: [parameter("name")] })),
  intent: (i) => i.planned_commands.push(plannedCommand("name_it")),
}).questions[0];

it("a QuestionPack in full_auto does not parse: full_auto never asks [S4-053]", () => {
  if (pack === undefined) throw new Error("nothing is asked");
  expect(QuestionPack.safeParse(pack).success).toBe(true);
  const auto = { ...pack, policy_constraints: { ...pack.policy_constraints, execution_mode: "full_auto" } };
  expect(QuestionPack.safeParse(auto).error?.issues[0]?.message).toBe("full_auto never asks");
});

it.each([
  ["no question", { questions: [] }],
  ["an unknown field", { extra: 1 }],
  ["a question without evidence", { questions: pack?.questions.map((q) => ({ ...q, evidence_refs: [] })) }],
  ["an unknown class of question", { questions: pack?.questions.map((q) => ({ ...q, type: "curiosity" })) }],
])("a QuestionPack with %s does not parse [S4-047, S4-048]", (_, change) => {
  expect(QuestionPack.safeParse({ ...pack, ...change }).success).toBe(false);
});

it("an AnswerPack is closed, and its answers are", () => {
  const answer = {
    question_id: "q_param_x",
    answer_type: "text",
    answer_text: "x",
    provided_at: NOW,
    provided_by: "human",
  };
  const answers = {
    pack_id: "apack_abcdef",
    schema_version: "0.9.2",
    question_pack_id: "qpack_abcdef",
    answers: [answer],
    provided_at: NOW,
  };
  expect(AnswerPack.safeParse(answers).success).toBe(true);
  expect(AnswerPack.safeParse({ ...answers, extra: 1 }).success).toBe(false);
  expect(AnswerPack.safeParse({ ...answers, answers: [{ ...answer, extra: 1 }] }).success).toBe(false);
  expect(AnswerPack.safeParse({ ...answers, answers: [] }).success).toBe(false);
});
