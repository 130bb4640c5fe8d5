import { phraseDetector } from "./find-phrases.js";

/** For whom: groups of people that the product serves. */
export const audience = phraseDetector([
  "users|customers|people|players|visitors|beginners|newcomers|students|teachers|admins|clients|subscribers|readers|patients|kids|children|parents",
  "end user|users",
  "non-technical|technical|blind|colorblind|color-blind|disabled|elderly|new|power|mobile|many|most|other|some|all users|people|user|players|customers",
  "target audience|group|market",
  "screen readers|reader",
  "everyone|everybody|newbies|audience",
]);
