import type { RunEvent } from "../../model/event.js";
import { gate } from "../gate/gate.js";
import { remainingAmounts } from "./account.js";
import { criteriaQuestions, decidedCriteria, describeCriterion } from "./decide/criteria.js";
import { openEscalations } from "./decide/phase-gates.js";
import { describeRequirement, missedRequirements, requirementsDue, unmetRequirements } from "./decide/requirements.js";
import type { RunState } from "./state.js";
import { taskIdOf } from "./inbox-entry.js";

const NO_EVENT: readonly RunEvent[] = [];

/** When every task has come to its end, the gate decides how the run does. */
export function conclude(state: RunState): readonly RunEvent[] {
  const { layout, plan_approved, completed, failed, dropped, policy } = state;
  if (layout === null || !plan_approved || policy === null || completed + failed + dropped < state.tasks.length)
    return NO_EVENT;
  if (failed > 0)
    return [
      { type: "run_finished", status: "failed", reason: `${failed} of ${state.tasks.length} tasks were not done` },
    ];
  // A question that stopped the whole run still waits for a person, though nothing is left that it holds up.
  if (dropped > 0 && state.inbox.some((entry) => entry.kind === "escalation" && taskIdOf(entry) === null)) return [];
  // A gate over nothing has nothing to go by.
  if (completed === 0 && dropped > 0)
    return [{ type: "run_finished", status: "failed", reason: "every task was skipped or deleted" }];
  if (requirementsDue(state) || unmetRequirements(state).length > 0) return [];
  const criteria = decidedCriteria(state);
  if (criteria.some(({ how }) => how === "open")) return criteriaQuestions(state);
  // Requirements that do not hold keep the run from coming here.
  const required = (state.brief?.spec?.requirements ?? []).filter(({ priority }) => priority === "must_have");
  const done = layout.plan.tasks.filter((_, i) => state.tasks.get(i).state.status === "completed");
  const wanted = [...done.map((task) => task.task_id), ...required.map(({ id }) => id)];
  const decision = gate(
    "execution",
    {
      required_deliverables: [...wanted, ...criteria.map(describeCriterion)],
      deliverables: [
        ...wanted.map((name) => ({ name, complete: true })),
        ...criteria.map((each) => ({ name: describeCriterion(each), complete: each.how !== "failed" })),
      ],
      quality: {
        checks: null,
        coverage: null,
        verdicts: { pass: completed, fail: failed, blocked: 0 },
        findings: null,
      },
      risks: missedRequirements(state).map((missed) => ({ risk: describeRequirement(missed), severity: "low" })),
      blockers: openEscalations(state),
      tokens_remaining: remainingAmounts(state.ledger.run)?.tokens ?? null,
    },
    // Nothing comes after the last task, so nothing need be left for it.
    { ...policy.gate, min_tokens_for_next_phase: 0 },
  );
  return [{ type: "gate_decided", gate: decision }];
}
