import type { Requirement, RequirementResult } from "../../../model/intent-spec.js";
import type { RunState } from "../state.js";

/*
 * The requirements of a run's Intent Spec. They are looked at once all tasks are done, on the tree that all of them made;
 * a run whose requirements do not hold does not complete.
 */

export interface JudgedRequirement extends RequirementResult {
  readonly priority: Requirement["priority"];
}

/** Whether all is done but to look whether the requirements hold. */
export function requirementsDue(state: RunState): boolean {
  const { brief, requirements, plan_approved, tasks, completed, dropped, status } = state;
  if (brief === null || brief.spec === null || requirements.judged !== null) return false;
  const over = status === "completed" || status === "failed";
  return !over && plan_approved && completed > 0 && completed + dropped === tasks.length;
}

/** Every requirement as it was found last. INVARIANT: what nobody has evaluated does not hold. */
export function judgedRequirements({ brief, requirements }: RunState): JudgedRequirement[] {
  const found = new Map((requirements.judged?.results ?? []).map((result) => [result.id, result]));
  return (brief?.spec?.requirements ?? []).map(({ id, priority }) => {
    const { holds, evidence } = found.get(id) ?? { holds: null, evidence: "it was not evaluated" };
    return { id, priority, holds, evidence };
  });
}

/** Requirements that must hold and do not. */
export function unmetRequirements(state: RunState): JudgedRequirement[] {
  return judgedRequirements(state).filter(({ priority, holds }) => priority === "must_have" && holds !== true);
}

/** Requirements that should hold and do not: reported, and not a reason to stop. */
export function missedRequirements(state: RunState): JudgedRequirement[] {
  return judgedRequirements(state).filter(({ priority, holds }) => priority !== "must_have" && holds !== true);
}

/** `REQ-2 (should have) does not hold: …`. */
export function describeRequirement({ id, priority, holds, evidence }: JudgedRequirement): string {
  const weight = priority === "must_have" ? "" : ` (${priority.replaceAll("_", " ")})`;
  const said = holds === null ? "cannot be evaluated" : holds ? "holds" : "does not hold";
  return `${id}${weight} ${said}: ${evidence}`;
}
