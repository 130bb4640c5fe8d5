import { BUILDER_OF } from "../../../model/adr.js";
import type { EventOf, LoggedEvent, RunEvent } from "../../../model/event.js";
import type { RunTask } from "../../../model/run.js";
import { apply } from "../../run/apply.js";
import { describeGate } from "../../run/decide/assignments.js";
import { describeFailure } from "../../run/decide/failure.js";
import { isOver, NEW_RUN, type RunState, taskAt } from "../../run/state.js";
import { type InboxEntry, taskIdOf } from "../../run/inbox-entry.js";
import type { TaskState } from "../../run/task-record.js";
import type { Blocker, BoardDecision, BoardRun, BoardSession, BoardTask } from "./board-run.js";
import { decisionOf } from "./decisions.js";

/** Events that do not change a board. */
const UNSEEN: ReadonlySet<RunEvent["type"]> = new Set([
  "tool_judged",
  "attempt_progressed",
  "iteration_finished",
  "coordination_used",
  "message_sent",
  "sandbox_graded",
  "breaker_changed",
  "notification_sent",
]);

export function isShown({ type }: RunEvent): boolean {
  return !UNSEEN.has(type);
}

/** Events that only a process at work on the run appends: people also decide while none does. */
const BY_HANDS: ReadonlySet<RunEvent["type"]> = new Set([
  "attempt_progressed",
  "tool_judged",
  "iteration_finished",
  "route_reevaluated",
  "attempt_finished",
  "verification_finished",
  "integration_finished",
  "conflict_found",
  "conflict_resolved",
  "review_finished",
  "coordination_used",
  "wait_ended",
]);

interface Marks {
  started_at?: string;
  completed_at?: string;
  result?: string;
  trouble?: { readonly reason: string; readonly details: string };
}

export interface BoardFold {
  /** Contract: events in the order of the log. */
  take(logged: LoggedEvent): void;
  now(): BoardRun;
  readonly sequence: () => number;
}

/** The board of one run, event by event. Contract: pure; equal logs give equal boards. */
export function foldBoard(run_id: string): BoardFold {
  const marks = new Map<string, Marks>();
  const decisions: BoardDecision[] = [];
  const sessions: { -readonly [name in keyof BoardSession]: BoardSession[name] }[] = [];
  let state = NEW_RUN;
  let sequence = 0;
  let request = "";
  let started_at = "";
  let updated_at = "";
  let cancelled = false;

  function take(logged: LoggedEvent): void {
    const { event, at, clock_ms } = logged;
    const before = state;
    state = apply(state, event, clock_ms);
    sequence = logged.sequence;
    if (started_at === "") started_at = at;
    if (isShown(event)) updated_at = at;
    if (event.type === "request_received") request = event.request;
    if (event.type === "run_cancelled") cancelled = true;
    if (event.type === "sandbox_graded")
      sessions.push({ from: sequence, to: sequence, started_at: at, last_at: at, completed: [] });
    mark(event, at);
    const said = decisionOf(event, before);
    if (said !== null) decisions.push({ at, ...said });
    const session = sessions.at(-1);
    if (session !== undefined) {
      session.to = sequence;
      if (BY_HANDS.has(event.type)) session.last_at = at;
      if (event.type === "review_finished" && event.accepted) session.completed = [...session.completed, event.task_id];
    }
  }

  function mark(event: RunEvent, at: string): void {
    if (!("task_id" in event) || event.task_id === null) return;
    const known = marks.get(event.task_id) ?? {};
    const next = marksAfter(known, event, at);
    if (next !== known) marks.set(event.task_id, next);
  }

  return {
    take,
    sequence: () => sequence,
    now: () => {
      const tasks = state.layout?.plan.tasks ?? [];
      return {
        run_id,
        request,
        status: state.status,
        reason: state.reason,
        over: isOver(state),
        started_at,
        updated_at,
        tasks: tasks.map((task, i) => boardTask(state, run_id, task, i, marks.get(task.task_id) ?? {}, cancelled)),
        blockers: blockersOf(state, marks),
        decisions: [...decisions],
        sessions: sessions.map((session) => ({ ...session })),
      };
    },
  };
}

function marksAfter(known: Marks, event: RunEvent, at: string): Marks {
  switch (event.type) {
    case "attempt_started":
      return { ...known, started_at: known.started_at ?? at };
    case "attempt_finished":
      return event.outcome.kind === "completed" || event.outcome.kind === "cancelled"
        ? known
        : { ...known, trouble: troubleOf(event.outcome) };
    case "verification_finished": {
      const details = withoutProof(event.evidence);
      return event.verdict === "PASS"
        ? { ...known, result: `verdict PASS: ${details}` }
        : { ...known, trouble: { reason: `verdict ${event.verdict}`, details } };
    }
    case "integration_finished":
      return event.integrated
        ? { ...known, result: `${known.result ?? ""}; integrated as ${event.ref.slice(0, 12)}`.replace(/^; /, "") }
        : { ...known, trouble: { reason: "not integrated", details: event.ref } };
    case "review_finished":
      return event.accepted
        ? { ...known, completed_at: at }
        : { ...known, trouble: { reason: "not accepted by its review", details: event.summary } };
    default:
      return known;
  }
}

function troubleOf(
  outcome: Exclude<EventOf<"attempt_finished">["outcome"], { kind: "completed" | "cancelled" }>,
): NonNullable<Marks["trouble"]> {
  if (outcome.kind === "clarification") return { reason: "question", details: outcome.question };
  if (outcome.kind === "scope_request") return { reason: "asks for a wider scope", details: outcome.message };
  if (outcome.kind === "quality" || outcome.kind === "safety")
    return { reason: outcome.kind, details: outcome.message };
  return { reason: outcome.kind, details: describeFailure(outcome) };
}

/** The checksum of the record behind a verdict is for programs. */
function withoutProof(evidence: string): string {
  return evidence.replace(/ \[sha256:[0-9a-f]{64}\]$/, "");
}

function boardTask(
  state: RunState,
  run: string,
  task: RunTask,
  index: number,
  { started_at, completed_at, result, trouble }: Marks,
  cancelled: boolean,
): BoardTask {
  const record = state.tasks.get(index);
  const { agent, attempts, priority } = record;
  const over = isOver(state);
  const status = statusOf(record.state, over);
  const reason = reasonOf(record.state, status, trouble, cancelled, state.reason);
  const { adr, description, type, iterations, completion_promise, files, tests } = task;
  return {
    id: task.task_id,
    ...(adr === undefined ? {} : { adr }),
    title: task.title,
    ...(description === undefined ? {} : { description }),
    ...(type === undefined ? {} : { type }),
    agent: type === undefined ? (task.builder ?? task.agent) : BUILDER_OF[type],
    assigned_to: agent,
    status,
    dependencies: [...task.dependencies],
    priority,
    ...(iterations === undefined ? {} : { estimated_iterations: Math.max(1, Math.round(iterations / 2)) }),
    ...(completion_promise === undefined ? {} : { completion_promise }),
    ...(files === undefined ? {} : { files: [...files] }),
    ...(tests === undefined ? {} : { tests: [...tests] }),
    ...(started_at === undefined ? {} : { started_at }),
    ...(completed_at === undefined ? {} : { completed_at }),
    run,
    attempts,
    ...(reason === null ? {} : { reason }),
    stage: status === "in_progress" && "stage" in record.state ? record.state.stage : null,
    result: status === "completed" ? (result ?? null) : null,
    place: state.layout?.place[index] ?? index,
    ready: record.state.status === "pending" && record.state.waiting_on === 0 && state.plan_approved,
  };
}

/** A task that was open when its run ended is cancelled. */
function statusOf({ status }: TaskState, over: boolean): QueueStatusOf {
  return over && (status === "pending" || status === "in_progress" || status === "blocked") ? "cancelled" : status;
}
type QueueStatusOf = BoardTask["status"];

function reasonOf(
  state: TaskState,
  status: QueueStatusOf,
  trouble: Marks["trouble"],
  cancelled: boolean,
  ended: string,
): string | null {
  if ("reason" in state) return state.reason;
  if (status === "cancelled") return cancelled ? "its run was cancelled" : `its run ended: ${ended}`;
  if (status === "blocked")
    return trouble === undefined ? "waits on a person" : `${trouble.reason}: ${trouble.details}`;
  return null;
}

function blockersOf(state: RunState, marks: ReadonlyMap<string, Marks>): Blocker[] {
  return state.inbox.flatMap((entry): Blocker[] => {
    const task = taskIdOf(entry);
    const blocked = task !== null && isBlocked(state, task);
    const trouble = task === null ? undefined : marks.get(task)?.trouble;
    if (blocked && trouble !== undefined && entry.kind !== "task_change") return [{ task, ...trouble }];
    return runBlocker(state, entry, task);
  });
}

function runBlocker(state: RunState, entry: InboxEntry, task: string | null): Blocker[] {
  switch (entry.kind) {
    case "plan_approval":
      return [
        {
          task: null,
          reason: "plan waits for approval",
          details: `${state.tasks.length} tasks, coordinator approve ${entry.id}`,
        },
      ];
    case "escalation":
      return [{ task, reason: entry.escalation.type, details: withoutProof(entry.escalation.summary) }];
    case "question":
      return [{ task, reason: "question", details: entry.question }];
    case "review":
      return holdsReady(state, entry.id)
        ? [{ task: null, reason: `${describeGate(entry.id)} waits`, details: `coordinator approve ${entry.id}` }]
        : [];
    default:
      return [];
  }
}

function isBlocked(state: RunState, task: string): boolean {
  const index = state.layout?.indexOf.get(task);
  return index !== undefined && state.tasks.get(index).state.status === "blocked";
}

/** A review of work that is not there yet blocks nobody. */
function holdsReady(state: RunState, gate: string): boolean {
  for (const index of state.ready) if (taskAt(state, index).gates.includes(gate)) return true;
  return false;
}
