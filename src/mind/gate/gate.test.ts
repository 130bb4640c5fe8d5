import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RISK_LEVELS } from "../../model/primitives.js";
import { GateDecision, GatePolicy, RunPhase } from "../../model/run.js";
import { gate, type GateFacts } from "./gate.js";
import { quality } from "./quality.js";

const policy = GatePolicy.parse({});
const FACTS: GateFacts = {
  required_deliverables: ["api", "docs"],
  deliverables: [
    { name: "api", complete: true },
    { name: "docs", complete: true },
  ],
  quality: {
    checks: { passed: 9, total: 10 },
    coverage: null,
    verdicts: { pass: 2, fail: 0, blocked: 0 },
    findings: { critical: 0, high: 0, medium: 0, low: 0 },
  },
  risks: [{ risk: "the provider changes its API", severity: "high" }],
  blockers: [{ description: "a key is missing", severity: "medium" }],
  tokens_remaining: 1000,
};
const NAMES = ["deliverables", "quality", "risks", "blockers", "resources"];

const decide = (over: Partial<GateFacts> = {}, phase: RunPhase = "execution") =>
  gate(phase, { ...FACTS, ...over }, policy);
const failed = ({ criteria }: GateDecision) => criteria.filter(({ passed }) => !passed).map((c) => c.criterion);

describe("the phase gate", () => {
  it("says GO when all five criteria are met, each with its evidence [S1-057, S1-063, S1-138]", () => {
    const decision = decide();
    expect(decision).toMatchObject({ decision: "GO", reason: "All criteria met, proceed to next phase" });
    expect(decision.criteria.map(({ criterion, passed }) => [criterion, passed])).toEqual(NAMES.map((n) => [n, true]));
    expect(decision.criteria.map(({ evidence }) => evidence)).toEqual([
      ["api: complete", "docs: complete"],
      [
        "checks: 90 at 41.18 % (9 of 10 checks passed)",
        "coverage: coverage not measured",
        "verdicts: 100 at 41.18 % (verdicts: 2 PASS, 0 FAIL, 0 BLOCKED)",
        "findings: 100 at 17.65 % (open findings: 0 low, 0 medium, 0 high, 0 critical)",
      ],
      ["high: the provider changes its API"],
      ["medium: a key is missing"],
      ["1000 tokens remaining", "1000 needed for the next phase"],
    ]);
  });

  const noGo = (over: Partial<GateFacts>, criterion: string, reason: string) => {
    const decision = decide(over);
    expect(decision).toMatchObject({ decision: "NO_GO", reason });
    expect(failed(decision)).toEqual([criterion]);
    expect(decision.criteria.map((c) => c.criterion)).toEqual(NAMES);
  };

  it.each<[string, GateFacts["deliverables"]]>([
    ["missing", [{ name: "api", complete: true }]],
    [
      "not complete",
      [
        { name: "api", complete: true },
        { name: "docs", complete: false },
      ],
    ],
  ])("says NO_GO when a required deliverable is %s [S1-058, S1-059]", (_, deliverables) => {
    noGo({ deliverables }, "deliverables", "Missing required deliverables: docs");
  });

  it("says NO_GO for a quality score under the threshold, and GO at it [S1-058, S1-060]", () => {
    const measured = (passed: number) => ({
      quality: { checks: { passed, total: 100 }, coverage: null, verdicts: null, findings: null },
    });
    noGo(measured(79), "quality", "Quality below threshold: 79 of 80");
    expect(decide(measured(80)).decision).toBe("GO");
  });

  it("says NO_GO while a finding is critical, however good the score [S1-058]", () => {
    const findings = { critical: 1, high: 0, medium: 0, low: 0 };
    const parts = { checks: { passed: 1, total: 1 }, coverage: 100, verdicts: null, findings };
    noGo({ quality: parts }, "quality", "Quality below threshold: 76.92 of 80");
    const many = { ...parts, verdicts: { pass: 9, fail: 0, blocked: 0 } };
    noGo({ quality: many }, "quality", "Critical findings open: 1");
  });

  it("says NO_GO while a risk is critical, and only then [S1-058, S1-061]", () => {
    const risks = [
      { risk: "delay", severity: "low" as const },
      { risk: "data loss", severity: "critical" as const },
    ];
    noGo({ risks }, "risks", "Critical risks not mitigated: data loss");
    expect(decide({ risks: risks.slice(0, 1) }).decision).toBe("GO");
    expect(decide({ risks: [] }).decision).toBe("GO");
  });

  it("says NO_GO while a blocker is critical, and only then [S1-058, S1-062]", () => {
    noGo(
      { blockers: [{ description: "no access", severity: "critical" }] },
      "blockers",
      "Critical blockers: no access",
    );
    expect(decide({ blockers: [{ description: "slow", severity: "high" }] }).decision).toBe("GO");
  });

  it("says NO_GO when too few tokens remain for the next phase [S1-058, S1-063]", () => {
    noGo({ tokens_remaining: 999 }, "resources", "Insufficient tokens remaining");
    expect(decide({ tokens_remaining: 0 }, "closure").decision).toBe("GO");
  });

  it("takes its numbers from the policy", () => {
    const strict = { quality_threshold: 100, min_tokens_for_next_phase: 5000 };
    expect(failed(gate("planning", FACTS, strict))).toEqual(["quality", "resources"]);
    expect(gate("planning", FACTS, { quality_threshold: 0, min_tokens_for_next_phase: 0 }).decision).toBe("GO");
  });

  it("lists all that fails, and gives the first as the reason", () => {
    const decision = decide({ tokens_remaining: 0, risks: [{ risk: "r", severity: "critical" }], deliverables: [] });
    expect(failed(decision)).toEqual(["deliverables", "risks", "resources"]);
    expect(decision.reason).toBe("Missing required deliverables: api, docs");
  });

  const throwing = (): never => {
    throw new Error("the disk is gone");
  };
  it.each<[string, unknown, readonly string[]]>([
    ["nothing at all", null, NAMES],
    ["no facts", {}, NAMES],
    ["facts that are null", Object.fromEntries(Object.keys(FACTS).map((key) => [key, null])), NAMES],
    ["no number of tokens", { ...FACTS, tokens_remaining: Number.NaN }, ["resources"]],
    ["endless tokens", { ...FACTS, tokens_remaining: Infinity }, ["resources"]],
    ["a severity nobody knows", { ...FACTS, risks: [{ risk: "r", severity: "CRITICAL" }] }, ["risks"]],
    ["blockers without a severity", { ...FACTS, blockers: [{ description: "b" }] }, ["blockers"]],
    [
      "a part of quality that throws",
      {
        ...FACTS,
        quality: {
          get checks() {
            return throwing();
          },
        },
      },
      ["quality"],
    ],
    ["a deliverable that is null", { ...FACTS, deliverables: [null] }, ["deliverables"]],
    [
      "complete as a text",
      { ...FACTS, deliverables: [{ name: "api", complete: "no" }, FACTS.deliverables?.[1]] },
      ["deliverables"],
    ],
  ])("holds when it is given %s: what cannot be evaluated does not pass [S1-058]", (_, facts, criteria) => {
    const decision = gate("execution", facts as GateFacts, policy);
    expect(decision.decision).toBe("NO_GO");
    expect(failed(decision)).toEqual(criteria);
    expect(GateDecision.parse(decision)).toEqual(decision);
  });

  it("holds when the policy is not a policy", () => {
    const none = { quality_threshold: Number.NaN, min_tokens_for_next_phase: Number.NaN };
    expect(failed(gate("execution", FACTS, none))).toEqual(["quality", "resources"]);
  });

  it("stays short over ten thousand deliverables, with what is missing first", () => {
    const required_deliverables = Array.from({ length: 10_000 }, (_, i) => `d${i}`);
    const deliverables = required_deliverables.slice(0, 9990).map((name) => ({ name, complete: true }));
    const [first] = decide({ required_deliverables, deliverables }).criteria;
    expect(first?.evidence).toHaveLength(51);
    expect(first?.evidence[0]).toBe("d9990: missing");
    expect(first?.evidence.at(-1)).toBe("and 9950 more");
  });
});

describe("whatever the facts", () => {
  const severity = fc.constantFrom(...RISK_LEVELS);
  const count = fc.nat(3);
  const facts: fc.Arbitrary<GateFacts> = fc.record({
    required_deliverables: fc.option(fc.subarray(["a", "b"]), { freq: 20 }),
    deliverables: fc.option(fc.array(fc.record({ name: fc.constantFrom("a", "b"), complete: fc.boolean() })), {
      freq: 20,
    }),
    quality: fc.option(
      fc.record({
        checks: fc.option(fc.record({ passed: fc.constant(9), total: fc.integer({ min: 9, max: 12 }) })),
        coverage: fc.option(fc.oneof(fc.integer({ min: 70, max: 101 }), fc.constant(Number.NaN))),
        verdicts: fc.option(fc.record({ pass: fc.constant(9), fail: count, blocked: count })),
        findings: fc.option(fc.record({ critical: fc.nat(1), high: fc.nat(1), medium: count, low: count })),
      }),
      { freq: 20 },
    ),
    risks: fc.option(fc.array(fc.record({ risk: fc.string(), severity }), { maxLength: 2 }), { freq: 20 }),
    blockers: fc.option(fc.array(fc.record({ description: fc.string(), severity }), { maxLength: 2 }), { freq: 20 }),
    tokens_remaining: fc.option(fc.oneof(fc.nat(3000), fc.constant(Number.NaN)), { freq: 20 }),
  });

  /** The specification's algorithm, written down once more and as plainly as it is there. */
  function asSpecified(phase: RunPhase, facts: GateFacts): "GO" | "NO_GO" {
    const { required_deliverables, deliverables, quality: parts, risks, blockers, tokens_remaining } = facts;
    if (!required_deliverables || !deliverables || !parts || !risks || !blockers || tokens_remaining === null)
      return "NO_GO";
    if (!required_deliverables.every((r) => deliverables.some((d) => d.name === r && d.complete))) return "NO_GO";
    const { score } = quality(parts);
    if (score === null || score < policy.quality_threshold || (parts.findings?.critical ?? 0) > 0) return "NO_GO";
    if (risks.some((r) => r.severity === "critical")) return "NO_GO";
    if (blockers.some((b) => b.severity === "critical")) return "NO_GO";
    if (Number.isNaN(tokens_remaining)) return "NO_GO";
    return phase !== "closure" && tokens_remaining < policy.min_tokens_for_next_phase ? "NO_GO" : "GO";
  }

  it("decides as specified, GO exactly when nothing fails, the same each time [S1-119]", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.constantFrom(...RunPhase.options), facts, (phase, facts) => {
        const decision = gate(phase, facts, policy);
        seen.add(decision.decision);
        expect(decision.decision).toBe(asSpecified(phase, facts));
        expect(decision.decision === "GO").toBe(failed(decision).length === 0);
        expect(decision.criteria).toHaveLength(5);
        expect(GateDecision.parse(decision)).toEqual(decision);
        expect(gate(phase, facts, policy)).toEqual(decision);
      }),
      { numRuns: 2000 },
    );
    expect([...seen].sort()).toEqual(["GO", "NO_GO"]);
  });
});
