import { byCodeUnit } from "../../model/by-code-unit.js";
import { canonicalJson } from "./canonical.js";

/* How objects are laid out in the canonical form, kept by the order their keys come in. */

export interface Member {
  readonly key: string;
  /** The bytes of the key in quotes and the colon; null for a key that no other object is likely to have. */
  readonly quoted: Uint8Array | null;
}

interface Layout {
  /** In the order of their names. */
  readonly members: readonly Member[];
  /** Whether an object's own order of keys is that order. */
  readonly inOrder: boolean;
}

/** Layouts by how keys came: the same few come again and again. A step for each key, the usual one at hand. */
class Shape {
  readonly next = new Map<string, Shape>();
  usualKey: string | null = null;
  usual: Shape | null = null;
  layout: Layout | null = null;
}

const shapes = new Shape();
let known = 0;
const MOST_SHAPES = 4096;
/** More keys than this are names somebody gave, and come but once. */
const MOST_KEYS = 32;

export function shapeOf(object: object): Layout {
  let shape = shapes;
  let left = MOST_KEYS;
  for (const key in object) {
    if (left-- === 0) return layoutOf(object, false);
    if (shape.usualKey === key) {
      shape = shape.usual as Shape;
      continue;
    }
    const next = shape.next.get(key) ?? newShape(shape, key);
    if (next === null) return layoutOf(object, false);
    shape.usualKey = key;
    shape.usual = next;
    shape = next;
  }
  return (shape.layout ??= layoutOf(object, true));
}

function newShape(before: Shape, key: string): Shape | null {
  if (known >= MOST_SHAPES || key.length > 256) return null;
  known++;
  const shape = new Shape();
  before.next.set(key, shape);
  return shape;
}

function layoutOf(object: object, kept: boolean): Layout {
  const keys = Object.keys(object);
  const sorted = [...keys].sort(byCodeUnit);
  return {
    members: sorted.map((key) => ({ key, quoted: kept ? quotedKey(key) : null })),
    inOrder: sorted.every((key, i) => key === keys[i]),
  };
}

/** Null for a key of more than ASCII, which is written like any text. */
function quotedKey(key: string): Uint8Array | null {
  const text = `${canonicalJson(key)}:`;
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  return bytes.length === text.length && bytes.every((byte, i) => byte === text.charCodeAt(i) && byte < 0x80)
    ? bytes
    : null;
}
