import { describe, expect, it } from "vitest";
import { type PersonAsked, specifyByPerson } from "./person-spec.js";
import { Check } from "../../model/settings/check.js";

const checks = [Check.parse({ name: "test", kind: "test", run: "node --test" })];
const asked = (answers: Record<string, string>, more: Partial<PersonAsked> = {}): PersonAsked => ({
  about: "550e8400",
  title: "Make the checkout page faster",
  request: "Make the checkout page faster",
  acceptance: [],
  ruleId: "vague_wish",
  answers: Object.entries(answers).map(([id, answer]) => ({ id, answer })),
  checks,
  ...more,
});

describe("specifyByPerson", () => {
  it("asks what makes up an Intent Spec, names the rule and offers the checks of the project", () => {
    const specified = specifyByPerson(asked({}));
    if (specified.status !== "questions") throw new Error("it must ask");
    expect(specified.questions.map(({ id }) => id)).toEqual(["acceptance", "proof", "out_of_scope"]);
    expect(specified.questions[0]?.question).toContain("vague_wish");
    expect(specified.questions[1]?.options).toEqual(["test"]);
    const left = specifyByPerson(asked({ acceptance: "It answers in 1 s", proof: "test" }));
    expect(left).toMatchObject({ status: "questions", questions: [{ id: "out_of_scope" }] });
  });

  it("makes each statement a requirement, with what it is seen by", () => {
    const answers = {
      acceptance: "It answers within a second; the total stays right",
      proof: "`node bench.mjs`; test",
      out_of_scope: "The design",
    };
    expect(specifyByPerson(asked(answers))).toMatchObject({
      status: "specified",
      spec: {
        objective: "Make the checkout page faster",
        requirements: [
          { id: "REQ-1", verification: { kind: "command", run: "node bench.mjs" }, source: "answer:acceptance" },
          { id: "REQ-2", verification: { kind: "check", name: "test" } },
        ],
        out_of_scope: ["The design"],
      },
    });
    const file = specifyByPerson(asked({ ...answers, proof: "docs/speed.md" }));
    expect(file).toMatchObject({ spec: { requirements: [{ verification: { kind: "file_exists" } }, {}] } });
  });

  it("lets the words stand where no program could look, and where the request says it itself", () => {
    const vague = specifyByPerson(asked({ acceptance: "Users love it", proof: "I can tell", out_of_scope: "Design" }));
    expect(vague).toMatchObject({ status: "specified", spec: null });
    if (vague.status === "specified") expect(vague.told).toContain("I can tell");
    const own = specifyByPerson(asked({}, { acceptance: ["It must answer within a second"] }));
    expect(own).toMatchObject({ status: "specified", spec: null });
    const trivial = specifyByPerson(asked({ acceptance: "It is good", proof: "`true`", out_of_scope: "Design" }));
    expect(trivial).toMatchObject({ status: "specified", spec: null });
  });
});
