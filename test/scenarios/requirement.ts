/**
 * One promise of the specifications and where it stands.
 *
 * - shown: at least one test cites its id; the manifest's own test fails otherwise.
 * - replaced: a decision of the design overrules it, and says what holds instead.
 * - not_built: no test may cite it yet; a citation means that the mark is stale.
 */
export interface Requirement {
  readonly id: string;
  readonly section: string;
  readonly kind: string;
  readonly level: "must" | "wish";
  readonly text: string;
  readonly standing: Standing;
}

type Standing =
  | { readonly is: "shown" }
  | { readonly is: "replaced"; readonly by: string }
  | { readonly is: "not_built"; readonly why: string };

type Row = readonly [
  id: string,
  section: string,
  kind: string,
  level: Requirement["level"],
  text: string,
  standing: Standing,
];

export const shown: Standing = { is: "shown" };

export function replacedBy(decision: string): Standing {
  return { is: "replaced", by: decision };
}

export function notBuilt(why: string): Standing {
  return { is: "not_built", why };
}

export function requirementsOf(rows: readonly Row[]): readonly Requirement[] {
  return rows.map(([id, section, kind, level, text, standing]) => ({ id, section, kind, level, text, standing }));
}
