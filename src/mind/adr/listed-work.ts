import { plain } from "./fold.js";
import type { Section } from "./sections.js";
import type { Unit } from "./units.js";
import { standingOf } from "./clause.js";
import {
  announcesReasons,
  announcesWork,
  beginsWithVerb,
  isDefinition,
  ordersChange,
  ordersUs,
  wordingOf,
} from "./wording.js";

/* Work that a record lists as such. No weighing: a section that is called Tasks says what it holds. */

/** The lists of a record, by what they are: lists that only name things, and lists of orders. */
export interface ListKinds {
  readonly defining: ReadonlySet<number>;
  readonly ordering: ReadonlySet<number>;
}

/** Whether an entry stands in a list of work or of orders, or is a box that nobody has ticked. */
export function isListedWork(unit: Unit, { defining, ordering }: ListKinds): boolean {
  const { section, kind, depth, ticked, parent, intro, text } = unit;
  if (kind === "sentence" || isPraise(text)) return false;
  if (ticked === false) return section.role !== null && section.role !== "links";
  if (parent !== null || depth > 0) return false;
  if (ordering.has(unit.group)) return wordingOf(text) !== "reason" && standingOf(text) === null;
  if (section.role !== "work") return false;
  if (kind === "row") return true;
  return !announcesReasons(lastSentence(intro)) && !defining.has(unit.group);
}

/** The lists of names, alone or with what they mean: the fields of something, not what is to be done with them. */
export function definingGroups(units: readonly Unit[]): ReadonlySet<number> {
  const found = new Set(units.map(({ group }) => group));
  for (const { group, depth, ordered, text, section } of units)
    if (depth === 0 && (ordered || !isDefinition(text) || verbOf(section.heading, text) !== null)) found.delete(group);
  return found;
}

/** The lists that mostly tell somebody to change something; where no heading says what they are for, all numbered. */
export function orderingGroups(units: readonly Unit[]): ReadonlySet<number> {
  const groups = new Map<number, Unit[]>();
  for (const unit of units)
    if (unit.kind === "item" && unit.depth === 0) groups.set(unit.group, [...(groups.get(unit.group) ?? []), unit]);
  const found = new Set<number>();
  for (const [group, entries] of groups) if (isOrdering(entries)) found.add(group);
  return found;
}

function isOrdering(entries: readonly Unit[]): boolean {
  const [{ section, intro } = { section: null, intro: "" }] = entries;
  if (section === null || section.polarity !== null || announcesReasons(lastSentence(intro))) return false;
  // Where some have a box, those are the work.
  if (entries.some(({ ticked }) => ticked !== null)) return false;
  const announced = announcesWork(lastSentence(intro)) && saysMuch(entries);
  if (!announced && !entries.some(({ text }) => ordersChange(text))) return false;
  const share = entries.filter(({ text }) => ordersUs(text)).length / entries.length;
  switch (section.role) {
    case "decision":
    case "plan":
      return announced || share > 0.5;
    case "consequences":
      return share >= 0.5;
    case null:
      return entries.length >= 3 && entries.every(({ ordered }) => ordered) && share >= 0.75;
    default:
      return false;
  }
}

function saysMuch(entries: readonly Unit[]): boolean {
  return entries.filter(({ text }) => !isName(text)).length * 2 > entries.length;
}

/** The verb that the heading over an entry gives it: "Components to remove" → "Remove". */
export function verbOf(heading: string, text: string): string | null {
  const [, verb] =
    /\bto (?:be )?(add|change|create|delete|deprecate|implement|migrate|move|remove|rename|replace|update|write)d?\b/i.exec(
      heading,
    ) ?? [];
  if (verb === undefined || beginsWithVerb(text)) return null;
  return verb.charAt(0).toUpperCase() + verb.slice(1).toLowerCase();
}

/** Entries that only point somewhere, or say that there is nothing, say nothing; nor does a sentence of one word. */
export function saysSomething({ text, kind, section, ticked }: Unit): boolean {
  // A name alone says where something holds, and not what is to be done.
  if (kind === "item" && section.role !== "work" && section.role !== "future" && ticked === null && isName(text))
    return false;
  if (kind === "sentence" && !/\s\S+\s|[\u3040-\u9fff\uac00-\ud7af]{4}/.test(plain(text))) return false;
  if (
    /^(?:none|n\/?a|nothing|tbd|todo|-|no(?:ne)? known\b.*|there are (?:currently )?no\b.*|aucune?|keine?|ninguna?|nenhuma?|nessuna?|geen|нет|无|なし)\.?$/i.test(
      plain(text),
    )
  )
    return false;
  return !/^(?:\[[^\]]*\]\([^)]*\)|\[\[[^\]]*\]\]|<?https?:\/\/\S+>?)[.,;]?$/.test(text.trim());
}

function isName(text: string): boolean {
  const words = plain(text);
  return !/\s\S+\s/.test(words) && !/[\u3040-\u9fff\uac00-\ud7af]{5}/.test(words) && !beginsWithVerb(text);
}

/** Marked as done at its end. */
export function isOver(text: string): boolean {
  return /(?<=\S\s)(?:\*\*)?\(?(?:[✅✔☑]\uFE0F?|\((?:done|completed?|erledigt|fait|hecho|feito|conclu[ií]d[oa]|fatto|klaar|已完成|完了)\))[\s*]{0,4}[\p{L} ]{0,20}[.*)]{0,4}$/iu.test(
    text.slice(-60),
  );
}

function isPraise(text: string): boolean {
  return /^(?:good|bad|neutral|pros?|cons?|advantages?|disadvantages?|risks?)\b\s*[,:—–-]/i.test(plain(text));
}

export function lastSentence(intro: string): string {
  return intro.split(/(?<=[.!?。])\s+/).at(-1) ?? "";
}

/** `### Phase 1: Move the readers` with prose under it: the heading is what is to be done. */
export function stageWork(sections: readonly Section[]): readonly StageWork[] {
  const stages = sections.filter(({ stages: of }) => of.length > 0);
  if (stages.length < 2) return [];
  return stages.flatMap((section) => {
    const { heading, role, blocks, line } = section;
    const [, text] = /^\S+\s*#?\s*[\divx]+\s*[:.)—–-]\s*(.+)$/i.exec(heading) ?? [];
    const lists = sections.some(
      (other) =>
        (other === section || other.path.includes(heading)) && other.blocks.some(({ kind }) => kind === "item"),
    );
    if (text === undefined || role !== "work" || lists || blocks.some(({ kind }) => kind === "table")) return [];
    const details = blocks.flatMap((block) => (block.kind === "paragraph" ? [block.lines.join(" ")] : []));
    return [
      {
        text,
        details,
        ordered: true,
        list: 0,
        stages: section.stages,
        heading,
        verb: verbOf(heading, text),
        tentative: false,
        line,
      },
    ];
  });
}

/** A stage of work, named by its heading. */
interface StageWork {
  readonly text: string;
  readonly details: readonly string[];
  readonly ordered: true;
  readonly list: 0;
  readonly stages: readonly string[];
  readonly heading: string;
  readonly verb: string | null;
  readonly tentative: false;
  readonly line: number;
}
