import type { TextDocument } from "../../../foundation/text/read-text.js";
import type { Sentence, Word } from "../../../foundation/text/words.js";
import { type Detector, Finds } from "./evidence.js";
import { CHANGE_OPENERS, CHANGE_VERBS } from "./phrase-lists.js";

const VERBS = new Set(CHANGE_VERBS.split(" "));
const OPENERS = new Set(CHANGE_OPENERS.split(" "));

/** An imperative change with an object: a change verb that opens a sentence or an entry of a list, and a word after it. */
export const changeVerbs: Detector = (doc) => {
  const finds = new Finds();
  for (const clause of clauses(doc)) {
    const verb = imperative(clause.words);
    if (verb !== null) finds.add(verb.start, clause.sentence.end);
  }
  return finds.all();
};

interface Clause {
  readonly sentence: Sentence;
  readonly words: readonly Word[];
}

/** The first few words of each sentence: both lists are in the order of the text, so one walk pairs them. */
function clauses(doc: TextDocument): readonly Clause[] {
  const found: Clause[] = [];
  let at = 0;
  for (const sentence of doc.sentences) {
    while (at < doc.words.length && (doc.words[at]?.start ?? 0) < sentence.start) at++;
    let end = at;
    while (end < doc.words.length && end - at < 8 && (doc.words[end]?.end ?? 0) <= sentence.end) end++;
    if (end > at) found.push({ sentence, words: doc.words.slice(at, end) });
  }
  return found;
}

function imperative(list: readonly Word[]): Word | null {
  for (let i = 0; i < list.length && i < 4; i++) {
    const word = list[i];
    if (word === undefined) return null;
    if (VERBS.has(word.lower)) return i + 1 < list.length || i > 0 ? word : null;
    // "area: Remove the unused case" opens with a label.
    const passes = OPENERS.has(word.lower) || word.lower.endsWith("ly");
    if (!passes && (i > 0 || (list[1] !== undefined && !isLabelGap(list[1].start - word.end)))) return null;
  }
  return null;
}

/** Between a label and what follows stands more than a space: `area: Remove`, `[task] Remove`. */
function isLabelGap(gap: number): boolean {
  return gap >= 2 && gap <= 4;
}
