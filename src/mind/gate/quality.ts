import { RISK_LEVELS, type RiskLevel } from "../../model/primitives.js";

/*
 * One number for how good the outputs of a phase are, from parts that are counted and not felt. The same parts give the
 * same number.
 */

/** Measurements. Null is not measured: it weighs nothing, and the other parts weigh more. */
export interface QualityParts {
  readonly checks: { readonly passed: number; readonly total: number } | null;
  /** Percent of the changed code that the tests run. */
  readonly coverage: number | null;
  readonly verdicts: { readonly pass: number; readonly fail: number; readonly blocked: number } | null;
  /** Open findings of reviews and scanners; a vulnerability is a finding. */
  readonly findings: Readonly<Record<RiskLevel, number>> | null;
}

export interface QualityWeights {
  readonly checks: number;
  readonly coverage: number;
  readonly verdicts: number;
  readonly findings: number;
  /** Points that one open finding takes from the hundred of its part. */
  readonly finding_penalty: Readonly<Record<RiskLevel, number>>;
}

const QUALITY_WEIGHTS: QualityWeights = {
  checks: 35,
  coverage: 15,
  verdicts: 35,
  findings: 15,
  finding_penalty: { critical: 100, high: 25, medium: 10, low: 2 },
};

type PartName = keyof QualityParts;

interface QualityPart {
  readonly part: PartName;
  /** 0 to 100, or null when it was not measured. */
  readonly score: number | null;
  /** Its share of the whole, in percent, after the parts that were not measured are left out. */
  readonly weight: number;
  readonly evidence: string;
}

export interface Quality {
  /** 0 to 100, rounded down to hundredths; null when it cannot be said. */
  readonly score: number | null;
  readonly parts: readonly QualityPart[];
  /** Why it cannot be said: parts that make no sense, or nothing measured at all. */
  readonly problems: readonly string[];
}

interface Measured {
  readonly part: PartName;
  readonly score: number | null;
  readonly evidence: string;
}

/**
 * Contract: pure. A part that makes no sense leaves the whole without a score: it must not count as good, and leaving
 * it out could hide that it is bad.
 */
export function quality(parts: QualityParts, weights: QualityWeights = QUALITY_WEIGHTS): Quality {
  const problems: string[] = [];
  const measured = [checks(parts), coverage(parts), verdicts(parts), findings(parts, weights)].map((part): Measured => {
    if (part.score === null || (part.score >= 0 && part.score <= 100)) return part;
    problems.push(`${part.part} makes no sense: ${part.evidence}`);
    return { ...part, score: null };
  });
  const total = measured.reduce((sum, { part, score }) => (score === null ? sum : sum + weights[part]), 0);
  if (problems.length === 0 && !(total > 0)) problems.push("nothing was measured");
  const weighted = measured.map((part): QualityPart => ({
    ...part,
    weight: part.score === null || !(total > 0) ? 0 : (weights[part.part] / total) * 100,
  }));
  if (problems.length > 0) return { score: null, parts: weighted, problems };
  const sum = weighted.reduce((all, { score, weight }) => all + ((score ?? 0) * weight) / 100, 0);
  // Rounded down, so that no score reaches a threshold by rounding; the hair is what floating point takes from a sum.
  return { score: Math.min(100, Math.floor(sum * 100 + 1e-6) / 100), parts: weighted, problems };
}

function checks({ checks }: QualityParts): Measured {
  if (checks === null) return unknownPart("checks");
  const { passed, total } = checks;
  const evidence = `${passed} of ${total} checks passed`;
  if (total === 0 && passed === 0) return { part: "checks", score: null, evidence: "no checks were run" };
  return { part: "checks", score: counts([passed, total]) ? (passed / total) * 100 : Number.NaN, evidence };
}

function coverage({ coverage }: QualityParts): Measured {
  if (coverage === null) return unknownPart("coverage");
  return { part: "coverage", score: coverage, evidence: `${coverage} % covered` };
}

function verdicts({ verdicts }: QualityParts): Measured {
  if (verdicts === null) return unknownPart("verdicts");
  const { pass, fail, blocked } = verdicts;
  const total = pass + fail + blocked;
  if (total === 0 && counts([pass, fail, blocked]))
    return { part: "verdicts", score: null, evidence: "no verdicts were given" };
  const evidence = `verdicts: ${pass} PASS, ${fail} FAIL, ${blocked} BLOCKED`;
  return { part: "verdicts", score: counts([pass, fail, blocked]) ? (pass / total) * 100 : Number.NaN, evidence };
}

function findings({ findings }: QualityParts, { finding_penalty }: QualityWeights): Measured {
  if (findings === null) return unknownPart("findings");
  const evidence = `open findings: ${RISK_LEVELS.map((level) => `${findings[level]} ${level}`).join(", ")}`;
  if (!counts(RISK_LEVELS.map((level) => findings[level]))) return { part: "findings", score: Number.NaN, evidence };
  const penalty = RISK_LEVELS.reduce((sum, level) => sum + findings[level] * finding_penalty[level], 0);
  return { part: "findings", score: Math.max(0, 100 - penalty), evidence };
}

function unknownPart(part: PartName): Measured {
  return { part, score: null, evidence: `${part} not measured` };
}

function counts(numbers: readonly number[]): boolean {
  return numbers.every((n) => Number.isSafeInteger(n) && n >= 0);
}
