import type { PlannedCommand } from "../../../model/plan/intent.js";
import type { CommandHistory, EstimateRatio, MemoryPack } from "../../../model/settings/packs.js";
import type { IntentEffect, Phase } from "../../../model/primitives.js";
import type { CommandEntry } from "../../../model/plan/registry.js";
import type { IntentTask } from "../../../model/task.js";
import { matchesGlob } from "../../../foundation/globs/glob.js";
import type { ParsedIntent } from "../parse-intent.js";
import type { RegistryIndex } from "../inputs/registry-index.js";

/** One piece of work a plan will propose: a task, or a planned command that no task carries out. */
export interface Action {
  /** The task's id, or the command's. Unique in the plan. */
  readonly key: string;
  readonly planned: PlannedCommand;
  readonly entry: CommandEntry;
  readonly task: IntentTask | undefined;
  readonly phase: Phase;
  /** The selected workflow whose phase this action belongs to; null when none has it. */
  readonly workflowId: string | null;
  readonly effects: readonly IntentEffect[];
  /** Effects the registry knows of and the intent does not declare. */
  readonly undeclaredEffects: readonly IntentEffect[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly outsideLockScope: readonly string[];
  readonly history: CommandHistory | undefined;
  /** How earlier tasks like it stood to their estimates. */
  readonly ratio: EstimateRatio | undefined;
}

const EFFECT_ORDER: readonly IntentEffect[] = ["read", "write", "network", "deploy", "security", "data"];

/** The part of an action that all tasks of a command share, computed once. */
type CommandPart = Pick<
  Action,
  "planned" | "entry" | "phase" | "workflowId" | "effects" | "undeclaredEffects" | "reads" | "history"
>;

/**
 * The actions of an intent: its commands without tasks, then its tasks, each in their own order.
 *
 * Contract: every command of the intent is in the registry (a guard has seen to it).
 */
export function listActions(parsed: ParsedIntent, registry: RegistryIndex, memory: MemoryPack | null): Action[] {
  const history = new Map((memory?.history ?? []).map((entry) => [entry.command_id, entry]));
  const parts = new Map<string, CommandPart>();
  for (const planned of parsed.commands) {
    const entry = registry.commands.get(planned.command_id) as CommandEntry;
    parts.set(planned.command_id, {
      planned,
      entry,
      phase: entry.phase,
      workflowId: workflowFor(entry, parsed, registry),
      effects: EFFECT_ORDER.filter((e) => planned.effects.includes(e) || entry.effects.includes(e)),
      undeclaredEffects: EFFECT_ORDER.filter((e) => entry.effects.includes(e) && !planned.effects.includes(e)),
      reads: entry.reads,
      history: history.get(planned.command_id),
    });
  }
  const lock = new LockScope(parsed);
  const ratioOf = ratiosOf(memory);
  const carriedOut = new Set(parsed.tasks.map((task) => task.command_id));
  const actions: Action[] = [];
  for (const [commandId, part] of parts)
    if (!carriedOut.has(commandId))
      actions.push(actionOf(part, undefined, parsed, lock, ratioOf(commandId, undefined)));
  for (const task of parsed.tasks)
    actions.push(
      actionOf(parts.get(task.command_id) as CommandPart, task, parsed, lock, ratioOf(task.command_id, task.type)),
    );
  return actions;
}

function actionOf(
  part: CommandPart,
  task: IntentTask | undefined,
  parsed: ParsedIntent,
  lock: LockScope,
  ratio: EstimateRatio | undefined,
): Action {
  const writes = writesOf(part, task, parsed);
  return {
    key: task?.id ?? part.planned.command_id,
    ...part,
    task,
    writes,
    outsideLockScope: lock.outside(writes, task),
    ratio,
  };
}

/** The ratios learnt of the command itself; else of tasks of the same type. */
export function ratiosOf(
  memory: Pick<MemoryPack, "ratios"> | null,
): (command: string, type: string | undefined) => EstimateRatio | undefined {
  const ratios = memory?.ratios ?? [];
  if (ratios.length === 0) return () => undefined;
  const known = new Map(ratios.map((ratio) => [`${ratio.of} ${ratio.name}`, ratio]));
  return (command, type) => known.get(`command ${command}`) ?? known.get(`task_type ${type}`);
}

/** The registry's patterns and the task's files. A writing command with neither writes what the intent targets. */
function writesOf(
  { entry, effects }: CommandPart,
  task: IntentTask | undefined,
  parsed: ParsedIntent,
): readonly string[] {
  if (task !== undefined) {
    if (task.tests.length === 0 && entry.writes.length === 0) return task.files;
    return [...new Set([...entry.writes, ...task.files, ...task.tests])];
  }
  if (entry.writes.length > 0 || !effects.includes("write")) return entry.writes;
  return parsed.intent.scope.targets.files;
}

/** The workflow that lists the command in this phase; else the first selected one that has the phase. */
function workflowFor(entry: CommandEntry, { workflows }: ParsedIntent, registry: RegistryIndex): string | null {
  const candidates = workflows.filter((w) => w.phases.includes(entry.phase));
  const lists = (workflowId: string) =>
    registry.workflows.get(workflowId)?.phases.some((p) => p.phase === entry.phase && p.commands.includes(entry.id));
  return (candidates.find((w) => lists(w.workflow_id)) ?? candidates[0])?.workflow_id ?? null;
}

/** Which paths the intent permits to be written. */
class LockScope {
  readonly #mode: "none" | "task" | "files";
  readonly #literal: ReadonlySet<string>;
  readonly #patterns: readonly string[];

  constructor({ constraints }: ParsedIntent) {
    this.#mode = constraints.lock_scope.mode;
    this.#literal = new Set(constraints.lock_scope.paths);
    this.#patterns = constraints.lock_scope.paths;
  }

  outside(writes: readonly string[], task: IntentTask | undefined): readonly string[] {
    if (this.#mode === "none") return [];
    return writes.filter((path) => {
      if (this.#literal.has(path)) return false;
      if (this.#mode === "task" && (task?.files.includes(path) || task?.tests.includes(path))) return false;
      return !this.#patterns.some((pattern) => covers(pattern, path));
    });
  }
}

const WILDCARD = /[*?{]/;

/** Whether everything `path` can name lies under `pattern`. Errs on the side of "no". */
function covers(pattern: string, path: string): boolean {
  if (!WILDCARD.test(pattern)) return path.startsWith(pattern.endsWith("/") ? pattern : `${pattern}/`);
  if (!WILDCARD.test(path)) return matchesGlob(pattern, path);
  return (
    pattern === "**" ||
    (pattern.endsWith("/**") && !WILDCARD.test(pattern.slice(0, -3)) && path.startsWith(pattern.slice(0, -2)))
  );
}
