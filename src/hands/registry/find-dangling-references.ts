import type { PathSegments } from "../../foundation/documents/position.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { RegistryEntry } from "../../model/plan/registry.js";
import type { ReadEntry } from "./read-entries.js";

interface Reference {
  readonly kind: "agent" | "command";
  readonly id: string;
  readonly path: PathSegments;
}

/** Every reference from one entry to another that is not there, each at its place. */
export function findDanglingReferences(entries: readonly ReadEntry[]): Diagnostic[] {
  const known = new Set(entries.map(({ entry }) => `${entry.kind}:${entry.id}`));
  const found: Diagnostic[] = [];
  for (const { entry, diagnostic } of entries) {
    for (const { kind, id, path } of referencesOf(entry)) {
      if (known.has(`${kind}:${id}`)) continue;
      const message = `the ${entry.kind} ${entry.id} refers to the ${kind} ${id}, which the registry does not have`;
      const fix = `Add an entry ${id} to ${kind}s/, or correct the name.`;
      found.push(diagnostic("REGISTRY_DANGLING_REFERENCE", path, message, fix));
    }
  }
  return found;
}

function referencesOf(entry: RegistryEntry): Reference[] {
  if (entry.kind === "workflow")
    return entry.phases.flatMap(({ commands }, phase) =>
      commands.map((id, index): Reference => ({ kind: "command", id, path: ["phases", phase, "commands", index] })),
    );
  if (entry.kind !== "command") return [];
  return [
    { kind: "agent", id: entry.owner, path: ["owner"] },
    ...entry.needs.map((id, index): Reference => ({ kind: "command", id, path: ["needs", index] })),
    ...entry.equivalents.map((id, index): Reference => ({ kind: "command", id, path: ["equivalents", index] })),
  ];
}
