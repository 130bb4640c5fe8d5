/*
 * The lines a diff adds and takes away, out of what `git diff --no-color --no-renames -U0` prints. Only text is read; a
 * diff that does not read as one gives a problem, never a shorter list without a word.
 */

export interface DiffLine {
  /** From 1, in the file the line stands in: the new one for added lines, the old one for removed lines. */
  readonly line: number;
  readonly text: string;
}

export interface FileLines {
  readonly path: string;
  readonly binary: boolean;
  readonly added: readonly DiffLine[];
  readonly removed: readonly DiffLine[];
  /** Lines were left out because there were more than the limit. */
  readonly capped: boolean;
}

export interface ParsedDiff {
  readonly files: readonly FileLines[];
  readonly problems: readonly string[];
}

interface OpenFile {
  path: string;
  binary: boolean;
  readonly added: DiffLine[];
  readonly removed: DiffLine[];
  capped: boolean;
}

/** Contract: pure and total, linear in the text. A line keeps everything but its newline, also a carriage return. */
export function parseUnifiedDiff(diff: string, maxLinesPerFile = 20_000): ParsedDiff {
  const files: OpenFile[] = [];
  const problems: string[] = [];
  let file: OpenFile | null = null;
  let old = { left: 0, at: 0 };
  let now = { left: 0, at: 0 };
  const keep = (list: DiffLine[], line: DiffLine): void => {
    if (file === null) return;
    if (list.length < maxLinesPerFile) list.push(line);
    else file.capped = true;
  };

  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    if (file !== null && (old.left > 0 || now.left > 0)) {
      const text = line.slice(1);
      if (line.startsWith("-") && old.left > 0) {
        keep(file.removed, { line: old.at, text });
        old = { left: old.left - 1, at: old.at + 1 };
      } else if (line.startsWith("+") && now.left > 0) {
        keep(file.added, { line: now.at, text });
        now = { left: now.left - 1, at: now.at + 1 };
      } else if (line.startsWith(" ") || line === "") {
        old = { left: old.left - 1, at: old.at + 1 };
        now = { left: now.left - 1, at: now.at + 1 };
      } else if (!line.startsWith("\\")) {
        problems.push(`a hunk of ${file.path} ends too early`);
        old = { left: 0, at: 0 };
        now = { left: 0, at: 0 };
      }
      continue;
    }
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (line.startsWith("diff --git ")) {
      const path = pathOfHeader(line);
      if (path === null) problems.push(`a header cannot be read: ${line.slice(0, 200)}`);
      file = { path: path ?? "", binary: false, added: [], removed: [], capped: false };
      files.push(file);
    } else if (hunk !== null && file !== null) {
      old = { at: Number(hunk[1]), left: Number(hunk[2] ?? 1) };
      now = { at: Number(hunk[3]), left: Number(hunk[4] ?? 1) };
    } else if (file !== null && (line.startsWith("--- ") || line.startsWith("+++ "))) {
      // The header of a file whose name has blanks is ambiguous; these lines are not.
      const named = pathOfSide(line.slice(4));
      if (named !== null) file.path = named;
    } else if (file !== null && (line.startsWith("Binary files ") || line === "GIT binary patch")) file.binary = true;
    else if (file === null && line.trim() !== "") problems.push(`text before the first file: ${line.slice(0, 200)}`);
  }
  if (old.left > 0 || now.left > 0) problems.push("the last hunk is not whole");
  return { files, problems };
}

/** With renames off both names are the same, so half of the line is the path. */
function pathOfHeader(line: string): string | null {
  const rest = line.slice("diff --git ".length);
  if (rest.startsWith('"')) {
    const end = closingQuote(rest);
    return end === -1 ? null : unquote(rest.slice(0, end + 1)).replace(/^a\//, "");
  }
  const half = (rest.length - 1) / 2;
  const left = rest.slice(0, half);
  if (Number.isInteger(half) && left.startsWith("a/") && rest.slice(half + 1) === `b/${left.slice(2)}`)
    return left.slice(2);
  return null;
}

function pathOfSide(text: string): string | null {
  // A tab follows a name with blanks.
  const name = text.startsWith('"') ? unquote(text) : text.replace(/\t$/, "");
  if (name === "/dev/null") return null;
  return /^[ab]\//.test(name) ? name.slice(2) : null;
}

function closingQuote(text: string): number {
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** Contract: a name as git quotes it, its bytes read as UTF-8. */
export function unquote(quoted: string): string {
  if (!quoted.startsWith('"')) return quoted;
  const bytes: number[] = [];
  const inner = quoted.slice(1, closingQuote(quoted));
  for (let at = 0; at < inner.length; at += 1) {
    const octal = /^\\([0-7]{3})/.exec(inner.slice(at, at + 4));
    if (octal !== null) {
      bytes.push(Number.parseInt(octal[1] as string, 8));
      at += 3;
    } else if (inner[at] === "\\") {
      at += 1;
      bytes.push(ESCAPES[inner[at] as string] ?? (inner.codePointAt(at) as number));
    } else {
      const char = String.fromCodePoint(inner.codePointAt(at) as number);
      bytes.push(...utf8(char));
      at += char.length - 1;
    }
  }
  return fromUtf8(bytes);
}

// The mind has no TextEncoder: it is not part of the language.
function utf8(char: string): number[] {
  const code = char.codePointAt(0) as number;
  if (code < 0x80) return [code];
  if (code < 0x800) return [0xc0 | (code >> 6), 0x80 | (code & 63)];
  if (code < 0x10000) return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)];
  return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)];
}

/** Bytes that are not UTF-8 become the replacement character, one for each. */
function fromUtf8(bytes: readonly number[]): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] as number;
    const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    const rest = bytes.slice(at + 1, at + length);
    if (length === 0 || rest.length !== length - 1 || rest.some((byte) => byte >> 6 !== 2)) {
      text += "\ufffd";
      at += 1;
      continue;
    }
    let code = length === 1 ? first : first & (0x7f >> length);
    for (const byte of rest) code = (code << 6) | (byte & 63);
    text += code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
    at += length;
  }
  return text;
}
