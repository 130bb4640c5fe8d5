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

/**
 * The features that routing's model reads: the first line, the whole text, and the signs the detectors found.
 *
 * A sign counts twice: once for every text, and once for texts of its kind. A text of one line and a text with a body are
 * written differently: a missing fault says much about a report and nothing about a one-line order.
 */
export function routingFeatures(form: FeatureForm, { doc, signals, facts }: Reading): Features {
  const words = doc.words.length;
  const kind = facts["text"]?.["body_words"] === 0 ? "line" : "body";
  const signs: Sign[] = [];
  for (const name of SIGNAL_NAMES) {
    const [first] = signals[name];
    if (first === undefined) continue;
    const sign = { count: countOf(signals[name]), start: first.start, end: first.end };
    signs.push({ name, ...sign }, { name: `${kind}.${name}`, ...sign });
  }
  signs.push({ name: "words", count: Math.ceil(words / 12), start: 0, end: 0 });
  signs.push({ name: `${kind}.words`, count: Math.ceil(words / 12), start: 0, end: 0 });
  if (kind === "line") {
    // Of a single line every word counts: "Fix tests" and "Fix the order of columns in the CSV export" differ by length alone.
    signs.push({ name: "line.length", count: words, start: 0, end: 0 });
    signs.push({ name: "line.two_thirds", count: Math.ceil((words * 2) / 3), start: 0, end: 0 });
  }
  const zones: Zone[] = [{ tag: "title", start: doc.title.start, end: doc.title.end }];
  for (const { start, end } of doc.sentences) zones.push({ tag: "said", start, end });
  return featuresOf(form, doc.text, zones, signs);
}
