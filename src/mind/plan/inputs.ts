import type { IntentLock } from "../../model/plan/intent.js";
import type { FactPack, MemoryPack } from "../../model/settings/packs.js";
import type { ExecutionPolicy } from "../../model/plan/policy.js";
import type { AnswerPack } from "../../model/plan/questions.js";
import type { Registry } from "../../model/plan/registry.js";
import { byCodeUnit } from "../../model/by-code-unit.js";
import { type CompiledRules, compileRules } from "./rules/compile-rules.js";
import { indexRegistry, type RegistryIndex } from "./inputs/registry-index.js";
import { checksumOf, type Services } from "./services.js";

/** All that a plan is a function of. Same inputs, same plan, to the byte. */
export interface PlanInputs {
  /** The raw document: its red lines are looked for before its schema. */
  readonly intent: unknown;
  readonly lock: IntentLock | null;
  readonly policy: ExecutionPolicy;
  readonly registry: PreparedRegistry;
  readonly facts: FactPack | null;
  readonly memory: MemoryPack | null;
  /** Answers in the order of the rounds they were given in. */
  readonly answers: readonly AnswerPack[];
  /** The clock: when planning began, then when each AnswerPack was taken. Kept out of every content checksum. */
  readonly instants: readonly string[];
}

/** A registry with its rules compiled: done once, however many plans are made with it. */
export interface PreparedRegistry {
  readonly registry: Registry;
  readonly index: RegistryIndex;
  readonly rules: CompiledRules;
  readonly checksum: string;
}

/** Contract: how the entries of a list are ordered makes no difference to any plan. */
export function prepareRegistry(given: Registry, services: Services): PreparedRegistry {
  const registry = inOrder(given);
  return {
    registry,
    index: indexRegistry(registry),
    rules: compileRules(registry),
    checksum: checksumOf(registry, services),
  };
}

function inOrder(registry: Registry): Registry {
  const byId = <T extends { id: string }>(entries: readonly T[]) => [...entries].sort((a, b) => byCodeUnit(a.id, b.id));
  return {
    schema_version: registry.schema_version,
    workflows: byId(registry.workflows),
    agents: byId(registry.agents),
    commands: byId(registry.commands),
    rules: byId(registry.rules),
    facts: byId(registry.facts),
    models: byId(registry.models),
  };
}
