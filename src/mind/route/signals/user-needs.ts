import { phraseDetector } from "./find-phrases.js";

/** A role with a need, or a person's own need: what somebody wants to be able to do. */
export const userNeeds = phraseDetector([
  "as a|an ?new|?registered|?logged-in user|customer|admin|administrator|developer|visitor|member|manager|player|student|reader|editor|owner|operator|maintainer|teacher|patient|seller|buyer",
  "user|users|customer|customers|people|person|visitors|player|players|members can|could|should|must|need|needs|want|wants|would|may|might|expect",
  "if|when|once|where the|a user|customer|player|visitor",
  "allow|allows|allowing|let|lets|letting|enable|enables|enabling ?the|?a user|users|customer|customers|people|us|me|them|admins|players",
  "i|we ?really|?often|?also want|need|prefer",
  "i|we would|could ?really|?also|?very ?much|?rather like|love|prefer|appreciate",
  "i|we would rather",
  "i'd|we'd ?really|?also|?very|?much like|love|prefer|rather|appreciate",
  "user story|stories",
  "acceptance criteria|criterion",
  "definition of done",
  "given ?a|?an|?the|?that user|admin|customer|player|visitor|i",
  "able to see|view|choose|select|use|set|change|add|edit|share|export|import|filter|sort|search|browse|customize|customise|hide|show|delete|save|disable|enable|zoom|create|have|move|play|read|send|pick|adjust|control|manage|track",
]);
