import { DELIVERABLE_WORDS } from "./deliverable-words.js";

/** Nouns that name something which is built, tested and shown by itself: policy/deliverables.yaml. */
const DELIVERABLES = new Set(DELIVERABLE_WORDS.split(" "));
const PAIRS =
  /\b(?:sign[- ](?:up|in|out)|log[- ](?:in|out)|check[- ]out|rate[- ]limit(?:s|ing|er)?|dark mode|real[- ]time updates?)$/i;

/** Whether the last word of a noun phrase names a deliverable. */
export function isDeliverable(phrase: string): boolean {
  const words = phrase.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const head = words.at(-1);
  return head !== undefined && (DELIVERABLES.has(head) || PAIRS.test(phrase.trim()));
}

/** A new project as a whole: what is listed behind it are its parts. */
export const WHOLE_PROJECT =
  "(?:app|application|web ?app|website|site|service|microservice|platform|api|backend|frontend|project|product|system|tool|shop|store|portal|game|bot|server|prototype|mvp|cli)";
