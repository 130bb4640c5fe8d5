import type { Hit } from "./lexicon.js";
import {
  ADVERB,
  AFTER_QUESTION,
  ATTEMPT,
  BEFORE_ORDER,
  BEFORE_S,
  CAUSES,
  CONDITION,
  endsAsAdverb,
  JOINS,
  MODAL,
  NEGATION,
  NOT_BEFORE_ING,
  OBLIGES,
  PURPOSE,
} from "../roles.js";
import type { Token } from "./tokens.js";

/*
 * Is harm asked for, or spoken of? A request to stop attackers from stealing passwords has the same words as one to
 * steal them; what differs is who acts, whether the verb stands where an order stands, and what governs it.
 */

/** How many words may stand between "make" and what is made to happen: "make the installer drop …". */
const CAUSE_REACH = 5;
/** How far a "not" reaches. */
const NEGATION_REACH = 4;

/** The roles that the hits give the word at their place, as bits beside each other. */
export const ACTION = 1;
/** An action in a form that can be an order. */
export const ORDER = 2;
export const DEFENCE_START = 4;
export const DEFENCE_END = 8;
export const ADVERSARY_END = 16;
/** Set by `frame`. */
export const FRAMED = 32;

/**
 * Marks each word that stands under something that turns harm into its opposite: a defence, an attacker as the one who
 * acts, a negation or a condition. An order of its own (", delete …", "and steal …", "so that we …") ends that.
 */
export function frame(tokens: readonly Token[], marks: Uint8Array): void {
  let defended = false;
  let adversary = false;
  let condition = false;
  let negatedUntil = -1;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    const { roles } = token.word;
    if (
      token.gap === "stop" ||
      (token.gap === "comma" && startsOrder(tokens, at, marks)) ||
      ((roles & PURPOSE) !== 0 && startsPurpose(tokens, at))
    ) {
      defended = adversary = condition = false;
      negatedUntil = -1;
    } else if ((roles & JOINS) !== 0 && startsOrder(tokens, at + 1, marks)) {
      defended = false;
    } else if (token.norm === "to" && isAction(marks, at + 1) && (rolesAt(tokens, at - 1) & ATTEMPT) === 0) {
      defended = false;
    } else if ((roles & OBLIGES) !== 0) {
      condition = false;
    }
    const mark = marks[at] ?? 0;
    if (defended || adversary || condition || at <= negatedUntil) marks[at] = mark | FRAMED;
    if ((mark & DEFENCE_END) !== 0) defended = true;
    if ((mark & ADVERSARY_END) !== 0) adversary = true;
    if ((roles & CONDITION) !== 0 && !(at === 0 && (rolesAt(tokens, 1) & AFTER_QUESTION) !== 0)) condition = true;
    if ((roles & NEGATION) !== 0) negatedUntil = at + NEGATION_REACH;
  }
}

function isAction(marks: Uint8Array, at: number): boolean {
  return ((marks[at] ?? 0) & ACTION) !== 0;
}

function rolesAt(tokens: readonly Token[], at: number): number {
  return tokens[at]?.word.roles ?? 0;
}

/** "so that …", "so we …", "in order to …", "how to …": what follows is judged by itself. */
function startsPurpose(tokens: readonly Token[], at: number): boolean {
  const norm = tokens[at]?.norm;
  const next = tokens[at + 1]?.norm ?? "";
  if (norm === "so") return next === "that" || next === "we" || next === "i" || next === "nobody" || next === "no";
  if (norm === "in") return next === "order";
  return norm === "how" && next === "to";
}

function startsOrder(tokens: readonly Token[], at: number, marks: Uint8Array): boolean {
  for (let i = at; i < at + 3; i++) {
    if (isAction(marks, i)) return ((marks[i] ?? 0) & ORDER) !== 0;
    if (!isAdverb(tokens[i])) return false;
  }
  return false;
}

/** Words of the vocabulary have their role from the start; others show it by their ending. */
function isAdverb(token: Token | undefined): boolean {
  if (token === undefined) return false;
  return (token.word.roles & ADVERB) !== 0 || (token.word.id === 0 && endsAsAdverb(token.norm));
}

/** Whether a verb stands where an order stands: at the start, after "to", "and", "that", "we" … and not after a subject. */
export function isAsked(tokens: readonly Token[], hit: Hit): boolean {
  let at = hit.at;
  let passed = 0;
  while (at > 0 && tokens[at]?.gap === "none") {
    const before = rolesAt(tokens, at - 1) & (MODAL | OBLIGES);
    if ((before & MODAL) === 0 && !isAdverb(tokens[at - 1])) break;
    passed |= before;
    at--;
  }
  const before = at > 0 && tokens[at]?.gap === "none" ? tokens[at - 1] : undefined;
  const roles = before === undefined ? 0 : before.word.roles;
  switch (hit.form) {
    case "base":
      return (
        // "the site should destroy …": what must happen is asked for, no matter who does it.
        before === undefined ||
        (passed & OBLIGES) !== 0 ||
        (roles & BEFORE_ORDER) !== 0 ||
        isCaused(tokens, hit.at) ||
        ((passed & MODAL) !== 0 && isEnabled(tokens, at))
      );
    case "s":
      return before === undefined || (roles & BEFORE_S) !== 0;
    case "ing":
      return before === undefined || (roles & NOT_BEFORE_ING) === 0;
    case "past":
      return before !== undefined && (before.norm === "be" || before.norm === "get" || before.norm === "gets");
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
    if ((rolesAt(tokens, i) & CAUSES) !== 0) return true;
  return false;
}
