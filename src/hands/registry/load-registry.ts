import { fileURLToPath } from "node:url";
import type { TakenFrom } from "../../foundation/documents/read-document.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { GuardrailEntry, Registry, RegistryEntry } from "../../model/plan/registry.js";
import { byCodeUnit } from "../../model/by-code-unit.js";
import { findDanglingReferences } from "./find-dangling-references.js";
import type { ReadEntries, ReadEntry } from "./read-entries.js";
import { findRegistryFiles, type Kind, type RegistryFile } from "./registry-files.js";
import { readShippedEntries } from "./shipped-entries.js";

/** Where an entry stands. */
interface Source {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** For a rule or guardrail, where the text of its condition begins: past the quote, or on the first line of a block. */
  readonly whenLine?: number;
  readonly whenColumn?: number;
}

export interface LoadedRegistry {
  readonly registry: Registry;
  /** In the order of ids. They are not part of a plan's registry: see `Registry`. */
  readonly guardrails: readonly GuardrailEntry[];
  /** By kind and id, e.g. `rule:deny_secrets`. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Every problem found. A registry with problems is not whole and must not be planned with. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A directory of the registry; an optional one, such as a project's own, may be missing. */
export type RegistryDirectory = string | { readonly path: string; readonly optional: boolean };

/** The registry that comes with the package. */
export function builtInRegistryDirectory(): string {
  return fileURLToPath(new URL("../../../registry", import.meta.url));
}

/**
 * Read a registry from directories, in their order: an entry of a later directory replaces the entry of the same kind
 * and id of an earlier one as a whole. How the entries are spread over files and folders makes no difference.
 *
 * Contract: whatever is wrong with the files comes back as diagnostics; the registry then holds the valid entries.
 */
export async function loadRegistry(
  options: { readonly directories: readonly RegistryDirectory[] } & TakenFrom,
): Promise<LoadedRegistry> {
  const merged = new Map<string, ReadEntry>();
  const diagnostics: Diagnostic[] = [];
  for (const directory of options.directories) {
    const { path, optional } = typeof directory === "string" ? { path: directory, optional: false } : directory;
    const read = await readDirectory(path, optional, options);
    diagnostics.push(...read.diagnostics);
    for (const [key, entry] of read.entries) merged.set(key, entry);
  }
  const ordered = [...merged].sort(([a], [b]) => byCodeUnit(a, b));
  const entries = ordered.map(([, entry]) => entry);
  diagnostics.push(...findDanglingReferences(entries));
  return {
    registry: registryOf(entries.map(({ entry }) => entry)),
    guardrails: ofKind(
      entries.map(({ entry }) => entry),
      "guardrail",
    ),
    sources: new Map(ordered.map(([key, entry]) => [key, sourceOf(entry)])),
    diagnostics,
  };
}

async function readDirectory(path: string, optional: boolean, options: TakenFrom) {
  const found = await findRegistryFiles(path, { optional, from: options.from });
  const diagnostics = [...found.diagnostics];
  const entries = new Map<string, ReadEntry>();
  const isShipped = path === builtInRegistryDirectory();
  for (const file of found.files) {
    const read =
      (isShipped ? await readShippedEntries(file, undefined, options) : null) ?? (await readWritten(file, options));
    diagnostics.push(...read.diagnostics);
    for (const candidate of read.entries) {
      const { kind, id } = candidate.entry;
      const key = `${kind}:${id}`;
      const earlier = entries.get(key);
      if (earlier === undefined) {
        entries.set(key, candidate);
        continue;
      }
      const { line, column } = earlier.position;
      const message = `the ${kind} ${id} is already defined at ${earlier.file}:${line}:${column}`;
      const fix = "Keep one of the two, or give one another id.";
      diagnostics.push(candidate.diagnostic("REGISTRY_DUPLICATE", ["id"], message, fix));
    }
  }
  return { entries, diagnostics };
}

/** The YAML parser and the schemas are loaded with the first file that was written by hand: they are slow to load. */
async function readWritten(file: RegistryFile, options: TakenFrom): Promise<ReadEntries> {
  const { readEntries } = await import("./read-entries.js");
  return readEntries(file, options);
}

function ofKind<K extends Kind>(entries: readonly RegistryEntry[], kind: K): Extract<RegistryEntry, { kind: K }>[] {
  return entries
    .filter((entry): entry is Extract<RegistryEntry, { kind: K }> => entry.kind === kind)
    .sort((a, b) => byCodeUnit(a.id, b.id));
}

function registryOf(entries: readonly RegistryEntry[]): Registry {
  return {
    schema_version: "1.0.0",
    workflows: ofKind(entries, "workflow"),
    agents: ofKind(entries, "agent"),
    commands: ofKind(entries, "command"),
    rules: ofKind(entries, "rule"),
    facts: ofKind(entries, "fact"),
    models: ofKind(entries, "model"),
  };
}

function sourceOf({ file, position, whenPosition }: ReadEntry): Source {
  const when = whenPosition ? { whenLine: whenPosition.line, whenColumn: whenPosition.column } : {};
  return { file, ...position, ...when };
}
