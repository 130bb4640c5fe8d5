/*
 * The text of a source file without its comments, by the language its path tells. It is read as a whole, unlike lines of
 * a diff, so a comment or a string may be as long as it likes.
 */

interface Language {
  readonly line: readonly string[];
  readonly block: readonly (readonly [string, string])[];
  readonly quotes: readonly string[];
  /** `/` may begin a pattern. */
  readonly patterns: boolean;
  /** A string that stands for itself is a comment, and blanks at the beginning of a line mean something. */
  readonly indented: boolean;
}

const plain = { patterns: false, indented: false };
const C: Language = { ...plain, line: ["//"], block: [["/*", "*/"]], quotes: ['"', "'"] };
const JAVASCRIPT: Language = { ...C, quotes: ['"', "'", "`"], patterns: true };
const GO: Language = { ...C, quotes: ['"', "'", "`"] };
/** A quote in Rust may be a lifetime. */
const RUST: Language = { ...C, quotes: ['"'] };
const PYTHON: Language = {
  line: ["#"],
  block: [],
  quotes: ['"""', "'''", '"', "'"],
  patterns: false,
  indented: true,
};
const HASH: Language = { ...plain, line: ["#"], block: [], quotes: ['"', "'"] };
const INDENTED_HASH: Language = { ...HASH, indented: true };
const INI: Language = { ...plain, line: ["#", ";"], block: [], quotes: ['"', "'"] };
const SQL: Language = { ...plain, line: ["--"], block: [["/*", "*/"]], quotes: ["'", '"'] };
const MARKUP: Language = { ...plain, line: [], block: [["<!--", "-->"]], quotes: [] };

const LANGUAGES = new Map<string, Language>([
  ...of("js jsx mjs cjs ts tsx mts cts json json5 jsonc", JAVASCRIPT),
  ...of("java kt kts c h cc cpp cxx hpp cs swift scala php dart groovy gradle proto m css less scss", C),
  ...of("go mod", GO),
  ...of("rs", RUST),
  ...of("py pyi", PYTHON),
  ...of("rb sh bash zsh toml pl pm r ex exs tf dockerfile", HASH),
  ...of("yaml yml makefile gnumakefile mk cmake", INDENTED_HASH),
  ...of("ini cfg conf properties", INI),
  ...of("sql lua hs", SQL),
  ...of("html htm xml vue svelte", MARKUP),
]);

function of(names: string, language: Language): [string, Language][] {
  return names.split(" ").map((name) => [name, language]);
}

function languageOf(path: string): Language | null {
  const name = (path.split("/").at(-1) ?? "").toLowerCase();
  if (name === "cmakelists.txt") return INDENTED_HASH;
  return LANGUAGES.get(name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : name) ?? null;
}

export const isSourceFile = (path: string): boolean => languageOf(path) !== null;

type Kind = "code" | "comment" | "string";

/** Stretches of one kind, one behind the other, that make up the whole text. */
function* stretches(text: string, language: Language): Generator<readonly [Kind, string]> {
  let begin = 0;
  let at = 0;
  const endOfQuote = (quote: string): number => {
    for (let end = at + quote.length; end < text.length; end++) {
      if (text[end] === "\\") end++;
      else if (text.startsWith(quote, end)) return end + quote.length;
      // A string that has no end on its line is an apostrophe in something else.
      else if (text[end] === "\n" && quote.length === 1 && quote !== "`") return at + 1;
    }
    return text.length;
  };
  while (at < text.length) {
    const found = next(text, at, language, endOfQuote);
    if (found === null) {
      at++;
      continue;
    }
    if (at > begin) yield ["code", text.slice(begin, at)];
    yield [found.kind, text.slice(at, found.end)];
    at = found.end;
    begin = at;
  }
  if (at > begin) yield ["code", text.slice(begin, at)];
}

function next(
  text: string,
  at: number,
  language: Language,
  quoted: (quote: string) => number,
): { readonly kind: Kind; readonly end: number } | null {
  if (language.line.some((sign) => text.startsWith(sign, at)) && beginsComment(text, at)) {
    const end = text.indexOf("\n", at);
    return { kind: "comment", end: end === -1 ? text.length : end };
  }
  for (const [open, close] of language.block)
    if (text.startsWith(open, at)) {
      const end = text.indexOf(close, at + open.length);
      return { kind: "comment", end: end === -1 ? text.length : end + close.length };
    }
  const quote = language.quotes.find((sign) => text.startsWith(sign, at));
  if (quote !== undefined) {
    const end = quoted(quote);
    if (end === at + 1) return null;
    const isDocument = quote.length === 3 && language.indented && standsAlone(text, at, end);
    return { kind: isDocument ? "comment" : "string", end };
  }
  if (language.patterns && text[at] === "/") {
    const end = patternEnd(text, at);
    if (end !== -1) return { kind: "string", end };
  }
  return null;
}

/** `#` inside of a word begins no comment. */
function beginsComment(text: string, at: number): boolean {
  return text[at] !== "#" || at === 0 || /[\s;(){}[\],]/.test(text[at - 1] as string);
}

function standsAlone(text: string, at: number, end: number): boolean {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[\s]*[rRbBuU]?$/.test(line) && /^[ \t]*(?:\n|$)/.test(text.slice(end, end + 200));
}

/** Where a regular expression ends that begins here; -1 where `/` divides. */
function patternEnd(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - 40), at).trimEnd();
  if (before !== "" && !/(?:[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete))$/.test(before))
    return -1;
  let inClass = false;
  for (let end = at + 1; end < text.length && text[end] !== "\n"; end++) {
    const sign = text[end];
    if (sign === "\\") end++;
    else if (sign === "[") inClass = true;
    else if (sign === "]") inClass = false;
    else if (sign === "/" && !inClass) return end + 1;
  }
  return -1;
}

/** The text with comments blanked out, and with `strings` what is quoted too: every place stays where it was. */
export function withoutComments(path: string, text: string, strings: "kept" | "blanked" = "kept"): string {
  const language = languageOf(path);
  if (language === null) return text;
  let out = "";
  for (const [kind, piece] of stretches(text, language)) {
    const isKept = kind === "code" || (kind === "string" && strings === "kept");
    out += isKept ? piece : kind === "string" ? blankOut(piece, true) : blankOut(piece, false);
  }
  return out;
}

/** Quotes stay, so that it is seen that something is quoted. */
function blankOut(piece: string, isString: boolean): string {
  const blank = (text: string) => text.replaceAll(/[^\n]/g, " ");
  if (!isString || piece.length < 2) return blank(piece);
  return `${piece[0]}${blank(piece.slice(1, -1))}${piece.at(-1)}`;
}

/** The code alone, the same for every way to lay it out: two texts that only differ in comments and blanks are equal. */
function bareCode(path: string, text: string): string {
  const language = languageOf(path);
  if (language === null) return text;
  let out = "";
  for (const [kind, piece] of stretches(text.replaceAll("\r\n", "\n"), language))
    if (kind === "string") out += piece;
    else if (kind === "code") out += language.indented ? piece : piece.replaceAll(/\s+/g, " ");
  if (!language.indented) return out.replaceAll(/ *([^\w\s"'`$@]) */g, "$1").trim();
  return out
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n");
}

/** Contract: true only where both are known to be source and mean the same. */
export function isSameCode(path: string, before: string, after: string): boolean {
  return languageOf(path) !== null && bareCode(path, before) === bareCode(path, after);
}
