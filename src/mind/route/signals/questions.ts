import { type Detector, Finds } from "./evidence.js";

const ASKING = new Set(["how", "why", "where", "when", "which", "who"]);

/** Sentences of the author that ask: by their mark, or by the word they open with. */
export const questions: Detector = (doc) => {
  const finds = new Finds();
  let at = 0;
  for (const sentence of doc.sentences) {
    while (at < doc.words.length && (doc.words[at]?.start ?? 0) < sentence.start) at++;
    const first = doc.words[at];
    const second = doc.words[at + 1];
    const opens = first !== undefined && second !== undefined && second.end <= sentence.end && ASKING.has(first.lower);
    if (asks(doc.text, sentence.start, sentence.end) || (opens && AFTER_ASKING.has(second.lower)))
      finds.add(sentence.start, sentence.end);
  }
  return finds.all();
};

const AFTER_ASKING = new Set("to do does did is are can could should would will i we am was were not".split(" "));

function asks(text: string, start: number, end: number): boolean {
  while (end > start && "*_)\"' ".includes(text.charAt(end - 1))) end--;
  const last = text.charAt(end - 1);
  // `a ? b : c` is code, and the cut falls inside of it.
  if (last === "?" && text.slice(start, end).split("`").length % 2 === 0) return false;
  return last === "?" || last === "？" || last === "؟";
}
