import type { GraphTask } from "../../types.ts";

/* Many tasks are readable as groups with their progress. A group that somebody works on is open. */

export interface TaskGroup {
  readonly id: string;
  readonly name: string;
  readonly tasks: readonly GraphTask[];
}

/** So many tasks are readable at once without groups. */
const FEW = 12;
const MOST_GROUPS = 40;
/** So many tasks are readable beside closed groups. */
const MOST_OPEN = 60;

type Naming = (task: GraphTask) => string;

const folderOf = (depth: number): Naming => {
  return ({ files }) => {
    const parts = files[0]?.split("/").slice(0, -1) ?? [];
    return parts.length === 0 ? "Files at the top" : parts.slice(0, depth).join("/");
  };
};

/**
 * The groups of a run: its phases, or else the folders that its tasks change, the kinds of its tasks, or its levels;
 * the first of these that tells the tasks apart. Few tasks have no groups.
 */
export function groupTasks(tasks: readonly GraphTask[]): TaskGroup[] {
  if (tasks.length <= FEW) return [];
  const namings: readonly Naming[] = [
    ({ phase }) => phase,
    folderOf(1),
    folderOf(2),
    folderOf(3),
    ({ type }) => type ?? "",
    levelBands(tasks),
  ];
  let groups: TaskGroup[] = [];
  for (const naming of namings) {
    groups = groupsBy(tasks, naming);
    const largest = Math.max(...groups.map((group) => group.tasks.length));
    if (groups.length > 1 && groups.length <= MOST_GROUPS && largest <= tasks.length * 0.6) return groups;
  }
  return groups;
}

function levelBands(tasks: readonly GraphTask[]): Naming {
  const last = Math.max(...tasks.map(({ level }) => level));
  const size = Math.max(1, Math.ceil((last + 1) / 10));
  return ({ level }) => {
    const first = Math.floor(level / size) * size;
    return size === 1 ? `Level ${first + 1}` : `Levels ${first + 1} to ${Math.min(last, first + size - 1) + 1}`;
  };
}

function groupsBy(tasks: readonly GraphTask[], naming: Naming): TaskGroup[] {
  const named = new Map<string, GraphTask[]>();
  for (const task of tasks) {
    const name = naming(task);
    const own = named.get(name);
    if (own === undefined) named.set(name, [task]);
    else own.push(task);
  }
  return [...named].map(([name, own]) => ({ id: `group:${name}`, name: name === "" ? "Other" : name, tasks: own }));
}

const isActive = ({ status }: GraphTask) => status === "in_progress" || status === "blocked";

/** The groups that are open at first: those with work under way or waiting, as long as they can be read together. */
export function activeGroups(groups: readonly TaskGroup[]): ReadonlySet<string> {
  const open = new Set<string>();
  let shown = 0;
  for (const group of groups) {
    if (!group.tasks.some(isActive) || (open.size > 0 && shown + group.tasks.length > MOST_OPEN)) continue;
    open.add(group.id);
    shown += group.tasks.length;
  }
  return open;
}

/** An item of the picture: a task, or a closed group in place of its tasks. */
export type GraphItem =
  | { readonly kind: "task"; readonly id: string; readonly task: GraphTask; readonly level: number }
  | { readonly kind: "group"; readonly id: string; readonly group: TaskGroup; readonly level: number };

export interface VisibleGraph {
  readonly items: readonly GraphItem[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  /** The id of what stands for a task in the picture. */
  readonly drawnAs: ReadonlyMap<string, string>;
}

export function visibleGraph(
  tasks: readonly GraphTask[],
  groups: readonly TaskGroup[],
  open: ReadonlySet<string>,
): VisibleGraph {
  const drawnAs = new Map(tasks.map(({ task_id }) => [task_id, task_id]));
  const items: GraphItem[] = [];
  const closed = groups.filter(({ id }) => !open.has(id));
  for (const group of closed) {
    for (const { task_id } of group.tasks) drawnAs.set(task_id, group.id);
    items.push({ kind: "group", id: group.id, group, level: Math.min(...group.tasks.map(({ level }) => level)) });
  }
  for (const task of tasks)
    if (drawnAs.get(task.task_id) === task.task_id)
      items.push({ kind: "task", id: task.task_id, task, level: task.level });
  const edges = new Map<string, { from: string; to: string }>();
  for (const { task_id, dependencies } of tasks)
    for (const dependency of dependencies) {
      const from = drawnAs.get(dependency);
      const to = drawnAs.get(task_id);
      if (from === undefined || to === undefined || from === to) continue;
      edges.set(`${from}→${to}`, { from, to });
    }
  return { items, edges: [...edges.values()], drawnAs };
}

/** Finds where a picture begins: where work is under way, or else where it continues, or else the beginning. */
export function frontierOf({ items }: VisibleGraph): string[] {
  if (items.length <= FEW) return items.map(({ id }) => id);
  const has = (test: (task: GraphTask) => boolean) =>
    items.filter((item) => (item.kind === "task" ? test(item.task) : item.group.tasks.some(test)));
  const active = has(isActive);
  const ready = has(({ ready: isReady }) => isReady);
  const first = active.length > 0 ? active : ready.length > 0 ? ready : items;
  return first.slice(0, FEW).map(({ id }) => id);
}
