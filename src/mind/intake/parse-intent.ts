import type { IntakeStep, ParsedIntent } from "../../model/request.js";
import type { CompiledPolicy } from "./compile-policy.js";
import { evidenceOf, shorten } from "./evidence.js";
import { isAsked } from "./reading/frame.js";
import type { Hit } from "./reading/lexicon.js";
import { placesIn } from "./named-places.js";
import type { Reading, Statement } from "./reading/reading.js";
import { DEMANDS, REASON } from "./roles.js";
import type { Token } from "./reading/tokens.js";

export interface IntentFinding {
  readonly intent: ParsedIntent;
  /** Words that name something to work on. */
  readonly objectWords: readonly Token[];
  /** Objects too general to start on alone. */
  readonly genericWords: readonly Token[];
  readonly step: IntakeStep;
}

const MOST_OBJECT_WORDS = 8;
const MOST_LISTED = 20;
const MOST_TEXT = 200;
const MOST_WORDS_TO_US = 60;
const NO_HITS: readonly Hit[] = [];

/** Step 1. Reads the action, its object, purpose and place, and how one would know that it is done. */
export function parseIntent(policy: CompiledPolicy, reading: Reading): IntentFinding {
  const objectWords: Token[] = [];
  const genericWords: Token[] = [];
  let order: { statement: Statement; from: number; to: number } | null = null;
  let purpose: string | null = null;
  const acceptance: string[] = [];
  for (const statement of reading.own) {
    const { tokens } = statement;
    // A longer request names its work whatever else it says.
    const toUs = reading.ownWords <= MOST_WORDS_TO_US ? policy.toUs.scan(tokens) : NO_HITS;
    let demands = false;
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at];
      if (token === undefined) break;
      if ((token.word.roles & DEMANDS) !== 0) demands = true;
      if (isInside(toUs, at)) continue;
      const kind = wordKind(policy, token, reading.text);
      if (kind === "object" && objectWords.length < 200) objectWords.push(token);
      if (kind === "generic" && genericWords.length < 200) genericWords.push(token);
    }
    if (order === null) {
      const hit = policy.actions.scan(tokens).find((found) => isAsked(tokens, found));
      if (hit !== undefined) order = { statement, from: hit.at, to: hit.at + hit.length };
    }
    purpose ??= purposeOf(reading, statement);
    if (demands && acceptance.length < MOST_LISTED) acceptance.push(textOf(reading, statement.start, statement.end));
  }
  const action = order === null ? null : sliceOf(reading, order.statement.tokens, order.from, order.to).toLowerCase();
  const object = order === null ? firstObject(reading, objectWords) : objectAfter(policy, reading, order);
  const intent: ParsedIntent = {
    action,
    object: objectWords.length === 0 ? null : (object ?? firstObject(reading, objectWords)),
    purpose,
    places: placesIn(reading.text, MOST_LISTED),
    acceptance,
  };
  const first = order === null ? undefined : order.statement.tokens[order.from];
  return {
    intent,
    objectWords,
    genericWords,
    step: {
      step: "parse",
      outcome: intent.object === null || action === null ? "noted" : "passed",
      rule_id: action === null ? "parse_no_action" : "parse_action_object",
      reason: `Action: ${action ?? "none"}; object: ${intent.object ?? "none"}`,
      evidence: first === undefined ? [] : [evidenceOf(reading, first.start, first.end, "action")],
    },
  };
}

function isInside(hits: readonly Hit[], at: number): boolean {
  for (const hit of hits) if (at >= hit.at && at < hit.at + hit.length) return true;
  return false;
}

/** A longer run of letters is data, and names nothing. */
const LONGEST_WORD = 60;

function wordKind(policy: CompiledPolicy, token: Token, text: string): "object" | "generic" | "nothing" {
  // Code is named; an address says where to look, not what to do there.
  if (token.opaque) return text.startsWith("http", token.start) ? "nothing" : "object";
  const { norm, word } = token;
  if (norm.length > LONGEST_WORD) return "nothing";
  if (policy.functionWords.has(word) || policy.vague.has(word)) return "nothing";
  if (policy.generic.has(word)) return "generic";
  return isNumber(norm) ? "nothing" : "object";
}

function isNumber(norm: string): boolean {
  for (let at = 0; at < norm.length; at++) {
    const c = norm.charCodeAt(at);
    if ((c < 0x30 || c > 0x39) && c !== 0x5f) return false;
  }
  return true;
}

/** The first words that name something, as long as they stand together. */
function firstObject(reading: Reading, objectWords: readonly Token[]): string | null {
  const first = objectWords[0];
  if (first === undefined) return null;
  let last = first;
  for (const token of objectWords.slice(1, MOST_OBJECT_WORDS)) {
    if (token.start - last.end > 1) break;
    last = token;
  }
  return textOf(reading, first.start, last.end);
}

/** The words after the verb up to the next break or preposition, without the article before them. */
function objectAfter(
  policy: CompiledPolicy,
  reading: Reading,
  order: { statement: Statement; from: number; to: number },
): string | null {
  const { tokens } = order.statement;
  let from = order.to;
  while (from < tokens.length && isFunction(policy, tokens[from]) && from - order.to < 3) from++;
  let to = from;
  while (to < tokens.length && to - from < MOST_OBJECT_WORDS) {
    const token = tokens[to];
    if (token === undefined || (to > from && (token.gap !== "none" || isFunction(policy, token)))) break;
    to++;
  }
  return to > from ? sliceOf(reading, tokens, from, to) : null;
}

function isFunction(policy: CompiledPolicy, token: Token | undefined): boolean {
  return token !== undefined && !token.opaque && policy.functionWords.has(token.word);
}

function purposeOf(reading: Reading, { tokens, end }: Statement): string | null {
  for (let at = 1; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    if ((token.word.roles & REASON) === 0) continue;
    const next = tokens[at + 1]?.norm;
    if (token.norm === "because" || next === (token.norm === "in" ? "order" : "that"))
      return textOf(reading, token.start, end);
  }
  return null;
}

function sliceOf(reading: Reading, tokens: readonly Token[], from: number, to: number): string {
  return textOf(reading, tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0);
}

function textOf(reading: Reading, start: number, end: number): string {
  return shorten(reading.text.slice(start, Math.min(end, start + MOST_TEXT * 2)).replaceAll(/\s+/g, " "), MOST_TEXT);
}
