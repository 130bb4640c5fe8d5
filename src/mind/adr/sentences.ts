import { sentences } from "../../foundation/text/words.js";

/** A sentence of a paragraph, on one line, and in which of its lines it begins, from 0. */
export interface LineSentence {
  readonly text: string;
  readonly at: number;
}

/** A point behind these ends no sentence, whatever follows. */
const SHORT =
  /(?:^|[\s(])(?:e\.g|i\.e|vs|cf|resp|incl|approx|etc|no|nr|fig|sec|z\.\s?b|d\.\s?h|bzw|ggf|inkl|usw|u\.a|p\.\s?ex|par ex|ej|p\.\s?ej|ex|es|bijv|o\.a|т\.\s?е|т\.\s?д)\.\s*$/iu;

/** Contract: pure, total, linear. A mark that ends a sentence inside of code or of a link ends none. */
export function sentencesOf(lines: readonly string[]): readonly LineSentence[] {
  const starts: number[] = [];
  let length = 0;
  const trimmed = lines.map((line) => line.trim());
  for (const line of trimmed) {
    starts.push(length);
    length += line.length + 1;
  }
  const text = trimmed.join(" ");
  const hidden = withoutMarks(text);
  const found: { start: number; end: number }[] = [];
  for (const { start, end } of sentences(hidden)) {
    const before = found.at(-1);
    if (before !== undefined && isOpen(hidden.slice(before.start, before.end))) before.end = end;
    else found.push({ start, end });
  }
  let line = 0;
  return found.map(({ start, end }) => {
    while (line + 1 < starts.length && (starts[line + 1] ?? 0) <= start) line++;
    return { text: text.slice(start, end).replaceAll(/\s+/g, " "), at: line };
  });
}

/** Ends with the short form of a word, with the number of an entry, or with nothing that closes what was opened. */
function isOpen(sentence: string): boolean {
  const end = sentence.slice(-24);
  return SHORT.test(end) || /^\s*(?:\d{1,3}|[a-z])[.)]$/i.test(sentence);
}

/** Code, links, covered by letters of the same length. */
function withoutMarks(text: string): string {
  return text
    .replaceAll(/`[^`]{1,400}`|\[[^\][]{1,200}\]|\]\([^()\s]{1,400}\)/g, (code) => "x".repeat(code.length))
    .replaceAll(/^[#>|`*+-]/g, "x");
}
