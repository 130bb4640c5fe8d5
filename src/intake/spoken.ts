import type { Evidence } from "../model/request.js";
import { ADVERSARY, type CompiledSafety, DEFEND, FIRST_CLASS, HARMLESS, REFERS } from "./compile-policy.js";
import { evidenceOf } from "./evidence.js";
import { frames, isAsked } from "./frame.js";
import type { Hit } from "./lexicon.js";
import type { Reading, Statement, Token } from "./reading.js";

/** What a statement says, as far as the safety rules are concerned. */
export interface Spoken {
  readonly reading: Reading;
  readonly statement: Statement;
  /** Asked actions, mentioned things and marks. */
  readonly hits: readonly Hit[];
  /** By label, whether a hit has it. */
  readonly labels: Uint8Array;
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
  readonly labels: Uint8Array;
}

export function contextOf(safety: CompiledSafety, spoken: readonly Spoken[]): Context {
  const labels = new Uint8Array(safety.classNames.length + FIRST_CLASS);
  for (const one of spoken) for (const { label } of one.hits) labels[label] = 1;
  return { spoken, labels };
}

const NO_HITS: readonly Hit[] = [];
const NO_LABELS = new Uint8Array(0);

export function spokenOf(safety: CompiledSafety, reading: Reading, statement: Statement): Spoken {
  const { tokens } = statement;
  const scanned = safety.lexicon.scan(tokens);
  const refers = scanned.some(({ label }) => label === REFERS);
  if (!scanned.some(({ label }) => label >= FIRST_CLASS))
    return { reading, statement, hits: NO_HITS, labels: NO_LABELS, acts: false, refers };
  const hits = withoutHarmless(scanned, tokens.length);
  const actions = new Map<number, Hit>();
  const defend: Hit[] = [];
  const adversary: Hit[] = [];
  let judged = false;
  for (const hit of hits) {
    if (hit.label === DEFEND) defend.push(hit);
    else if (hit.label === ADVERSARY) adversary.push(hit);
    else if (hit.label >= FIRST_CLASS) {
      const kind = safety.kinds[hit.label - FIRST_CLASS];
      if (kind === "action" && !actions.has(hit.at)) actions.set(hit.at, hit);
      if (kind !== "thing" && kind !== "mark") judged = true;
    }
  }
  // Things and marks count wherever they stand: without an action or a harmful word there is nothing to frame.
  const framed = judged ? frames(tokens, { defend, adversary, actions }) : null;
  const defendAt = new Set(defend.map(({ at }) => at));
  const labels = new Uint8Array(safety.classNames.length + FIRST_CLASS);
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
      const held = counts(safety, tokens, hit, framed, defendAt);
      if (action) {
        last = hit;
        lastCounts = held;
      }
      if (!held) continue;
    }
    if (action) acts = true;
    kept.push(hit);
    labels[hit.label] = 1;
  }
  return { reading, statement, hits: kept, labels, acts, refers };
}

/** What stands inside an expression that only sounds bad is not read. */
function withoutHarmless(scanned: readonly Hit[], words: number): readonly Hit[] {
  let covered: Uint8Array | null = null;
  for (const hit of scanned) {
    if (hit.label !== HARMLESS) continue;
    covered ??= new Uint8Array(words);
    covered.fill(1, hit.at, hit.at + hit.length);
  }
  const inside = covered;
  return inside === null ? scanned : scanned.filter((hit) => inside[hit.at] === 0);
}

function counts(
  safety: CompiledSafety,
  tokens: readonly Token[],
  hit: Hit,
  framed: Uint8Array | null,
  defendAt: ReadonlySet<number>,
): boolean {
  switch (safety.kinds[hit.label - FIRST_CLASS]) {
    case "action":
      return framed?.[hit.at] === 0 && isAsked(tokens, hit);
    case "harmful":
      return framed?.[hit.at] === 0 && !isHeadedByDefence(safety, tokens, hit, defendAt);
    case "harmful_alone":
      return (
        framed?.[hit.at] === 0 && !isHeadedByDefence(safety, tokens, hit, defendAt) && standsAlone(safety, tokens, hit)
      );
    default:
      return true;
  }
}

/** "malware scanning", "phishing awareness training": the noun that follows says what it is really about. */
function isHeadedByDefence(
  safety: CompiledSafety,
  tokens: readonly Token[],
  hit: Hit,
  defendAt: ReadonlySet<number>,
): boolean {
  for (let at = hit.at + hit.length; at < hit.at + hit.length + 2; at++) {
    const token = tokens[at];
    if (token === undefined || token.gap !== "none" || safety.afterNoun.has(token.norm)) return false;
    if (defendAt.has(at)) return true;
  }
  return false;
}

/** Whether no other noun follows, which the word would only qualify. */
function standsAlone(safety: CompiledSafety, tokens: readonly Token[], hit: Hit): boolean {
  const next = tokens[hit.at + hit.length];
  return next === undefined || next.gap !== "none" || safety.afterNoun.has(next.norm);
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
