import { ALPHABETS } from "./alphabet.js";
import { NAMED } from "./kinds/named.js";
import { partsOfShape } from "./shape.js";
import { isChance, isExample } from "./values.js";

/** The kind of a value that only its name tells from an id or a checksum. Contract: pure and total. */
export function namedKindOf(name: string, value: string): string | null {
  if (value.length > 200) return null;
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const kind = COMPILED.find(
    ({ words, shapes }) => words.some((word) => plain.includes(word)) && shapes.some((shape) => shape.test(value)),
  );
  if (kind === undefined || isExample(value)) return null;
  return isChance(value) || kind.isId ? kind.name : null;
}

const escapePattern = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** Of the whole value: its length is bounded, so it does not matter that one run may take from the next. */
function wholeShape(text: string): RegExp {
  const source = partsOfShape(text).map((part) =>
    "fixed" in part
      ? escapePattern(part.fixed)
      : `[${escapePattern(ALPHABETS[part.alphabet])}]{${part.least},${part.most === Infinity ? "" : part.most}}`,
  );
  return new RegExp(`^${source.join("")}={0,3}$`);
}

const COMPILED = NAMED.map(({ name, words, shapes }) => ({
  name,
  words,
  shapes: shapes.map(wholeShape),
  isId: shapes.some((shape) => shape.includes("-{") || shape.includes(":{") || shape.startsWith("b_")),
}));
