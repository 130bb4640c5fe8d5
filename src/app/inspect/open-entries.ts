import { AMOUNTS } from "../../model/amount-names.js";
import type { Escalation, Waivable, Objection, RunTask, TaskChange } from "../../model/run.js";
import type { Refusal, ScopeAddition } from "../../model/scope.js";
import { ASSIGNMENT, describeGate } from "../../mind/run/decide/assignments.js";
import { isPermission, PERMISSION_OPTIONS } from "../../mind/run/decide/permissions.js";
import type { RunState } from "../../mind/run/state.js";
import { type InboxEntry, taskIdOf } from "../../mind/run/inbox-entry.js";
import { addScopes } from "../../mind/run/task-record.js";
import type { AttemptWords, FoldedRun } from "./fold-run.js";

/** One open question, approval or escalation, with everything needed to decide it. */
export interface OpenEntry {
  readonly run_id: string;
  /** The words its run was asked for with; empty for a run that was begun from a plan alone. */
  readonly asked: string;
  readonly id: string;
  readonly kind: InboxEntry["kind"];
  readonly opened_at: string;
  readonly sequence: number;
  readonly task_id: string | null;
  /** Its subject, in one sentence. */
  readonly about: string;
  /** Who may decide; empty when anybody may. */
  readonly reviewers: readonly string[];
  /** For a review: the tasks that wait for it, and how many tasks have to be done before it matters. */
  readonly guards: readonly string[];
  readonly tasks_before: number;
  /** For a question: answers that would do, as far as the person who asks has named some. */
  readonly options: readonly string[];
  readonly escalation: Escalation | null;
  /** The addition that a task requests to its scope. */
  readonly request: ScopeAddition | null;
  /** The last words of the agent in the attempt it is about, and the actions it was refused. */
  readonly said: string | null;
  readonly refused: readonly Refusal[];
  /** Commands to type, the likeliest first. */
  readonly commands: readonly string[];
}

/** Lists the entries that wait on people in one run, oldest first. `alone`: no other run could have the same ids. */
export function openEntries(run: FoldedRun, alone: boolean): OpenEntry[] {
  const which = alone ? "" : ` --run ${run.run_id}`;
  const ids = run.state.inbox.map(({ id }) => id);
  return run.state.inbox
    .map((entry) => openEntry(run, entry, which, shortest(entry.id, ids)))
    .sort((a, b) => a.sequence - b.sequence);
}

/** Shortens an id to as much as makes it unique and recognisable. */
function shortest(id: string, ids: readonly string[]): string {
  const isIts = (short: string) => ids.every((other) => other === id || !other.startsWith(short));
  if (id.length <= LONG_ID) return id;
  for (let end = LONG_ID - 8; end < id.length; end++)
    if (isIts(id.slice(0, end)) && /\w/.test(id[end - 1] ?? "") && !/\w/.test(id[end] ?? "")) return id.slice(0, end);
  return id;
}

const LONG_ID = 32;

function openEntry(run: FoldedRun, entry: InboxEntry, which: string, short: string): OpenEntry {
  const { run_id, state, opened, last_at } = run;
  const mark = opened.get(entry.id);
  const words = wordsAbout(run, entry);
  const base = {
    run_id,
    asked: run.request,
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
    said: words?.said ?? null,
    refused: words?.refused ?? [],
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
        commands: (isPermission(entry.id) ? PERMISSION_OPTIONS : ["TEXT"]).map(
          (answer) => `coordinator answer ${id} ${answer}${which}`,
        ),
      };
    case "scope_request":
      return {
        ...base,
        task_id: entry.task_id,
        about: `${entry.task_id} asks for a wider scope: ${entry.message}${tellLoginsAtStake(run, entry.request)}`,
        request: entry.request,
        commands: [`coordinator approve ${id}${which}`, `coordinator reject ${id} --reason TEXT${which}`],
      };
    case "task_change":
      return {
        ...base,
        task_id: entry.task_id,
        about: `${entry.proposed_by} wants to ${describeChange(entry.task_id, entry.change)}`,
        commands: [`coordinator approve ${id}${which}`, `coordinator reject ${id} --reason TEXT${which}`],
      };
    case "escalation":
      return {
        ...base,
        task_id: entry.escalation.task_id,
        about: entry.escalation.summary,
        escalation: entry.escalation,
        commands: ordersFor(entry.escalation, base.refused).map(
          (order) => `coordinator answer ${id} --order ${order}${which}`,
        ),
      };
  }
}

/** Warns what granting hosts would also allow: an agent that can read a login can send it to every host it reaches. */
function tellLoginsAtStake({ logins }: FoldedRun, { network }: ScopeAddition): string {
  if (network.length === 0 || logins.size === 0) return "";
  const told = [...logins].map(([agent, files]) => `${agent} (${files.map((file) => `~/${file}`).join(", ")})`);
  return `. These can read a login of yours, and could send it to ${network.join(", ")}: ${told.join(", ")}`;
}

/** How the attempt ended that an entry is about; null for one that is about the run, a plan or a review. */
function wordsAbout({ ended }: FoldedRun, entry: InboxEntry): AttemptWords | null {
  const words = ended.get(taskIdOf(entry) ?? "");
  if (words === undefined || entry.kind === "task_change") return null;
  const about = entry.kind === "escalation" ? entry.escalation.attempt : null;
  return about === null || about === words.attempt ? words : null;
}

/** `skip T: nobody needs it`, after "to". */
export function describeChange(task: string, change: TaskChange): string {
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
  // The number of tasks before the first of them: a review of work that is not there yet can wait.
  const before = guarded.map(({ task }) => task.dependencies.filter((d) => !isDone(state, d)).length);
  const role = reviewers[0] === undefined ? "" : ` --as ${shellWord(reviewers[0])}`;
  const word = shellWord(id);
  return {
    about:
      category === ASSIGNMENT
        ? `${describeGate(id)} to ${guarded[0]?.task.agent ?? "its builder"}`
        : reviewOf(category, guarded),
    reviewers,
    guards: guarded.map(({ task }) => task.task_id),
    tasks_before: before.length === 0 ? 0 : Math.min(...before),
    commands: [`coordinator approve ${word}${role}${which}`, `coordinator reject ${word}${role} --reason TEXT${which}`],
  };
}

function reviewOf(category: string, guarded: readonly { readonly task: RunTask }[]): string {
  const [first] = guarded;
  return `${category} review before ${guarded.length === 1 ? (first?.task.task_id ?? "") : `${guarded.length} tasks`}`;
}

function isDone({ layout, tasks }: RunState, taskId: string): boolean {
  const index = layout?.indexOf.get(taskId);
  return index !== undefined && ["completed", "skipped"].includes(tasks.get(index).state.status);
}

/** Lists the orders that a person may give, the specification's own response to this type first. */
function ordersFor(
  { response, task_id, package: evidence, liftable }: Escalation,
  refused: readonly Refusal[],
): string[] {
  if (liftable !== undefined) return ordersForHeld(liftable, task_id);
  const widen = task_id !== null && describeAllowed(refused) !== null ? ["widen"] : [];
  if (response === "budget_increase_or_terminate")
    return [`raise_budget --add ${short(evidence.violation)}`, "give_up"];
  if (task_id === null) return ["resume", "give_up"];
  const skip = NOTHING_CHANGED.test(evidence.violation) ? [SKIP] : [];
  return [...widen, ...skip, "retry", "give_up"];
}

/** As a verdict says it. */
const NOTHING_CHANGED = /nothing was changed where a change was due/;
const SKIP = "skip --note TEXT";

/** Describes the addition to a scope with which none of this is refused; null when no addition would do. */
export function describeAllowed(refused: readonly Refusal[]): ScopeAddition | null {
  const open = refused.filter(({ settled }) => settled === undefined);
  const additions = open.flatMap(({ addition }) => (addition === undefined ? [] : [addition]));
  return additions.length === 0 ? null : additions.reduce(addScopes);
}

/** A result that is held: what mends the cause first, what accepts it as it is after that. */
function ordersForHeld({ guardrails, objections = [] }: Waivable, task_id: string | null): string[] {
  const has = (kind: Objection["kind"]) => objections.some((one) => one.kind === kind);
  const roles = [...new Set(guardrails.map(({ override }) => override))].filter((one) => one !== "person");
  const waivers = roles.length === 0 ? ["waive"] : roles.map((role) => `waive --as ${role}`);
  const proof = has("unproven") ? ["recheck", "waive --not-applicable"] : [];
  const widen = objections.some(({ addition }) => addition !== undefined) ? ["widen"] : [];
  const retry = task_id === null ? [] : ["retry"];
  // Work that the agent could not do, or says it did not do, may not be needed at all.
  if (has("refused") || has("unfinished")) return [...widen, ...proof, ...retry, ...waivers, SKIP, "give_up"];
  return [...proof, ...waivers, ...retry, "give_up"];
}

/** Finds the amount that a budget lacks, as `raise_budget` takes it. */
function short(violation: string): string {
  const named = AMOUNTS.filter((name) => new RegExp(` ${name} over its budget`).test(violation));
  return (named.length === 0 ? ["tokens", "cost_usd"] : named).map((name) => `${name}=N`).join(",");
}

/** An id as a shell takes it whole. */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
