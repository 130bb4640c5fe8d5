import { ALPHABETS } from "../foundation/secrets/alphabet.js";
import { KINDS } from "../foundation/secrets/kinds/all.js";
import type { SecretKind } from "../foundation/secrets/kinds/kind.js";
import { NAMED } from "../foundation/secrets/kinds/named.js";
import { partsOfShape } from "../foundation/secrets/shape.js";

/*
 * Random secrets, the same ones for the same seed. No test holds a secret in its text: anyone who looks through this
 * repository for secrets finds none, and neither do we.
 */

type Chance = () => number;

/** Contract: the same numbers for the same seed, each at least 0 and below 1. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomText(alphabet: string, length: number, chance: Chance): string {
  return Array.from({ length }, () => alphabet[Math.floor(chance() * alphabet.length)]).join("");
}

export const LETTERS = ALPHABETS;

/** One of a shape, as `src/foundation/secrets/shape.ts` reads them. */
export function exampleOf(shape: string, chance: Chance): string {
  return partsOfShape(shape)
    .map((part) => {
      if ("fixed" in part) return part.fixed;
      const spread = part.most === Infinity ? 8 : part.most - part.least;
      return randomText(ALPHABETS[part.alphabet], part.least + Math.floor(chance() * (spread + 1)), chance);
    })
    .join("");
}

interface Example {
  readonly kind: string;
  readonly shape: string;
  readonly secret: string;
}

export function exampleOfKind({ login }: SecretKind, shape: string, chance: Chance): string {
  return login === true ? basicLogin(shape, chance) : exampleOf(shape, chance);
}

/** One of each shape of each kind that is known without a name. */
export function shapedExamples(chance: Chance): Example[] {
  return KINDS.flatMap((kind) =>
    kind.shapes.map((shape) => ({ kind: kind.name, shape, secret: exampleOfKind(kind, shape, chance) })),
  );
}

function basicLogin(shape: string, chance: Chance): string {
  const login = `${randomText(ALPHABETS.lower, 6, chance)}:${randomText(ALPHABETS.alnum, 12, chance)}`;
  return `${shape.split("{")[0]}${Buffer.from(login).toString("base64")}`;
}

/** One of each shape of each kind that is known by its name; `line` is the whole of it. */
export function namedExamples(chance: Chance): (Example & { readonly line: string })[] {
  return NAMED.flatMap(({ name, words, shapes }) =>
    shapes.map((shape) => {
      const secret = exampleOf(shape, chance);
      return { kind: name, shape, secret, line: `${words[0]?.toUpperCase()}_SECRET_KEY=${secret}` };
    }),
  );
}
