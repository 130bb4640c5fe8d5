import type { ActionNode, ExecutionGraph } from "../../../../model/plan/graph.js";
import type { PlanMade } from "../../../../app/plan-reports.js";
import { oneLine } from "../../../../foundation/text/one-line.js";
import { count, type Paint, row, wrap, wrapList } from "../screen.js";

/** More patterns than this are counted: a scope that long is not read anyway. */
const MOST_PATTERNS = 12;

interface Planned {
  readonly level: number;
  readonly action: ActionNode;
  readonly id: string;
  readonly writes: readonly string[];
}

/** Shows the tasks and their paths: one task in two rows; several in the order they are carried out, each with its scope. */
export function taskLines(report: PlanMade, graph: ExecutionGraph, paint: Paint, width: number): string[] {
  const tasks = inOrder(graph);
  const [only, ...others] = tasks;
  if (only === undefined) return row("Tasks", "none", width);
  if (others.length === 0)
    return [
      ...row("Task", `${only.id}, by ${workerOf(only, report)}${heldLines(only)}`, width),
      ...scopeRow(only.writes, only.action, width),
    ];
  const isShared = others.every(({ writes }) => writes.join("\n") === only.writes.join("\n"));
  return [
    `${paint.bold(`${tasks.length} tasks`)} ${paint.dim(isSideBySide(tasks) ? "in order; the same number runs side by side" : "in order")}`,
    ...tasks.flatMap((task) => oneOfSeveral(task, report, isShared, paint, width)),
    ...(isShared ? scopeRow(only.writes, only.action, width) : []),
  ];
}

function oneOfSeveral(task: Planned, report: PlanMade, isShared: boolean, paint: Paint, width: number): string[] {
  const { level, action, id, writes } = task;
  const number = `${level}.`.padStart(4);
  const title = oneLine(action.label);
  const whole = `${number} ${paint.bold(id)}  ${title}`;
  const fits = number.length + 3 + id.length + title.length <= width;
  // Its id says the same in fewer letters where both do not fit.
  const head = fits ? whole : `${number} ${paint.bold(id)}`;
  const by = `${workerOf(task, report)}${heldLines(task)}`;
  if (isShared) return [head, `     ${paint.dim(by)}`];
  if (writes.length === 0) return [head, wrap(`${by}, ${describeNoWrites(action)}`, "     ", width)];
  const [first = "", ...others] = placesOf(writes);
  return [head, wrapList([`${by}, writes ${first}`, ...others], "     ", width)];
}

function scopeRow(writes: readonly string[], action: ActionNode, width: number): string[] {
  return row("Writes", writes.length === 0 ? describeNoWrites(action) : placesOf(writes).join(", "), width);
}

function describeNoWrites({ effects }: ActionNode): string {
  return effects.every((effect) => effect === "read") ? "only reads" : `writes nothing (${effects.join(", ")})`;
}

/** Every pattern; past a dozen the first ones, how many more there are, and where all stand. */
function placesOf(writes: readonly string[]): string[] {
  if (writes.length <= MOST_PATTERNS) return writes.map(oneLine);
  const shown = writes.slice(0, MOST_PATTERNS - 1).map(oneLine);
  return [...shown, `and ${writes.length - shown.length} more (--json lists all)`];
}

function inOrder(graph: ExecutionGraph): Planned[] {
  const levelOf = new Map(graph.metadata.levels.flatMap((level, i) => level.map((id) => [id, i + 1] as const)));
  const placeOf = new Map(graph.metadata.topological_order.map((id, i) => [id, i] as const));
  return graph.nodes
    .filter((node): node is ActionNode => node.node_type === "action_proposal")
    .map((action) => ({
      level: levelOf.get(action.node_id) ?? 0,
      action,
      id: oneLine(action.metadata.task?.id ?? action.command_ref),
      writes: [...new Set(action.metadata.writes ?? [])],
    }))
    .sort((a, b) => a.level - b.level || (placeOf.get(a.action.node_id) ?? 0) - (placeOf.get(b.action.node_id) ?? 0));
}

function isSideBySide(tasks: readonly Planned[]): boolean {
  return new Set(tasks.map(({ level }) => level)).size < tasks.length;
}

/** `rehearsal as bug_fixer`; the builder alone where nobody plays it yet. */
function workerOf({ action }: Planned, { ground }: PlanMade): string {
  const { owner, task } = action.metadata;
  const workers = ground?.workers;
  if (workers === undefined) return owner;
  const worker = (task === undefined ? undefined : workers.builders[task.type]) ?? workers.default;
  return `${oneLine(worker.agent)} as ${owner}`;
}

/** Shows the decision of the rules about an action, where it is not just allowed. */
function heldLines({ action }: Planned): string {
  const { decision } = action.metadata.decision;
  return decision === "allow" ? "" : `, ${DECIDED[decision]}`;
}

const DECIDED = { allow: "allowed", warn: "with a warning", require_review: "after a review", deny: "denied" } as const;

/** `7 tasks allowed, 2 with a warning, 1 after a review`; each task says which it is. */
export function decisionsOf(graph: ExecutionGraph): string {
  const decisions = inOrder(graph).map(({ action }) => action.metadata.decision.decision);
  const kinds = (["allow", "warn", "require_review", "deny"] as const)
    .map((kind) => ({ kind, many: decisions.filter((decision) => decision === kind).length }))
    .filter(({ many }) => many > 0);
  return kinds.map(({ kind, many }, i) => `${i === 0 ? count(many, "task") : many} ${DECIDED[kind]}`).join(", ");
}
