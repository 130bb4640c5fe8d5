import { hasConflictMarkers, lostLines } from "./kept-lines.js";

/*
 * Whether what an agent made of a conflict may be taken. An agent's word that it is resolved counts for nothing: every
 * line either side added, and every line neither took away, must be there or stand in a recorded reason why not.
 */

interface ResolvedFile {
  readonly path: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  /** Null when the resolution removed it. */
  readonly resolved: string | null;
}

export interface LeftOut {
  readonly path: string;
  readonly line: string;
  readonly reason: string;
}

export interface Resolution {
  readonly files: readonly ResolvedFile[];
  /** All paths the resolution changed beside what git had merged. */
  readonly changed: readonly string[];
  readonly left_out: readonly LeftOut[];
}

/** The objections; none means that it may be verified and taken. Contract: pure. */
export function objections({ files, changed, left_out }: Resolution): string[] {
  const inConflict = new Set(files.map(({ path }) => path));
  const outside = changed
    .filter((path) => !inConflict.has(path))
    .map((path) => `${path} was not in conflict and was changed`);
  return [...outside, ...files.flatMap((file) => objectionsTo(file, left_out))];
}

/** The middle marker may be a heading of a text, but then one of the sides has it. */
const middles = (text: string) => text.match(/^={7}\r?$/gm)?.length ?? 0;

function objectionsTo(file: ResolvedFile, left_out: readonly LeftOut[]): string[] {
  const { path, base, ours, theirs, resolved } = file;
  if (resolved !== null && (hasConflictMarkers(resolved) || middles(resolved) > middles(ours) + middles(theirs)))
    return [`${path} still has conflict markers`];
  const excused = new Set(
    left_out.filter((entry) => entry.path === path && entry.reason.trim() !== "").map(({ line }) => line.trim()),
  );
  return lostLines(base, ours, theirs, resolved ?? "")
    .filter(({ line }) => !excused.has(line.trim()))
    .map(
      ({ line, side }) =>
        `${path} lost a line of ${side === "both" ? "both sides" : side}: ${line.trim().slice(0, 120)}`,
    );
}
