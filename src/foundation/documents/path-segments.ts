import type { Diagnostic } from "../../model/diagnostic.js";
import type { PathSegments, Position } from "./position.js";

/** `planned_commands[2]["a b"]` back into the keys and indexes it was written from. */
export function segmentsOf(path: string): PathSegments {
  const parts = path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g);
  return [...parts].map(([, index, quoted, name]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (name ?? "") : String(JSON.parse(quoted));
  });
}

/** A document that was read from a file, and where its parts stand. */
export interface Located {
  readonly file: string;
  readonly locate: (path: PathSegments) => Position;
}

/** Each position costs a scan of the document. In a huge one with very many problems, the later ones go without. */
const LONGEST_MS = 2000;

/** Adds to problems their places in the file they were read from. */
export function placeIn({ file, locate }: Located, problems: readonly Diagnostic[]): Diagnostic[] {
  const until = performance.now() + LONGEST_MS;
  return problems.map((problem) =>
    performance.now() < until ? { ...problem, file, ...locate(segmentsOf(problem.path)) } : { ...problem, file },
  );
}
