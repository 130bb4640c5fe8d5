import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { IntakePolicy } from "../../model/intake-policy.js";
import { intake } from "./intake.js";

const file = parse(readFileSync("policy/intake.yaml", "utf8")) as Record<string, unknown> & {
  safety: Record<string, unknown>;
};
const policy = IntakePolicy.parse(file);

function ask(user_request: string) {
  return { request_id: "550e8400-e29b-41d4-a716-446655440000", timestamp: "2025-10-28T10:30:00Z", user_request };
}

describe("the guide's example", () => {
  const guide = readFileSync("docs/guides/intake-policy.md", "utf8");
  const example = parse(/```yaml\n([^`]*supported_types[^`]*)```/.exec(guide)?.[1] ?? "") as Record<string, unknown> & {
    safety: { classes: Record<string, unknown>; rules: unknown[] };
  };
  const changed = IntakePolicy.parse({
    ...policy,
    ...example,
    safety: {
      ...policy.safety,
      classes: { ...policy.safety.classes, ...example.safety.classes },
      rules: [...policy.safety.rules, ...example.safety.rules],
    },
  });

  it("loads, and does what it says [S1-132]", () => {
    expect(intake(changed, ask("App crashes on rotation on Android 13"))).toMatchObject({
      rule_id: "support_unlisted",
      decision: "rejected",
    });
    const harm = ask("Change the closing entry after the year end");
    expect(intake(policy, harm).decision).toBe("approved");
    expect(intake(changed, harm)).toMatchObject({ decision: "rejected", rule_id: "safety_ledger_freeze" });
    expect(intake(changed, ask("Show the closing entry in the general ledger view")).safety_category).toBeNull();
    const backend = intake(changed, ask("Add pagination to the REST endpoint that lists invoices"));
    expect(backend).toMatchObject({ decision: "approved", gates: ["requirements", "tests", "security_review"] });
    expect(backend.estimate?.budget.max_tokens).toBe(150_000);
  });
});

describe("a policy that cannot work does not load", () => {
  const refuses = (change: object) => !IntakePolicy.safeParse({ ...policy, ...change }).success;

  it("names classes it has, a priced default model, and at least one supported type", () => {
    const rule = { id: "safety_x", category: "x_y", reason: "some reason", action: ["no_such_class"] };
    expect(refuses({ safety: { ...policy.safety, rules: [rule] } })).toBe(true);
    expect(refuses({ safety: { ...policy.safety, rules: [{ ...rule, action: [] }] } })).toBe(true);
    expect(
      refuses({ safety: { ...policy.safety, points: { refuse_at: 1, min_groups: 1, groups: { a_b: { nope: 1 } } } } }),
    ).toBe(true);
    expect(refuses({ estimate: { ...policy.estimate, default_model: "none" } })).toBe(true);
    expect(refuses({ supported_types: [] })).toBe(true);
    expect(refuses({ unknown_key: 1 })).toBe(true);
  });

  it("reads a list and a text with commas alike", () => {
    const vague = policy.clarity.vague.join(", ");
    expect(IntakePolicy.parse({ ...policy, clarity: { ...policy.clarity, vague } })).toEqual(policy);
  });

  it("has unique rule ids and no pattern that says nothing", () => {
    const ids = policy.safety.rules.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { patterns } of Object.values(policy.safety.classes))
      for (const pattern of patterns) expect(pattern).toMatch(/[\p{L}\d]/u);
  });
});
