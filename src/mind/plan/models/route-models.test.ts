import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ModelDecision } from "../../../model/plan/decision.js";
import { Sensitivity } from "../../../model/primitives.js";
import { TaskCapability } from "../../../model/plan/registry.js";
import {
  type Difference,
  model,
  plannedCommand,
  planWith,
  policyWith,
  task,
  workbench,
} from "../../../testing/plan-fixtures.js";
import { checkCompliance } from "./rank-models.js";
import { estimateAction, estimateCost, routeModels } from "./route-models.js";

/** The choice for edit_code. */
function chosen(difference: Difference = {}) {
  const { actions, source } = workbench(difference);
  const at = actions.findIndex(({ key }) => key === "edit_code");
  const found = source.costs[at];
  if (found === undefined) throw new Error("no such action");
  return found;
}
const secret = (sensitivity: Sensitivity): NonNullable<Difference["registry"]> => {
  return (r) => {
    for (const c of r.commands) c.data_sensitivity = sensitivity;
  };
};

describe("routeModels", () => {
  it("picks the cheapest model that is good enough and says why, and why not the others [S1-148, S4-054]", () => {
    const { decision, costUsd } = chosen();
    expect(ModelDecision.parse(decision)).toMatchObject({
      task_type: "coding",
      data_sensitivity: "internal",
      model: "cloud-small",
      location: "cloud",
      reason: "The cheapest model of quality 3 or better for coding with internal data.",
      fallbacks: [{ model: "cloud-large" }],
      rejected: [
        { alternative: "local-small", reason_rejected: "it is not installed (models.installed in the policy)" },
        { alternative: "cloud-large", reason_rejected: "cloud-small is preferred or cheaper and good enough" },
      ],
    });
    expect(costUsd).toBeCloseTo(0.018, 9);
  });

  it("takes a local model that is installed, and a preferred one before a cheaper one [S4-054]", () => {
    expect(chosen({ policy: (p) => (p.models.installed = ["local-small"]) }).decision).toMatchObject({
      model: "local-small",
      location: "local",
      cost_estimate_usd: 0,
    });
    expect(chosen({ policy: (p) => (p.models.preferred = ["cloud-large"]) }).decision.model).toBe("cloud-large");
  });

  it.each(["confidential", "restricted"] as const)("never shows %s data to a model in the cloud [S4-055]", (data) => {
    const none = chosen({ registry: secret(data) });
    expect(none.decision).toMatchObject({ model: null, location: null, cost_is: "assumed", fallbacks: [] });
    expect(none.decision.rejected).toContainEqual({
      alternative: "cloud-large",
      reason_rejected: `${data} data must not leave the machine`,
    });
    const local = chosen({ registry: secret(data), policy: (p) => (p.models.installed = ["local-small"]) });
    expect(local.decision.model).toBe("local-small");
  });

  it("never does, whatever the models, the policy and the data: neither as choice nor as fallback [S4-055]", () => {
    const models = fc.array(
      fc.record({
        location: fc.constantFrom("local" as const, "cloud" as const),
        quality: fc.integer({ min: 1, max: 5 }),
        price: fc.integer({ min: 0, max: 20 }),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(models, fc.constantFrom(...Sensitivity.options), fc.boolean(), (entries, data, onlyPublic) => {
        const list = entries.map(({ location, quality, price }, i) =>
          model(`model-${i}`, {
            location,
            quality,
            price: { usd_per_million_in: price, usd_per_million_out: price, as_of: "2026-01-01" },
          }),
        );
        const policy = policyWith((p) => {
          p.models.cloud_allowed_up_to = onlyPublic ? "public" : "internal";
          p.models.installed = list.map((m) => m.id);
        });
        const { actions } = workbench({ registry: secret(data) });
        const allowed = data === "public" || (data === "internal" && !onlyPublic);
        for (const { decision } of routeModels(actions, list, policy, 10)) {
          const named = [decision.model, ...decision.fallbacks.map(({ model }) => model)].filter((id) => id !== null);
          const places = named.map((id) => list.find((m) => m.id === id)?.location);
          if (!allowed) expect(places).not.toContain("cloud");
        }
      }),
      { numRuns: 100 },
    );
  });

  it("wants more of a model when the command is delicate", () => {
    const { decision } = chosen({
      intent: (i) => (i.planned_commands[1] = plannedCommand("edit_code", { risk_level: "high" })),
      policy: (p) => (p.models.installed = ["local-small"]),
    });
    expect(decision).toMatchObject({ quality_wanted: 4, model: "cloud-small" });
    expect(decision.rejected[0]?.reason_rejected).toBe("its quality 3 is below the 4 wanted");
  });

  it.each([
    ["its status is frozen", { status: "frozen" as const }],
    ["it is not for coding", { capabilities: ["writing" as const] }],
    ["its context of 4096 tokens is too small", { context_tokens: 4096 }],
    ["the policy policy_test denies it", { id: "denied-model" }],
  ])("rejects a model because %s [S4-055]", (why, entry) => {
    const { decision } = chosen({
      registry: (r) => (r.models = [model("odd-model", entry)]),
      policy: (p) => (p.models.denied = ["denied-model"]),
    });
    expect(decision.rejected.map((r) => r.reason_rejected)).toEqual([why]);
  });

  it("spends the budget as it goes, and falls to what is left of it [S4-057]", () => {
    const { source } = workbench({ intent: (i) => (i.budgets.max_cost_usd = 0.04) });
    expect(source.costs.map(({ decision }) => decision.model)).toEqual(["cloud-small", "cloud-small", null]);
    const [, , last] = source.costs;
    expect(last?.decision).toMatchObject({
      reason: "Every model that may be used costs more than the budget has left.",
      cost_is: "assumed",
      budget_remaining_usd: 0,
    });
    expect(last?.costUsd).toBeCloseTo(0.018, 9);
  });

  it("takes the lower of the intent's and the policy's budget [S4-057]", () => {
    const { source } = workbench({ policy: (p) => (p.budgets.max_cost_usd = 0.02) });
    expect(source.costs.map(({ decision }) => decision.model)).toEqual(["cloud-small", null, null]);
  });

  it("never takes an unknown cost for nothing: it assumes the dearest model", () => {
    const { costUsd, decision } = chosen({ registry: secret("restricted") });
    expect(decision.model).toBeNull();
    expect(costUsd).toBeCloseTo((8000 * 10 + 2000 * 50) / 1e6, 9);
  });

  it("shares one decision among actions of a kind, which counts them", () => {
    const { source } = workbench({ tasks: [task("T-1"), task("T-2"), task("T-3")] });
    const coding = source.costs.filter(({ decision }) => decision.task_type === "coding");
    expect(new Set(coding.map(({ decision }) => decision.decision_id)).size).toBe(1);
    expect(coding[0]?.decision).toMatchObject({ actions: 4, cost_estimate_usd: 0.072 });
  });

  it("goes on without any model", () => {
    const { decision, costUsd } = chosen({ registry: (r) => (r.models = []) });
    expect(decision).toMatchObject({ model: null, cost_is: "assumed" });
    expect(costUsd).toBe(0);
  });
});

describe("checkCompliance [S4-055]", () => {
  const cloud = model("in-the-cloud");
  const local = model("on-the-machine", { location: "local" });
  it.each([
    [cloud, "public", true, "public data may leave the machine"],
    [cloud, "internal", true, "internal data may leave the machine"],
    [cloud, "confidential", false, "confidential data must not leave the machine"],
    [cloud, "restricted", false, "restricted data must not leave the machine"],
    [local, "restricted", true, "it runs on this machine"],
  ] as const)("%s", (entry, sensitivity, compliant, reason) => {
    expect(checkCompliance(entry, sensitivity, policyWith())).toEqual({ compliant, reason });
  });

  it("follows a stricter policy", () => {
    const strict = policyWith((p) => (p.models.cloud_allowed_up_to = "public"));
    expect(checkCompliance(cloud, "internal", strict).compliant).toBe(false);
    expect(checkCompliance(cloud, "public", strict).compliant).toBe(true);
  });
});

describe("estimates", () => {
  it("prices tokens in and out in USD [S4-056]", () => {
    const estimate = { tokensIn: 2_000_000, tokensOut: 500_000, minutes: 1, source: "registry" as const };
    expect(estimateCost(model("some-model"), estimate)).toBe(4.5);
  });

  it.each(TaskCapability.options)("prices %s work [S4-056]", (capability) => {
    const { decision, costUsd } = chosen({
      registry: (r) => {
        for (const c of r.commands) c.capability = capability;
      },
    });
    expect(decision.task_type).toBe(capability);
    expect(costUsd).toBeGreaterThan(0);
  });

  it("takes the task's own figure first, split as the registry splits its own", () => {
    const { actions } = workbench({ tasks: [task("T-1", { estimate: { tokens: 1000, minutes: 7 } })] });
    expect(actions.map(estimateAction)[2]).toEqual({ tokensIn: 800, tokensOut: 200, minutes: 7, source: "task" });
  });
});

it("the router advises: whatever it says, decisions, risk, shape of the graph and all guards but the budget stay the same", () => {
  const rich = { intent: (i: { budgets: { max_cost_usd: number } }) => void (i.budgets.max_cost_usd = 10_000) };
  const seen = [
    {},
    { registry: (r: { models: unknown[] }) => void (r.models = []) },
    { policy: (p: { models: { denied: string[] } }) => void (p.models.denied = ["cloud-small", "cloud-large"]) },
  ].map((difference) => {
    const { state, decisions, risk, graph, tape } = planWith({ ...rich, ...difference });
    const guards = tape.states.flatMap((s) => s.guards_evaluated.map((g) => `${g.guard_name} ${g.passed}`));
    return { state, decisions, risk, nodes: graph?.nodes.map((n) => n.node_id), edges: graph?.edges, guards };
  });
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).toEqual(seen[0]);
  expect(seen[0]?.state).toBe("DONE");
});
