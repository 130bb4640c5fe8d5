/**
 * One line of the source changed so that a behaviour of the specifications is gone. The tests that cite one of `ids`
 * must notice: `npm run mutants` runs them against the changed source (docs/mutants.md).
 */
export interface Mutant {
  readonly ids: readonly string[];
  readonly file: string;
  /** What the changed program does wrong. */
  readonly what: string;
  /** A part of one line, found exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

type Row = readonly [ids: string, what: string, from: string, to: string];

/** The mutants of one file; `ids` are separated by blanks. */
export function mutantsOf(file: string, rows: readonly Row[]): readonly Mutant[] {
  return rows.map(([ids, what, from, to]) => ({ ids: ids.split(" "), file, what, from, to }));
}
