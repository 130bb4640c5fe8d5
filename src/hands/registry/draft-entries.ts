import { stringify } from "yaml";
import type { ExecutionIntent } from "../../model/plan/intent.js";
import type { IntentEffect, Phase } from "../../model/primitives.js";
import type { AgentEntry, CommandEntry, Registry, RegistryEntry, WorkflowEntry } from "../../model/plan/registry.js";
import { byCodeUnit } from "../../model/by-code-unit.js";

/** A starter file for a registry directory; `path` is relative to that directory. */
export interface DraftFile {
  readonly path: string;
  readonly yaml: string;
}

/** An entry as an author writes it: the folder says the kind, and defaults are left out. */
type Draft<E extends RegistryEntry> = Pick<E, "id" | "version" | "status" | "title"> & Partial<Omit<E, "kind">>;

const READ_ESTIMATE = { tokens_in: 6_000, tokens_out: 1_000, minutes: 3 };
const WRITE_ESTIMATE = { tokens_in: 12_000, tokens_out: 3_000, minutes: 10 };
const MOST_COMMANDS_OF_A_PHASE = 200;
const MOST_RESPONSIBILITIES = 20;

const RELEASING = new Set(["deploy", "release", "publish", "rollout", "ship"]);
const PROVING = new Set(["validate", "verify", "test", "check", "lint", "benchmark"]);
const REVIEWING = new Set(["review", "approve", "audit"]);

/**
 * Starter entries for every workflow, agent and command that an intent refers to and the registry lacks. They load as
 * they are, and are guesses: a person reviews them before the first plan.
 *
 * Contract: pure; the files come in the order of their paths.
 */
export function draftEntries(intent: ExecutionIntent, registry: Registry): DraftFile[] {
  const phases = [...new Set(intent.selected_workflows.flatMap((workflow) => workflow.phases))];
  const commands = draftCommands(intent, registry, phases);
  const drafts: [folder: string, drafted: readonly { id: string }[]][] = [
    ["agents", draftAgents(intent, registry, phases)],
    ["commands", commands],
    ["workflows", draftWorkflows(intent, registry, commands)],
  ];
  return drafts
    .flatMap(([folder, drafted]) =>
      drafted.map((entry) => ({ path: `${folder}/${entry.id}.yaml`, yaml: yamlOf(intent, entry) })),
    )
    .sort((a, b) => byCodeUnit(a.path, b.path));
}

function draftAgents(intent: ExecutionIntent, registry: Registry, phases: readonly Phase[]): Draft<AgentEntry>[] {
  return findMissing(intent.selected_agents, (agent) => agent.agent_id, registry.agents).map(([id, chosen]) => ({
    ...headOf(id),
    description: `In the intent: ${[...new Set(chosen.map((agent) => agent.role))].join(", ")}.`,
    phases: [...phases],
    responsibilities: [...new Set(chosen.flatMap((agent) => agent.responsibilities))].slice(0, MOST_RESPONSIBILITIES),
  }));
}

function draftCommands(intent: ExecutionIntent, registry: Registry, phases: readonly Phase[]): Draft<CommandEntry>[] {
  return findMissing(intent.planned_commands, (command) => command.command_id, registry.commands).map(
    ([id, planned]) => {
      const effects = [...new Set(planned.flatMap((command) => command.effects))];
      const phase = guessPhase(id, effects, phases);
      const changes = effects.includes("write") || effects.includes("deploy");
      return {
        ...headOf(id),
        description: planned[0]?.intent ?? "",
        phase,
        owner: ownerOf(intent, registry, phase),
        effects,
        capability: changes ? "coding" : "reasoning",
        estimate: changes ? WRITE_ESTIMATE : READ_ESTIMATE,
      };
    },
  );
}

function draftWorkflows(
  intent: ExecutionIntent,
  registry: Registry,
  drafted: readonly Draft<CommandEntry>[],
): Draft<WorkflowEntry>[] {
  const known = [...registry.commands, ...drafted];
  const phaseOf = new Map(known.map((command) => [command.id, command.phase]));
  const planned = [...new Set(intent.planned_commands.map((command) => command.command_id))];
  return findMissing(intent.selected_workflows, (workflow) => workflow.workflow_id, registry.workflows).map(
    ([id, chosen]) => {
      const reason = chosen.find((workflow) => workflow.reason !== undefined)?.reason;
      return {
        ...headOf(id),
        ...(reason === undefined ? {} : { description: reason }),
        phases: [...new Set(chosen.flatMap((workflow) => workflow.phases))].map((phase) => ({
          phase,
          purpose: `Describe what the ${phase} phase achieves here.`,
          commands: planned.filter((command) => phaseOf.get(command) === phase).slice(0, MOST_COMMANDS_OF_A_PHASE),
        })),
      };
    },
  );
}

/** Lists what the intent refers to and the registry lacks, by id; an intent may name one thing more than once. */
function findMissing<T>(
  referred: readonly T[],
  idOf: (reference: T) => string,
  known: readonly { id: string }[],
): [id: string, references: T[]][] {
  const ids = new Set(known.map((entry) => entry.id));
  const found = new Map<string, T[]>();
  for (const reference of referred) {
    const id = idOf(reference);
    if (!ids.has(id)) found.set(id, [...(found.get(id) ?? []), reference]);
  }
  return [...found];
}

/** A phase the intent selected: effects say more than the verb of the id, and the verb more than the order. */
function guessPhase(id: string, effects: readonly IntentEffect[], selected: readonly Phase[]): Phase {
  const words = id.split("_");
  const says = (verbs: ReadonlySet<string>) => words.some((word) => verbs.has(word));
  const choosePhases = (): Phase[] => {
    if (effects.includes("deploy") || says(RELEASING)) return ["release", "operations"];
    if (effects.includes("write")) return ["implementation"];
    if (says(PROVING)) return ["validation"];
    if (says(REVIEWING)) return ["review"];
    return ["analysis", "setup", "design"];
  };
  return choosePhases().find((phase) => selected.includes(phase)) ?? selected[0] ?? "analysis";
}

/** The first selected agent whose lane may hold the phase. An agent the registry lacks is drafted for all phases. */
function ownerOf(intent: ExecutionIntent, registry: Registry, phase: Phase): string {
  const phasesOf = new Map(registry.agents.map((agent) => [agent.id, agent.phases]));
  const agents = intent.selected_agents.map((agent) => agent.agent_id);
  return agents.find((id) => phasesOf.get(id)?.includes(phase) ?? true) ?? agents[0] ?? "dev";
}

function headOf(id: string) {
  const words = id.replaceAll("_", " ").trim();
  const title = words.length < 3 ? id : words.charAt(0).toUpperCase() + words.slice(1);
  return { id, version: "0.1.0", status: "active" as const, title };
}

function yamlOf(intent: ExecutionIntent, entry: object): string {
  const comment = `# Drafted from ${intent.id}. Review every field before you rely on it, then remove this line.\n`;
  return comment + stringify(entry, { lineWidth: 0, aliasDuplicateObjects: false });
}
