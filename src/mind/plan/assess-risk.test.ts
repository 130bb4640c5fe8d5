import { describe, expect, it } from "vitest";
import { RISK_LEVELS } from "../../model/primitives.js";
import {
  command,
  type Difference,
  fact,
  fullAuto,
  plannedCommand,
  planWith,
  rule,
  workbench,
} from "../../testing/plan-fixtures.js";

const risk = (difference: Difference = {}) => workbench(difference).source.risk;

describe("assessRisk", () => {
  it("starts from what the intent declares, each driver a factor with its evidence [S4-030]", () => {
    expect(risk()).toEqual({
      overall_risk: "low",
      factors: [{ factor: "One file only", level: "low", evidence_refs: ["intent://intent_base_plan/risk"] }],
    });
  });

  it.each(RISK_LEVELS)("is never below a command of %s risk [S4-030]", (risk_level) => {
    const { overall_risk } = risk({
      intent: (i) => (i.planned_commands[1] = plannedCommand("edit_code", { risk_level })),
    });
    expect(overall_risk).toBe(risk_level);
  });

  it("rises with a rule that fired, a deployment, and a rule that could not decide [S4-030]", () => {
    const { overall_risk, factors } = risk({
      registry: (r) => {
        r.facts = [fact("unknown_one")];
        r.rules.push(rule("risky", `command.id == "edit_code"`, { decision: "warn", risk: "high" }));
        r.rules.push(rule("unsure", "facts.unknown_one"));
      },
      intent: (i) => i.planned_commands.push(plannedCommand("ship_code", { effects: ["deploy"] })),
    });
    expect(overall_risk).toBe("high");
    expect(factors.map(({ factor, level }) => [factor, level])).toEqual([
      ["One file only", "low"],
      ["A rule could not decide", "medium"],
      ["Rule risky", "high"],
      ["Something is deployed", "medium"],
    ]);
  });

  it("does not rise with a rule that did not fire", () => {
    expect(risk({ registry: (r) => r.rules.push(rule("quiet", "false", { risk: "critical" })) }).overall_risk).toBe(
      "low",
    );
  });

  it("is not talked down by a driver that has the name of a factor", () => {
    const { overall_risk } = risk({
      intent: (i) => {
        i.risk.drivers = ["Commands of high risk"];
        i.planned_commands[1] = plannedCommand("edit_code", { risk_level: "high" });
      },
    });
    expect(overall_risk).toBe("high");
  });

  it("keeps at most twenty pieces of evidence of a factor", () => {
    const many = Array.from({ length: 30 }, (_, i) => `extra_${i}`);
    const { factors } = risk({
      registry: (r) => r.commands.push(...many.map((id) => command(id))),
      intent: (i) => i.planned_commands.push(...many.map((id) => plannedCommand(id, { risk_level: "medium" }))),
    });
    expect(factors.find((f) => f.factor === "Commands of medium risk")?.evidence_refs).toHaveLength(20);
  });
});

it("what the rules find counts for the red line I3, not only what the intent declares [S4-080]", () => {
  const out = planWith({
    intent: fullAuto,
    registry: (r) => r.rules.push(rule("risky", "true", { decision: "warn", risk: "high" })),
  });
  expect(out.state).toBe("ABORTED");
  expect(out.tape.failure_info).toMatchObject({ failure_type: "red_line_violation", failed_at_state: "CONTEXT_BUILT" });
});
