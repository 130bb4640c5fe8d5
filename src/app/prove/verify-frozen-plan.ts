import type { PlanRef } from "../../model/run.js";

/* The plan a run carries out, as it lies in its folder now: the log names it by its checksum, and its folder proves it. */

/** The plan found where the run was begun from. */
export type PlanSeen =
  | { readonly status: "unknown" }
  | { readonly status: "gone"; readonly folder: string }
  | {
      readonly status: "found";
      readonly folder: string;
      readonly plan_checksum: string | null;
      /** Why it is not what its own manifest seals; null when it proves itself. */
      readonly problem: string | null;
    };

export interface PlanFinding {
  readonly kind: "plan";
  readonly sequence: number;
  readonly message: string;
}

export interface VerifiedPlan {
  /** Null: there was nothing to compare. */
  readonly passed: boolean | null;
  readonly detail: string;
  readonly findings: readonly PlanFinding[];
}

/**
 * Contract: pure and total. A plan that does not prove itself is a finding. A whole plan that is another one is none:
 * people plan anew in the same folder, and the plan that the run uses is in its log.
 */
export function comparePlan(
  { plan, sequence }: { readonly plan: Pick<PlanRef, "plan_checksum">; readonly sequence: number },
  seen: PlanSeen,
): VerifiedPlan {
  if (seen.status === "unknown")
    return { passed: null, detail: "where its plan lies was not written down", findings: [] };
  const { folder } = seen;
  if (seen.status === "gone") return { passed: null, detail: `${folder} holds no plan any more`, findings: [] };
  if (seen.problem !== null) {
    const message = `The plan in ${folder} is not what was frozen: ${seen.problem}`;
    return { passed: false, detail: message, findings: [{ kind: "plan", sequence, message }] };
  }
  return seen.plan_checksum === plan.plan_checksum
    ? { passed: true, detail: `${folder} is the plan the log names, made again from its inputs`, findings: [] }
    : { passed: null, detail: `${folder} holds another plan by now`, findings: [] };
}
