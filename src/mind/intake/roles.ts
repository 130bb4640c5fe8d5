/*
 * Roles of small words in a sentence, whatever a policy says: the English that telling an order from a report needs.
 * Each role is a bit, so that a word is asked for all of them at once.
 */

export const NEGATION = 1 << 0;
export const CONDITION = 1 << 1;
/** "Where can I …", "when should we …": the statement asks, and sets no condition. */
export const AFTER_QUESTION = 1 << 2;
export const OBLIGES = 1 << 3;
export const MODAL = 1 << 4;
export const BEFORE_ORDER = 1 << 5;
export const BEFORE_S = 1 << 6;
/** Before -ing: a running action is told, not ordered ("is deleting", "from stealing"). */
export const NOT_BEFORE_ING = 1 << 7;
export const CAUSES = 1 << 8;
export const ADVERB = 1 << 9;
export const ATTEMPT = 1 << 10;
/** Joins what is ordered to what was before. */
export const JOINS = 1 << 11;
/** May start a purpose, together with the word after it. */
export const PURPOSE = 1 << 12;
/** May start a reason. */
export const REASON = 1 << 13;
/** Says what is expected of the result. */
export const DEMANDS = 1 << 14;
/** "send it", "delete them": the object was named before. */
export const REFERRING = 1 << 15;
export const CLAUSE_START = 1 << 16;

const WORDS: readonly (readonly [role: number, words: string])[] = [
  [
    NEGATION,
    "not never cannot can't cant don't doesn't didn't won't shouldn't mustn't couldn't wouldn't isn't aren't no nor unable without",
  ],
  [CONDITION, "if when whenever where whether because since although though unless until once while whose why after"],
  [AFTER_QUESTION, "to can could do does should would is are"],
  [OBLIGES, "should must shall"],
  [MODAL, "can could will would should must shall may might 'll i'll we'll it'll they'll you'll"],
  [BEFORE_ORDER, "to and or then but that which we i you me us it them him her let help please lets go plus also"],
  [BEFORE_S, "that which and or it then but also"],
  [
    NOT_BEFORE_ING,
    "is are was were be been being am from not without against when it's he's she's they're while no stop",
  ],
  [CAUSES, "make makes have let lets get gets making"],
  [ADVERB, "also then just simply please now first all always only even quickly once both again later still"],
  [
    ATTEMPT,
    "attempt attempts attempting trying tries try tried able ability allowed used chance possible easy harder hard",
  ],
  [JOINS, "and then but"],
  [PURPOSE, "so in how"],
  [REASON, "because so in"],
  [DEMANDS, "should must shall expect expected expects"],
  [REFERRING, "it them this these those everything"],
  [CLAUSE_START, "so if when because where before after until unless whether"],
];

const ROLES = new Map<string, number>();
for (const [role, words] of WORDS) for (const word of words.split(" ")) ROLES.set(word, (ROLES.get(word) ?? 0) | role);

export const WORDS_WITH_ROLES: readonly string[] = [...ROLES.keys()];

export function rolesOf(text: string): number {
  return (ROLES.get(text) ?? 0) | (endsAsAdverb(text) ? ADVERB : 0);
}

export function endsAsAdverb(text: string): boolean {
  return text.length > 4 && text.endsWith("ly");
}
