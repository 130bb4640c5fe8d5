import { ENTRY_ID_120, ENTRY_ID_80, fitsText } from "./primitives.js";
import { IntentTask, Priority, TASK_ID, TaskType } from "./task.js";

/**
 * The tasks of a document, read without the schema's help: an intent may have a hundred thousand, and the schema makes
 * a dozen objects to check each. Null when any of them is not certain to conform; the schema then says what is wrong.
 *
 * Contract: what is read is what IntentTask reads, keys in the same order. Lists are those of the document itself.
 */
export function plainTasks(value: unknown): IntentTask[] | null {
  if (!Array.isArray(value)) return null;
  const tasks: IntentTask[] = [];
  for (let i = 0; i < value.length; i++) {
    const task = plainTask(value[i]);
    if (task === null) return null;
    tasks.push(task);
  }
  return tasks;
}

const PRIORITIES: ReadonlySet<unknown> = new Set(Priority.options);
const TYPES: ReadonlySet<unknown> = new Set(TaskType.options);

type Raw = { readonly [K in keyof IntentTask]: unknown };
type Optional = "adr" | "agent" | "description" | "estimate";
type Required = Omit<IntentTask, Optional>;

function plainTask(value: unknown): IntentTask | null {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return null;
  const task = requiredPart(value as Raw);
  if (task === null) return null;
  let keys = 0;
  for (const _ in value) keys++;
  return keys === 10 ? task : withOptionalPart(task, value as Raw, keys - 10);
}

function requiredPart(raw: Raw): Required | null {
  const { command_id, completion_promise, dependencies, estimated_iterations, files, id } = raw;
  const { priority, tests, title, type } = raw;
  return matches(command_id, ENTRY_ID_120) &&
    isText(completion_promise, 1, 120) &&
    isNames(dependencies) &&
    isWhole(estimated_iterations, 1, 100) &&
    isPaths(files) &&
    matches(id, TASK_ID) &&
    isPriority(priority) &&
    isPaths(tests) &&
    isText(title, 3, 160) &&
    isType(type)
    ? { command_id, completion_promise, dependencies, estimated_iterations, files, id, priority, tests, title, type }
    : null;
}

function withOptionalPart(required: Required, raw: Raw, present: number): IntentTask | null {
  const { adr, agent, description, estimate } = raw;
  const known = [adr, agent, description, estimate].filter((value) => value !== undefined).length;
  if (known !== present) return null;
  if (adr !== undefined && !isText(adr, 1, 64)) return null;
  if (agent !== undefined && !matches(agent, ENTRY_ID_80)) return null;
  if (description !== undefined && !isText(description, 0, 4000)) return null;
  const figures = IntentTask.shape.estimate.safeParse(estimate);
  if (!figures.success) return null;
  const { command_id, completion_promise, dependencies, ...rest } = required;
  return {
    ...(adr === undefined ? {} : { adr }),
    ...(agent === undefined ? {} : { agent }),
    command_id,
    completion_promise,
    dependencies,
    ...(description === undefined ? {} : { description }),
    ...(figures.data === undefined ? {} : { estimate: figures.data }),
    ...rest,
  };
}

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}

function isPriority(value: unknown): value is IntentTask["priority"] {
  return PRIORITIES.has(value);
}

function isType(value: unknown): value is IntentTask["type"] {
  return TYPES.has(value);
}

function isText(value: unknown, min: number, max: number): value is string {
  return typeof value === "string" && fitsText(value, min, max);
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function isNames(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length > 1000) return false;
  for (let i = 0; i < value.length; i++) {
    const name: unknown = value[i];
    if (typeof name !== "string" || name.length < 1 || name.length > 64) return false;
  }
  return true;
}

function isPaths(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length > 1000) return false;
  for (let i = 0; i < value.length; i++) if (!isText(value[i], 1, 512)) return false;
  return true;
}
