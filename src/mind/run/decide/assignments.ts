import type { PlanRef, RunGate } from "../../../model/run.js";

/*
 * Where the contract says `auto_assign_tasks: false`, no task is given to its builder before a person has approved that
 * one assignment. Each is a gate of its own before its task: it is in the plan that the log freezes, so it holds no matter who
 * goes on with the run, and it is approved, refused, shown and told like every other gate.
 */

export const ASSIGNMENT = "assignment";
const PREFIX = "assign:";

/** Contract: pure. Each task gets one gate more, which anybody may approve; nothing else of the plan changes. */
export function withAssignmentGates(plan: PlanRef): PlanRef {
  const gateOf = (taskId: string) => `${PREFIX}${taskId}`;
  return {
    ...plan,
    tasks: plan.tasks.map((task) => ({ ...task, gates: [...task.gates, gateOf(task.task_id)] })),
    gates: [
      ...plan.gates,
      ...plan.tasks.map(({ task_id }): RunGate => ({ gate_id: gateOf(task_id), category: ASSIGNMENT, reviewers: [] })),
    ],
  };
}

/** `assignment of TASK-023-001`, or `review gate_7`: how people are told of a gate before tasks. */
export function describeGate(gateId: string): string {
  return gateId.startsWith(PREFIX) ? `assignment of ${gateId.slice(PREFIX.length)}` : `review ${gateId}`;
}
