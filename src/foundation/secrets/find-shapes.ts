import { isWordCode } from "./alphabet.js";
import { beginsHere } from "./boundary.js";
import type { FoundSecret } from "./found.js";
import { KINDS } from "./kinds/all.js";
import type { SecretKind } from "./kinds/kind.js";
import { matchAt, parseShape, type Place, type Runs, type Shape } from "./shape.js";
import { isExample, surpriseOf } from "./values.js";

/*
 * Tokens of a known shape. A text is walked along once: two characters say whether a fixed part of some shape may begin
 * here, and only then are the shapes with such a part tried.
 */

interface Candidate {
  readonly kind: SecretKind;
  readonly shape: Shape;
}

interface Candidates {
  /** Candidates whose anchor begins them: they are tried only where a word begins. */
  readonly first: Candidate[];
  readonly inner: Candidate[];
  /** A bit for each third character of an anchor; all of them when one has none. */
  readonly third: Uint8Array;
}

/** By the first two characters of their anchors. */
const byStart: (Candidates | undefined)[] = Array.from({ length: 128 * 128 });
for (const kind of KINDS)
  for (const text of kind.shapes) {
    const shape = parseShape(text);
    const pair = (shape.anchor.charCodeAt(0) << 7) | shape.anchor.charCodeAt(1);
    const all = (byStart[pair] ??= { first: [], inner: [], third: new Uint8Array(128) });
    const isFirst = shape.before.length === 0 && isWordCode(shape.anchor.charCodeAt(0));
    if (shape.anchor.length === 2) all.third.fill(1);
    else all.third[shape.anchor.charCodeAt(2)] = 1;
    (isFirst ? all.first : all.inner).push({ kind, shape });
  }

/** Contract: pure and total, linear in the text; `runs` counts the steps that matching took. */
export function findShapes(text: string, found: FoundSecret[], runs: Runs): void {
  let code = text.charCodeAt(0);
  for (let at = 0; at < text.length - 1; at++) {
    const next = text.charCodeAt(at + 1);
    const candidates = code > 127 || next > 127 ? undefined : byStart[(code << 7) | next];
    code = next;
    if (candidates === undefined || candidates.third[text.charCodeAt(at + 2)] !== 1) continue;
    if (candidates.inner.length > 0) tryAll(candidates.inner, text, at, runs, found);
    if (candidates.first.length > 0 && beginsHere(text, at)) tryAll(candidates.first, text, at, runs, found);
  }
}

function tryAll(all: readonly Candidate[], text: string, at: number, runs: Runs, found: FoundSecret[]): void {
  for (const { kind, shape } of all) {
    if (!text.startsWith(shape.anchor, at)) continue;
    const place = matchAt(shape, text, at, runs);
    if (place === null || !isToken(kind, shape, text, place)) continue;
    const start = kind.after === true ? place.start + shape.anchor.length : place.start;
    found.push({ shape: kind.name, start, end: place.end, ...(kind.general === true ? { general: true } : {}) });
  }
}

/** Words put together look like no token: chance in the body of one is above this, in bits per character. */
const LEAST_SURPRISE = 3.3;

function isToken(kind: SecretKind, shape: Shape, text: string, { start, end }: Place): boolean {
  if (shape.before.length > 0 && !beginsHere(text, start)) return false;
  if (kind.certain === true) return true;
  const value = text.slice(start, end > start + 400 ? start + 400 : end);
  if (isExample(value)) return false;
  const body = shape.before.length > 0 ? value : value.slice(shape.anchor.length);
  // Words in small letters, put together.
  if (body.length >= 16 && /^[a-z_.-]+$/.test(body)) return false;
  if (kind.login === true) return isLogin(text.slice(start + shape.anchor.length, Math.min(end, start + 400)));
  return surpriseOf(body) >= LEAST_SURPRISE || /^[0-9A-Fa-f]+$/.test(body);
}

/** A login for HTTP is `user:password` in base64. */
function isLogin(base64: string): boolean {
  const plain = decodeBase64(base64);
  const colon = plain.indexOf(":");
  if (colon === -1 || /[^\x20-\x7e]/.test(plain)) return false;
  return plain.length - colon > 3 && !/^(?:user(?:name)?:pass(?:word)?|foo:bar|test:test)$/i.test(plain);
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Contract: one character for each byte; characters outside of the alphabet are passed over. */
function decodeBase64(base64: string): string {
  let bits = 0;
  let held = 0;
  let plain = "";
  for (const char of base64) {
    const digit = DIGITS.indexOf(char);
    if (digit === -1) continue;
    bits = (bits << 6) | digit;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    plain += String.fromCharCode((bits >> held) & 255);
    bits &= (1 << held) - 1;
  }
  return plain;
}
