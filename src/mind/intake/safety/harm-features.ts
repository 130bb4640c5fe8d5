import {
  type FeatureForm,
  type Features,
  featuresOf,
  type Sign,
  type Zone,
} from "../../../foundation/learned/features.js";
import type { CompiledHarmSigns, ShownSign } from "./harm-signs.js";

/** A part of what a person says. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The features that the learned layer of safety reads of a text, and what each was made of. */
export interface HarmReading {
  readonly features: Features;
  /** Signs that the text shows, in the order of their names in the policy. */
  readonly shown: readonly ShownSign[];
}

/**
 * Words, parts of words, the signs of harm, how many there are and which of them stand together.
 *
 * Contract: pure and total. `ruled`: the ids of checks that spoke for harm before.
 */
export function harmFeatures(
  form: FeatureForm,
  { matcher, names, relief }: Pick<CompiledHarmSigns, "matcher" | "names" | "relief">,
  text: string,
  spans: readonly Span[],
  ruled: readonly string[],
): HarmReading {
  const first = new Map<number, ShownSign>();
  const zones: Zone[] = [];
  for (const { start, end } of spans) {
    zones.push({ tag: "said", start, end });
    for (const shown of matcher.find(text, start, end)) if (!first.has(shown.sign)) first.set(shown.sign, shown);
  }
  const shown = [...first.values()].sort((a, b) => a.sign - b.sign);
  const signs: Sign[] = ruled.map((name) => ({ name, count: 1, start: 0, end: 0 }));
  shown.forEach(({ sign, start, end }, at) => {
    const name = names[sign] ?? "";
    signs.push({ name, count: 1, start, end });
    for (const other of shown.slice(at + 1))
      signs.push({ name: `${name}+${names[other.sign] ?? ""}`, count: 1, start: other.start, end: other.end });
  });
  const against = shown.filter(({ sign }) => relief.has(sign)).length;
  // How many kinds of signs there are says more than which: words of one kind meet by chance.
  signs.push({ name: "signs of harm", count: shown.length - against, start: 0, end: 0 });
  signs.push({ name: "signs of relief", count: against, start: 0, end: 0 });
  return { features: featuresOf(form, text, zones, signs), shown };
}
