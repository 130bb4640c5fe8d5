/*
 * Names in a request as programmers write them: code, files, and the part of a project in front of a colon. Nothing is
 * decided here: whether something is called so is seen in the repository.
 */

/** A name written as code, and what stands in front of its dot. */
export interface SaidName {
  readonly name: string;
  /** `a` and `b` of `a.b.name`. */
  readonly of: readonly string[];
}

const LONGEST_TEXT = 20_000;

/** The words of the author: without blocks of code, comments, addresses and quoted sentences. */
export function spokenText(text: string): string {
  return text
    .slice(0, LONGEST_TEXT)
    .replaceAll(/```[\s\S]*?(?:```|$)/g, " ")
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, " ")
    .replaceAll(/\]\([^()\s]{0,2000}\)/g, "] ")
    .replaceAll(/\b[a-z][a-z0-9+.-]{1,20}:\/\/\S+/gi, " ")
    .replaceAll(/"[^"\n]{0,300}\s[^"\n]{0,300}"|“[^”\n]{0,600}\s[^”\n]{0,600}”/g, " ");
}

const CHAIN = /(?<![\w$.@/:<-])[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*(?![\w$]*[-/\\])(\(\))?/g;
const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kts?|rb|php|cs|[ch](?:pp|c)?|swift|md|mdx|rst|txt|json|ya?ml|toml|xml|html|css|sh|sql|lock|cfg|ini|vue|svelte|dart|exs?|lua|gradle|gemspec|io|com|org|net)$/i;
/** Two words in one, as in `orderService`, `order_service` or `HTTPError`; not `GitHub`-like names of products. */
const TWO_WORDS = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[A-Za-z0-9]_[A-Za-z0-9]/;
const PRODUCTS = new Set(
  "github gitlab javascript typescript node nodejs postgresql mysql sqlite graphql openapi websocket devops macos ios powershell intellij npm esm oauth webassembly phpunit junit pytest vscode jsdoc javadoc dependabot codeql circleci youtube linkedin macosx chatgpt openai".split(
    " ",
  ),
);

/** Contract: pure and total; each name once, in the order of the text. Options such as `--help` are not names. */
export function codeNamesIn(text: string): readonly SaidName[] {
  const found = new Map<string, SaidName>();
  const spoken = spokenText(text);
  const take = (part: string, isCode: boolean) => {
    for (const match of part.matchAll(CHAIN)) {
      const [whole, called] = match;
      const chain = whole.replace(/\(\)$/, "");
      if (FILE_ENDING.test(chain)) continue;
      const parts = chain.split(/\.|::|#/);
      const looksLikeCode =
        isCode || called !== undefined || part[match.index + whole.length] === "(" || parts.length > 1;
      parts.forEach((name, at) => {
        if (!looksLikeCode && (!TWO_WORDS.test(name) || PRODUCTS.has(name.toLowerCase()))) return;
        if (name.length < 3 || found.has(name)) return;
        found.set(name, { name, of: parts.slice(0, at) });
      });
    }
  };
  const inCode = spoken.split("`");
  inCode.forEach((part, at) => {
    const isCode = at % 2 === 1 && at < inCode.length - 1;
    // In code, an option or a sentence names nothing.
    if (isCode && (/^\s*-/.test(part) || part.trim().split(/\s+/).length > 4)) return;
    take(part, isCode);
  });
  return [...found.values()];
}

/** The prefix of a title, in front of its colon: `fix(parser): …` is a fix of parser, `parser: …` of parser too. */
export interface TitlePrefix {
  /** `fix`, `feat`, `docs` and the like; null when the word is not one of them. */
  readonly type: string | null;
  /** The part of the project, as it is written. */
  readonly parts: readonly string[];
}

const TYPES = new Set(
  "feat feature fix bugfix docs doc test tests refactor perf style chore build ci deps security revert wip types".split(
    " ",
  ),
);

export function titlePrefixOf(text: string): TitlePrefix | null {
  const title = text.trimStart().split(/\r?\n/, 1)[0] ?? "";
  const match = /^\[?([\w@./-]{2,60})(?:\(([^()]{1,80})\))?\]?!?:\s+\S/.exec(title);
  if (match === null) return null;
  const word = match[1] ?? "";
  const inside = match[2]?.split(/[,|]\s*/).map((part) => part.trim()) ?? [];
  if (TYPES.has(word.toLowerCase())) return { type: word.toLowerCase(), parts: inside };
  return { type: null, parts: [word, ...inside] };
}

/** Everything in a text that could be the name of a file or folder, in small letters, each once. */
export function nameTokens(text: string): ReadonlySet<string> {
  const tokens = new Set<string>();
  for (const raw of spokenText(text).split(/[\s`"'“”‘’()[\]{}<>,;|=]+/)) {
    const token = raw
      .replace(/^[^\w.@*/]+/, "")
      .replace(/[^\w*]+$/, "")
      .replace(/:\d+(?::\d+)?$/, "")
      .replace(/^\.\//, "")
      .toLowerCase();
    if (token.length < 2 || token.length > 200 || token.startsWith("-")) continue;
    tokens.add(token);
    for (const part of token.split(/[:!]+/)) if (part.length >= 2) tokens.add(part);
  }
  return tokens;
}
