import { phrases } from "../../../foundation/text/phrases.js";
import { type Detector, PLACES_MOST } from "./evidence.js";

/** A detector that finds phrases in what the author says; its patterns are open, so that many can share one walk. */
export interface PhraseDetector extends Detector {
  readonly patterns: readonly string[];
}

export function phraseDetector(patterns: readonly string[]): PhraseDetector {
  const find = phrases(patterns);
  const detect: Detector = (doc) => find(doc.words).slice(0, PLACES_MOST);
  return Object.assign(detect, { patterns });
}

export function isPhraseDetector(detector: Detector): detector is PhraseDetector {
  return "patterns" in detector;
}
