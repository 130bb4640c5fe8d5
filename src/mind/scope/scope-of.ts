import type { ActionNode } from "../../model/plan/graph.js";
import type { AgentEntry } from "../../model/plan/registry.js";
import type { Amounts } from "../../model/run.js";
import type { Scope, ScopeAddition, ToolKind } from "../../model/scope.js";
import type { ScopePolicy } from "../../model/settings/scope-policy.js";
import type { TaskType } from "../../model/task.js";
import { ANY_PROGRAM, compileCommandPattern } from "./commands/command-pattern.js";
import { compilePaths } from "./paths.js";

/*
 * The scope of an attempt: what the plan says of its action, what the team grants from the start, and what people added
 * when they were asked; never more than the contract.
 */

/** An action of the plan, as far as its scope is concerned. */
export interface ScopedTask {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly effects: readonly string[];
  readonly builder: TaskType | null;
  readonly minutes: number;
  readonly files: number | null;
}

export interface GrantedScope {
  readonly scope: Scope;
  /** The requested part that is beyond the contract. */
  readonly refused: ScopeAddition;
  /** The scope that the plan and the task requested, before the contract. */
  readonly asked: Pick<Scope, "write" | "network" | "minutes">;
}

/** The task behind an action of the graph; `budget` is what was set aside for the attempt. */
export function toScopedTask(
  { effects, metadata }: Pick<ActionNode, "effects" | "metadata">,
  owner: Pick<AgentEntry, "builder" | "writes"> | undefined,
  budget: Amounts | null,
): ScopedTask {
  const { task } = metadata;
  const own = [...(metadata.writes ?? []), ...(task?.files ?? []), ...(task?.tests ?? [])];
  return {
    reads: metadata.reads ?? [],
    // The paths that an agent may write anyway are for actions that name none of their own.
    writes: own.length > 0 ? own : (owner?.writes ?? []),
    effects,
    builder: task?.type ?? owner?.builder ?? null,
    minutes: metadata.estimate.minutes,
    files: budget === null ? null : Math.floor(budget.files),
  };
}

/**
 * Contract: pure. The scope is within the contract of the policy in every respect, whatever the additions say; what was
 * left out for that reason is named. The order and repetition of additions makes no difference.
 */
export function scopeOf(task: ScopedTask, policy: ScopePolicy, additions: readonly ScopeAddition[]): GrantedScope {
  const { most } = policy;
  const writesAtAll = task.effects.some((effect) => effect !== "read" && effect !== "network");
  const granted = task.builder === null || !writesAtAll ? [] : (policy.commands.builders[task.builder] ?? []);
  const commands = divide(
    [...policy.commands.always, ...granted, ...additions.flatMap((one) => one.commands)],
    withinCommands(most.commands),
  );
  const write = divide(
    [...(writesAtAll ? task.writes : []), ...additions.flatMap((one) => one.write)],
    withinPaths(most.write),
  );
  const network = divide(
    [...(task.effects.includes("network") ? policy.network : []), ...additions.flatMap((one) => one.network)],
    withinHosts(most.network),
  );
  const estimated = Math.max(policy.least_minutes, task.minutes * policy.minutes_per_estimate);
  return {
    scope: {
      tools: toolsFor(commands.kept, write.kept, network.kept),
      commands: commands.kept,
      read: policy.narrow_reads ? unique([...task.reads, ...write.kept]) : ["**"],
      write: write.kept,
      network: network.kept,
      minutes: Math.min(most.minutes, estimated),
      output_bytes: most.output_bytes,
      files: Math.min(most.files, task.files ?? most.files),
    },
    refused: { commands: commands.left, write: write.left, network: network.left },
    asked: {
      write: unique([...write.kept, ...write.left]),
      network: unique([...network.kept, ...network.left]),
      minutes: estimated,
    },
  };
}

/** The scope for an agent that nothing confines: only programs that are listed, however many others a sandbox would hold. */
export function withListedPrograms(scope: Scope): Scope {
  return { ...scope, commands: scope.commands.filter((pattern) => pattern !== ANY_PROGRAM) };
}

/** The scope with hosts that a project lets every builder reach. Without a host there is nothing to fetch with. */
export function withNetwork(scope: Scope, hosts: readonly string[]): Scope {
  if (hosts.length === 0) return scope;
  const tools = scope.tools.includes("fetch") ? scope.tools : [...scope.tools, "fetch" as const];
  return { ...scope, tools, network: unique([...scope.network, ...hosts]) };
}

function toolsFor(commands: readonly string[], write: readonly string[], network: readonly string[]): ToolKind[] {
  const tools: ToolKind[] = ["read", "search", "think"];
  if (write.length > 0) tools.push("edit", "delete", "move");
  if (commands.length > 0) tools.push("execute");
  if (network.length > 0) tools.push("fetch");
  return tools;
}

const unique = (list: readonly string[]): string[] => [...new Set(list)].sort();

function divide(wanted: readonly string[], within: (one: string) => boolean): { kept: string[]; left: string[] } {
  const all = unique(wanted);
  return { kept: all.filter(within), left: all.filter((one) => !within(one)) };
}

/** A pattern is within another when the other would match it with any text in place of its wildcards. */
function withinCommands(most: readonly string[]): (pattern: string) => boolean {
  if (most.includes("*")) return () => true;
  const ceilings = most.map((pattern) => compileCommandPattern(pattern));
  return (pattern) => {
    if (most.includes(pattern)) return true;
    const { literal } = compileCommandPattern(pattern);
    // A sign that no pattern spells out stands for whatever a wildcard may become.
    const text = literal ?? pattern.replace(/\\([\\*])|\*/g, (_, escaped?: string) => escaped ?? "\u0001");
    return ceilings.some(({ matches }) => matches(text));
  };
}

function withinPaths(most: readonly string[]): (pattern: string) => boolean {
  const set = compilePaths(most);
  return (pattern) => (/[*?{]/.test(pattern) ? set.covers(pattern) : set.has(pattern));
}

/** Whether a host, or a pattern of hosts, is among those that are permitted. */
export function withinHosts(most: readonly string[]): (host: string) => boolean {
  if (most.includes("*")) return () => true;
  return (host) => most.some((one) => one === host || (one.startsWith("*.") && host.endsWith(one.slice(1))));
}
