import { byCodeUnit } from "../model/by-code-unit.js";

/**
 * The canonical form of a JSON value, as RFC 8785 defines it: no white space, keys in the order of UTF-16 units,
 * numbers as ECMAScript writes them. Two values are equal exactly when their canonical forms are.
 *
 * Contract: throws TypeError for what JSON cannot carry (NaN, Infinity, lone surrogates, functions), since a
 * checksum over a silently changed value would prove nothing. Properties that are undefined are absent.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return canonicalString(value);
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical form`);
      return JSON.stringify(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      return canonicalWhole(value) ?? (Array.isArray(value) ? canonicalArray(value) : canonicalObject(value));
    default:
      throw new TypeError(`a ${typeof value} has no canonical form`);
  }
}

/** How much text is handed on at once: large enough to be worth a call, small enough to die young. */
const CHUNK = 1 << 16;

/** The canonical form in pieces, for values too large to hold as one text. Joined they are canonicalJson(value). */
export function canonicalChunks(value: unknown, take: (piece: string) => void): void {
  if (typeof value !== "object" || value === null) return take(canonicalJson(value));
  let piece = "";
  const add = (text: string) => {
    piece += text;
    if (piece.length < CHUNK) return;
    take(piece);
    piece = "";
  };
  if (Array.isArray(value)) addArray(value, add);
  else {
    let separator = "{";
    for (const key of sortedKeys(value)) {
      const inner = (value as Record<string, unknown>)[key];
      if (inner === undefined) continue;
      add(separator + quotedKey(key));
      separator = ",";
      if (Array.isArray(inner)) addArray(inner, add);
      else add(canonicalJson(inner));
    }
    add(separator === "{" ? "{}" : "}");
  }
  take(piece);
}

/** How many elements are written by one call of JSON.stringify. */
const BATCH = 128;

function addArray(values: readonly unknown[], add: (text: string) => void): void {
  if (values.length === 0) return add("[]");
  for (let start = 0; start < values.length; start += BATCH) {
    const batch = canonicalJson(values.slice(start, start + BATCH));
    add((start === 0 ? "[" : ",") + batch.slice(1, -1));
  }
  add("]");
}

/**
 * What JSON.stringify gives, when that is canonical: every object's keys stand in order already. It is several times
 * as fast as writing the text here, and the values planning builds are made in that order.
 */
function canonicalWhole(value: object): string | null {
  if (!isInOrder(value)) return null;
  const text = JSON.stringify(value);
  // Only a lone surrogate is written as \ud…; the slow way then finds and refuses it.
  return text.includes("\\ud") ? null : text;
}

function isInOrder(value: object): boolean {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isOrderedValue(value[i])) return false;
    return true;
  }
  let before = "";
  for (const key in value) {
    if (key < before) return false;
    before = key;
    const inner = (value as Record<string, unknown>)[key];
    if (inner !== undefined && !isOrderedValue(inner)) return false;
  }
  return true;
}

function isOrderedValue(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      return value === null || isInOrder(value);
    default:
      return false;
  }
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

function canonicalString(value: string): string {
  const quoted = JSON.stringify(value);
  if (quoted.includes("\\ud") && LONE_SURROGATE.test(value))
    throw new TypeError("a lone surrogate has no canonical form");
  return quoted;
}

function canonicalArray(values: readonly unknown[]): string {
  let text = "[";
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ",";
    text += canonicalJson(values[i]);
  }
  return text + "]";
}

/** A key and its colon, quoted once: plans repeat the same few hundred keys many times. */
const quotedKeys = new Map<string, string>();

function quotedKey(key: string): string {
  let quoted = quotedKeys.get(key);
  if (quoted === undefined) {
    quoted = `${canonicalString(key)}:`;
    if (quotedKeys.size < 4096) quotedKeys.set(key, quoted);
  }
  return quoted;
}

function canonicalObject(object: object): string {
  let text = "{";
  for (const key of sortedKeys(object)) {
    const value = (object as Record<string, unknown>)[key];
    if (value === undefined) continue;
    if (text.length > 1) text += ",";
    text += quotedKey(key) + canonicalJson(value);
  }
  return text + "}";
}

function sortedKeys(object: object): string[] {
  const keys = Object.keys(object);
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort(byCodeUnit);
  return keys;
}
