import { documentPath } from "../../model/diagnostic.js";
import { IntentSpec } from "../../model/intent-spec.js";
import { checkConsistency } from "./consistency.js";
import type { SpecFinding, SpecGrounds } from "./finding.js";
import { traceability } from "./traceability.js";
import { verifiability } from "./verifiability.js";

/**
 * Whether an Intent Spec may be planned from: complete, free of contradictions, verifiable here, and with a source that
 * is really there for everything it says.
 *
 * Contract: pure and total, for any value. No findings: it may. Findings come in the order of the document within each
 * group of rules. A value that is not an Intent Spec at all is judged by its form alone.
 */
export function judgeSpec(spec: unknown, grounds: SpecGrounds): readonly SpecFinding[] {
  const read = IntentSpec.safeParse(spec);
  if (!read.success) return read.error.issues.map(({ path, message }) => incomplete(path, message));
  return [...checkConsistency(read.data), ...verifiability(read.data, grounds), ...traceability(read.data, grounds)];
}

/** Required parts, by the place where they are missing; everything else is a matter of form. */
const MUST_BE_THERE: readonly (readonly [RegExp, string, string])[] = [
  [/^objective$/, "spec_objective_missing", "Say in one sentence what will be true for whom."],
  [/^requirements$/, "spec_requirements_missing", "State at least one requirement."],
  [/^out_of_scope/, "spec_out_of_scope_empty", "Name at least one thing near by that is not asked for."],
  [/\.verification/, "spec_verification_missing", "Say by which command, check, test or file it is found out."],
  [/\.source$/, "spec_source_missing", "Begin with request:, document:, answer: or fact: and name what it rests on."],
];

function incomplete(at: readonly PropertyKey[], message: string): SpecFinding {
  const path = documentPath(at);
  const [, rule_id, fix] = MUST_BE_THERE.find(([place]) => place.test(path)) ?? [
    null,
    "spec_form",
    "Write it as the schema of Intent Specs says.",
  ];
  return { rule_id, path, message, fix };
}
