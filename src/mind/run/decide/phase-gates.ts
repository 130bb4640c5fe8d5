import { gate } from "../../gate/gate.js";
import type { EventOf, RunEvent } from "../../../model/event.js";
import type { GateDecision, GatePolicy, PlanRef } from "../../../model/run.js";
import { escalationFor, stoppingRun } from "./escalate.js";
import { remainingAmounts } from "../account.js";
import { isOfSession } from "./coordination.js";
import type { RunState } from "../state.js";

/*
 * The gates at the end of phases. Initiation ends with the intake decision, which is a gate of its own; monitoring goes
 * on beside execution and ends with it.
 */

/** The gates of a run that is begun now. A run keeps its gates in its log, so an older one continues as it began. */
export const GATED_PHASES: NonNullable<GatePolicy["phases"]> = ["planning", "execution", "closure"];

function isGated({ policy }: RunState, phase: (typeof GATED_PHASES)[number]): boolean {
  return policy?.gate.phases?.includes(phase) ?? phase === "execution";
}

/** May what was planned be carried out: frozen, verified, approved, and with a budget that carries something. */
export function planningGate(state: RunState): RunEvent[] {
  const { layout, policy } = state;
  if (layout === null || policy === null || !isGated(state, "planning")) return [];
  const { plan } = layout;
  const held = planChecks(plan);
  const decision = gate(
    "planning",
    {
      required_deliverables: ["frozen plan", "verification", "approval"],
      deliverables: [
        { name: "frozen plan", complete: true },
        { name: "verification", complete: state.plan_verified },
        { name: "approval", complete: state.plan_approved },
      ],
      quality: {
        checks: { passed: held.filter(Boolean).length, total: held.length },
        coverage: null,
        verdicts: null,
        findings: null,
      },
      risks: [],
      blockers: openEscalations(state),
      tokens_remaining: remainingAmounts(state.ledger.run)?.tokens ?? null,
    },
    // The least execution can need is its cheapest first task: a small plan with a small budget is not a poor plan.
    { ...policy.gate, min_tokens_for_next_phase: Math.min(policy.gate.min_tokens_for_next_phase, leastTokens(state)) },
  );
  return [{ type: "gate_decided", gate: decision }];
}

/** Whether each task has somebody to do it, and builds on tasks of the plan only. */
function planChecks({ tasks }: PlanRef): boolean[] {
  const known = new Set(tasks.map(({ task_id }) => task_id));
  const each = tasks.map(({ agent, dependencies }) => agent !== "" && dependencies.every((id) => known.has(id)));
  return [known.size === tasks.length, ...each];
}

function leastTokens({ layout, ready }: RunState): number {
  let least = Infinity;
  for (const index of ready) least = Math.min(least, layout?.plan.tasks[index]?.estimate.tokens ?? Infinity);
  return least === Infinity ? 0 : least;
}

/**
 * The events after a NO_GO of planning: the run stands until a person decides. Where only the budget is short, that
 * nothing fits it is asked about by the rule that watches budgets, with what is missing.
 */
export function holdAtPlanning(state: RunState, { criteria, reason }: GateDecision): RunEvent[] {
  const other = criteria.find(({ passed, criterion }) => !passed && criterion !== "resources");
  if (other === undefined) return [];
  const escalation = escalationFor(
    { kind: "unknown", message: `the gate of planning says NO_GO: ${reason}` },
    stoppingRun(state.clock_ms),
  );
  return [
    { type: "escalation_raised", escalation },
    { type: "dispatch_paused", reason: "the gate of planning" },
  ];
}

/** Whether every task is on the branch, no attempt is unaccounted for, and there is all a response is made from. */
export function closureGate(state: RunState): RunEvent[] {
  const { layout, policy, completed, dropped, tasks, ledger, request_id } = state;
  if (layout === null || policy === null || !isGated(state, "closure")) return [];
  const decision = gate(
    "closure",
    {
      required_deliverables: ["every task done", "every attempt settled", "response"],
      deliverables: [
        // Tasks that people skipped or deleted are accounted for.
        { name: "every task done", complete: completed + dropped === tasks.length },
        // A session that died with anyone who had started it stays open, and what was held for it is counted at the end.
        { name: "every attempt settled", complete: ledger.open.every(isOfSession) },
        { name: "response", complete: request_id !== "" && layout.plan.plan_id !== "" },
      ],
      quality: {
        checks: null,
        coverage: null,
        verdicts: { pass: completed, fail: state.failed, blocked: 0 },
        findings: null,
      },
      risks: [],
      blockers: openEscalations(state),
      tokens_remaining: remainingAmounts(ledger.run)?.tokens ?? null,
    },
    policy.gate,
  );
  return [{ type: "gate_decided", gate: decision }];
}

export function openEscalations({ inbox }: RunState): { description: string; severity: EscalationSeverity }[] {
  return inbox.flatMap((entry) =>
    entry.kind === "escalation" ? [{ description: entry.escalation.summary, severity: entry.escalation.severity }] : [],
  );
}
type EscalationSeverity = EventOf<"escalation_raised">["escalation"]["severity"];
