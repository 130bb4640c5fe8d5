import { BUILDER_OF } from "../../../model/adr.js";
import { GivenQueue, GivenTask } from "../../../model/given-queue.js";
import type { QueueStatus } from "../../../model/work-queue.js";
import type { TaskType } from "../../../model/task.js";

/* Which tasks of a work queue that another program left can be carried out, and why the others are not. */

/** A task of the file that is to be carried out. */
export interface TakenTask extends Omit<GivenTask, "type"> {
  readonly type: TaskType;
  /** Tasks it waits for that are carried out as well; tasks done before are left out. */
  readonly waits_for: readonly string[];
}

/** A task of the file that is not carried out: its place in the list, and the reason. */
interface LeftTask {
  readonly index: number;
  /** The field it is about; empty for the task as a whole. */
  readonly field: string;
  readonly id: string | null;
  readonly reason: string;
}

export interface TakenQueue {
  readonly tasks: readonly TakenTask[];
  readonly left: readonly LeftTask[];
  /** Done before, by whomever: they hold nobody up. */
  readonly done: readonly string[];
}

export interface KnownTasks {
  /** Finds the status of a task in a run of this project; undefined when no run has it. */
  readonly inRun: (id: string) => { readonly run: string; readonly status: QueueStatus } | undefined;
  /** Tasks that somebody began and left are taken up again. */
  readonly resumes: boolean;
}

/**
 * Contract: pure and total, whatever the value is. Null when it is not a queue at all. Tasks keep their ids, priorities,
 * dependencies and order; each task of the file is taken, done or left with a reason.
 */
export function takeQueue(value: unknown, known: KnownTasks): TakenQueue | null {
  const queue = GivenQueue.safeParse(value);
  if (!queue.success) return null;
  const left: LeftTask[] = [];
  const done = new Set<string>();
  const wanted = new Map<string, { readonly task: TakenTask; readonly index: number }>();
  const seen = new Set<string>();
  for (const [index, each] of queue.data.tasks.entries()) {
    const read = GivenTask.safeParse(each);
    if (!read.success) {
      for (const { path, message } of read.error.issues.slice(0, MOST_ISSUES))
        left.push({ index, field: path.join("."), id: idOf(each), reason: message });
      continue;
    }
    const task = read.data;
    const leave = (reason: string, field = "") => left.push({ index, field, id: task.id, reason });
    if (seen.has(task.id)) {
      leave("stands in the file twice; the first counts", "id");
      continue;
    }
    seen.add(task.id);
    const type = typeOf(task);
    const run = known.inRun(task.id);
    if (task.status === "completed" || run?.status === "completed" || run?.status === "skipped") done.add(task.id);
    else if (run !== undefined && isOpen(run.status))
      leave(`is carried out by ${run.run}: coordinator run --resume ${run.run}`);
    else if (type === null)
      leave(`${task.agent ?? ""} does no work of type ${task.type ?? "?"}: ${buildersFor(task)}`, "agent");
    else {
      const why = notNow(task, known);
      if (why === null) wanted.set(task.id, { task: { ...task, type, waits_for: [] }, index });
      else leave(why, "status");
    }
  }
  leaveUnreachable(wanted, done, left);
  const tasks = [...wanted.values()].map(({ task }) => ({
    ...task,
    waits_for: task.dependencies.filter((id) => wanted.has(id)),
  }));
  return { tasks, left: left.toSorted((a, b) => a.index - b.index), done: [...done] };
}

/** So many problems of one task are listed. */
const MOST_ISSUES = 5;

function notNow({ status }: GivenTask, { resumes }: KnownTasks): string | null {
  switch (status) {
    case "pending":
      return null;
    case "in_progress":
      return resumes ? null : "was begun by another session, and the contract does not react to resume_session";
    case "blocked":
      return "is blocked: settle what blocks it and write pending";
    default:
      return `is ${status}: write pending to have it carried out`;
  }
}

export function isOpen(status: QueueStatus): boolean {
  return status === "pending" || status === "in_progress" || status === "blocked";
}

/** The kind of work, by its type or by the builder it is for; null when the two contradict each other. */
function typeOf({ type, agent }: GivenTask): TaskType | null {
  if (agent === undefined) return type ?? "feature";
  const [found] = (Object.entries(BUILDER_OF) as [TaskType, string][]).find(([, builder]) => builder === agent) ?? [];
  if (found === undefined || (type !== undefined && type !== found)) return null;
  return found;
}

function buildersFor({ type }: GivenTask): string {
  return type === undefined ? `the builders are ${Object.values(BUILDER_OF).join(", ")}` : `${BUILDER_OF[type]} does`;
}

/** Leaves out tasks that wait for a task that is not done, or for themselves; repeatedly, because others may wait for them. */
function leaveUnreachable(
  wanted: Map<string, { readonly task: TakenTask; readonly index: number }>,
  done: ReadonlySet<string>,
  left: LeftTask[],
): void {
  for (let before = -1; before !== wanted.size;) {
    before = wanted.size;
    for (const [id, { task, index }] of wanted) {
      const missing = task.dependencies.find((on) => !done.has(on) && !wanted.has(on));
      if (missing === undefined) continue;
      wanted.delete(id);
      left.push({
        index,
        field: "dependencies",
        id,
        reason: `waits for ${missing}, which is not done and not carried out`,
      });
    }
  }
  for (const id of inCircles(wanted)) {
    const index = wanted.get(id)?.index ?? 0;
    wanted.delete(id);
    left.push({ index, field: "dependencies", id, reason: "waits for itself through what it depends on" });
  }
}

/** Lists tasks that are never ready, however much of the rest is done. */
function inCircles(wanted: ReadonlyMap<string, { readonly task: TakenTask }>): string[] {
  const open = new Map([...wanted].map(([id, { task }]) => [id, task.dependencies.filter((on) => wanted.has(on))]));
  for (let before = -1; before !== open.size;) {
    before = open.size;
    for (const [id, on] of open) if (!on.some((each) => open.has(each))) open.delete(id);
  }
  return [...open.keys()];
}

function idOf(value: unknown): string | null {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof id === "string" ? id.slice(0, 64) : null;
}
