import { type GlobToken, tokenizeGlob } from "./glob-tokens.js";

const LITERAL = 0;
const IN_SEGMENT = 1;
const ANY = 2;
const SPLIT = 3;
const ACCEPT = 4;
const SLASH = 47;

/**
 * A nondeterministic automaton in four columns, one row per state: what it reads, which code point
 * (LITERAL), where it goes, and where else (SPLIT, which reads nothing).
 */
export type Automaton = {
  readonly kinds: number[];
  readonly codes: number[];
  readonly next: number[];
  readonly other: number[];
  start: number;
};

export function automatonOf(pattern: string): Automaton {
  const automaton: Automaton = { kinds: [], codes: [], next: [], other: [], start: 0 };
  const accept = add(automaton, ACCEPT, 0, 0, 0);
  automaton.start = addTokens(automaton, tokenizeGlob(pattern), accept);
  return automaton;
}

function add(automaton: Automaton, kind: number, code: number, next: number, other: number): number {
  automaton.codes.push(code);
  automaton.next.push(next);
  automaton.other.push(other);
  return automaton.kinds.push(kind) - 1;
}

// Built from the end, so that each token knows the state that follows it.
function addTokens(automaton: Automaton, tokens: readonly GlobToken[], after: number): number {
  return tokens.reduceRight<number>((following, token) => addToken(automaton, token, following), after);
}

function addToken(automaton: Automaton, token: GlobToken, after: number): number {
  if (typeof token === "number") return add(automaton, LITERAL, token, after, 0);
  if (token === "one") return add(automaton, IN_SEGMENT, 0, after, 0);
  if (token === "run") return addRepeat(automaton, IN_SEGMENT, after);
  if (token === "anything") return addRepeat(automaton, ANY, after);
  if (token === "segments") {
    const slash = add(automaton, LITERAL, SLASH, after, 0);
    return add(automaton, SPLIT, 0, addRepeat(automaton, ANY, slash), after);
  }
  if (token === "below") {
    const anything = addRepeat(automaton, ANY, after);
    return add(automaton, SPLIT, 0, add(automaton, LITERAL, SLASH, anything, 0), after);
  }
  const [first = [], ...others] = token;
  let entry = addTokens(automaton, first, after);
  for (const alternative of others) {
    entry = add(automaton, SPLIT, 0, addTokens(automaton, alternative, after), entry);
  }
  return entry;
}

function addRepeat(automaton: Automaton, kind: number, after: number): number {
  const split = add(automaton, SPLIT, 0, 0, after);
  automaton.next[split] = add(automaton, kind, 0, split, 0);
  return split;
}

/**
 * Contract: the returned function is true if the automaton accepts the whole text; at worst states ×
 * characters. It keeps its working lists between calls, so a match allocates nothing.
 */
export function acceptorOf(automaton: Automaton): (text: string) => boolean {
  const { kinds, codes, next, other, start } = automaton;
  const enteredAt = new Float64Array(kinds.length);
  const pending: number[] = [];
  let current: number[] = [];
  let following: number[] = [];
  // Rises with every character ever read: a state is entered once per character.
  let clock = 0;

  // Adds a state, and all that it reaches without reading.
  const enter = (from: number, into: number[]): void => {
    for (let state: number | undefined = from; state !== undefined; state = pending.pop()) {
      if (enteredAt[state] === clock) continue;
      enteredAt[state] = clock;
      if (kinds[state] === SPLIT) pending.push(other[state] ?? 0, next[state] ?? 0);
      else into.push(state);
    }
  };

  return (text) => {
    current.length = 0;
    clock += 1;
    enter(start, current);
    let at = 0;
    while (at < text.length) {
      const code = text.codePointAt(at) ?? 0;
      at += code > 0xffff ? 2 : 1;
      following.length = 0;
      clock += 1;
      for (const state of current) {
        if (reads(kinds[state] ?? ACCEPT, codes[state] ?? 0, code)) enter(next[state] ?? 0, following);
      }
      if (following.length === 0) return false;
      const spare: number[] = current;
      current = following;
      following = spare;
    }
    return current.some((state) => kinds[state] === ACCEPT);
  };
}

function reads(kind: number, literal: number, code: number): boolean {
  if (kind === LITERAL) return literal === code;
  return kind === ANY || (kind === IN_SEGMENT && code !== SLASH);
}

// The third factor of the product keeps to plain paths: no empty segment, no closing slash.
const AT_START = 0;
const AFTER_SLASH = 1;
const IN_NAME = 2;

/** Contract: true if some plain path is accepted by both; at worst states × states. */
export function intersect(left: Automaton, right: Automaton): boolean {
  const width = right.kinds.length;
  const seen = new Uint8Array(left.kinds.length * width * 3);
  const pending: number[] = [];
  const visit = (a: number, b: number, place: number): void => {
    const key = (a * width + b) * 3 + place;
    if (seen[key] === 1) return;
    seen[key] = 1;
    pending.push(key);
  };
  visit(left.start, right.start, AT_START);
  for (let key = pending.pop(); key !== undefined; key = pending.pop()) {
    const place = key % 3;
    const pair = (key - place) / 3;
    const b = pair % width;
    const a = (pair - b) / width;
    const nextA = left.next[a] ?? 0;
    const nextB = right.next[b] ?? 0;
    if (left.kinds[a] === SPLIT) {
      visit(nextA, b, place);
      visit(left.other[a] ?? 0, b, place);
    } else if (right.kinds[b] === SPLIT) {
      visit(a, nextB, place);
      visit(a, right.other[b] ?? 0, place);
    } else if (left.kinds[a] === ACCEPT && right.kinds[b] === ACCEPT) {
      if (place === IN_NAME) return true;
    } else {
      if (place !== AFTER_SLASH && bothReadSlash(left, a, right, b)) visit(nextA, nextB, AFTER_SLASH);
      if (bothReadName(left, a, right, b)) visit(nextA, nextB, IN_NAME);
    }
  }
  return false;
}

function bothReadSlash(left: Automaton, a: number, right: Automaton, b: number): boolean {
  return readsSlash(left, a) && readsSlash(right, b);
}

function readsSlash(automaton: Automaton, state: number): boolean {
  return reads(automaton.kinds[state] ?? ACCEPT, automaton.codes[state] ?? 0, SLASH);
}

function bothReadName(left: Automaton, a: number, right: Automaton, b: number): boolean {
  const kindA = left.kinds[a] ?? ACCEPT;
  const kindB = right.kinds[b] ?? ACCEPT;
  if (kindA === ACCEPT || kindB === ACCEPT) return false;
  const codeA = left.codes[a] ?? 0;
  const codeB = right.codes[b] ?? 0;
  if (kindA === LITERAL) return codeA !== SLASH && reads(kindB, codeB, codeA);
  return kindB !== LITERAL || codeB !== SLASH;
}
