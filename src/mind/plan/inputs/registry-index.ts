import type {
  AgentEntry,
  CommandEntry,
  FactEntry,
  ModelEntry,
  Registry,
  RuleEntry,
  WorkflowEntry,
} from "../../../model/plan/registry.js";

/** The registry by id, for looking up. Read only, like everything planning is given. */
export interface RegistryIndex {
  readonly workflows: ReadonlyMap<string, WorkflowEntry>;
  readonly agents: ReadonlyMap<string, AgentEntry>;
  readonly commands: ReadonlyMap<string, CommandEntry>;
  readonly rules: ReadonlyMap<string, RuleEntry>;
  readonly facts: ReadonlyMap<string, FactEntry>;
  readonly models: ReadonlyMap<string, ModelEntry>;
}

export function indexRegistry(registry: Registry): RegistryIndex {
  const byId = <T extends { id: string }>(entries: readonly T[]) => new Map(entries.map((entry) => [entry.id, entry]));
  return {
    workflows: byId(registry.workflows),
    agents: byId(registry.agents),
    commands: byId(registry.commands),
    rules: byId(registry.rules),
    facts: byId(registry.facts),
    models: byId(registry.models),
  };
}
