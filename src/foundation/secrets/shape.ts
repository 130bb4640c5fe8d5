import { ALPHABETS, findAlphabet, type AlphabetName, isIn } from "./alphabet.js";

/*
 * The shape of a token, written as text: letters stand for themselves, `{alnum:36}` is a run of that many characters of an
 * alphabet, `{alnum:20-40}` of so many, `{alnum:20+}` of at least so many. A shape is matched from a fixed part of it,
 * forwards and backwards, without ever trying twice: each run takes what is there, and then it fits or does not.
 */

interface FixedPart {
  readonly fixed: string;
}
interface RunPart {
  readonly alphabet: AlphabetName;
  readonly bits: Uint8Array;
  readonly least: number;
  readonly most: number;
}
export type ShapePart = FixedPart | RunPart;

export interface Shape {
  readonly text: string;
  /** The text that is searched for. */
  readonly anchor: string;
  readonly before: readonly ShapePart[];
  readonly after: readonly ShapePart[];
}

const isRun = (part: ShapePart | undefined): part is RunPart => part !== undefined && "bits" in part;

/** Contract: throws for a shape that is not well written; shapes are the program's own. */
export function parseShape(text: string): Shape {
  const parts = partsOfShape(text);
  const lengths = parts.map((part) => (isRun(part) ? 0 : part.fixed.length));
  // Its beginning where that is fixed, so that nothing has to be read backwards.
  const at = (lengths[0] ?? 0) >= 2 ? 0 : lengths.indexOf(Math.max(...lengths));
  const anchor = parts[at];
  if (anchor === undefined || isRun(anchor) || anchor.fixed.length < 2)
    throw new TypeError(`the shape ${text} has no fixed part of two characters to look for`);
  const before = parts.slice(0, at).reverse();
  if (before.some((part) => isRun(part) && part.most > 90))
    throw new TypeError(`the shape ${text} has a run of any length before its fixed part`);
  return { text, anchor: anchor.fixed, before, after: parts.slice(at + 1) };
}

/** The parts in the order they stand: also what examples are made from. */
export function partsOfShape(text: string): ShapePart[] {
  return text
    .split(/(\{[a-z0-9]+:[0-9+-]+\})/)
    .filter((piece) => piece !== "")
    .map((piece) => {
      const run = /^\{([a-z0-9]+):(\d+)(?:(\+)|-(\d+))?\}$/.exec(piece);
      if (run === null) return { fixed: piece };
      const [, name = "", least = "", open, most] = run;
      const bits = findAlphabet(name);
      if (bits === undefined || !(name in ALPHABETS)) throw new TypeError(`${text}: there is no alphabet ${name}`);
      return {
        alphabet: name as AlphabetName,
        bits,
        least: Number(least),
        most: open === "+" ? Infinity : Number(most ?? least),
      };
    });
}

/** Ends of runs in one text. A run is walked along once, whatever the number of shapes that begin in it. */
export class Runs {
  readonly #text: string;
  readonly #known = new Map<Uint8Array, { from: number; to: number }>();
  /** How many characters were looked at: what tests hold against the length of the text. */
  steps = 0;

  constructor(text: string) {
    this.#text = text;
  }

  endOf(bits: Uint8Array, at: number): number {
    const known = this.#known.get(bits);
    if (known !== undefined && known.from <= at && at < known.to) return known.to;
    let to = at;
    while (to < this.#text.length && isIn(bits, this.#text.charCodeAt(to))) to++;
    this.steps += to - at + 1;
    if (known === undefined) this.#known.set(bits, { from: at, to });
    else {
      known.from = at;
      known.to = to;
    }
    return to;
  }
}

export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Contract: null when what stands around the anchor does not fit. Linear over all anchors of a text. */
export function matchAt(shape: Shape, text: string, at: number, runs: Runs): Place | null {
  let start = at;
  for (let i = 0; i < shape.before.length; i++) {
    const part = shape.before[i] as ShapePart;
    if (!isRun(part)) {
      if (!text.startsWith(part.fixed, start - part.fixed.length)) return null;
      start -= part.fixed.length;
      continue;
    }
    const most = isRun(shape.before[i + 1]) ? part.least : part.most;
    let length = 0;
    // Where it is longer, what stands before it says whether it may begin there.
    while (length < most && isIn(part.bits, text.charCodeAt(start - length - 1))) length++;
    runs.steps += length;
    // The letter of `\n` before it is not part of it.
    if (length > part.least && text.charCodeAt(start - length - 1) === 92) length--;
    if (length < part.least) return null;
    start -= length;
  }
  let end = at + shape.anchor.length;
  for (let i = 0; i < shape.after.length; i++) {
    const part = shape.after[i] as ShapePart;
    if (!isRun(part)) {
      if (!text.startsWith(part.fixed, end)) return null;
      end += part.fixed.length;
      continue;
    }
    const length = runs.endOf(part.bits, end) - end;
    if (length < part.least) return isCutOff(shape, text, end, length) ? { start, end: end + length } : null;
    if (isRun(shape.after[i + 1])) end += part.least;
    else if (length > part.most) return null;
    else end += length;
  }
  return { start, end: withPadding(text, end) };
}

/** A token that somebody shortened: `ghp_3fA9…`. The rest of it is still a secret. */
function isCutOff({ anchor }: Shape, text: string, from: number, length: number): boolean {
  return anchor.length >= 4 && length >= 8 && text.charAt(from + length) === "…";
}

function withPadding(text: string, end: number): number {
  let to = end;
  while (to < end + 3 && text.charCodeAt(to) === 61) to++;
  return to;
}
