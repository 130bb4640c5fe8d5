import { RISK_LEVELS, type RiskLevel } from "../../model/primitives.js";
import type { GateCriterion, GateDecision, GatePolicy, RunPhase } from "../../model/run.js";
import { quality, type QualityParts } from "./quality.js";

/** Facts at the end of a phase. Null is unknown, and an unknown fact does not pass. */
export interface GateFacts {
  readonly required_deliverables: readonly string[] | null;
  /** Deliverables of the phase, by name, and whether each is complete. */
  readonly deliverables: readonly { readonly name: string; readonly complete: boolean }[] | null;
  readonly quality: QualityParts | null;
  /** Risks that nobody has mitigated or accepted. */
  readonly risks: readonly { readonly risk: string; readonly severity: RiskLevel }[] | null;
  readonly blockers: readonly { readonly description: string; readonly severity: RiskLevel }[] | null;
  readonly tokens_remaining: number | null;
}

interface Finding {
  readonly passed: boolean;
  readonly reason: string;
  readonly evidence: readonly string[];
}

type Evaluate = (facts: GateFacts, policy: GatePolicy, phase: RunPhase) => Finding;

/** The five criteria in the order of the specification. */
const CRITERIA: readonly (readonly [GateCriterion["criterion"], Evaluate])[] = [
  ["deliverables", deliverables],
  ["quality", qualityReached],
  ["risks", risks],
  ["blockers", blockers],
  ["resources", resources],
];

/**
 * Decide whether a run goes on to its next phase.
 *
 * Contract: pure and total. All five criteria are evaluated and listed with their evidence, whatever the first says; GO
 * needs every one of them, and the first that fails gives the reason.
 */
export function gate(phase: RunPhase, facts: GateFacts, policy: GatePolicy): GateDecision {
  const criteria = CRITERIA.map(([criterion, evaluate]): GateCriterion => {
    const { passed, reason, evidence } = evaluateCriterion(evaluate, facts, policy, phase);
    return { criterion, passed, reason, evidence: shortenLines(evidence) };
  });
  const failed = criteria.find((criterion) => !criterion.passed);
  return failed === undefined
    ? { phase, decision: "GO", reason: "All criteria met, proceed to next phase", criteria }
    : { phase, decision: "NO_GO", reason: failed.reason, criteria };
}

/** INVARIANT: a criterion that cannot be evaluated holds the gate; it never lets it pass. */
function evaluateCriterion(evaluate: Evaluate, facts: GateFacts, policy: GatePolicy, phase: RunPhase): Finding {
  try {
    return evaluate(facts, policy, phase);
  } catch (error) {
    return findUndecidable(error instanceof Error ? error.message : "it ended in an error");
  }
}

function findUndecidable(why: string): Finding {
  return { passed: false, reason: `Cannot be evaluated: ${why}`, evidence: [] };
}

function deliverables({ required_deliverables, deliverables }: GateFacts): Finding {
  if (!Array.isArray(required_deliverables)) return findUndecidable("the required deliverables are not known");
  if (!Array.isArray(deliverables)) return findUndecidable("the deliverables of the phase are not known");
  const complete = new Set<string>();
  for (const { name, complete: done } of deliverables) if (done === true) complete.add(name);
  const required: readonly string[] = required_deliverables;
  const missing = required.filter((name) => !complete.has(name));
  return {
    passed: missing.length === 0,
    reason:
      missing.length === 0
        ? `All ${required.length} required deliverables are complete`
        : `Missing required deliverables: ${shortenLines(missing).join(", ")}`,
    // Missing things first: a long list must not lose them.
    evidence: [
      ...missing.map((name) => `${name}: missing`),
      ...required.filter((name) => complete.has(name)).map((name) => `${name}: complete`),
    ],
  };
}

function qualityReached({ quality: parts }: GateFacts, { quality_threshold }: GatePolicy): Finding {
  if (parts === null || parts === undefined) return findUndecidable("the quality was not measured");
  const { score, parts: breakdown, problems } = quality(parts);
  const evidence = breakdown.map(({ part, score, weight, evidence }) =>
    score === null ? `${part}: ${evidence}` : `${part}: ${round(score)} at ${round(weight)} % (${evidence})`,
  );
  if (score === null) return { ...findUndecidable(problems.join("; ")), evidence };
  if (!Number.isFinite(quality_threshold)) return { ...findUndecidable("the threshold is not a number"), evidence };
  if (score < quality_threshold)
    return { passed: false, reason: `Quality below threshold: ${score} of ${quality_threshold}`, evidence };
  // A good average does not outweigh a critical issue.
  const critical = parts.findings?.critical ?? 0;
  if (critical > 0) return { passed: false, reason: `Critical findings open: ${critical}`, evidence };
  return { passed: true, reason: `Quality ${score} reaches ${quality_threshold}`, evidence };
}

function risks({ risks }: GateFacts): Finding {
  if (!Array.isArray(risks)) return findUndecidable("the risks are not known");
  const listed: NonNullable<GateFacts["risks"]> = risks;
  return noneCritical(
    listed.map(({ risk, severity }) => ({ what: risk, severity })),
    "risks",
    "Critical risks not mitigated",
  );
}

function blockers({ blockers }: GateFacts): Finding {
  if (!Array.isArray(blockers)) return findUndecidable("the blockers are not known");
  const listed: NonNullable<GateFacts["blockers"]> = blockers;
  return noneCritical(
    listed.map(({ description, severity }) => ({ what: description, severity })),
    "blockers",
    "Critical blockers",
  );
}

function noneCritical(
  listed: readonly { readonly what: string; readonly severity: RiskLevel }[],
  noun: string,
  refusal: string,
): Finding {
  const gravestFirst = listed.toSorted((a, b) => RISK_LEVELS.indexOf(b.severity) - RISK_LEVELS.indexOf(a.severity));
  const evidence = gravestFirst.map(({ what, severity }) => `${severity}: ${what}`);
  const strange = listed.find(({ severity }) => !RISK_LEVELS.includes(severity));
  if (strange !== undefined)
    return { ...findUndecidable(`${JSON.stringify(strange.severity)} is not a severity of ${noun}`), evidence };
  const critical = listed.filter(({ severity }) => severity === "critical").map(({ what }) => what);
  return critical.length === 0
    ? { passed: true, reason: `None of ${listed.length} ${noun} is critical`, evidence }
    : { passed: false, reason: `${refusal}: ${shortenLines(critical).join(", ")}`, evidence };
}

function resources(
  { tokens_remaining }: GateFacts,
  { min_tokens_for_next_phase }: GatePolicy,
  phase: RunPhase,
): Finding {
  if (typeof tokens_remaining !== "number" || !Number.isFinite(tokens_remaining))
    return findUndecidable("the tokens remaining are not known");
  const evidence = [`${tokens_remaining} tokens remaining`, `${min_tokens_for_next_phase} needed for the next phase`];
  // Closure is the last phase: it leaves nothing to be paid for.
  if (phase === "closure") return { passed: true, reason: "No phase follows", evidence: evidence.slice(0, 1) };
  if (!Number.isFinite(min_tokens_for_next_phase))
    return { ...findUndecidable("the tokens needed are not a number"), evidence };
  return tokens_remaining < min_tokens_for_next_phase
    ? { passed: false, reason: "Insufficient tokens remaining", evidence }
    : { passed: true, reason: "Enough tokens remain for the next phase", evidence };
}

/** A decision stays readable, and small in the log, also over ten thousand deliverables. */
const LISTED = 50;

function shortenLines(lines: readonly string[]): string[] {
  return lines.length <= LISTED ? [...lines] : [...lines.slice(0, LISTED), `and ${lines.length - LISTED} more`];
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
