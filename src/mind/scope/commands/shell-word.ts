/* One word of a shell line, and the brackets and quotes it is made of. */

export interface Word {
  /** Without its quotes; what the shell would expand stands as it was written. */
  readonly text: string;
  /** The shell puts a variable, the output of a command or a calculation into it. */
  readonly dynamic: boolean;
  /** The shell makes names of files, or several words, out of it: an unquoted `*`, `?`, `[`, `{a,b}`. */
  readonly pattern: boolean;
  /** No part of it was quoted or escaped: only such a word can be a reserved one or an assignment. */
  readonly plain: boolean;
  /** The text before its first quote or expansion. */
  readonly bare: string;
  /** Lines that are run to make this word: `$( )`, backticks, `<( )`. */
  readonly runs: readonly string[];
}

/** A word in the making. */
export class WordBuilder {
  private text = "";
  private bare = "";
  private dynamic = false;
  private plain = true;
  private started = false;
  private readonly runs: string[] = [];

  get empty(): boolean {
    return !this.started;
  }

  add(char: string): void {
    this.text += char;
    this.bare += char;
    this.started = true;
  }

  quote(text: string): void {
    this.text += text;
    this.bare += "\0";
    this.plain = false;
    this.started = true;
  }

  expand(source: string, runs: readonly string[]): void {
    this.text += source;
    this.bare += "\0";
    this.dynamic = true;
    this.plain = false;
    this.started = true;
    this.runs.push(...runs);
  }

  done(): Word {
    const { text, dynamic, plain, runs } = this;
    const pattern = /[*?]|\[.*\]|\{[^}]*(?:,|\.\.)[^}]*\}/.test(this.bare.slice(0, 4096)) || this.bare.length > 4096;
    const bare = this.bare.split("\0", 1)[0] as string;
    return { text, dynamic, pattern, plain, bare, runs };
  }
}

// Deeper nesting is not read: its bracket counts as not closed.
const MAX_NESTING = 40;

/** Where the bracket opened at `at` closes, past quotes and brackets inside; -1 when it does not. */
export function findClosing(source: string, at: number, open: string, close: string, nesting = 0): number {
  if (nesting > MAX_NESTING) return -1;
  let depth = 0;
  for (let i = at; i < source.length; i += 1) {
    const char = source[i];
    if (char === "\\") i += 1;
    else if (char === "'" && open === "(") {
      i = source.indexOf("'", i + 1);
      if (i === -1) return -1;
    } else if (char === '"') {
      i = closingQuote(source, i, nesting + 1);
      if (i === -1) return -1;
    } else if (char === open) depth += 1;
    else if (char === close) {
      depth -= 1;
      if (depth === 0) return i;
    }
  }
  return -1;
}

function closingQuote(source: string, at: number, nesting: number): number {
  for (let i = at + 1; i < source.length; i += 1) {
    if (source[i] === "\\") i += 1;
    else if (source[i] === '"') return i;
    else if (source.startsWith("$(", i)) {
      i = findClosing(source, i + 1, "(", ")", nesting + 1);
      if (i === -1) return -1;
    }
  }
  return -1;
}

const ANSI: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", f: "\f" };

export function unescapeAnsi(text: string): string {
  return text.replace(
    /\\(?:x([\dA-Fa-f]{1,2})|u([\dA-Fa-f]{1,4})|U([\dA-Fa-f]{1,8})|([0-7]{1,3})|([\s\S]))/g,
    (_, x?: string, u?: string, long?: string, octal?: string, other?: string) => {
      const hex = x ?? u ?? long;
      const code = hex !== undefined ? Number.parseInt(hex, 16) : octal !== undefined ? Number.parseInt(octal, 8) : -1;
      if (code >= 0) return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
      return ANSI[other as string] ?? (other as string);
    },
  );
}
