import type { Requirement } from "./requirement.js";

/** One id that one test file claims to show. */
export interface Citation {
  readonly id: string;
  readonly file: string;
}

interface Findings {
  /** Marked as shown, but no test cites them. */
  readonly uncited: readonly Requirement[];
  /** Cited, but no specification has them; a misspelt id is one of these. */
  readonly unknown: readonly Citation[];
  /** Cited although the manifest says that they are not built. */
  readonly stale: readonly Citation[];
}

const commentLine = /^\s*(?:\/\/|\/\*|\*).*$/gm;
const titleThatNeverRuns = /\.(?:skip|todo|fails)\(\s*(["'`]).*?\1/gs;
// Looser than an id on purpose: a misspelt one has to turn up as unknown instead of citing nothing.
const bracket = /\[\s*(S\d+-\d{2,}[^\]\n]*)\]/g;

/** The ids in brackets, `[S4-042]` or `[S4-042, S4-043]`, in the titles of one test file's tests. */
export function citationsIn(file: string, source: string): readonly Citation[] {
  const read = source.replace(commentLine, "").replace(titleThatNeverRuns, "");
  return [...read.matchAll(bracket)].flatMap(([, ids = ""]) => ids.split(",")).map((id) => ({ id: id.trim(), file }));
}

/** Compare what the manifest claims with what the tests cite. A replaced requirement may be cited, and need not. */
export function review(requirements: readonly Requirement[], citations: readonly Citation[]): Findings {
  const standings = new Map(requirements.map(({ id, standing }) => [id, standing.is]));
  const cited = new Set(citations.map(({ id }) => id));
  return {
    uncited: requirements.filter(({ id, standing }) => standing.is === "shown" && !cited.has(id)),
    unknown: citations.filter(({ id }) => !standings.has(id)),
    stale: citations.filter(({ id }) => standings.get(id) === "not_built"),
  };
}
