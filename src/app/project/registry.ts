import { stringify } from "yaml";
import type { RegistryEntry } from "../../model/plan/registry.js";
import { CoordinatorError } from "../../model/errors.js";
import { compileRules } from "../../mind/plan/rules/compile-rules.js";
import type { LoadedRegistry } from "../../hands/registry/load-registry.js";
import { compileGuardrails } from "../../mind/scope/compile-guardrails.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { placeInRule } from "./place-in-rule.js";
import { registryFailure } from "./project-registry.js";

/**
 * Reads the registry of a project, and compiles its rules and guardrails.
 *
 * Contract: changes nothing. Every problem is in the outcome, with its place.
 */
export async function checkRegistry(more: readonly string[], { progress, project }: CommandContext): Promise<Finished> {
  progress("Reading the registry and compiling its rules …");
  const loaded = await project.registry(more);
  const undecidable = compileRules(loaded.registry).undecidable.map(({ ruleId: _, ...problem }) =>
    placeInRule(problem, loaded),
  );
  const unread = compileGuardrails(loaded.guardrails).undecidable.map(({ guardrailId: _, ...problem }) =>
    placeInRule(problem, loaded),
  );
  const problems = [...loaded.diagnostics, ...undecidable, ...unread];
  return finish(problems.length === 0 ? EXIT.done : EXIT.invalid, {
    type: "registry_check",
    directories: loaded.directories,
    counts: countsOf(loaded),
    problems,
  });
}

/**
 * Lists the entries of the registry, or those of one kind.
 *
 * Contract: changes nothing. A registry that is not sound is the outcome.
 */
export async function listRegistry(
  kind: string | undefined,
  more: readonly string[],
  { project }: CommandContext,
): Promise<Finished> {
  const loaded = await project.registry(more);
  const broken = registryFailure(loaded);
  if (broken !== null) return broken;
  const entries = placeEntries(loaded).filter(({ entry }) => kind === undefined || entry.kind === kind);
  return finish(EXIT.done, { type: "registry_list", entries });
}

/**
 * Shows an entry of the registry as it was written.
 *
 * Contract: as `listRegistry`. Throws NOT_FOUND, with ids that are close, for one that is not there.
 */
export async function showEntry(
  { kind, id }: { readonly kind: string | undefined; readonly id: string },
  more: readonly string[],
  { project }: CommandContext,
): Promise<Finished> {
  const loaded = await project.registry(more);
  const broken = registryFailure(loaded);
  if (broken !== null) return broken;
  const all = placeEntries(loaded);
  const entries = all.filter(({ entry }) => entry.id === id && (kind === undefined || entry.kind === kind));
  if (entries.length > 0) return finish(EXIT.done, { type: "registry_entry", entries: entries.map(inYaml) });
  const close = all.map(({ entry }) => entry.id).filter((other) => other.includes(id) || id.includes(other));
  throw new CoordinatorError("NOT_FOUND", `The registry has no ${kind === undefined ? "entry" : kind} ${id}`, {
    fix: close.length > 0 ? `Did you mean ${close.slice(0, 5).join(", ")}?` : "`coordinator registry list` shows all.",
  });
}

function entriesOf({ registry, guardrails }: LoadedRegistry): RegistryEntry[] {
  const { workflows, agents, commands, rules, facts, models } = registry;
  return [...workflows, ...agents, ...commands, ...rules, ...facts, ...models, ...guardrails];
}

function placeEntries(loaded: LoadedRegistry): { entry: RegistryEntry; place: string }[] {
  const { sources } = loaded;
  return entriesOf(loaded).map((entry) => {
    const source = sources.get(`${entry.kind}:${entry.id}`);
    return { entry, place: source === undefined ? "" : `${source.file}:${source.line}:${source.column}` };
  });
}

function inYaml({ entry, place }: { entry: RegistryEntry; place: string }) {
  return { entry, place, yaml: stringify(entry, { lineWidth: 0, blockQuote: "literal" }) };
}

function countsOf({ registry, guardrails }: LoadedRegistry): Record<string, number> {
  const { workflows, agents, commands, rules, facts, models } = registry;
  return {
    workflows: workflows.length,
    agents: agents.length,
    commands: commands.length,
    rules: rules.length,
    facts: facts.length,
    models: models.length,
    guardrails: guardrails.length,
  };
}
