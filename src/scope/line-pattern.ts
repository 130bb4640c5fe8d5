/*
 * Text to look for in a line. A blank stands for any number of blanks, at least one between two words; a word at either
 * end is a whole word, and a call such as `fit (` is not one of a member. That is all, so that no pattern of a registry
 * can stop the process.
 */

export interface LinePattern {
  readonly source: string;
  /** Where it begins in the line, or -1. */
  readonly find: (line: string) => number;
}

export function compileLinePattern(source: string): LinePattern {
  const parts = source.trim().split(/\s+/);
  const [first = ""] = parts;
  const call = parts.length === 2 && /^\w+$/.test(first) && parts[1] === "(";
  return {
    source,
    find: (line) => {
      for (let at = line.indexOf(first); at !== -1; at = line.indexOf(first, at + 1)) {
        const end = follow(line, at, parts);
        if (end !== -1 && isWholeAt(line, at) && isWholeAt(line, end) && !(call && line[at - 1] === ".")) return at;
      }
      return -1;
    },
  };
}

function follow(line: string, from: number, parts: readonly string[]): number {
  let at = from;
  for (const [index, part] of parts.entries()) {
    if (index > 0) {
      const start = at;
      while (line[at] === " " || line[at] === "\t") at += 1;
      if (at === start && isWord(line[at - 1]) && isWord(part[0])) return -1;
    }
    if (!line.startsWith(part, at)) return -1;
    at += part.length;
  }
  return at;
}

const isWord = (char: string | undefined): boolean => char !== undefined && /\w/.test(char);
const isWholeAt = (line: string, at: number): boolean => !(isWord(line[at - 1]) && isWord(line[at]));
