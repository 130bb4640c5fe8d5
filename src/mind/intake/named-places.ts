import { isTechnology } from "../../foundation/text/technologies.js";

/**
 * The places a text names: file paths, file names with a known kind of ending, endpoints.
 *
 * Contract: pure, linear; at most `most` places, each once, in order of appearance.
 */
export function placesIn(text: string, most: number): string[] {
  const found = new Set<string>();
  let at = 0;
  while (at < text.length && found.size < most) {
    while (at < text.length && isEdge(text.charCodeAt(at))) at++;
    const from = at;
    let marked = false;
    while (at < text.length && !isEdge(text.charCodeAt(at))) {
      const c = text.charCodeAt(at);
      if (c === SLASH || c === DOT) marked = true;
      at++;
    }
    if (!marked || at - from > MOST_LENGTH) continue;
    const place = trimEnd(text.slice(from, at));
    if (isPlace(place)) found.add(place);
  }
  return [...found];
}

const SLASH = 0x2f;
const DOT = 0x2e;
const MOST_LENGTH = 200;

/** White space, control characters, and what encloses or lists. */
const EDGES = new Uint8Array(0xa1);
EDGES.fill(1, 0, 0x21);
for (const c of [0x22, 0x27, 0x60, 0x28, 0x29, 0x2c, 0x3b, 0x3c, 0x3e, 0x5b, 0x5d, 0x7c, 0xa0]) EDGES[c] = 1;

function isEdge(c: number): boolean {
  return c <= 0xa0 && EDGES[c] === 1;
}

function trimEnd(word: string): string {
  let end = word.length;
  while (end > 0 && ".:!?*".includes(word.charAt(end - 1))) end--;
  return word.slice(0, end);
}

function isPlace(word: string): boolean {
  if (word.includes("://") || word.startsWith("www.") || word.startsWith("//") || word.length < 3) return false;
  const slash = word.indexOf("/");
  if (slash === 0) return isNameStart(word.charCodeAt(1));
  const dot = word.lastIndexOf(".");
  const ending = dot > 0 ? word.slice(dot + 1) : "";
  if (ENDINGS.has(ending.toLowerCase()) && !isTechnology(word)) return true;
  return slash > 0 && slash < word.length - 1 && word.includes("/", slash + 1) && isNameStart(word.charCodeAt(0));
}

function isNameStart(c: number): boolean {
  return (c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a) || c === DOT || c === 0x5f || c === 0x7b || c === 0x3a;
}

const ENDINGS: ReadonlySet<string> = new Set(
  (
    "ts tsx js jsx mjs cjs vue svelte css scss less html py ipynb rb php java kt kts swift m mm c h cc cpp hpp cs go rs dart ex exs " +
    "erl hs scala clj lua pl r jl sql sh bash zsh ps1 bat tf hcl yaml yml toml json xml ini cfg conf env md rst adoc txt csv parquet " +
    "gradle lock proto graphql ino unity gd tscn shader ui qml plist xib storyboard csproj sln gemspec cabal mod sum"
  ).split(" "),
);
