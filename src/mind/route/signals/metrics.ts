import { phraseDetector } from "./find-phrases.js";

/** Measures of success for people or the business. */
export const metrics = phraseDetector([
  "conversion|conversions|retention|churn|revenue|adoption|kpi|kpis|nps|roi|bounce ?rate",
  "number|percentage|share of users|customers|visitors|downloads|people|orders|sales",
  "user|users|customer|support complaints|requests|tickets|feedback|reviews|ratings",
  "survey|surveys|poll|market|competitor|competitors|analytics ?share|?research",
  "how likely|much|many are|would|do|of|people|users",
]);
