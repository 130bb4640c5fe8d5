/*
 * Text to look for in a line. A blank stands for any number of blanks, at least one between two words; a word at either
 * end is a whole word, and a call such as `fit (` is not one of a member. ` ... ` stands for anything in between. That is
 * all, so that no pattern of a registry can stop the process.
 */

export interface LinePattern {
  readonly source: string;
  /** Where it begins in the line, or -1. */
  readonly find: (line: string) => number;
}

export function compileLinePattern(source: string): LinePattern {
  const runs = source
    .trim()
    .split(/\s+\.\.\.\s+/)
    .map(compileRun);
  return {
    source,
    find: (line) => {
      let begin = -1;
      let from = 0;
      // The first place of each is the best one: what follows has the most left to stand in.
      for (const run of runs) {
        const found = run(line, from);
        if (found === null) return -1;
        if (begin === -1) begin = found.at;
        from = found.end;
      }
      return begin;
    },
  };
}

type Run = (line: string, from: number) => { readonly at: number; readonly end: number } | null;

/** A stretch of the pattern without a gap. */
function compileRun(source: string): Run {
  const parts = source.split(/\s+/);
  const [first = ""] = parts;
  const call = /^\w+$/.test(first) && parts[1] === "(";
  return (line, from) => {
    for (let at = line.indexOf(first, from); at !== -1; at = line.indexOf(first, at + 1)) {
      const end = follow(line, at, parts);
      if (end !== -1 && isWholeAt(line, at) && isWholeAt(line, end) && !(call && line[at - 1] === "."))
        return { at, end };
    }
    return null;
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
