import { type JudgedRequirement, judgedRequirements } from "../../mind/run/decide/requirements.js";
import type { RunState } from "../../mind/run/state.js";

/** The requirements of a run's Intent Spec as its log has them; what each was seen by lies beside it, by its checksum. */
export interface VerifiedRequirements {
  readonly spec_id: string;
  readonly spec_checksum: string;
  /** The commit they were looked at on, and the record of what was seen; null before anybody has looked. */
  readonly commit: string | null;
  readonly evidence: string | null;
  readonly results: readonly (JudgedRequirement & { readonly proven: boolean })[];
}

/** Contract: pure; null for a run without an Intent Spec. */
export function verifiedRequirements(state: RunState): VerifiedRequirements | null {
  const { brief, requirements } = state;
  if (brief === null || brief.spec === null) return null;
  return {
    spec_id: brief.spec.id,
    spec_checksum: brief.spec.checksum,
    commit: requirements.judged?.commit ?? null,
    evidence: requirements.judged?.ref ?? null,
    results: judgedRequirements(state).map((result) => ({ ...result, proven: result.holds === true })),
  };
}

/** `1 of 2 of IS-csv proven: REQ-1; not proven: REQ-2 (does not hold); on 3f2a…, seen in sha256:…`. */
export function describeRequirements({ spec_id, results, evidence, commit }: VerifiedRequirements): string {
  const proven = results.flatMap((result) => (result.proven ? [result.id] : []));
  const others = results.flatMap((result) => (result.proven ? [] : [describeUnproven(result)]));
  const named = proven.length === 0 ? "" : `: ${proven.join(", ")}`;
  return [
    `${proven.length} of ${results.length} of ${spec_id} proven${named}`,
    ...(others.length === 0 ? [] : [`not proven: ${others.join(", ")}`]),
    evidence === null ? "nobody has looked yet" : `on ${(commit ?? "").slice(0, 12)}, seen in ${evidence}`,
  ].join("; ");
}

function describeUnproven({ id, priority, holds }: JudgedRequirement): string {
  const weight = priority === "must_have" ? "" : `, ${priority.replaceAll("_", " ")}`;
  return `${id} (${holds === null ? "not evaluated" : "does not hold"}${weight})`;
}
