import { judge, reasonsFor } from "../../foundation/learned/judge-text.js";
import type { LearnedModel } from "../../foundation/learned/model.js";
import { standingOf } from "./clause.js";
import { fold, plain } from "./fold.js";
import {
  definingGroups,
  isListedWork,
  isOver,
  lastSentence,
  orderingGroups,
  saysSomething,
  stageWork,
  verbOf,
} from "./listed-work.js";
import { obligationIn } from "./obliges.js";
import type { Section } from "./sections.js";
import { placesIn } from "../intake/named-places.js";
import { isAboutHabits, isAboutRecords, type Weighed, weigh } from "./task-features.js";
import { speakingUnits, type Unit } from "./units.js";
import { announcesReasons, isTentative, ordersUs } from "./wording.js";

/** Why something is taken for work: it stands in a list of work, it obliges somebody, or its wording was weighed. */
export type Why =
  | { readonly by: "list" | "obligation" }
  /** The chance that it is work, of 100, and the words that speak for it most. */
  | { readonly by: "wording"; readonly chance: number; readonly words: readonly string[] };

/** One thing that a record asks to be done, as it is written. */
export interface Work {
  readonly text: string;
  /** Smaller points and further paragraphs under it. */
  readonly details: readonly string[];
  /** Stands in a numbered list: the one before it comes first. */
  readonly ordered: boolean;
  /** Which list it stands in, and which stage (`Phase 2`) that belongs to. */
  readonly list: number;
  readonly stages: readonly string[];
  readonly heading: string;
  /** The verb that the heading over it gives it: "Components to remove" → "Remove". */
  readonly verb: string | null;
  readonly tentative: boolean;
  readonly line: number;
  readonly why: Why;
}

/** A sentence that may oblige somebody, and was not taken for work. */
export interface Unclear {
  readonly text: string;
  readonly line: number;
  readonly chance: number;
}

export interface FoundWork {
  readonly work: readonly Work[];
  /** Whether the record lists its work: then nobody has to read it out of sentences. */
  readonly listed: boolean;
  readonly unclear: readonly Unclear[];
}

interface RecordText {
  readonly title: string;
  readonly statusText: string | null;
  readonly sections: readonly Section[];
}

/** A unit whose chance is at least this, of 100, is work. */
const LEAST = 35;
/** Beside lists of work a sentence has to say more clearly that it is meant too. */
const LEAST_BESIDE_LISTS = 60;
/** In a record about habits, or one that begins with what is not done, a sentence has to be very plain. */
const LEAST_OF_HABITS = 88;
const LEAST_AFTER_REFUSAL = 65;
/** A sentence that is all a record would ask for has to say more: most such records ask for nothing. */
const LEAST_ALONE = 45;
/** A unit that obliges and whose chance is at least this is shown as unclear. */
const UNCLEAR = 18;

/**
 * Find what a record asks to be done. Rules come first where it is explicit: lists of work, open boxes, stages; and where it
 * says that it asks for nothing: what is refused, kept, done or only possible, and records about records. The rest is weighed
 * sentence by sentence.
 *
 * Contract: pure and total; the same record and model give the same work. A task nobody asked for is worse than one that a
 * person adds, so what is doubtful is told and not taken.
 */
export function findWork(record: RecordText, model: LearnedModel): FoundWork {
  const units = speakingUnits(record.sections);
  const lists = { defining: definingGroups(units), ordering: orderingGroups(units) };
  const process = isAboutRecords(record.title);
  const least = leastFor(record.title, units);
  const told = toldGroups(units);
  const taken = new Map<Unit, Why>();
  const chances = new Map<Unit, number>();
  const weighed = weigh(model.form, { ...record, units });
  for (const { unit, features } of weighed) {
    if (unit.ticked === true || !saysSomething(unit) || isOver(unit.text)) continue;
    if (unit.parent !== null && taken.has(unit.parent)) continue;
    if (isListedWork(unit, lists)) {
      taken.set(unit, { by: "list" });
      continue;
    }
    if (standingOf(unit.text) !== null || process || isExplained(unit) || told.has(unit.group)) continue;
    if (mustBeDone(unit)) {
      taken.set(unit, { by: "obligation" });
      continue;
    }
    const [chance = 0] = judge(model, features).chances;
    chances.set(unit, chance);
    if (chance >= least) taken.set(unit, { by: "wording", chance, words: wordsFor(model, { unit, features }) });
  }
  const listed = dropSummaries(units, taken);
  const stages = stageWork(record.sections);
  const alone = stages.length === 0 ? doubtfulAlone(taken) : null;
  if (alone !== null) taken.delete(alone);
  const work = units.flatMap((unit, at) => {
    const why = taken.get(unit);
    return why === undefined ? [] : [workOf(unit, smallerOf(units, at), why)];
  });
  const staged = stages.map((stage) => ({ ...stage, why: { by: "list" } as const }));
  const found = withoutRepeats([...staged, ...work].toSorted((a, b) => a.line - b.line));
  const unclear = unclearOf(chances, taken, least);
  // It would have been work beside other work, so a person is told of it.
  if (alone !== null && !unclear.some(({ line, text }) => line === alone.line && text === alone.text))
    unclear.push({ text: alone.text, line: alone.line, chance: chances.get(alone) ?? 0 });
  return { work: found, listed: listed || staged.length > 0, unclear };
}

/** The one unit that was taken, when its wording alone speaks for it, says too little and names no file. */
function doubtfulAlone(taken: ReadonlyMap<Unit, Why>): Unit | null {
  const [only, ...others] = taken;
  if (only === undefined || others.length > 0) return null;
  const [unit, why] = only;
  return why.by === "wording" && why.chance < LEAST_ALONE && placesIn(unit.text, 1).length === 0 ? unit : null;
}

/**
 * A sentence that says in a few words what a list then spells out is not a task of its own: the one before the list, and
 * in a record that lists its work all but those that are plain. Answers whether the record lists its work.
 */
function dropSummaries(units: readonly Unit[], taken: Map<Unit, Why>): boolean {
  const entries = [...taken.keys()].filter(({ kind }) => kind !== "sentence");
  const listed = entries.filter((unit) => taken.get(unit)?.by === "list").length > 0;
  for (const [at, unit] of units.entries()) {
    const why = taken.get(unit);
    if (unit.kind !== "sentence" || why === undefined) continue;
    const next = units[at + 1];
    const introduces =
      next !== undefined && next.kind !== "sentence" && next.section === unit.section && taken.has(next);
    const beside =
      entries.length >= 3 &&
      unit.section.role === "decision" &&
      why.by === "wording" &&
      why.chance < LEAST_BESIDE_LISTS;
    if (introduces || listed || beside) taken.delete(unit);
  }
  return listed || entries.length > 0;
}

function unclearOf(chances: ReadonlyMap<Unit, number>, taken: ReadonlyMap<Unit, Why>, least: number): Unclear[] {
  return [...chances].flatMap(([unit, chance]) => {
    if (taken.has(unit) || chance < UNCLEAR) return [];
    // In a record that must be plain, a unit that would be work elsewhere is told of; one that was dropped because a list says it is not.
    const doubtful = chance < LEAST ? obligationIn(unit.text) !== null : chance < least;
    return doubtful ? [{ text: unit.text, line: unit.line, chance }] : [];
  });
}

/** The places of a unit that speak most for its being work. */
function wordsFor(model: LearnedModel, { unit, features }: Weighed): readonly string[] {
  const words = plain(unit.text);
  return reasonsFor(model, features, 0, 6)
    .filter(({ end }) => end <= words.length)
    .slice(0, 3)
    .map(({ start, end }) => words.slice(start, end));
}

/** How plain a sentence of this record has to be. */
function leastFor(title: string, units: readonly Unit[]): number {
  if (isAboutHabits(title)) return LEAST_OF_HABITS;
  const first = units.find(({ section }) => section.role === "decision");
  // "X is not suitable" describes, and decides nothing.
  const standing = first === undefined || /\b(?:is|are) not\b/i.test(first.text) ? null : standingOf(first.text);
  return standing === "refused" || standing === "kept" ? LEAST_AFTER_REFUSAL : LEAST;
}

/** The lists that tell what was done: an entry says so, and none says what is to be done. */
function toldGroups(units: readonly Unit[]): ReadonlySet<number> {
  const done = new Set<number>();
  for (const { kind, depth, group, text } of units)
    if (kind === "item" && depth === 0 && !done.has(group) && standingOf(text) === "done") done.add(group);
  for (const { group, text } of units) if (done.has(group) && ordersUs(text)) done.delete(group);
  return done;
}

/** Stands in a list that gives reasons, examples or the flow of something. */
function isExplained({ kind, intro }: Unit): boolean {
  return kind !== "sentence" && intro !== "" && announcesReasons(lastSentence(intro));
}

/**
 * Consequences of a decision and notes on its implementation are work where they oblige somebody: elsewhere such
 * words also say how something behaves. Prose about what is good or bad weighs, and obliges nobody.
 */
function mustBeDone({ section, kind, text }: Unit): boolean {
  if (section.role !== "consequences" && section.role !== "work") return false;
  return (kind !== "sentence" || section.polarity === null) && obligationIn(text) !== null;
}

function workOf(unit: Unit, smaller: readonly string[], why: Why): Work {
  const { text, section, ordered, group, line } = unit;
  return {
    text,
    details: [...unit.details, ...smaller],
    ordered,
    list: group,
    stages: section.stages,
    heading: section.heading,
    verb: verbOf(section.heading, text),
    tentative: section.role === "future" || isTentative(text),
    line,
    why,
  };
}

/** The smaller entries under one, as they are written under it. */
function smallerOf(units: readonly Unit[], place: number): string[] {
  const unit = units[place];
  const found: string[] = [];
  if (unit === undefined) return found;
  for (let at = place + 1; at < units.length; at++) {
    const other = units[at];
    if (other === undefined || !isUnder(other, unit)) break;
    found.push(`- ${other.text}`, ...other.details);
  }
  return found;
}

function isUnder(unit: Unit, above: Unit): boolean {
  for (let at = unit.parent; at !== null; at = at.parent) if (at === above) return true;
  return false;
}

/** A record that says in its plan what it said in its decision asks for it once: where it says more about it. */
function withoutRepeats(found: readonly Work[]): readonly Work[] {
  const best = new Map<string, Work>();
  for (const work of found) {
    const key = keyOf(work);
    const before = best.get(key);
    if (before === undefined || work.details.length > before.details.length) best.set(key, work);
  }
  return found.filter((work) => best.get(keyOf(work)) === work);
}

function keyOf({ text, verb, stages }: Work): string {
  const words = fold(plain(`${verb ?? ""} ${text}`)).match(/[\p{L}\p{N}]+/gu) ?? [];
  return `${stages.join(".")}:${words.length === 0 ? text : words.join(" ")}`;
}
