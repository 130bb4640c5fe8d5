import { phraseDetector } from "./find-phrases.js";

/** What must be true of the product, said plainly: should, must, has to, mandatory, by default. */
export const requirements = phraseDetector([
  "should|must|shall ?not|?be|?also|?only|?always|?never",
  "needs|need|has|have|ought to",
  "mandatory|optional|required|compulsory",
  "by default",
  "default value",
  "make|makes|making sure|certain",
  "instead of having|using|showing|a|an|the",
]);
