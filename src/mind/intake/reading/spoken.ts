import type { Evidence } from "../../../model/request.js";
import { ADVERSARY, type CompiledSafety, DEFEND, FIRST_CLASS, HARMLESS, REFERS } from "../compile-policy.js";
import { evidenceOf } from "../evidence.js";
import { ACTION, ADVERSARY_END, DEFENCE_END, DEFENCE_START, frame, FRAMED, isAsked, ORDER } from "./frame.js";
import { addLabel, type Labels, noLabels } from "./labels.js";
import type { Hit } from "./lexicon.js";
import type { Reading, Statement } from "./reading.js";
import type { Token } from "./tokens.js";

/** The parts of a statement that the safety rules read. */
export interface Spoken {
  readonly reading: Reading;
  readonly statement: Statement;
  /** Asked actions, mentioned things and marks. */
  readonly hits: readonly Hit[];
  /** The roles of the hits. */
  readonly labels: Labels;
  /** Whether an asked action is among the hits. */
  readonly acts: boolean;
  readonly refers: boolean;
}

/** A word in its place, used as a sign in one rule. */
export interface Use {
  readonly spoken: Spoken;
  readonly hit: Hit;
}

/** The statements whose marks count for each other. */
export interface Context {
  readonly spoken: readonly Spoken[];
  readonly labels: Labels;
}

export function contextOf(safety: CompiledSafety, spoken: readonly Spoken[]): Context {
  const labels = noLabels(safety.classNames.length + FIRST_CLASS);
  for (const one of spoken) for (const { label } of one.hits) addLabel(labels, label);
  return { spoken, labels };
}

const NO_HITS: readonly Hit[] = [];
const NO_LABELS = noLabels(0);
const NO_MARKS = new Uint8Array(0);

export function markSpoken(safety: CompiledSafety, reading: Reading, statement: Statement): Spoken {
  const { tokens } = statement;
  const scanned = safety.lexicon.scan(tokens);
  let refers = false;
  let harmless = false;
  let judged = false;
  let classes = false;
  for (const { label } of scanned) {
    if (label === REFERS) refers = true;
    else if (label === HARMLESS) harmless = true;
    else if (label >= FIRST_CLASS) {
      classes = true;
      const kind = safety.kinds[label - FIRST_CLASS];
      if (kind !== "thing" && kind !== "mark") judged = true;
    }
  }
  if (!classes) return { reading, statement, hits: NO_HITS, labels: NO_LABELS, acts: false, refers };
  const hits = harmless ? withoutHarmless(scanned, tokens.length) : scanned;
  // Things and marks count wherever they stand: without an action or a harmful word there is nothing to frame.
  const marks = judged ? marksOf(safety, tokens, hits) : NO_MARKS;
  const labels = noLabels(safety.classNames.length + FIRST_CLASS);
  const kept: Hit[] = [];
  let acts = false;
  // A word has as many hits as there are classes it is in, one after the other: whether it is asked is found out once.
  let last: Hit | null = null;
  let lastCounts = false;
  for (const hit of hits) {
    if (hit.label < FIRST_CLASS) continue;
    const action = safety.kinds[hit.label - FIRST_CLASS] === "action";
    if (action && last !== null && last.at === hit.at && last.form === hit.form) {
      if (!lastCounts) continue;
    } else {
      const held = counts(safety, tokens, hit, marks);
      if (action) {
        last = hit;
        lastCounts = held;
      }
      if (!held) continue;
    }
    if (action) acts = true;
    kept.push(hit);
    addLabel(labels, hit.label);
  }
  return { reading, statement, hits: kept, labels, acts, refers };
}

/** The words of an expression that only sounds bad are not read. */
function withoutHarmless(scanned: readonly Hit[], words: number): readonly Hit[] {
  const inside = new Uint8Array(words);
  for (const { label, at, length } of scanned) if (label === HARMLESS) inside.fill(1, at, at + length);
  return scanned.filter((hit) => inside[hit.at] === 0);
}

function marksOf(safety: CompiledSafety, tokens: readonly Token[], hits: readonly Hit[]): Uint8Array {
  const marks = new Uint8Array(tokens.length);
  const put = (at: number, mark: number): void => {
    marks[at] = (marks[at] ?? 0) | mark;
  };
  for (const { label, at, length, form } of hits) {
    if (label === DEFEND) {
      put(at, DEFENCE_START);
      put(at + length - 1, DEFENCE_END);
    } else if (label === ADVERSARY) put(at + length - 1, ADVERSARY_END);
    else if (label >= FIRST_CLASS && safety.kinds[label - FIRST_CLASS] === "action") {
      // The first class a word is in says which form it has.
      if (((marks[at] ?? 0) & ACTION) === 0) put(at, form === "base" || form === "s" ? ACTION | ORDER : ACTION);
    }
  }
  frame(tokens, marks);
  return marks;
}

function counts(safety: CompiledSafety, tokens: readonly Token[], hit: Hit, marks: Uint8Array): boolean {
  const kind = safety.kinds[hit.label - FIRST_CLASS];
  if (kind === "thing" || kind === "mark") return true;
  if (((marks[hit.at] ?? 0) & FRAMED) !== 0) return false;
  if (kind === "action") return isAsked(tokens, hit);
  if (isHeadedByDefence(safety, tokens, hit, marks)) return false;
  return kind !== "harmful_alone" || standsAlone(safety, tokens, hit);
}

/** "malware scanning", "phishing awareness training": the noun that follows says what it is really about. */
function isHeadedByDefence(safety: CompiledSafety, tokens: readonly Token[], hit: Hit, marks: Uint8Array): boolean {
  for (let at = hit.at + hit.length; at < hit.at + hit.length + 2; at++) {
    const token = tokens[at];
    if (token === undefined || token.gap !== "none" || safety.afterNoun.has(token.word)) return false;
    if (((marks[at] ?? 0) & DEFENCE_START) !== 0) return true;
  }
  return false;
}

/** Whether no other noun follows, which the word would only qualify. */
function standsAlone(safety: CompiledSafety, tokens: readonly Token[], hit: Hit): boolean {
  const next = tokens[hit.at + hit.length];
  return next === undefined || next.gap !== "none" || safety.afterNoun.has(next.word);
}

/** Whether two signs are made of the same words. */
export function overlap(a: Hit, b: Hit): boolean {
  if (a.loose || b.loose) return a.at === b.at || a.at + a.length === b.at + b.length;
  return a.at < b.at + b.length && b.at < a.at + a.length;
}

export function evidenceFor(safety: CompiledSafety, used: readonly Use[]): Evidence[] {
  return used.map(({ spoken, hit }) => {
    const first = spoken.statement.tokens[hit.at];
    const last = spoken.statement.tokens[hit.at + hit.length - 1];
    return evidenceOf(
      spoken.reading,
      first?.start ?? 0,
      last?.end ?? 0,
      safety.classNames[hit.label - FIRST_CLASS] ?? "",
    );
  });
}
