/* Why something is the way it is: in a plan, or in a run. */

export interface ExplanationOf<Kind extends string> {
  readonly id: string;
  readonly kind: Kind;
  readonly title: string;
  readonly why: readonly string[];
  readonly evidence: readonly string[];
  readonly alternatives: readonly { readonly alternative: string; readonly reason_rejected: string }[];
  /** Other ids worth asking about. */
  readonly see: readonly string[];
}

const MOST_SIMILAR = 5;

/** Ids that are close to one that is not there, for "did you mean". Contract: pure. */
export function findSimilar(id: string, known: readonly string[]): string[] {
  const wanted = id.toLowerCase();
  return [...new Set(known)]
    .filter((other) => other.toLowerCase().includes(wanted) || wanted.includes(other.toLowerCase()))
    .slice(0, MOST_SIMILAR);
}
