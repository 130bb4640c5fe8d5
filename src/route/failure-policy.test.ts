import { describe, expect, it } from "vitest";
import { RoutingFailurePolicy } from "../model/routing.js";
import {
  type ChildFailure,
  type ChildOutcome,
  classifyFailure,
  escalationPackage,
  retryDecision,
  type Violation,
} from "./failure-policy.js";

const policy = RoutingFailurePolicy.parse({});
const outcome = (over: Partial<ChildOutcome>): ChildOutcome => ({
  ended: "completed",
  malformed: null,
  violations: [],
  contradicts: [],
  message: "",
  ...over,
});
const violation = (type: Violation["type"]): Violation => ({ type, ref: "ref", message: "why" });
const TIMEOUT: ChildFailure = { class: "structural", type: "timeout", message: "" };

type Case = readonly [string, Partial<ChildOutcome>, "structural" | "semantic", string, string];

describe("classifyFailure", () => {
  it.each<Case>([
    ["invalid JSON", { malformed: "invalid_json" }, "structural", "malformed_output", "[S0-046]"],
    ["truncated output", { malformed: "truncated" }, "structural", "malformed_output", "[S0-046]"],
    ["a schema violation", { malformed: "schema_violation" }, "structural", "malformed_output", "[S0-046]"],
    ["a timeout", { ended: "timed_out" }, "structural", "timeout", "[S0-047]"],
    ["a crash", { ended: "crashed" }, "structural", "runtime_crash", "[S0-048]"],
    ["a rule violation", { violations: [violation("rule_violation")] }, "semantic", "rule_violation", "[S0-053]"],
    ["a spec violation", { violations: [violation("spec_violation")] }, "semantic", "spec_violation", "[S0-055]"],
    ["a scope violation", { violations: [violation("scope_violation")] }, "semantic", "scope_violation", "[S0-056]"],
    [
      "a crash after a scope violation",
      { ended: "crashed", violations: [violation("scope_violation")] },
      "semantic",
      "scope_violation",
      "[S0-057]",
    ],
  ])("%s is %s %s %s [S0-045]", (_, over, kind, type) => {
    expect(classifyFailure(outcome(over), [])).toMatchObject({ class: kind, type });
  });

  it("sees a contradiction of an injected document as a rule violation, and of no other [S0-054]", () => {
    const contradicts = ["adr-1", "adr-2"];
    expect(classifyFailure(outcome({ contradicts }), ["adr-1"])).toMatchObject({
      class: "semantic",
      type: "rule_violation",
      violations: [{ ref: "adr-1" }],
    });
    expect(classifyFailure(outcome({ contradicts }), ["other"])).toBeNull();
  });

  it("finds no failure in a good result", () => {
    expect(classifyFailure(outcome({}), [])).toBeNull();
  });
});

describe("retryDecision", () => {
  it("retries a structural failure three times, then escalates [S0-049] [S0-051]", () => {
    const actions = [0, 1, 2, 3].map(
      (n) =>
        retryDecision(
          Array.from({ length: n }, () => TIMEOUT),
          TIMEOUT,
          policy,
        ).action,
    );
    expect(actions).toEqual(["retry", "retry", "retry", "escalate"]);
  });

  it("retries with a new instance that carries nothing over [S0-050]", () => {
    expect(retryDecision([TIMEOUT], TIMEOUT, policy)).toMatchObject({ retry: 2, instance: "new", carries_over: [] });
  });

  it("records the count and the details of every failure [S0-052]", () => {
    const crash: ChildFailure = { class: "structural", type: "runtime_crash", message: "exit 137" };
    expect(retryDecision([TIMEOUT], crash, policy).audit).toEqual({ retry_count: 1, failures: [TIMEOUT, crash] });
  });

  it.each(["rule_violation", "spec_violation", "scope_violation"] as const)(
    "kills and escalates %s at once, however many retries a policy allows [S0-053] [S0-055] [S0-056] [S0-057] [S0-064]",
    (type) => {
      const failure: ChildFailure = { class: "semantic", type, violations: [violation(type)] };
      const generous = RoutingFailurePolicy.parse({ max_retries: 10 });
      expect(retryDecision([], failure, generous)).toMatchObject({ action: "escalate", trigger: type, kill: true });
    },
  );

  it("reads its numbers from the policy [S0-011]", () => {
    expect(retryDecision([], TIMEOUT, RoutingFailurePolicy.parse({ max_retries: 0 })).action).toBe("escalate");
    const quiet = RoutingFailurePolicy.parse({
      max_retries: 0,
      escalation_triggers: ["rule_violation", "spec_violation", "scope_violation"],
    });
    expect(retryDecision([], TIMEOUT, quiet)).toMatchObject({ action: "fail", trigger: "retries_exhausted" });
  });

  it("looks again once when the input did not suffice, then asks a person [S0-044]", () => {
    const failure: ChildFailure = { class: "insufficient_input", message: "no spec" };
    expect(retryDecision([], failure, policy).action).toBe("reevaluate");
    expect(retryDecision([failure], failure, policy)).toMatchObject({
      action: "escalate",
      trigger: "insufficient_input",
    });
  });
});

describe("escalationPackage", () => {
  it("holds input, context, output and violation as they were, for the operator to decide [S0-058] [S0-059]", () => {
    const input = Object.freeze({ body: "x" });
    const output = Object.freeze({ files: ["a"] });
    const failure: ChildFailure = {
      class: "semantic",
      type: "spec_violation",
      violations: [violation("spec_violation")],
    };
    const { audit } = retryDecision([], failure, policy);
    const packed = escalationPackage({ task_id: "t", input, injected_context: ["adr"], output, failure, audit });
    expect(packed).toEqual({
      status: "escalated",
      task_id: "t",
      input,
      injected_context: ["adr"],
      agent_output: output,
      violation: failure,
      audit,
      decided_by: "operator",
    });
    expect(packed.input).toBe(input);
    expect(packed.agent_output).toBe(output);
  });
});
