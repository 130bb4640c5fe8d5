import { isTechnology } from "../../../foundation/text/technologies.js";
import { isDeliverable, WHOLE_PROJECT } from "./deliverables.js";

/*
 * Parts that one sentence lists as nouns: "Add authentication with JWT, a profile page, and password reset". It splits only
 * where every part is something that is built by itself. When in doubt the request is one task: a task that is too large
 * costs time, parts that belong together and are built apart cost the result.
 */

const MOST_PARTS = 8;
const LONGEST = 400;
const BUILDS =
  /^(?:(?:please|we need to|we want to|i want to|i would like to|let'?s|can you|could you)\s+)*(?:add|build|create|develop|implement|introduce|make|provide|set up|write|integrate)\s+/i;
/** From here on it is said why, when or how, and no longer what. */
const SUBORDINATE =
  /\s(?:that|which|who|when|whenever|where|if|unless|because|so|since|as|while|until|after|before|whose|to (?:allow|let|make|ensure|help|enable|show|support|avoid|prevent)|by)\s/i;
const WHOLE_WITH = new RegExp(
  `^(.{0,80}?\\b${WHOLE_PROJECT})\\s+(?:with|including|featuring|that has|that includes|which has|which includes)\\s+`,
  "i",
);
const TAIL =
  /\s(?:to|in|on|into|onto|for|from|across|of|under|inside|within|at)\s+(?:the\s+|our\s+|my\s+|this\s+|a\s+|an\s+)?(.+)$/i;
/** Where one thing goes: for whom, or in or on something that is named. */
const PLACE_TAIL = /\s(?:for|(?:to|in|on|into|from|inside)\s+(?:the|our|my|this|a|an))\s+.+$/i;
const WHOLE_TAIL = new RegExp(`^(?:[\\w.-]+\\s+){0,2}${WHOLE_PROJECT}$`, "i");
const DETERMINER = /^(?:a|an|the|some|our|its|basic|simple|full|new)\s+/i;

const CLAUSES =
  /(?:;\s+|,?\s+and\s+(?:also\s+|then\s+)?|,\s+(?:then\s+)?|[.!]\s+)(?=(?:add|build|create|develop|implement|introduce|make|provide|set up|integrate)\s)/i;

/** Contract: pure; at least two parts, each as an order of its own, or none. */
export function nounParts(text: string): readonly string[] {
  const said = text.trim().replace(/[.!]+$/, "");
  // Code, files, quotations and lines below each other say more than a list does.
  if (said.length > LONGEST || /[`"“”{}<>=\n]|:\s/.test(said)) return [];
  const clauses = said.split(CLAUSES);
  const found = clauses.map((clause) => partsOfClause(clause, clauses.length > 1));
  if (found.some((parts) => parts.length === 0)) return [];
  const parts = found.flat();
  if (parts.length < 2 || parts.length > MOST_PARTS) return [];
  if (!parts.every(({ noun }) => standsAlone(noun, Math.max(parts.length, clauses.length + 1)))) return [];
  if (new Set(parts.map(({ noun }) => headOf(noun))).size !== parts.length) return [];
  return parts.map(({ order, noun }) => `${order} ${noun}`);
}

interface Listed {
  readonly order: string;
  readonly noun: string;
}

function partsOfClause(clause: string, isOneOfSeveral: boolean): Listed[] {
  if (/[.!?;]\s/.test(clause)) return [];
  const order = BUILDS.exec(clause);
  if (order === null) return [];
  const rest = clause.slice(order[0].length);
  const whole = WHOLE_WITH.exec(rest);
  const list = withoutSubordinate(whole === null ? rest : rest.slice(whole[0].length));
  const shared = withoutTail(list);
  const verb = whole === null ? (order[0].trim().split(/\s+/).at(-1) ?? "") : "Build";
  const said = /^up$/i.test(verb) ? "Set up" : `${verb.charAt(0).toUpperCase()}${verb.slice(1).toLowerCase()}`;
  if (shared !== null) return splitList(shared).map((noun) => ({ order: said, noun }));
  // An order about one thing may end with its place.
  return isOneOfSeveral && splitList(list).length === 1 ? [{ order: said, noun: list.replace(PLACE_TAIL, "") }] : [];
}

/** The list without what is said about it: why, when, or what it does. */
function withoutSubordinate(list: string): string {
  const at = list.search(SUBORDINATE);
  return at === -1 ? list : list.slice(0, at).replace(/,\s*$/, "");
}

/** "… to the app" holds for all parts; "… to the order list" makes them details of the list. */
function withoutTail(list: string): string | null {
  const lastItem = list.slice(Math.max(list.lastIndexOf(","), list.lastIndexOf(" and ")) + 1);
  const tail = TAIL.exec(lastItem);
  if (tail === null) return list;
  return WHOLE_TAIL.test(tail[1] ?? "") ? list.slice(0, list.length - tail[0].length) : null;
}

function splitList(list: string): string[] {
  const items = list.split(/\s*,\s*(?:and\s+|plus\s+|as well as\s+)?|\s+(?:and|plus|as well as)\s+/i);
  return items.map((item) => item.trim());
}

const NOT_ALONE =
  /\b(?:and|or|not|no|without|all|every|each|same|both|existing|missing|to|for|of|in|on|from|into|between|against|per|by|as|at|across|under)\b/i;

/** Whether a part is something to build: its own noun, and nothing behind it but what it is built with. */
function standsAlone(part: string, count: number): boolean {
  const [noun = "", ...tools] = part.split(/\s+(?:with|using|via|through|based on)\s+/i);
  if (!isDeliverable(noun) || !tools.every(isTool)) return false;
  if (NOT_ALONE.test(part)) return false;
  const words = noun.replace(DETERMINER, "").split(/\s+/);
  if (words.length > 5) return false;
  return count > 2 || words.length > 1 || DETERMINER.test(noun) || tools.length > 0;
}

/** Whether words name a technology to build with, and not a further thing to build. */
function isTool(words: string): boolean {
  const tool = words.replace(DETERMINER, "");
  return isTechnology(tool) || /^[A-Z][\w.+#-]*(?:\s[A-Z0-9][\w.+#-]*){0,2}$/.test(tool);
}

function headOf(part: string): string {
  const noun = part.split(/\s+(?:with|using|via|through|based on)\s+/i, 1)[0] ?? part;
  const words = noun.toLowerCase().replace(DETERMINER, "").split(/\s+/);
  const head = words.at(-1) ?? "";
  // Pages and reports are many: "a profile page" and "a settings page" are two.
  return GENERIC_HEADS.test(head) ? words.join(" ") : head;
}

const GENERIC_HEADS =
  /^(?:pages?|screens?|endpoints?|reports?|dashboard|panel|widget|editor|viewer|integration|mode|history|reset|search)$/;
