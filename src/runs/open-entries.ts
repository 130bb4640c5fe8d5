import { AMOUNTS, type Escalation, type TaskChange } from "../model/run.js";
import type { ScopeAddition } from "../model/scope.js";
import type { InboxEntry, RunState } from "../run/state.js";
import type { FoldedRun } from "./fold-run.js";

/** One open question, approval or escalation, with everything needed to decide it. */
export interface OpenEntry {
  readonly run_id: string;
  readonly id: string;
  readonly kind: InboxEntry["kind"];
  readonly opened_at: string;
  readonly sequence: number;
  readonly task_id: string | null;
  /** What it is about, in one sentence. */
  readonly about: string;
  /** Who may decide; empty when anybody may. */
  readonly reviewers: readonly string[];
  /** For a review: the tasks that wait for it, and how many tasks have to be done before it matters. */
  readonly guards: readonly string[];
  readonly tasks_before: number;
  /** For a question: answers that would do, as far as whoever asks has named some. */
  readonly options: readonly string[];
  readonly escalation: Escalation | null;
  /** What a task asks to be added to its scope. */
  readonly request: ScopeAddition | null;
  /** What to type, the likeliest first. */
  readonly commands: readonly string[];
}

/** What waits on people in one run, oldest first. `alone`: no other run could have the same ids. */
export function openEntries(run: FoldedRun, alone: boolean): OpenEntry[] {
  const which = alone ? "" : ` --run ${run.run_id}`;
  const ids = run.state.inbox.map(({ id }) => id);
  return run.state.inbox
    .map((entry) => openEntry(run, entry, which, shortest(entry.id, ids)))
    .sort((a, b) => a.sequence - b.sequence);
}

/** What is typed for an id: enough of a long one to be no other's, and to be recognised. */
function shortest(id: string, ids: readonly string[]): string {
  const isIts = (short: string) => ids.every((other) => other === id || !other.startsWith(short));
  if (id.length <= LONG_ID) return id;
  for (let end = LONG_ID - 8; end < id.length; end++)
    if (isIts(id.slice(0, end)) && /\w/.test(id[end - 1] ?? "") && !/\w/.test(id[end] ?? "")) return id.slice(0, end);
  return id;
}

const LONG_ID = 32;

function openEntry(
  { run_id, state, opened, last_at }: FoldedRun,
  entry: InboxEntry,
  which: string,
  short: string,
): OpenEntry {
  const mark = opened.get(entry.id);
  const base = {
    run_id,
    id: entry.id,
    kind: entry.kind,
    opened_at: mark?.at ?? last_at ?? "",
    sequence: mark?.sequence ?? 0,
    task_id: null,
    reviewers: [],
    guards: [],
    tasks_before: 0,
    options: [],
    escalation: null,
    request: null,
  };
  const id = shellWord(short);
  switch (entry.kind) {
    case "plan_approval":
      return {
        ...base,
        about: `May the plan of ${state.tasks.length} ${state.tasks.length === 1 ? "task" : "tasks"} be carried out?`,
        commands: [`coordinator approve ${id}${which}`, `coordinator reject ${id} --reason TEXT${which}`],
      };
    case "review":
      return { ...base, ...review(state, entry, which) };
    case "question":
      return {
        ...base,
        task_id: entry.task_id,
        about: entry.question,
        options: entry.options ?? [],
        commands: [`coordinator answer ${id} TEXT${which}`],
      };
    case "scope_request":
      return {
        ...base,
        task_id: entry.task_id,
        about: `${entry.task_id} asks for a wider scope: ${entry.message}`,
        request: entry.request,
        commands: [`coordinator approve ${id}${which}`, `coordinator reject ${id} --reason TEXT${which}`],
      };
    case "task_change":
      return {
        ...base,
        task_id: entry.task_id,
        about: `${entry.proposed_by} wants to ${tellChange(entry.task_id, entry.change)}`,
        commands: [`coordinator approve ${id}${which}`, `coordinator reject ${id} --reason TEXT${which}`],
      };
    case "escalation":
      return {
        ...base,
        task_id: entry.escalation.task_id,
        about: entry.escalation.summary,
        escalation: entry.escalation,
        commands: ordersFor(entry.escalation).map((order) => `coordinator answer ${id} --order ${order}${which}`),
      };
  }
}

/** `skip T: nobody needs it`, after "to". */
export function tellChange(task: string, change: TaskChange): string {
  switch (change.action) {
    case "skip_task":
      return `skip ${task}: ${change.reason}`;
    case "delete_task":
      return `delete ${task} and what builds on it: ${change.reason}`;
    case "change_priority":
      return `make ${task} ${change.priority}`;
    case "reassign_task":
      return `give ${task} to ${change.agent}`;
  }
}

function review(state: RunState, { id, reviewers }: Extract<InboxEntry, { kind: "review" }>, which: string) {
  const tasks = state.layout?.plan.tasks ?? [];
  const guarded = tasks.flatMap((task, i) => (task.gates.includes(id) ? [{ task, i }] : []));
  const category = state.layout?.plan.gates.find(({ gate_id }) => gate_id === id)?.category ?? "review";
  // What stands before the first of them: a review of work that is not there yet can wait.
  const before = guarded.map(({ task }) => task.dependencies.filter((d) => !isDone(state, d)).length);
  const role = reviewers[0] === undefined ? "" : ` --as ${shellWord(reviewers[0])}`;
  const word = shellWord(id);
  return {
    about: `${category} review before ${guarded.length === 1 ? (guarded[0]?.task.task_id ?? "") : `${guarded.length} tasks`}`,
    reviewers,
    guards: guarded.map(({ task }) => task.task_id),
    tasks_before: before.length === 0 ? 0 : Math.min(...before),
    commands: [`coordinator approve ${word}${role}${which}`, `coordinator reject ${word}${role} --reason TEXT${which}`],
  };
}

function isDone({ layout, tasks }: RunState, taskId: string): boolean {
  const index = layout?.indexOf.get(taskId);
  return index !== undefined && ["completed", "skipped"].includes(tasks.get(index).state.status);
}

/** What a person may order, the specification's own response to this type first. */
function ordersFor({ response, task_id, package: evidence, liftable }: Escalation): string[] {
  if (liftable !== undefined) {
    const roles = [...new Set(liftable.guardrails.map(({ override }) => override))].filter((one) => one !== "person");
    return [...(roles.length === 0 ? ["lift"] : roles.map((role) => `lift --as ${role}`)), "retry", "give_up"];
  }
  if (response === "budget_increase_or_terminate")
    return [`raise_budget --add ${short(evidence.violation)}`, "give_up"];
  return [task_id === null ? "resume" : "retry", "give_up"];
}

/** What a budget is short of, as `raise_budget` takes it. */
function short(violation: string): string {
  const named = AMOUNTS.filter((name) => new RegExp(` ${name} over its budget`).test(violation));
  return (named.length === 0 ? ["tokens", "cost_usd"] : named).map((name) => `${name}=N`).join(",");
}

/** An id as a shell takes it whole. */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
