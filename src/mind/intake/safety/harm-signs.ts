import type { HarmSigns } from "../../../model/harm-signs.js";

/*
 * Signs of harm in many languages, found in one pass over the text: an automaton after Aho and Corasick over all patterns.
 * Letters are compared without case and accents; everything but letters and digits is one blank.
 */

/** A sign that a text shows, with the first place that shows it. */
export interface ShownSign {
  readonly sign: number;
  readonly start: number;
  readonly end: number;
}

export interface CompiledHarmSigns {
  readonly names: readonly string[];
  readonly matcher: SignMatcher;
  /** Signs that speak against harm. */
  readonly relief: ReadonlySet<number>;
  /** The category each of these signs speaks for, the most telling first. */
  readonly categories: readonly { readonly sign: number; readonly category: string }[];
}

interface SignMatcher {
  /** Contract: pure, total, linear in the length; each sign at most once, in the order of their names. */
  readonly find: (text: string, start: number, end: number) => readonly ShownSign[];
}

/** The most characters between the two parts of a pattern. */
const MOST_GAP = 40;
const BLANK = 0x20;
/** Blank, a to z and the digits have places in a table; other letters are looked up. */
const TABLE = 37;

interface Ending {
  readonly sign: number;
  readonly length: number;
  /** For a pattern in two parts: which pattern, and whether this is its second part. */
  readonly pair: number;
  readonly second: boolean;
  /** Whether a blank must follow. */
  readonly whole: boolean;
}

const NO_PAIR = -1;

export function compileSigns({ signs, relief, categories }: HarmSigns): CompiledHarmSigns {
  const names = Object.keys(signs);
  const automaton = new Automaton();
  let pairs = 0;
  names.forEach((name, sign) => {
    for (const patterns of Object.values(signs[name] ?? {}))
      for (const pattern of patterns.split(",")) {
        const [first = "", second] = pattern.split("..");
        if (second === undefined) automaton.add(first, { sign, pair: NO_PAIR, second: false });
        else {
          automaton.add(first, { sign, pair: pairs, second: false });
          automaton.add(second, { sign, pair: pairs, second: true });
          pairs++;
        }
      }
  });
  automaton.finish();
  return {
    names,
    matcher: { find: (text, start, end) => findSigns(automaton, names.length, text, start, end) },
    relief: new Set(relief.map((name) => names.indexOf(name))),
    categories: Object.entries(categories).map(([name, category]) => ({ sign: names.indexOf(name), category })),
  };
}

function findSigns(automaton: Automaton, count: number, text: string, from: number, to: number): ShownSign[] {
  const found: (ShownSign | undefined)[] = Array.from({ length: count });
  const opened = new Map<number, { readonly start: number; readonly end: number }>();
  let state = automaton.step(0, BLANK);
  let before = BLANK;
  // Where the units stood in the text: where a pattern begins is known by its length in units.
  const places: number[] = [from];
  for (let at = from; at <= to; at++) {
    const unit = at === to ? BLANK : unitAt(text, at);
    if (unit === NOTHING || (unit === BLANK && before === BLANK && at < to)) continue;
    before = unit;
    state = automaton.step(state, unit);
    places.push(at);
    if (!automaton.ends(state)) continue;
    for (const { sign, length, pair, second, whole } of automaton.endingsAt(state)) {
      if (pair === NO_PAIR && found[sign] !== undefined) continue;
      const start = places[places.length - length] ?? from;
      const end = whole ? at : at + 1;
      if (pair === NO_PAIR) found[sign] = { sign, start, end };
      else if (!second) opened.set(pair, { start, end });
      else {
        const first = opened.get(pair);
        if (first !== undefined && start >= first.end && start - first.end <= MOST_GAP)
          found[sign] ??= { sign, start: first.start, end };
      }
    }
  }
  return found.filter((sign) => sign !== undefined);
}

/** A character that is passed over, such as an accent of its own. */
const NOTHING = 0;
const folded = new Map<number, number>();

function unitAt(text: string, at: number): number {
  const c = text.charCodeAt(at);
  if (c !== 0x27 && c !== 0x2019) return unitOf(c);
  // "don't" and "I'm" are one word; "her ex's phone" and "l'accès" are not.
  const next = text.charCodeAt(at + 1) | 0x20;
  return next === 0x74 || next === 0x6d ? NOTHING : BLANK;
}

/** The letter or digit without case and accents; a blank for everything else. */
function unitOf(c: number): number {
  if (c < 0x80) {
    if (c >= 0x61 && c <= 0x7a) return c;
    if (c >= 0x41 && c <= 0x5a) return c + 32;
    if (c >= 0x30 && c <= 0x39) return c;
    return BLANK;
  }
  let unit = folded.get(c);
  if (unit === undefined) {
    unit = foldUnit(c);
    folded.set(c, unit);
  }
  return unit;
}

function foldUnit(c: number): number {
  const plain = String.fromCharCode(c).normalize("NFKD").toLowerCase();
  if (/^\p{M}/u.test(plain)) return NOTHING;
  return /^[\p{L}\p{N}]/u.test(plain) ? plain.charCodeAt(0) : BLANK;
}

class Automaton {
  #table: Int32Array = new Int32Array(0);
  readonly #children: Map<number, number>[] = [new Map()];
  readonly #endings: Ending[][] = [[]];
  readonly #back: number[] = [0];
  #ends: Uint8Array = new Uint8Array(0);

  add(pattern: string, to: Pick<Ending, "sign" | "pair" | "second">): void {
    const open = pattern.trim().endsWith("*");
    const units: number[] = [];
    for (const c of pattern.trim()) {
      const unit = unitOf(c.charCodeAt(0));
      if (unit !== NOTHING && !(unit === BLANK && (units.length === 0 || units.at(-1) === BLANK))) units.push(unit);
    }
    while (units.at(-1) === BLANK) units.pop();
    if (units.length === 0) return;
    // A pattern of a language without blanks begins and ends anywhere.
    const loose = (units[0] ?? 0) >= 0x2e80;
    if (!loose) units.unshift(BLANK);
    if (!loose && !open) units.push(BLANK);
    let node = 0;
    for (const unit of units) {
      let child = this.#children[node]?.get(unit);
      if (child === undefined) {
        child = this.#children.length;
        this.#children.push(new Map());
        this.#endings.push([]);
        this.#children[node]?.set(unit, child);
      }
      node = child;
    }
    this.#endings[node]?.push({ ...to, length: loose ? units.length : units.length - 1, whole: !loose && !open });
  }

  /** Work out where the search continues after a text that begins no pattern any more. */
  finish(): void {
    const count = this.#children.length;
    this.#table = new Int32Array(count * TABLE);
    this.#ends = new Uint8Array(count);
    const queue: number[] = [0];
    for (let at = 0; at < queue.length; at++) {
      const node = queue[at] ?? 0;
      const back = this.#back[node] ?? 0;
      if (node !== 0) {
        // A node that ends a shorter pattern ends it here, too.
        this.#endings[node]?.push(...(this.#endings[back] ?? []));
        this.#table.copyWithin(node * TABLE, back * TABLE, (back + 1) * TABLE);
      }
      if ((this.#endings[node]?.length ?? 0) > 0) this.#ends[node] = 1;
      for (const [unit, child] of this.#children[node] ?? []) {
        this.#back[child] = node === 0 ? 0 : this.step(back, unit);
        const code = codeOf(unit);
        if (code !== -1) this.#table[node * TABLE + code] = child;
        queue.push(child);
      }
    }
  }

  step(state: number, unit: number): number {
    const code = codeOf(unit);
    if (code !== -1) return this.#table[state * TABLE + code] ?? 0;
    for (let node = state; ; node = this.#back[node] ?? 0) {
      const child = this.#children[node]?.get(unit);
      if (child !== undefined) return child;
      if (node === 0) return 0;
    }
  }

  /** Whether a pattern ends here. */
  ends(node: number): boolean {
    return this.#ends[node] === 1;
  }

  endingsAt(node: number): readonly Ending[] {
    return this.#endings[node] ?? [];
  }
}

function codeOf(unit: number): number {
  if (unit === BLANK) return 0;
  if (unit >= 0x61 && unit <= 0x7a) return unit - 0x60;
  return unit >= 0x30 && unit <= 0x39 ? unit - 0x30 + 27 : -1;
}
