import { CoordinatorError } from "../../model/errors.js";
import type { LoggedEvent, RunEvent } from "../../model/event.js";
import { AMOUNTS } from "../../model/amount-names.js";
import { taskOfEndedWait } from "../../mind/run/effects.js";
import { type RunState, taskAt } from "../../mind/run/state.js";
import type { TaskState } from "../../mind/run/task-record.js";
import type { EventReader } from "../../hands/store/event-store.js";
import { createRunFold, type FoldedRun } from "./fold-run.js";
import { describeEvent } from "./describe-event.js";

/** One event of a log, and what it changed. */
interface ReplayedEvent {
  readonly sequence: number;
  readonly at: string;
  readonly clock_ms: number;
  readonly type: string;
  readonly told: string;
  readonly changes: readonly string[];
}

export interface Replay {
  readonly run: FoldedRun;
  readonly last: number;
  readonly events: readonly ReplayedEvent[];
}

/**
 * Fold a run's log again up to event `at`, the last one when null.
 *
 * Contract: follows from the log alone; the same log gives the same bytes, whenever and wherever it is folded.
 */
export async function replay(
  reader: EventReader,
  runId: string,
  { at, events: wantsEvents }: { readonly at: number | null; readonly events: boolean },
): Promise<Replay> {
  const last = (await reader.head(runId))?.sequence ?? 0;
  if (at !== null && (at < 1 || at > last))
    throw new CoordinatorError("USAGE", `The log of ${runId} has no event ${at}`, {
      fix: `It has the events 1 to ${last}.`,
    });
  const fold = createRunFold(runId);
  const events: ReplayedEvent[] = [];
  for await (const logged of reader.read(runId, { to: at ?? last })) {
    const { before, after } = fold.take(logged);
    if (wantsEvents) events.push(replayEvent(logged, before, after));
  }
  return { run: fold.now(), last, events };
}

function replayEvent({ sequence, at, clock_ms, event }: LoggedEvent, before: RunState, after: RunState): ReplayedEvent {
  return {
    sequence,
    at,
    clock_ms,
    type: event.type,
    told: describeEvent(event),
    changes: changesOf(before, after, event),
  };
}

/** Describes the changes that one event made to the state. */
function changesOf(before: RunState, after: RunState, event: RunEvent): string[] {
  const changes: string[] = [];
  const note = (name: string, was: unknown, is: unknown) => {
    if (was !== is) changes.push(`${name}: ${String(was)} → ${String(is)}`);
  };
  note("status", before.status, after.status);
  note("phase", before.phase, after.phase);
  if (before.layout !== after.layout) changes.push(`tasks: ${after.tasks.length} laid out`);
  for (const index of listChangedTasks(before, after, event)) {
    const was = before.tasks.length > index ? describeTask(before.tasks.get(index).state) : "not there";
    note(taskAt(after, index).task_id, was, describeTask(after.tasks.get(index).state));
  }
  const [wasOpen, isOpen] = [before, after].map(({ inbox }) => new Set(inbox.map(({ id }) => id)));
  for (const id of isOpen ?? []) if (wasOpen?.has(id) !== true) changes.push(`inbox: + ${id}`);
  for (const id of wasOpen ?? []) if (isOpen?.has(id) !== true) changes.push(`inbox: - ${id}`);
  for (const name of AMOUNTS) {
    note(`used ${name}`, before.ledger.run.used[name], after.ledger.run.used[name]);
    note(`reserved ${name}`, before.ledger.run.reserved[name], after.ledger.run.reserved[name]);
    if (before.layout === after.layout)
      note(`budget ${name}`, before.ledger.run.budget?.[name], after.ledger.run.budget?.[name]);
  }
  note("paused", before.paused, after.paused);
  return changes;
}

/**
 * The tasks an event can have changed. Comparing all of them for each event would make a long log slow; only a failure,
 * or a task that people drop, reaches further than the task, what builds on it, and what an answer was about.
 */
function listChangedTasks(before: RunState, after: RunState, event: RunEvent): number[] {
  const { layout } = after;
  if (layout === null || before.layout !== layout) return [];
  const hasChanged = (i: number) => before.tasks.get(i) !== after.tasks.get(i);
  if (after.failed > before.failed || after.dropped > before.dropped)
    return layout.plan.tasks.map((_, i) => i).filter(hasChanged);
  const named = [
    ...("task_id" in event ? [event.task_id] : []),
    ...before.inbox.flatMap((entry) =>
      entry.kind === "question" ? [entry.task_id] : entry.kind === "escalation" ? [entry.escalation.task_id] : [],
    ),
    ...(event.type === "wait_ended" ? [taskOfEndedWait(event.effect_id)] : []),
  ];
  const indices = named.flatMap((id) => (id === null ? [] : (layout.indexOf.get(id) ?? [])));
  const all = new Set(indices.flatMap((i) => [i, ...(layout.dependents[i] ?? [])]));
  return [...all].filter(hasChanged).sort((a, b) => a - b);
}

function describeTask(task: TaskState): string {
  switch (task.status) {
    case "pending":
      return task.waiting_on === 0 ? "ready" : `waiting for ${task.waiting_on}`;
    case "in_progress":
      return task.stage === "waiting" ? `waiting until ${task.until_ms} ms` : task.stage;
    case "blocked":
      return `blocked on ${task.on}`;
    case "failed":
    case "skipped":
    case "cancelled":
      return `${task.status}, ${task.reason}`;
    case "completed":
      return "completed";
  }
}

/** The whole state of a run as plain data, for programs: everything the fold knows, and nothing of the moment. */
export function stateDocument({ run_id, sequence, state }: FoldedRun): Readonly<Record<string, unknown>> {
  const { layout, tasks, ready, ...rest } = state;
  return {
    run_id,
    sequence,
    ...rest,
    plan_id: layout?.plan.plan_id ?? null,
    plan_checksum: layout?.plan.plan_checksum ?? null,
    ready: [...ready].map((index) => taskAt(state, index).task_id),
    tasks: [...tasks].map(({ state: task, agent, attempts, retries }, index) => ({
      task_id: taskAt(state, index).task_id,
      agent,
      attempts,
      retries,
      ...task,
    })),
  };
}
