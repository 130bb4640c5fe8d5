import { phraseDetector } from "./find-phrases.js";

/** Finding out or deciding is asked for, not building: what comes out of it is open. */
export const studies = phraseDetector([
  "investigate|investigation|explore|evaluate|spike|brainstorm|feasibility|rfc",
  "research ?on|?for|?about|?into|?which|?what|?how|?whether the|a|an|alternatives|options|which|what|how|whether|if",
  "look|looking into",
  "figure|find out",
  "check|see|decide|discuss|determine|consider if|whether|how|which|what|adding|alternatives|options|using|switching|moving",
  "decide|discuss|determine on|the",
  "compare alternatives|options|libraries|tools|frameworks|approaches",
  "request for comments",
]);
