import { phraseDetector } from "./find-phrases.js";

/** Order, plans and the standing of the work: what first, when, under which name or terms. */
export const priorities = phraseDetector([
  "high|higher|highest|low|lower|lowest|top priority",
  "prioritize|prioritise|prioritization|prioritisation|deprioritize|roadmap|milestone|milestones|backlog|deadline|deadlines",
  "next|this|by|until|before ?the|?first|?stable quarter|launch|sprint|year",
  "must-have|nice-to-have|mvp|rollout|okr|okrs|stakeholder|stakeholders",
  "do you plan|intend",
  "any|are|is ?there|?you|?any plan|plans|planning|planned to|for|on",
  "the future of",
  "still|actively|being ?being|?actively maintained|developed|alive",
  "license|licence|licensing|copyright|trademark|trademarks|lawsuit|gdpr",
  "privacy|legal policy|issue|issues|action|reasons",
  "terms of service|use",
  "donate|donation|donations|sponsor|sponsors|sponsorship|pricing|subscription|subscriptions|monetize|monetization",
  "paid|premium|pro version|plan|tier",
  "code of conduct",
  "governance|maintainership|rebrand|rebranding",
  "new|another|different name for|instead|of",
]);
