/*
 * Text that comes in pieces: a secret may begin in one and end in another. So pieces are put together again and given on
 * by whole lines, and a private key is waited for until its last line.
 */

/** A line or a key that is longer is given on in parts: nobody's memory is filled by waiting for an end. */
const MOST_HELD = 32 * 1024;
/** Characters that are held back of a line that is too long: no token is longer. */
const KEPT_BACK = 4 * 1024;
const BEGINS_KEY = /-{4,5} ?BEGIN (?:[A-Z0-9]{2,12} ){0,4}(?:PRIVATE|SECRET) KEY|PuTTY-User-Key-File-\d:/g;
const ENDS_KEY = /-{4,5} ?END (?:[A-Z0-9]{2,12} ){0,4}(?:PRIVATE|SECRET) KEY|Private-MAC: ?[0-9a-f]{20}/g;

/**
 * Contract: what `take` and `end` give, put together, is what `clean` makes of the whole, as far as no secret spans a line
 * end; a private key may. Holds no more than some tens of kilobytes. `clean` is given each character once.
 */
export class ChunkRedactor {
  readonly #clean: (text: string) => string;
  #held = "";

  constructor(clean: (text: string) => string) {
    this.#clean = clean;
  }

  /** Returns the text that can be passed on now; often none. */
  take(piece: string): string {
    this.#held += piece;
    return this.#give(findCut(this.#held));
  }

  /** The rest: nothing follows, or what follows is something else. */
  end(): string {
    return this.#give(this.#held.length);
  }

  #give(upTo: number): string {
    if (upTo === 0) return "";
    const text = this.#held.slice(0, upTo);
    this.#held = this.#held.slice(upTo);
    return this.#clean(text);
  }
}

/** How much of what is held ends where no secret goes on. */
function findCut(held: string): number {
  const lines = held.lastIndexOf("\n") + 1;
  const cut = Math.min(lines, openKey(held, lines));
  if (held.length - cut <= MOST_HELD) return cut;
  // A key without an end, or one endless line.
  const most = held.length - KEPT_BACK;
  const gap = Math.max(held.lastIndexOf(" ", most), held.lastIndexOf("\n", most)) + 1;
  return gap > cut ? gap : most;
}

/** Where a private key begins that does not end in the whole lines there are; beyond everything when none does. */
function openKey(held: string, lines: number): number {
  if (!held.includes("KEY") && !held.includes("PuTTY")) return Infinity;
  const begins = [...held.matchAll(BEGINS_KEY)].at(-1)?.index;
  if (begins === undefined) return Infinity;
  const ends = [...held.slice(0, lines).matchAll(ENDS_KEY)].at(-1)?.index ?? -1;
  return ends > begins ? Infinity : begins;
}
