import type { TaskChange } from "../../../model/run.js";
import { GivenTask, MOST_GIVEN_TASKS } from "../../../model/given-queue.js";
import { QueueTask, type RunQueue, WorkQueue } from "../../../model/work-queue.js";

/** A change of a task that a person wrote into the queue by hand. */
export interface EditedTask {
  readonly run: string;
  readonly task: string;
  readonly change: TaskChange;
}

export interface Edits {
  readonly changes: readonly EditedTask[];
  /** Edits that are not changes that can be made, and why. */
  readonly notes: readonly string[];
}

/** Reads the changes that an edited queue asks for. Contract: pure and total for any text; nothing is carried out here. */
export function editsIn(written: RunQueue | null, text: string): Edits {
  if (written === null) return { changes: [], notes: ["the file was there before the Coordinator wrote it"] };
  const edited = readProposals(text);
  if (edited === null) return { changes: [], notes: ["it is not a JSON document with a list of tasks"] };
  const changes: EditedTask[] = [];
  const notes: string[] = [];
  const seen = new Set<string>();
  const known = new Map(written.tasks.map((task) => [keyOf(task), task]));
  for (const task of edited) {
    const key = keyOf(task);
    const before = known.get(key);
    if (before === undefined) notes.push(...newTask(task));
    else if (!seen.has(key)) compare(before, task, changes, notes);
    seen.add(key);
  }
  for (const [key, { run, id }] of known)
    if (!seen.has(key))
      changes.push({ run, task: id, change: { action: "delete_task", reason: "taken out of the work queue by hand" } });
  return { changes, notes };
}

type Loose = Readonly<Record<string, unknown>>;

function readProposals(text: string): Loose[] | null {
  try {
    const { tasks } = JSON.parse(text) as { tasks?: unknown };
    const isTask = (task: unknown): task is Loose => typeof task === "object" && task !== null;
    return Array.isArray(tasks) ? tasks.filter(isTask) : null;
  } catch {
    return null;
  }
}

const keyOf = ({ run, id }: { run?: unknown; id?: unknown }) => JSON.stringify([run, id]);

function compare(before: QueueTask, after: Loose, changes: EditedTask[], notes: string[]): void {
  const { run, id } = before;
  for (const [field, was] of Object.entries(before) as [keyof QueueTask, unknown][]) {
    const is = after[field];
    if (JSON.stringify(is) === JSON.stringify(was)) continue;
    const change = changeOf(field, is);
    if (change === null) notes.push(`${field} of ${id} is not changed in the file: ${JSON.stringify(is) ?? "removed"}`);
    else changes.push({ run, task: id, change });
  }
  for (const field of Object.keys(after))
    if (!Object.hasOwn(before, field)) notes.push(`${field} of ${id} is nothing a task has`);
}

function changeOf(field: keyof QueueTask, is: unknown): TaskChange | null {
  const reason = "edited in the work queue by hand";
  if (field === "status" && is === "skipped") return { action: "skip_task", reason };
  if (field === "status" && is === "cancelled") return { action: "delete_task", reason };
  if (field === "priority" && (is === "P0" || is === "P1" || is === "P2" || is === "P3"))
    return { action: "change_priority", priority: is };
  if (field === "assigned_to" && typeof is === "string" && is !== "" && is.length <= 200)
    return { action: "reassign_task", agent: is };
  return null;
}

/** An entry that is not a task of a run is kept as it is, if it is a task; its notes say how to carry it out. */
function newTask(task: Loose): string[] {
  if (task["run"] === undefined && GivenTask.safeParse(task).success) return [];
  return [`${String(task["id"])} is new and no task that can be kept`];
}

/** The tasks of runs in a text that the Coordinator wrote; null for any other text. */
export function queueIn(text: string): RunQueue | null {
  try {
    const queue = WorkQueue.parse(JSON.parse(text));
    return { ...queue, tasks: queue.tasks.flatMap((task) => QueueTask.safeParse(task).data ?? []) };
  } catch {
    return null;
  }
}

/** The tasks in a text that no run has, no matter who wrote them there. Contract: pure and total. */
export function othersIn(text: string): GivenTask[] {
  const tasks = (readProposals(text) ?? []).flatMap((task) => GivenTask.safeParse(task).data ?? []);
  return tasks.filter(({ run }) => run === undefined).slice(0, MOST_GIVEN_TASKS);
}
