/*
 * A line of source cut into code, comments and strings, by the language its path tells. Lines come out of a diff one by
 * one, so a comment or string that began on a line not shown cannot be known; a line that looks like the inside of a
 * block comment is taken for one.
 */

interface Language {
  readonly line: readonly string[];
  readonly block: readonly [string, string] | null;
  readonly quotes: readonly string[];
}

const C: Language = { line: ["//"], block: ["/*", "*/"], quotes: ['"', "'", "`"] };
const HASH: Language = { line: ["#"], block: null, quotes: ['"""', "'''", '"', "'"] };
const SQL: Language = { line: ["--"], block: ["/*", "*/"], quotes: ["'", '"'] };
const MARKUP: Language = { line: [], block: ["<!--", "-->"], quotes: [] };

const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ...list(
    "js jsx mjs cjs ts tsx mts cts java kt kts go rs c h cc cpp hpp cs swift scala php dart groovy gradle proto less scss css",
    C,
  ),
  ...list(
    "py pyi rb sh bash zsh yaml yml toml pl pm r ex exs tf dockerfile makefile mk ini cfg conf properties gitignore",
    HASH,
  ),
  ...list("sql lua hs elm", SQL),
  ...list("html htm xml vue svelte md mdx", MARKUP),
]);

function list(extensions: string, language: Language): [string, Language][] {
  return extensions.split(" ").map((extension) => [extension, language]);
}

/** The language of a path by its ending, or null when it is not known: all of its text then counts as anything. */
export function languageOf(path: string): Language | null {
  const name = (path.split("/").at(-1) ?? "").toLowerCase();
  return LANGUAGES.get(name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : name) ?? null;
}

type LinePart = "code" | "comment" | "string";
/** Where text may be looked for: a part of the line, or all of it that is not a comment. */
type Where = LinePart | "source";

/** Contract: for each part, the line with everything else blanked out, so that places stay the same. */
export function partsOf(text: string, language: Language | null): Readonly<Record<Where, string>> {
  if (language === null) return { code: text, comment: text, string: text, source: text };
  const kinds = kindsOf(text, language);
  const only = (...wanted: LinePart[]) => kinds.map((own, at) => (wanted.includes(own) ? text[at] : " ")).join("");
  return {
    code: only("code"),
    comment: only("comment"),
    string: only("string"),
    source: only("code", "string"),
  };
}

/** The part each sign of the text belongs to. */
function kindsOf(text: string, { line, block, quotes }: Language): LinePart[] {
  const kinds: LinePart[] = [];
  let at = 0;
  const take = (kind: LinePart, until: number): void => {
    const end = until === -1 ? text.length : until;
    while (at < end) {
      kinds.push(kind);
      at += 1;
    }
  };
  if (block !== null && block[0] === "/*" && /^\s*\*(?:\s|\/|$)/.test(text)) {
    const end = text.indexOf("*/");
    take("comment", end === -1 ? -1 : end + 2);
  }
  while (at < text.length) {
    const quote = quotes.find((sign) => text.startsWith(sign, at));
    if (line.some((sign) => text.startsWith(sign, at)) && startsComment(text, at)) take("comment", -1);
    else if (block !== null && text.startsWith(block[0], at)) {
      const end = text.indexOf(block[1], at + block[0].length);
      take("comment", end === -1 ? -1 : end + block[1].length);
    } else if (quote !== undefined) take("string", findClosing(text, at + quote.length, quote));
    else take("code", at + 1);
  }
  return kinds;
}

/** `#` in the middle of a word and `//` behind a colon, as in an address, begin no comment. */
function startsComment(text: string, at: number): boolean {
  const before = text[at - 1];
  if (text[at] === "#") return before === undefined || /[\s;(){}[\],]/.test(before);
  return text[at] !== "/" || before !== ":";
}

function findClosing(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text.startsWith(quote, at)) return at + quote.length;
  }
  return -1;
}
