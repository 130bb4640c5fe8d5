import { PairTable } from "./rules/pair-table.js";

/**
 * Ids that stay the same as long as what they name does: made from names, not from positions, so that adding one
 * action to a plan does not rename the others.
 */
export class IdMaker {
  /** The ids by their marks; two ids of one mark are as rare as they are possible, and the second stands in #others. */
  readonly #marks = new PairTable(64);
  readonly #ids: string[] = [];
  readonly #others = new Set<string>();

  /** `prefix` + a readable form of `name`, at most `max` characters after the prefix's first underscore part. */
  make(prefix: string, name: string, max = 32): string {
    const stem = prefix.slice(prefix.indexOf("_") + 1);
    const room = max - stem.length;
    const slug = slugOf(name);
    // A name too long or too short to be kept gets a fingerprint; two that only differ in signs meet in #claim.
    const plain = slug.length <= room && slug.length >= 3;
    const id = prefix + (plain ? slug : `${slug.slice(0, room - 12)}_${fingerprint(name)}`);
    return this.#claim(id, prefix, name, room);
  }

  /** A short id made from a fingerprint alone, for things nobody names. */
  anonymous(prefix: string, name: string): string {
    return this.#claim(prefix + fingerprint(name), prefix, name, 32);
  }

  #claim(id: string, prefix: string, name: string, room: number): string {
    if (this.#take(id)) return id;
    for (let n = 2; ; n++) {
      const next = `${prefix}${slugOf(name).slice(0, Math.max(0, room - 20))}_${fingerprint(name)}_${n}`;
      if (this.#take(next)) return next;
    }
  }

  /** False when the id was taken before. */
  #take(id: string): boolean {
    const { high, low } = markOf(id);
    const at = this.#marks.getOrAdd(high, low, this.#ids.length);
    if (at < 0) {
      this.#ids.push(id);
      return true;
    }
    if (this.#ids[at] === id || this.#others.has(id)) return false;
    this.#others.add(id);
    return true;
  }
}

function slugOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9_]+/g, "_");
}

/** Two letters for each of 1,024 numbers: a text made by looking up is many times as fast as one made by dividing. */
const ALPHABET = "0123456789abcdefghijklmnopqrstuv";
const PAIRS = Array.from({ length: 1024 }, (_, n) => `${ALPHABET[n >> 5]}${ALPHABET[n & 31]}`);

/** A fingerprint as two numbers of 25 bits: cheap to mix with another. */
interface Mark {
  readonly high: number;
  readonly low: number;
}

/**
 * Ten characters that differ for different names (50 bits). Not for proof: checksums are SHA-256. It is here because
 * edges alone want a hundred thousand ids in a few milliseconds.
 */
export function fingerprint(name: string): string {
  return markText(markOf(name));
}

export function markOf(name: string): Mark {
  let h1 = 0xdeadbeef;
  let h2 = 0x41c6ce57;
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    h1 = Math.imul(h1 ^ unit, 2654435761);
    h2 = Math.imul(h2 ^ unit, 1597334677);
  }
  return finish(h1, h2);
}

/** The mark of an ordered pair, given as numbers because marks of many names are best kept as columns of them. */
export function mixMarks(high: number, low: number, otherHigh: number, otherLow: number): Mark {
  return finish(
    Math.imul(high, 2654435761) ^ Math.imul(otherLow, 3266489909),
    Math.imul(low, 1597334677) ^ Math.imul(otherHigh, 2246822507),
  );
}

function finish(h1: number, h2: number): Mark {
  const x = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  const y = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(x ^ (x >>> 13), 3266489909);
  return { high: (y >>> 7) & 0x1ffffff, low: (x >>> 7) & 0x1ffffff };
}

export function markText({ high, low }: Mark): string {
  return `${PAIRS[high >> 15]}${PAIRS[(high >> 5) & 1023]}${PAIRS[((high & 31) << 5) | (low >> 20)]}${PAIRS[(low >> 10) & 1023]}${PAIRS[low & 1023]}`;
}
