import { phraseDetector } from "./find-phrases.js";

/** The author's own doubt about what is meant or wanted. */
export const uncertainty = phraseDetector([
  "not ?really|?quite|?entirely|?so|?completely|?100 sure|certain",
  "i'm|am unsure|uncertain|confused|lost|curious",
  "don't|didn't ?really|?quite know",
  "do|did not ?really|?quite know",
  "no idea|clue",
  "unclear to|what|how|whether|if|that",
  "i wonder|wondered",
  "was|am|i'm|just|been wondering",
  "someone|somebody suggested|said|mentioned|asked",
]);
