import { byCodeUnit } from "../../model/by-code-unit.js";

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

/**
 * The output of JSON.stringify, when that is canonical: every object's keys stand in order already. It is several times
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

/** Texts of nothing but these are written as they are. */
const PLAIN = /^[ !#-[\]-\u{d7ff}\u{e000}-\u{ffff}]*$/u;

function canonicalString(value: string): string {
  if (value.length < 64 && PLAIN.test(value)) return `"${value}"`;
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

/** The text before the value of a key: brace or comma, the key in quotes, the colon. */
interface Member {
  readonly key: string;
  readonly first: string;
  readonly later: string;
}

function canonicalObject(object: object): string {
  let text = "";
  for (const { key, first, later } of membersOf(object)) {
    const value = (object as Record<string, unknown>)[key];
    if (value !== undefined) text += (text === "" ? first : later) + canonicalJson(value);
  }
  return text === "" ? "{}" : text + "}";
}

/** The members of objects, by how their keys came: the same few shapes come again and again. A step for each key. */
class Shape {
  readonly next = new Map<string, Shape>();
  members: readonly Member[] | null = null;
}

const shapes = new Shape();
let known = 0;
const MOST_SHAPES = 4096;

function membersOf(object: object): readonly Member[] {
  let shape = shapes;
  // More keys than this are names somebody gave, and come but once.
  let left = 16;
  for (const key in object) {
    const next = left-- > 0 ? (shape.next.get(key) ?? newShape(shape, key)) : null;
    if (next === null) return sortedMembers(object);
    shape = next;
  }
  return (shape.members ??= sortedMembers(object));
}

function newShape(before: Shape, key: string): Shape | null {
  if (known >= MOST_SHAPES) return null;
  known++;
  const shape = new Shape();
  before.next.set(key, shape);
  return shape;
}

function sortedMembers(object: object): readonly Member[] {
  return Object.keys(object).sort(byCodeUnit).map(memberOf);
}

function memberOf(key: string): Member {
  const quoted = `${canonicalString(key)}:`;
  return { key, first: `{${quoted}`, later: `,${quoted}` };
}
