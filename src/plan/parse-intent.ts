import { type Diagnostic, diagnosticsOf, documentPath } from "../model/diagnostic.js";
import { type ExecutionIntent, IntentV091, IntentV100, type RegistryVersions } from "../model/intent.js";
import type { Limits } from "../model/policy.js";
import { type Registry, unsafePath } from "../model/registry.js";
import { plainTasks } from "../model/plain-task.js";
import type { IntentTask } from "../model/task.js";
import { byCodeUnit } from "../model/by-code-unit.js";
import type { RegistryIndex } from "./registry-index.js";

/** An intent whose document is sound: its parts under the names the later steps use. */
export interface ParsedIntent {
  readonly intent: ExecutionIntent;
  readonly schemaVersion: "0.9.1" | "1.0.0";
  readonly workflows: ExecutionIntent["selected_workflows"];
  readonly agents: ExecutionIntent["selected_agents"];
  readonly commands: ExecutionIntent["planned_commands"];
  readonly tasks: readonly IntentTask[];
  readonly constraints: ExecutionIntent["constraints"] & { readonly budgets: ExecutionIntent["budgets"] };
}

export type ParseResult =
  | { readonly ok: true; readonly parsed: ParsedIntent }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

/**
 * Read an ExecutionIntent, v0.9.1 or v1.0.0.
 *
 * Contract: total. Every problem of the document is listed with its path; nothing is corrected or filled in.
 */
export function parseIntent(document: unknown): ParseResult {
  const declared =
    typeof document === "object" && document !== null
      ? (document as { schema_version?: unknown }).schema_version
      : undefined;
  if (declared !== undefined && declared !== "1.0.0") {
    const message = `intent version ${JSON.stringify(declared)} is not known: leave schema_version out for 0.9.1, or write "1.0.0"`;
    return { ok: false, problems: [{ code: "INTENT_VERSION", path: "schema_version", message }] };
  }
  const schemaVersion = declared === undefined ? "0.9.1" : "1.0.0";
  const tasks = schemaVersion === "1.0.0" && isPlain(document) ? plainTasks(document["tasks"]) : null;
  const result =
    schemaVersion === "0.9.1"
      ? IntentV091.safeParse(document)
      : IntentV100.safeParse(tasks === null ? document : { ...(document as object), tasks: [] });
  if (!result.success) {
    const problems = diagnosticsOf(result.error, "INTENT_SCHEMA").map((problem) =>
      schemaVersion === "0.9.1" && (problem.path === "tasks" || problem.path === "registry_versions")
        ? { ...problem, fix: 'add "schema_version": "1.0.0"; a 0.9.1 intent has no such field' }
        : problem,
    );
    return { ok: false, problems };
  }
  const intent: ExecutionIntent = tasks === null ? result.data : { ...(result.data as IntentV100), tasks };
  return {
    ok: true,
    parsed: {
      intent,
      schemaVersion,
      workflows: intent.selected_workflows,
      agents: intent.selected_agents,
      commands: intent.planned_commands,
      tasks: (intent as IntentV100).tasks ?? [],
      constraints: { ...intent.constraints, budgets: intent.budgets },
    },
  };
}

/** An object as JSON makes it: what is asked of it is its own. */
function isPlain(document: unknown): document is Readonly<Record<string, unknown>> {
  return typeof document === "object" && document !== null && Object.getPrototypeOf(document) === Object.prototype;
}

/** Names that stand twice where each must stand once, and references inside the document that lead nowhere. */
export function findIdProblems({ intent, tasks }: ParsedIntent): Diagnostic[] {
  const problems: Diagnostic[] = [];
  places(intent.selected_workflows, (w) => w.workflow_id, "selected_workflows", "workflow_id", problems);
  const agents = places(intent.selected_agents, (a) => a.agent_id, "selected_agents", "agent_id", problems);
  const commands = places(intent.planned_commands, (c) => c.command_id, "planned_commands", "command_id", problems);
  const taskIds = places(tasks, (t) => t.id, "tasks", "id", problems);
  for (const [i, workflow] of intent.selected_workflows.entries())
    places(workflow.phases, (p) => p, `selected_workflows[${i}].phases`, "", problems);
  const carriedOut = new Set<string>();
  for (let i = 0; i < tasks.length; i++) carriedOut.add((tasks[i] as IntentTask).command_id);
  const single = new Set([...commands.keys()].filter((command) => !carriedOut.has(command)));
  for (let i = 0; i < tasks.length; i++) {
    const { id, command_id, agent, dependencies } = tasks[i] as IntentTask;
    // A command without tasks is an action by its own name, and no two actions may share one.
    if (single.size > 0 && single.has(id))
      problems.push({
        code: "INTENT_DUPLICATE_ID",
        path: `tasks[${i}].id`,
        message: `${id} is a planned command already`,
      });
    if (!commands.has(command_id))
      problems.push(dangling(`tasks[${i}].command_id`, `${command_id} is not among planned_commands`));
    if (agent !== undefined && !agents.has(agent))
      problems.push(dangling(`tasks[${i}].agent`, `${agent} is not among selected_agents`));
    for (let j = 0; j < dependencies.length; j++)
      if (!taskIds.has(dependencies[j] as string))
        problems.push(dangling(`tasks[${i}].dependencies[${j}]`, `there is no task ${dependencies[j]}`));
  }
  return problems;
}

function dangling(path: string, message: string): Diagnostic {
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

export interface MissingReference {
  readonly kind: "workflow" | "agent" | "command";
  readonly id: string;
  readonly why: "missing" | "deprecated" | "frozen";
}

/** References to registry entries that do not exist or may not be planned with. */
export function validateRegistryRefs(
  { workflows, agents, commands }: ParsedIntent,
  registry: RegistryIndex,
): MissingReference[] {
  const problems: MissingReference[] = [];
  const look = (kind: MissingReference["kind"], id: string, entry: { status: string } | undefined) => {
    if (entry === undefined) problems.push({ kind, id, why: "missing" });
    else if (entry.status !== "active") problems.push({ kind, id, why: entry.status as "deprecated" | "frozen" });
  };
  for (const { workflow_id } of workflows) look("workflow", workflow_id, registry.workflows.get(workflow_id));
  for (const { agent_id } of agents) look("agent", agent_id, registry.agents.get(agent_id));
  for (const { command_id } of commands) look("command", command_id, registry.commands.get(command_id));
  return problems;
}

export interface Drift {
  readonly kind: keyof RegistryVersions;
  readonly id: string;
  readonly was: string;
  readonly is: string;
}

/** Registry entries that changed since the intent was sealed. Nothing recorded means nothing to compare with. */
export function checkVersionDrift(recorded: RegistryVersions | undefined, registry: RegistryIndex): Drift[] {
  if (recorded === undefined) return [];
  const drift: Drift[] = [];
  for (const kind of ["workflows", "agents", "commands", "rules"] as const) {
    for (const [id, was] of Object.entries(recorded[kind])) {
      const is = registry[kind].get(id)?.version ?? "removed";
      if (is !== was) drift.push({ kind, id, was, is });
    }
  }
  return drift;
}

/** The versions a plan of this intent depends on: what it names, and every active rule that judges it. */
export function registryVersions(
  { workflows, agents, commands }: ParsedIntent,
  registry: Registry,
  index: RegistryIndex,
): RegistryVersions {
  const pick = (ids: readonly string[], entries: ReadonlyMap<string, { version: string }>) =>
    Object.fromEntries(
      [...ids].sort(byCodeUnit).flatMap((id) => (entries.has(id) ? [[id, entries.get(id)?.version as string]] : [])),
    );
  return {
    workflows: pick(
      workflows.map((w) => w.workflow_id),
      index.workflows,
    ),
    agents: pick(
      agents.map((a) => a.agent_id),
      index.agents,
    ),
    commands: pick(
      commands.map((c) => c.command_id),
      index.commands,
    ),
    rules: pick(
      registry.rules.filter((r) => r.status === "active").map((r) => r.id),
      index.rules,
    ),
  };
}
