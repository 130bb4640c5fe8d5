import { phraseDetector } from "./find-phrases.js";

/** What it would be good for: a purpose or an effect on people, named as such. */
export const outcomes = phraseDetector([
  "so that i|we|you|users|people|they|one|the|it",
  "so i|we|you|users|people|one can|could|don't|do",
  "in order to",
  "this|that|it|which would|will|could ?also|?really allow|help|make|let|enable|give|save|improve|simplify|reduce|provide|avoid",
  "would|will|could make it|things|life|?my ?much easier|simpler|better|possible|clearer|nicer|faster",
  "easier|simpler|more|better for|to users|people|us|me|everyone|everybody|beginners|newcomers|read|use|understand|find",
  "save|saves|saving time|money|space|effort|clicks|battery",
  "the ?main|?only goal|benefit|purpose|motivation|idea is|of|would|behind|here",
  "use case|cases|scenario",
  "user|customer|developer experience|satisfaction|feedback|engagement|retention",
]);
