import { describe, expect, it } from "vitest";
import type { IntakeDecision } from "../../model/request.js";
import { type Opinion, describeOpinion, withOpinion } from "./second-opinion.js";

const decided = (decision: IntakeDecision["decision"], safety_category: string | null): IntakeDecision => ({
  request_id: null,
  decision,
  rule_id: "intake_approved",
  reason: "decided by rules",
  safety_category,
  intent: { action: null, object: null, purpose: null, places: [], acceptance: [] },
  project_type: { type: null, source: "none", confidence: 0, candidates: [] },
  approach: null,
  workflow_id: null,
  gates: [],
  estimate: null,
  questions: [],
  steps: [],
});
const says = (verdict: Opinion["verdict"]): Opinion => ({
  by: "reader",
  usage: null,
  verdict,
  category: "fraud",
  reason: "a false record",
});

describe("a second opinion", () => {
  const RANK = { approved: 0, needs_clarification: 1, rejected: 2 } as const;

  it("never loosens: every decision with every opinion is at least as strict", () => {
    for (const before of [
      decided("approved", null),
      decided("needs_clarification", "fraud"),
      decided("rejected", "fraud"),
    ])
      for (const verdict of ["pass", "hold", "refuse", null] as const)
        expect(RANK[withOpinion(before, says(verdict)).decision]).toBeGreaterThanOrEqual(RANK[before.decision]);
  });

  it("holds with the questions of safety, or refuses, and says who and why", () => {
    const held = withOpinion(decided("approved", null), says("hold"));
    expect(held).toMatchObject({
      decision: "needs_clarification",
      rule_id: "safety_second_opinion",
      safety_category: "fraud",
    });
    expect(held.questions.map(({ id }) => id)).toEqual(["purpose", "authorisation"]);
    expect(withOpinion(decided("approved", null), says("refuse"))).toMatchObject({
      decision: "rejected",
      questions: [],
    });
    expect(withOpinion(decided("needs_clarification", "fraud"), says("refuse")).decision).toBe("rejected");
    expect(held.reason).toContain("reader holds it in a second opinion: a false record");
  });

  it("that nobody gave is told, and changes nothing", () => {
    const before = decided("approved", null);
    expect(withOpinion(before, says(null))).toBe(before);
    expect(describeOpinion(says(null))).toContain("the decision of the rules stands");
  });
});
