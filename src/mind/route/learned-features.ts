import {
  type FeatureForm,
  type Features,
  featuresOf,
  type Sign,
  type Zone,
} from "../../foundation/learned/features.js";
import type { Reading } from "./facts.js";
import { countOf } from "./signals/evidence.js";
import { SIGNAL_NAMES } from "./signals/signals.js";

/** What routing's model reads: the first line, all that is said, and the signs the detectors found. */
export function routingFeatures(form: FeatureForm, { doc, signals }: Reading): Features {
  const signs: Sign[] = [];
  for (const name of SIGNAL_NAMES) {
    const [first] = signals[name];
    if (first !== undefined) signs.push({ name, count: countOf(signals[name]), start: first.start, end: first.end });
  }
  signs.push({ name: "words", count: Math.ceil(doc.words.length / 12), start: 0, end: 0 });
  const zones: Zone[] = [{ tag: "title", start: doc.title.start, end: doc.title.end }];
  for (const { start, end } of doc.sentences) zones.push({ tag: "said", start, end });
  return featuresOf(form, doc.text, zones, signs);
}
