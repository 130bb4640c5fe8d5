import { type Diagnostic, documentPath } from "../../../model/diagnostic.js";
import type { Limits } from "../../../model/plan/policy.js";
import { unsafePath } from "../../../model/plan/registry.js";
import type { IntentTask } from "../../../model/task.js";
import type { ParsedIntent } from "../parse-intent.js";

/** Names that stand twice where each must stand once, and references inside the document that lead nowhere. */
export function findIdProblems({ intent, tasks, places: known }: ParsedIntent): Diagnostic[] {
  const problems: Diagnostic[] = [];
  places(intent.selected_workflows, (w) => w.workflow_id, "selected_workflows", "workflow_id", problems);
  const agents = places(intent.selected_agents, (a) => a.agent_id, "selected_agents", "agent_id", problems);
  const commands = places(intent.planned_commands, (c) => c.command_id, "planned_commands", "command_id", problems);
  if (known.first.size < tasks.length) places(tasks, (t) => t.id, "tasks", "id", problems);
  for (const [i, workflow] of intent.selected_workflows.entries())
    places(workflow.phases, (p) => p, `selected_workflows[${i}].phases`, "", problems);
  const carriedOut = new Set<string>();
  for (let i = 0; i < tasks.length; i++) carriedOut.add((tasks[i] as IntentTask).command_id);
  const single = new Set([...commands.keys()].filter((command) => !carriedOut.has(command)));
  for (let i = 0, at = 0; i < tasks.length; i++) {
    const { id, command_id, agent, dependencies } = tasks[i] as IntentTask;
    // A command without tasks is an action by its own name, and no two actions may share one.
    if (single.size > 0 && single.has(id))
      problems.push({
        code: "INTENT_DUPLICATE_ID",
        path: `tasks[${i}].id`,
        message: `${id} is a planned command already`,
      });
    if (!commands.has(command_id))
      problems.push(findDangling(`tasks[${i}].command_id`, `${command_id} is not among planned_commands`));
    if (agent !== undefined && !agents.has(agent))
      problems.push(findDangling(`tasks[${i}].agent`, `${agent} is not among selected_agents`));
    for (let j = 0; j < dependencies.length; j++)
      if ((known.dependencies[at++] as number) < 0)
        problems.push(findDangling(`tasks[${i}].dependencies[${j}]`, `there is no task ${dependencies[j]}`));
  }
  return problems;
}

function findDangling(path: string, message: string): Diagnostic {
  return { code: "INTENT_REFERENCE", path, message };
}

/** Where each id stands first; one that stands again is a problem. */
function places<T>(
  items: readonly T[],
  idOf: (item: T) => string,
  list: string,
  field: string,
  problems: Diagnostic[],
): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (let index = 0; index < items.length; index++) {
    const id = idOf(items[index] as T);
    const before = first.get(id);
    if (before === undefined) first.set(id, index);
    else {
      const path = field === "" ? `${list}[${index}]` : `${list}[${index}].${field}`;
      problems.push({ code: "INTENT_DUPLICATE_ID", path, message: `${id} stands at ${list}[${before}] already` });
    }
  }
  return first;
}

/** Paths that would leave the repository. A plan whose paths cannot be trusted cannot keep its scope. */
export function findUnsafePaths({ intent, tasks }: ParsedIntent): Diagnostic[] {
  const problems: Diagnostic[] = [];
  const check = (paths: readonly string[], where: () => string) => {
    for (let i = 0; i < paths.length; i++) {
      const why = unsafePath(paths[i] as string);
      if (why !== null)
        problems.push({ code: "INTENT_UNSAFE_PATH", path: `${where()}[${i}]`, message: `is not a safe path: ${why}` });
    }
  };
  check(intent.scope.targets.files, () => "scope.targets.files");
  check(intent.constraints.lock_scope.paths, () => "constraints.lock_scope.paths");
  for (let i = 0; i < tasks.length; i++) {
    const { files, tests } = tasks[i] as IntentTask;
    if (files.length > 0) check(files, () => `tasks[${i}].files`);
    if (tests.length > 0) check(tests, () => `tasks[${i}].tests`);
  }
  return problems;
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Texts with half a surrogate pair: no bytes stand for them, so they have no checksum. */
export function findBrokenTexts(value: unknown, path: readonly PropertyKey[] = []): Diagnostic[] {
  if (typeof value === "string")
    return LONE_SURROGATE.test(value)
      ? [{ code: "INTENT_TEXT", path: documentPath(path), message: "contains half a surrogate pair" }]
      : [];
  if (typeof value !== "object" || value === null) return [];
  const entries: [PropertyKey, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, inner]) => [
    ...(typeof key === "string" ? findBrokenTexts(key, path) : []),
    ...findBrokenTexts(inner, [...path, key]),
  ]);
}

/** Lists longer than the policy's limits; each problem names its limit. */
export function findLimitProblems({ intent, tasks }: ParsedIntent, limits: Limits): Diagnostic[] {
  const sizes: [keyof Limits, string, number][] = [
    ["max_files", "scope.targets.files", intent.scope.targets.files.length],
    ["max_files", "constraints.lock_scope.paths", intent.constraints.lock_scope.paths.length],
    ["max_modules", "scope.targets.modules", intent.scope.targets.modules.length],
    ["max_commands", "planned_commands", intent.planned_commands.length],
    ["max_evidence_refs", "evidence_refs", intent.evidence_refs.length],
    ["max_tasks", "tasks", tasks.length],
  ];
  return sizes
    .filter(([limit, , size]) => size > limits[limit])
    .map(([limit, path, size]) => ({
      code: "PLAN_LIMIT",
      path,
      message: `has ${size} entries; the limit ${limit} is ${limits[limit]}`,
      fix: `split the intent, or raise limits.${limit} in the policy`,
    }));
}
