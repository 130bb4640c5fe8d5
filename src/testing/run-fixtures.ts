import type { ProofSummary } from "../model/settings/check.js";
import type { RunEvent } from "../model/event.js";
import { type Amounts, type PlanRef, RunPolicy, type RunTask } from "../model/run.js";

/* A run that goes well, and builders for runs that differ from it in one thing. */

export const amounts = (tokens: number): Amounts => ({
  tokens,
  cost_usd: tokens / 1000,
  minutes: tokens / 100,
  files: tokens,
  commits: tokens,
  api_calls: tokens,
});

export function runTask(task_id: string, difference: Partial<RunTask> = {}): RunTask {
  return {
    task_id,
    title: `Task ${task_id}`,
    agent: "agent_a",
    phase: "implementation",
    priority: "P1",
    dependencies: [],
    estimate: amounts(10),
    gates: [],
    ...difference,
  };
}

export function planRef(tasks: readonly RunTask[], difference: Partial<PlanRef> = {}): PlanRef {
  return {
    plan_id: "plan_of_a_test",
    plan_checksum: "a".repeat(64),
    tasks: [...tasks],
    gates: [],
    budget: amounts(10_000),
    ...difference,
  };
}

export const PERSON = { by: "ada", how: "person" } as const;

/** The events that bring a run to its frozen plan. */
export function opening(plan: PlanRef, policy: Parameters<typeof RunPolicy.parse>[0] = {}): RunEvent[] {
  return [
    {
      type: "request_received",
      request_id: "req_of_a_test",
      request: "Do it",
      seed: 7,
      policy: RunPolicy.parse(policy),
    },
    { type: "intake_decided", decision: "approved", reason: "clear", unsafe: false },
    { type: "plan_frozen", plan, verified: true },
  ];
}

/** A result that one check proves. */
export const PROOF: ProofSummary = {
  proven_by: [{ check: "test", kind: "test", passed: 4, failed_before: 0, uncollected: [] }],
  accepted: [],
  failed_before: [],
  unreached: [],
};
