import {
  type FeatureForm,
  type Features,
  featuresOf,
  type Sign,
  type Zone,
} from "../../foundation/learned/features.js";
import { fold, plain } from "./fold.js";
import { moodsOf } from "./mood.js";
import { obligationIn } from "./obliges.js";
import type { Unit } from "./units.js";
import { announcesReasons, announcesWork, beginsWithVerb, ordersChange, ordersUs, wordingOf } from "./wording.js";

/*
 * The features that are weighed to decide whether a sentence or an entry asks for work: its words, how it is meant, what it stands in and
 * under, what its neighbours are, and what the record as a whole is.
 */

/** The features that all units of a record share. */
export interface RecordSigns {
  readonly title: string;
  readonly statusText: string | null;
  readonly units: readonly Unit[];
}

/** A unit as it is weighed: its features, and where its own words begin in the text of their places. */
export type Weighed = { readonly unit: Unit; readonly features: Features };

export function weigh(form: FeatureForm, record: RecordSigns): readonly Weighed[] {
  const own = new Map(record.units.map((unit) => [unit, ownSigns(unit)]));
  const common = recordSigns(record, own);
  const groups = new Map<number, Unit[]>();
  for (const unit of record.units) {
    const group = groups.get(unit.group);
    if (group === undefined) groups.set(unit.group, [unit]);
    else group.push(unit);
  }
  // Once for each group: a record may be one list of two thousand entries.
  const shares = new Map([...groups].map(([group, units]) => [group, groupSigns(units, own)]));
  return record.units.map((unit, at) => {
    const names = [
      ...common.map((name) => `${name}@${unit.kind}:${unit.section.role}`),
      ...(own.get(unit) ?? []),
      ...placeSigns(unit, record.units[at - 1], record.units[at + 1]),
      ...(shares.get(unit.group) ?? []),
      ...common,
    ];
    return { unit, features: featuresIn(form, unit, names, record.title) };
  });
}

function featuresIn(form: FeatureForm, unit: Unit, names: readonly string[], title: string): Features {
  const words = plain(unit.text).slice(0, 600);
  const heading = [...unit.section.path.slice(1), unit.section.heading].join(" / ");
  const parts = [words, plain(unit.intro).slice(-200), heading.slice(-200), plain(title).slice(0, 200)];
  const text = parts.join("\n");
  const zones: Zone[] = [];
  let start = 0;
  for (const [at, part] of parts.entries()) {
    zones.push({ tag: ["t", "i", "h", "r"][at] ?? "", start, end: start + part.length });
    start += part.length + 1;
  }
  const signs: Sign[] = names.map((name) => ({ name, count: 1, start: 0, end: 0 }));
  const folded = fold(words);
  for (const mood of moodsOf(words)) {
    const [from, to] = folded.length === words.length ? [mood.start, mood.end] : [0, words.length];
    for (const name of [mood.name, `${mood.name}@${unit.section.role}`, `${mood.name}@${unit.kind}`])
      signs.push({ name: `mood:${name}`, count: 1, start: from, end: to });
  }
  return featuresOf(form, text, zones, signs);
}

/** The features of a unit by itself. */
function ownSigns({ text, section, kind }: Unit): readonly string[] {
  const found = [`wording:${wordingOf(text)}`];
  if (beginsWithVerb(text)) found.push("verb");
  if (ordersChange(text)) found.push("change");
  if (ordersUs(text)) found.push("us");
  const obligation = obligationIn(text);
  if (obligation !== null) found.push("obliges", `obliges:${obligation}`);
  return [...found, ...found.flatMap((name) => [`${name}@${section.role}`, `${name}@${kind}`])];
}

function placeSigns(unit: Unit, before: Unit | undefined, after: Unit | undefined): string[] {
  const { section, kind, place, size, intro, parent, depth, ordered, ticked, text } = unit;
  const role = section.role ?? "none";
  const outcome = /outcome|chosen|resultat|ergebnis|resultado|esito|uitkomst|结果/i.test(
    [...section.path, section.heading].join(" "),
  );
  const length = plain(text).length;
  const found = [
    `role:${role}`,
    `kind:${kind}`,
    `role-kind:${role}:${kind}`,
    `named:${role}:${section.named}`,
    `polarity:${section.polarity}`,
    `polarity:${section.polarity}:${role}`,
    `stage:${section.stages.length > 0}`,
    `outcome:${outcome}:${kind}`,
    `depth:${Math.min(depth, 2)}`,
    `ordered:${kind}:${ordered}:${role}`,
    `place:${kind}:${Math.min(place, 3)}:${role}`,
    `size:${kind}:${sizeOf(size)}`,
    `length:${kind}:${length < 25 ? 0 : length < 60 ? 1 : length < 140 ? 2 : length < 300 ? 3 : 4}`,
  ];
  if (place === size - 1) found.push(`last:${kind}`);
  if (ticked !== null) found.push(`ticked:${ticked}`);
  if (intro !== "") {
    found.push(`intro:${role}`);
    if (announcesReasons(intro)) found.push("intro:reasons");
    if (/\b(?:because|since|as|weil|da|car|porque|pois|perche|omdat)\W{0,4}$/i.test(intro))
      found.push("intro:ends-because");
    if (beginsWithVerb(intro)) found.push("intro:verb");
    if (announcesWork(intro)) found.push("intro:work");
    for (const { name } of moodsOf(intro)) found.push(`intro:${name}`);
  } else found.push(`no-intro:${kind}:${role}`);
  if (parent !== null) {
    found.push(`parent:${wordingOf(parent.text)}`);
    for (const { name } of moodsOf(parent.text)) found.push(`parent:${name}`);
  }
  if (after?.parent === unit) found.push("has-smaller");
  if (after !== undefined && kind === "sentence" && after.kind === "item" && after.section === section)
    found.push(`before-list:${role}`);
  if (kind === "sentence" && before !== undefined && before.section === section && before.kind === "sentence")
    found.push(`behind:${wordingOf(before.text)}`);
  const first = before === undefined || before.section !== section;
  if (first) found.push(`first:${kind}:${role}`);
  return found;
}

function sizeOf(size: number): number {
  return size < 4 ? size : size < 8 ? 4 : 8;
}

/** The features of its neighbours: a list is work or is not, mostly as a whole. */
function groupSigns(group: readonly Unit[], own: ReadonlyMap<Unit, readonly string[]>): string[] {
  const shares = ["wording:order", "wording:reason", "wording:description", "verb", "change", "obliges"];
  return shares.flatMap((name) => {
    const share = group.filter((unit) => own.get(unit)?.includes(name)).length / group.length;
    return [`share:${name}:${share === 0 ? 0 : share < 0.5 ? 1 : share < 1 ? 2 : 3}:${group[0]?.kind}`];
  });
}

/** The features of the record as a whole: whether it lists work elsewhere, whether all of it was done, what it is about. */
function recordSigns({ units, statusText, title }: RecordSigns, own: ReadonlyMap<Unit, readonly string[]>): string[] {
  const found: string[] = [];
  const has = (holds: (unit: Unit) => boolean) => units.some(holds);
  if (has(({ section, kind }) => section.role === "work" && kind !== "sentence")) found.push("record:lists-work");
  if (isAboutRecords(title)) found.push("record:process");
  if (has(({ section, kind }) => section.role === "decision" && kind === "item")) found.push("record:decision-lists");
  if (has((unit) => unit.section.role === "decision" && own.get(unit)?.includes("wording:order") === true))
    found.push("record:orders");
  if (!has(({ section }) => section.role === "decision")) found.push("record:no-decision");
  if (/implement|done|complet|umgesetzt|erledigt|实现|完成|実装済/i.test(statusText ?? "")) found.push("record:done");
  for (const { name } of moodsOf(title)) found.push(`title:${name}`);
  if (beginsWithVerb(title)) found.push("title:verb");
  return found;
}

/** Whether a record is about how people work from now on: conventions, principles, preferences. */
export function isAboutHabits(title: string): boolean {
  return HABITS.test(fold(plain(title)));
}

const HABITS =
  /\b(?:naming (?:conventions?|schemes?|rules?|standards?)|nomenclature|conventions?|coding style|style guide|guidelines?|principles?|versioning|prefer|governance|code of conduct|namenskonvention\w*|richtlinien?|grundsatz\w*|prinzip\w*|nommage|principes?|convenciones?|principios?|governanca|nomenclatura|convencoes|convenzioni|principi|naamgeving|principes)\b|命名|规范|原则|命名規則|規約/;

/** Whether a record is about how decisions are recorded. */
export function isAboutRecords(title: string): boolean {
  return PROCESS.test(fold(plain(title)));
}

const PROCESS =
  /\b(?:record(?:ing|s)?|document(?:ing)?|use|using|log|track) (?:\w+ ){0,3}(?:architectur\w+ )?decisions?\b|\b(?:madr|adrs?|decision records?)\b|registrar decisiones|registrar decisoes|architekturentscheidungen|documenter les decisions|架构决策记录|アーキテクチャ.*決定/;
