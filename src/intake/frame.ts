import type { Hit } from "./lexicon.js";
import type { Token } from "./reading.js";

/*
 * Is harm asked for, or spoken of? A request to stop attackers from stealing passwords has the same words as one to
 * steal them; what differs is who acts, whether the verb stands where an order stands, and what governs it.
 */

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const NEGATION = set(
  "not never cannot can't cant don't doesn't didn't won't shouldn't mustn't couldn't wouldn't isn't aren't no nor unable without",
);
const CONDITION = set(
  "if when whenever where whether because since although though unless until once while whose why after",
);
/** "Where can I …", "when should we …": the statement asks, and sets no condition. */
const AFTER_QUESTION = set("to can could do does should would is are");
const OBLIGES = set("should must shall");
const MODAL = set("can could will would should must shall may might 'll i'll we'll it'll they'll you'll");
const BEFORE_ORDER = set(
  "to and or then but that which we i you me us it them him her let help please lets go plus also",
);
const BEFORE_S = set("that which and or it then but also");
/** Before -ing: a running action is told, not ordered ("is deleting", "from stealing"). */
const NOT_BEFORE_ING = set(
  "is are was were be been being am from not without against when it's he's she's they're while no stop",
);
const CAUSES = set("make makes have let lets get gets making");
/** How many words may stand between "make" and what is made to happen: "make the installer drop …". */
const CAUSE_REACH = 5;
const ADVERB = set("also then just simply please now first all always only even quickly once both again later still");
const ATTEMPT = set(
  "attempt attempts attempting trying tries try tried able ability allowed used chance possible easy harder hard",
);

/** How far a "not" reaches. */
const NEGATION_REACH = 4;

export interface FrameHits {
  readonly defend: readonly Hit[];
  readonly adversary: readonly Hit[];
  /** Actions of any class, by the word they start at. */
  readonly actions: ReadonlyMap<number, Hit>;
}

/**
 * For each word, whether it stands under something that turns harm into its opposite: a defence, an attacker as the
 * one who acts, a negation or a condition. An order of its own (", delete …", "and steal …", "so that we …") ends that.
 */
export function frames(tokens: readonly Token[], hits: FrameHits): Uint8Array {
  const framed = new Uint8Array(tokens.length);
  const defendEnds = ends(hits.defend);
  const adversaryEnds = ends(hits.adversary);
  let defended = false;
  let adversary = false;
  let condition = false;
  let negatedUntil = -1;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    const { norm } = token;
    const order = startsOrder(tokens, at, hits.actions);
    if (token.gap === "stop" || (token.gap === "comma" && order) || startsPurpose(tokens, at)) {
      defended = adversary = condition = false;
      negatedUntil = -1;
    } else if ((norm === "and" || norm === "then" || norm === "but") && startsOrder(tokens, at + 1, hits.actions)) {
      defended = false;
    } else if (norm === "to" && hits.actions.has(at + 1) && !ATTEMPT.has(tokens[at - 1]?.norm ?? "")) {
      defended = false;
    } else if (OBLIGES.has(norm)) {
      condition = false;
    }
    if (defended || adversary || condition || at <= negatedUntil) framed[at] = 1;
    if (defendEnds.has(at)) defended = true;
    if (adversaryEnds.has(at)) adversary = true;
    if (CONDITION.has(norm) && !(at === 0 && AFTER_QUESTION.has(tokens[1]?.norm ?? ""))) condition = true;
    if (NEGATION.has(norm)) negatedUntil = at + NEGATION_REACH;
  }
  return framed;
}

function ends(hits: readonly Hit[]): ReadonlySet<number> {
  return new Set(hits.map((hit) => hit.at + hit.length - 1));
}

/** "so that …", "so we …", "in order to …", "how to …": what follows is judged by itself. */
function startsPurpose(tokens: readonly Token[], at: number): boolean {
  const norm = tokens[at]?.norm;
  const next = tokens[at + 1]?.norm ?? "";
  if (norm === "so") return next === "that" || next === "we" || next === "i" || next === "nobody" || next === "no";
  if (norm === "in") return next === "order";
  return norm === "how" && next === "to";
}

function startsOrder(tokens: readonly Token[], at: number, actions: ReadonlyMap<number, Hit>): boolean {
  for (let i = at; i < at + 3; i++) {
    const action = actions.get(i);
    if (action !== undefined) return action.form === "base" || action.form === "s";
    if (!isAdverb(tokens[i]?.norm ?? "")) return false;
  }
  return false;
}

function isAdverb(norm: string): boolean {
  return ADVERB.has(norm) || (norm.length > 4 && norm.endsWith("ly"));
}

/** Whether a verb stands where an order stands: at the start, after "to", "and", "that", "we" … and not after a subject. */
export function isAsked(tokens: readonly Token[], hit: Hit): boolean {
  let at = hit.at;
  let modal = false;
  let obliged = false;
  while (at > 0 && tokens[at]?.gap === "none") {
    const before = tokens[at - 1]?.norm ?? "";
    if (OBLIGES.has(before)) obliged = true;
    if (MODAL.has(before)) modal = true;
    else if (!isAdverb(before)) break;
    at--;
  }
  const before = at > 0 && tokens[at]?.gap === "none" ? (tokens[at - 1]?.norm ?? "") : null;
  switch (hit.form) {
    case "base":
      return (
        // "the site should destroy …": what must happen is asked for, whoever does it.
        before === null ||
        obliged ||
        BEFORE_ORDER.has(before) ||
        isCaused(tokens, hit.at) ||
        (modal && isEnabled(tokens, at))
      );
    case "s":
      return before === null || BEFORE_S.has(before);
    case "ing":
      return before === null || !NOT_BEFORE_ING.has(before);
    case "past":
      return before === "be" || before === "get" || before === "gets";
  }
}

/** "so that a landlord can listen", "with which they can read", "a script that can delete": what a thing is made for is asked for. */
function isEnabled(tokens: readonly Token[], at: number): boolean {
  for (let i = at - 1; i >= 0 && i >= at - CAUSE_REACH; i--) {
    const norm = tokens[i]?.norm;
    if (norm === "which" || (norm === "that" && (i === at - 1 || tokens[i - 1]?.norm === "so"))) return true;
  }
  return false;
}

/** "make the machines crash": what stands between is both the object of the order and the one that acts. */
export function isCaused(tokens: readonly Token[], at: number): boolean {
  for (let i = at - 1; i >= 0 && i >= at - CAUSE_REACH && tokens[i + 1]?.gap === "none"; i--)
    if (CAUSES.has(tokens[i]?.norm ?? "")) return true;
  return false;
}
