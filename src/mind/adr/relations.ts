import type { AdrStatus } from "../../model/adr.js";
import type { Block } from "../../foundation/markdown/blocks.js";
import { fold } from "./fold.js";
import { type Kind, referencesIn } from "./adr-names.js";
import type { Section } from "./sections.js";

export interface Relations {
  readonly supersededBy: string | null;
  /** Whether its top names a record that replaced it, or a day on which one did. */
  readonly declared: boolean;
  readonly supersedes: readonly string[];
  /** Every other record it points to, in the order of the text. */
  readonly related: readonly string[];
}

interface RelationContext {
  readonly id: string | null;
  readonly kind: Kind;
  readonly sections: readonly Section[];
  readonly metadata: ReadonlyMap<string, string>;
  readonly status: AdrStatus | null;
}

const BY =
  /\b(?:super[sc]ee?ded|replaced|obsoleted|overridden|overruled|subsumed|absorbed)\b[^.;]{0,60}?\b(?:by|with)\b|\bsuperseded:?\s|\b(?:remplacee?s? par|ersetzt durch|abgelost (?:durch|von)|reemplazad[oa] por|sustituid[oa] por|substituid[oa] por|superad[oa] por|sostituit[oa] (?:da|dal|dalla)|vervangen door|zastapion\w* przez)\b|被|由.{0,60}取代/;
/** In Chinese and Japanese the successor stands in front of the verb. */
const BEFORE = /(?:によ(?:り|って)|に)置き換え|(?:取代|替代)/;
const OLD =
  /\b(?:supersedes|supercedes|replaces|obsoletes|remplace\b(?!r)|ersetzt (?!durch)|lost .{0,60} ab|reemplaza|sustituye|substitui\b|sostituisce|vervangt)/;

/** Find what a record says of other records. Contract: a record is never related to itself or to its successor. */
export function findRelations({ id, kind, sections, metadata, status }: RelationContext): Relations {
  const texts = sections.flatMap(({ blocks, role }) => blocks.flatMap(textsOf).map((text) => ({ text, role })));
  const named = metadata.get("superseded-by") ?? "";
  const stated = metadata.get("status") ?? "";
  const first = (text: string) => referencesIn(text, kind).find(({ name }) => name !== id)?.name ?? null;
  const declared =
    named !== "" &&
    !/^(?:none(?: yet)?|n\/a|not applicable|[-–—]+|null|no|~|tbd|aucune?|keine?|ningun[oa]?|nenhuma?|nessun[oa]?|geen|nil|无|無|なし)\.?$/i.test(
      named,
    );
  const top = [...texts.filter(({ role }) => role === "status" || role === null), ...texts];
  const supersededBy =
    (declared ? (first(named) ?? bareName(named)) : null) ??
    successorIn(stated, id, kind) ??
    (status === "superseded" || declared ? firstOf(top, ({ text }) => successorIn(text, id, kind)) : null);
  const supersedes = unique([
    ...referencesIn(metadata.get("supersedes") ?? "", kind).map(({ name }) => name),
    ...texts.flatMap(({ text }) => findReplaced(text, kind)),
  ]).filter((name) => name !== id && name !== supersededBy);
  const all = [...metadata.values(), ...texts.map(({ text }) => text)].flatMap((text) => referencesIn(text, kind));
  const related = unique([...supersedes, ...all.map(({ name }) => name)]);
  return {
    supersededBy,
    declared,
    supersedes,
    related: related.filter((name) => name !== id && name !== supersededBy),
  };
}

/** `superseded_by: 14` and `superseded_by: 0014-new-way`. */
function bareName(value: string): string | null {
  const [, number] = /^["'[]*#?0*(\d{1,6})(?:[-_.\]"'].*)?$/.exec(value.trim()) ?? [];
  return number ?? null;
}

function successorIn(text: string, id: string | null, kind: Kind): string | null {
  const folded = fold(text);
  const others = referencesIn(text, kind).filter(({ name }) => name !== id);
  const match = BY.exec(folded);
  // Folding keeps the length of what is written in ASCII, which is what references are written in; near enough is right.
  const after = match === null ? undefined : others.find(({ at }) => at + 4 >= match.index);
  if (after !== undefined) return after.name;
  const verb = BEFORE.exec(folded);
  return verb === null ? null : (others.findLast(({ at }) => at <= verb.index)?.name ?? null);
}

function findReplaced(text: string, kind: Kind): string[] {
  const match = OLD.exec(fold(text));
  if (match === null) return [];
  const end = text.indexOf(".", match.index + match[0].length + 24);
  return referencesIn(text, kind)
    .filter(({ at }) => at + 4 >= match.index && (end === -1 || at <= end))
    .map(({ name }) => name);
}

function textsOf(block: Block): string[] {
  switch (block.kind) {
    case "paragraph":
    case "quote":
      return [block.lines.join("\n")];
    case "item":
    case "detail":
    case "heading":
      return [block.text];
    case "table":
      return block.rows.map((row) => row.join(" | "));
    case "code":
      return [];
  }
}

function firstOf<T, R>(list: readonly T[], find: (entry: T) => R | null): R | null {
  for (const entry of list) {
    const found = find(entry);
    if (found !== null) return found;
  }
  return null;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
