import { canonicalJson } from "./canonical.js";
import { type Member, shapeOf } from "./object-shapes.js";

/**
 * The canonical form of a value as the UTF-8 bytes that are hashed, handed on in pieces: no text is ever built of a
 * value, since the texts of a large plan cost more to make and to clear away than everything that is decided in it.
 *
 * Contract: joined, the pieces are canonicalJson(value) in UTF-8; throws TypeError where that does, and then nothing
 * that was handed on counts. A piece is only good until `take` returns: its memory is used again.
 */
export function canonicalBytes(value: unknown, take: (piece: Uint8Array) => void): void {
  writeBytes(take, (out) => out.value(value));
}

/** Writes the parts of a large value one by one, in their order. */
export function writeBytes(take: (piece: Uint8Array) => void, write: (out: ByteWriter) => void): void {
  const bytes = spare ?? new Uint8Array(SIZE);
  spare = null;
  try {
    const writer = new ByteWriter(bytes, take);
    write(writer);
    writer.end();
  } finally {
    spare = bytes;
  }
}

/** Bytes to be written many times: the texts as they are, the other values in their canonical form. */
export function prepareBytes(texts: TemplateStringsArray, ...values: readonly unknown[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  writeBytes(
    (piece) => pieces.push(piece.slice()),
    (out) => {
      for (let i = 0; i < texts.length; i++) {
        out.ascii(texts[i] as string);
        if (i < values.length) out.value(values[i]);
      }
    },
  );
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const SIZE = 1 << 16;
/** The last writer's memory. Anyone who writes while another does gets memory of its own. */
let spare: Uint8Array | null = null;

/** Longer texts are written in parts. */
const LONG = SIZE >> 3;

/** So few bytes are copied faster one by one. */
const FEW = 24;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

export class ByteWriter {
  readonly #bytes: Uint8Array;
  readonly #take: (piece: Uint8Array) => void;
  #at = 0;

  constructor(bytes: Uint8Array, take: (piece: Uint8Array) => void) {
    this.#bytes = bytes;
    this.#take = take;
  }

  value(value: unknown): void {
    if (typeof value === "string") this.#text(value);
    else if (typeof value === "number") this.#number(value);
    else if (typeof value !== "object" || value === null) this.ascii(canonicalJson(value));
    else if (Array.isArray(value)) this.#array(value);
    else this.#object(value as Readonly<Record<string, unknown>>);
  }

  end(): void {
    this.#take(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
  }

  prepared(bytes: Uint8Array): void {
    if (bytes.length > SIZE) {
      this.end();
      return this.#take(bytes);
    }
    this.#room(bytes.length);
    if (bytes.length > FEW) {
      this.#bytes.set(bytes, this.#at);
      this.#at += bytes.length;
    } else for (let i = 0; i < bytes.length; i++) this.#bytes[this.#at++] = bytes[i] as number;
  }

  /** Makes room for so many bytes, at most SIZE. */
  #room(wanted: number): void {
    if (this.#at + wanted > SIZE) this.end();
  }

  #sign(unit: number): void {
    this.#room(1);
    this.#bytes[this.#at++] = unit;
  }

  #text(text: string): void {
    const { length } = text;
    if (length > LONG) return this.#utf8(canonicalJson(text));
    this.#room(length + 2);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = QUOTE;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < 0x20 || unit > 0x7f || unit === QUOTE || unit === BACKSLASH) return this.#utf8(canonicalJson(text));
      bytes[at++] = unit;
    }
    bytes[at++] = QUOTE;
    this.#at = at;
  }

  #number(value: number): void {
    // Nearly all are small and whole, and for those digits are quicker than a text.
    if (value < 0 || value > 999_999_999 || value !== Math.floor(value)) return this.ascii(canonicalJson(value));
    this.#room(9);
    let end = this.#at + 1;
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) end++;
    this.#at = end;
    let left = value;
    do {
      const rest = Math.floor(left / 10);
      this.#bytes[--end] = 0x30 + left - rest * 10;
      left = rest;
    } while (left > 0);
  }

  ascii(text: string): void {
    this.#room(text.length);
    for (let i = 0; i < text.length; i++) this.#bytes[this.#at++] = text.charCodeAt(i);
  }

  /** Contract: no half of a surrogate pair is in the text; canonicalJson has seen to it. */
  #utf8(text: string): void {
    const bytes = this.#bytes;
    for (let i = 0; i < text.length; i++) {
      this.#room(4);
      const point = text.codePointAt(i) as number;
      if (point < 0x80) bytes[this.#at++] = point;
      else {
        if (point < 0x800) bytes[this.#at++] = 0xc0 | (point >> 6);
        else {
          if (point < 0x10000) bytes[this.#at++] = 0xe0 | (point >> 12);
          else {
            i++;
            bytes[this.#at++] = 0xf0 | (point >> 18);
            bytes[this.#at++] = 0x80 | ((point >> 12) & 0x3f);
          }
          bytes[this.#at++] = 0x80 | ((point >> 6) & 0x3f);
        }
        bytes[this.#at++] = 0x80 | (point & 0x3f);
      }
    }
  }

  #array(values: readonly unknown[]): void {
    this.#sign(0x5b);
    for (let i = 0; i < values.length; i++) {
      if (i > 0) this.#sign(COMMA);
      this.value(values[i]);
    }
    this.#sign(0x5d);
  }

  #object(object: Readonly<Record<string, unknown>>): void {
    const { members, inOrder } = shapeOf(object);
    let sign = 0x7b;
    if (inOrder) {
      let i = 0;
      // Read along with the keys: V8 then finds each value by its place and not by its name.
      for (const key in object) {
        const value = object[key];
        const member = members[i++] as Member;
        if (value === undefined) continue;
        this.#member(sign, member);
        sign = COMMA;
        this.value(value);
      }
    } else {
      for (let i = 0; i < members.length; i++) {
        const member = members[i] as Member;
        const value = object[member.key];
        if (value === undefined) continue;
        this.#member(sign, member);
        sign = COMMA;
        this.value(value);
      }
    }
    if (sign !== COMMA) this.#sign(0x7b);
    this.#sign(0x7d);
  }

  #member(sign: number, { key, quoted }: Member): void {
    if (quoted === null) {
      this.#sign(sign);
      this.#text(key);
      this.#sign(0x3a);
      return;
    }
    this.#room(quoted.length + 1);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = sign;
    for (let i = 0; i < quoted.length; i++) bytes[at++] = quoted[i] as number;
    this.#at = at;
  }
}
