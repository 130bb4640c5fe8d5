import { phraseDetector } from "./find-phrases.js";

/** Weighing one way against another. */
export const tradeOffs = phraseDetector([
  "trade-off|trade-offs|tradeoff|tradeoffs|pros|cons",
  "on the other|one hand",
  "at the cost|expense of",
  "worth the|it|considering|thinking|looking|discussing|doing",
  "rather than|not",
  "either|whether we|to|it",
  "alternatives you've|considered",
  "balance|weigh between|against|up",
  "should we|i ?really|?still keep|drop|support|use|have|make|consider|allow|do|stop|continue",
  "which one|option|approach ?would|?should|is|do|better",
]);
