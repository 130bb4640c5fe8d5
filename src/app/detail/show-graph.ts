import { criticalPathLeft } from "../inspect/overview.js";
import { type RunSpans, runSpans } from "../../mind/report/run-spans.js";
import { isOver, taskAt } from "../../mind/run/state.js";
import type { Amounts, RunTask } from "../../model/run.js";
import type { CommandContext } from "../command-context.js";
import { withWholeRun } from "./read-run.js";
import { createReasons, type TaskReason } from "./task-reason.js";

/** One task of a run as graphs, lists and timelines show it. */
export interface GraphTask extends TaskReason {
  readonly task_id: string;
  readonly title: string;
  readonly description: string | null;
  readonly type: string | null;
  readonly phase: string;
  readonly level: number;
  readonly agent: string;
  readonly model: string | null;
  readonly priority: RunTask["priority"];
  readonly dependencies: readonly string[];
  readonly gates: readonly string[];
  readonly status: string;
  /** Of one that is in progress: attempt, verify, integrate, resolve, review, waiting or stopping. */
  readonly stage: string | null;
  /** It waits for nothing but a place. */
  readonly ready: boolean;
  readonly attempts: number;
  readonly retries: number;
  readonly since: string | null;
  readonly doing: string | null;
  readonly estimate: Amounts;
  readonly used: Amounts;
  readonly files: readonly string[];
}

export interface RunGraph extends RunSpans {
  readonly type: "run_graph";
  readonly run_id: string;
  readonly sequence: number;
  readonly status: string;
  readonly tasks: readonly GraphTask[];
  readonly critical_path: { readonly minutes: number; readonly tasks: readonly string[] };
}

/**
 * The tasks of a run with what they build on, and when what was done.
 *
 * Contract: changes nothing. Throws NOT_FOUND for a run that is not there.
 */
export function showGraph(wanted: string, context: CommandContext): Promise<RunGraph> {
  return withWholeRun(wanted, context, async ({ run, events }) => {
    const { state, began, doing, run_id, sequence } = run;
    const ready = new Set([...state.ready].map((index) => taskAt(state, index).task_id));
    const reasonOf = createReasons(run);
    const tasks = [...state.tasks].map((record, index): GraphTask => {
      const task = taskAt(state, index);
      const { state: now } = record;
      return {
        task_id: task.task_id,
        title: task.title,
        description: task.description ?? null,
        type: task.type ?? null,
        phase: task.phase,
        level: state.layout?.level[index] ?? 0,
        agent: record.agent,
        model: record.model,
        priority: record.priority,
        dependencies: task.dependencies,
        gates: task.gates,
        status: now.status,
        stage: now.status === "in_progress" ? now.stage : null,
        ready: ready.has(task.task_id) && !isOver(state),
        ...reasonOf(task.task_id, now),
        attempts: record.attempts,
        retries: record.retries,
        since: began.get(task.task_id)?.at ?? null,
        doing: doing.get(task.task_id) ?? null,
        estimate: task.estimate,
        used: record.used,
        files: task.files ?? [],
      };
    });
    return {
      type: "run_graph",
      run_id,
      sequence,
      status: state.status,
      tasks,
      ...runSpans(events),
      critical_path: criticalPathLeft(state),
    };
  });
}
