import { byCodeUnit } from "../../../model/by-code-unit.js";
import type { RegistryVersions } from "../../../model/plan/intent.js";
import type { Registry } from "../../../model/plan/registry.js";
import type { ParsedIntent } from "../parse-intent.js";
import type { RegistryIndex } from "./registry-index.js";

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
