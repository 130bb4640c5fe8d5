import { byCodeUnit } from "../../model/by-code-unit.js";
import type { FileConflict } from "../../model/plan/level.js";

/*
 * Which tasks met in which files. Measured from git and never from what agents say of themselves: a shell command, a
 * formatter or a rename leaves its trace in the tree, no matter who forgot to report it.
 */

/** A range of lines of the base: from the first to before the last. An insertion has no length and still a place. */
type LineRange = readonly [from: number, to: number];

interface FileChange {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted" | "renamed";
  /** Where it came from; only for a rename. */
  readonly from?: string;
  /** Lines of the base that were replaced. Absent when nobody measured them, or it is not text. */
  readonly ranges?: readonly LineRange[];
  /** Functions, classes and the like that the change stands in, as git names them. */
  readonly symbols?: readonly string[];
}

export interface TaskChanges {
  /** The task's place in the plan. */
  readonly index: number;
  readonly changes: readonly FileChange[];
}

const LOCKFILES = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "Cargo.lock",
  "poetry.lock",
  "uv.lock",
  "Pipfile.lock",
  "composer.lock",
  "Gemfile.lock",
  "go.sum",
  "flake.lock",
  "packages.lock.json",
  "mix.lock",
  "pubspec.lock",
]);
const GENERATED =
  /(^|\/)(dist|build|out|generated|__generated__|node_modules)\/|\.(min\.(js|css)|map|snap|pb\.go|g\.dart)$|_pb2\.pyi?$/;

/** Contract: pure; conflicts in the order of their paths, each file once, every task that changed it named. */
export function detectConflicts(tasks: readonly TaskChanges[]): FileConflict[] {
  const byPath = new Map<string, { index: number; change: FileChange }[]>();
  const note = (path: string, index: number, change: FileChange) => {
    const met = byPath.get(path) ?? [];
    if (!met.some((other) => other.index === index)) met.push({ index, change });
    byPath.set(path, met);
  };
  for (const { index, changes } of tasks)
    for (const change of changes) {
      note(change.path, index, change);
      // Anyone who renames a file has changed it under its old name too.
      if (change.change === "renamed" && change.from !== undefined) note(change.from, index, change);
    }
  return [...byPath]
    .filter(([, met]) => met.length > 1)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([file_path, met]) => ({
      file_path,
      ac_indices: met.map(({ index }) => index).sort((a, b) => a - b),
      resolved: false,
      resolution_description: "",
      kind: kindOf(
        file_path,
        met.map(({ change }) => change),
      ),
    }));
}

function kindOf(path: string, changes: readonly FileChange[]): FileConflict["kind"] {
  if (LOCKFILES.has(path.slice(path.lastIndexOf("/") + 1))) return "lockfile";
  if (GENERATED.test(path)) return "generated";
  const kinds = new Set(changes.map(({ change }) => change));
  if (kinds.has("renamed")) return "rename_edit";
  if (kinds.has("deleted") && kinds.size > 1) return "delete_edit";
  if (somePair(changes, sameLines)) return "same_lines";
  return somePair(changes, sameSymbol) ? "same_symbol" : "same_file";
}

function somePair(changes: readonly FileChange[], test: (a: FileChange, b: FileChange) => boolean): boolean {
  return changes.some((a, i) => changes.slice(i + 1).some((b) => test(a, b)));
}

/** Ranges meet when they overlap or touch: two insertions at one place are in each other's way. */
function sameLines(a: FileChange, b: FileChange): boolean {
  if (a.change === "added" && b.change === "added") return true;
  return (a.ranges ?? []).some((r) => (b.ranges ?? []).some((s) => r[0] <= s[1] && s[0] <= r[1]));
}

function sameSymbol(a: FileChange, b: FileChange): boolean {
  return (a.symbols ?? []).some((symbol) => (b.symbols ?? []).includes(symbol));
}

/** Pairs of tasks whose declared writes may meet: seen at planning, before anything runs. */
export function predictConflicts(
  tasks: readonly { readonly index: number; readonly writes: readonly string[] }[],
  overlap: (a: string, b: string) => boolean,
): { readonly tasks: readonly [number, number]; readonly patterns: readonly [string, string] }[] {
  const found: { tasks: readonly [number, number]; patterns: readonly [string, string] }[] = [];
  for (const [i, a] of tasks.entries())
    for (const b of tasks.slice(i + 1)) {
      const patterns = firstOverlap(a.writes, b.writes, overlap);
      if (patterns !== null) found.push({ tasks: [a.index, b.index], patterns });
    }
  return found;
}

function firstOverlap(
  left: readonly string[],
  right: readonly string[],
  overlap: (a: string, b: string) => boolean,
): readonly [string, string] | null {
  for (const a of left) for (const b of right) if (overlap(a, b)) return [a, b];
  return null;
}
