import { fileURLToPath } from "node:url";
import type { Position } from "../../foundation/documents/position.js";
import { readText, type TakenFrom } from "../../foundation/documents/read-document.js";
import { builtName } from "../../foundation/documents/shipped-document.js";
import { readFile } from "../../foundation/files/read-files.js";
import { documentPath } from "../../model/diagnostic.js";
import type { RegistryEntry } from "../../model/plan/registry.js";
import type { ReadEntries, ReadEntry } from "./read-entries.js";
import type { RegistryFile } from "./registry-files.js";

/** An entry of the registry of the package, as the build keeps it: it was checked when it was built. */
interface ShippedEntry {
  readonly entry: RegistryEntry;
  readonly position: Position;
  readonly whenPosition: Position | null;
}

/** The entries of each file, by the name that `builtName` gives its text. */
export type ShippedEntries = Readonly<Record<string, readonly ShippedEntry[]>>;

/** Where the build puts them. */
const BUILT = new URL("../../shipped/registry.json", import.meta.url);

let loaded: Promise<ShippedEntries> | null = null;

/**
 * Read the entries of one file of the package's registry as the build found them: reading them as YAML and checking them
 * costs a short command more than everything else it does.
 *
 * Contract: the entries that `readEntries` gives, or null for a file that the build did not see or that was changed since.
 */
export async function readShippedEntries(
  { file }: RegistryFile,
  given?: ShippedEntries,
  options: TakenFrom = {},
): Promise<ReadEntries | null> {
  const built = given ?? (await (loaded ??= readBuilt()));
  const read = await readText(file, undefined, options).catch(() => null);
  const entries = read?.ok === true ? built[builtName(read.text)] : undefined;
  return entries === undefined ? null : { entries: entries.map((entry) => readEntryOf(entry, file)), diagnostics: [] };
}

async function readBuilt(): Promise<ShippedEntries> {
  const text = await readFile(fileURLToPath(BUILT), "utf8").catch(() => "{}");
  return JSON.parse(text) as ShippedEntries;
}

/** A problem of an entry is placed where the entry begins: the build keeps no other place. */
function readEntryOf({ entry, position, whenPosition }: ShippedEntry, file: string): ReadEntry {
  return {
    entry,
    file,
    position,
    whenPosition,
    diagnostic: (code, path, message, fix) => ({ code, message, path: documentPath(path), file, ...position, fix }),
  };
}
