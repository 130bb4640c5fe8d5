import { describe, expect, it } from "vitest";
import { fact, registryWith, rule } from "../../../testing/plan-fixtures.js";
import { compileRules } from "./compile-rules.js";

describe("compileRules: check_machine_decidable [S4-032]", () => {
  const undecidable = (when: string) => {
    const { rules, undecidable: found } = compileRules({
      ...registryWith(),
      rules: [rule("odd_rule", when)],
    });
    return { rules: rules.length, found };
  };

  it.each([
    ["a misspelt field", "command.efects.size() > 0"],
    ["an undeclared fact", "facts.weather"],
    ["a condition that is not a bool", "command.id"],
    ["a comparison of unlike types", "command.failure_rate == command.id"],
    ["prose", "the command looks dangerous"],
    ["nothing that ends", "("],
  ])("does not take %s: %s", (_, when) => {
    const { rules, found } = undecidable(when);
    expect(rules).toBe(0);
    expect(found[0]).toMatchObject({ code: "RULE_UNDECIDABLE", ruleId: "odd_rule", path: "rules.odd_rule.when" });
    expect(found[0]?.line).toBeGreaterThan(0);
    expect(found[0]?.column).toBeGreaterThan(0);
  });

  it("leaves rules out that are not active, and knows which facts a rule reads", () => {
    const compiled = compileRules({
      ...registryWith(),
      facts: [fact("tests_pass"), fact("owner", { type: "string" })],
      rules: [rule("old_rule", "nonsense ("), rule("new_rule", `facts.tests_pass && facts.owner == "ada"`)].map((r) =>
        r.id === "old_rule" ? { ...r, status: "deprecated" as const } : r,
      ),
    });
    expect(compiled.undecidable).toEqual([]);
    expect(compiled.rules.map((r) => [r.rule.id, r.factsRead])).toEqual([["new_rule", ["owner", "tests_pass"]]]);
  });
});
