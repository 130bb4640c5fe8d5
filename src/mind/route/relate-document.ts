import type { ContextDocument, DocumentKind } from "../../model/routing.js";
import type { TextDocument } from "../../foundation/text/read-text.js";
import { isLetter, words } from "../../foundation/text/words.js";

/** The words and names of a body, as sets: made once per decision and asked once per document. */
export interface Mentions {
  readonly words: ReadonlySet<string>;
  /** Names and paths, whole and by their last part, in small letters. */
  readonly names: ReadonlySet<string>;
}

/** Contract: pure, linear. Quoted text and comments do not count. */
export function mentionsOf(doc: TextDocument): Mentions {
  const said = new Set<string>();
  const names = new Set<string>();
  for (const part of doc.segments) {
    if (part.kind === "quote" || part.kind === "html_comment") continue;
    if (part.kind !== "url") for (const word of words(part.text)) addWord(said, word.lower);
    addNames(names, part.text);
  }
  return { words: said, names };
}

function addWord(said: Set<string>, word: string): void {
  said.add(stem(word));
  if (word.includes("-") || word.includes("_")) for (const piece of word.split(/[-_]/)) said.add(stem(piece));
}

/** Plain plurals count as the word. */
function stem(word: string): string {
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

const NAME_MOST = 1_024;

function addNames(names: Set<string>, text: string): void {
  let from = -1;
  for (let i = 0; i <= text.length; i++) {
    const c = text.charCodeAt(i);
    const inside = i < text.length && (isLetter(c) || c === 0x2e || c === 0x2f || c === 0x5c || c === 0x2d);
    if (inside) {
      if (from === -1) from = i;
    } else if (from !== -1) {
      if (i - from <= NAME_MOST) addName(names, text.slice(from, i));
      from = -1;
    }
  }
}

function addName(names: Set<string>, raw: string): void {
  const name = trimDots(raw.toLowerCase().replaceAll("\\", "/"));
  names.add(name);
  names.add(baseName(name));
}

function trimDots(name: string): string {
  let start = 0;
  let end = name.length;
  while (start < end && (name.startsWith("./", start) || name.charAt(start) === "/"))
    start += name.charAt(start) === "/" ? 1 : 2;
  while (end > start && name.charAt(end - 1) === ".") end--;
  return name.slice(start, end);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The body names the document: its reference, its file, or its number as a decision record. */
export function isNamed(document: ContextDocument, mentions: Mentions): boolean {
  const ref = trimDots(document.ref.toLowerCase());
  if (mentions.names.has(ref)) return true;
  const base = baseName(ref);
  if (base.includes(".") && base.length > 4 && mentions.names.has(base)) return true;
  if (document.kind !== "adr") return false;
  const digits = /^(?:adr[-_ ]?)?0*(\d{1,6})/.exec(base)?.[1];
  return (
    digits !== undefined &&
    [digits, digits.padStart(3, "0"), digits.padStart(4, "0")].some((n) => mentions.names.has(`adr-${n}`))
  );
}

/** The body speaks of the document's domain, of one of its tags, or of what its title speaks of. */
export function isRelated(document: ContextDocument, mentions: Mentions): boolean {
  if (document.domain !== "" && says(document.domain, mentions)) return true;
  if (document.tags.some((tag) => says(tag, mentions))) return true;
  const telling = tellingWords(document.title);
  if (telling.length === 0) return false;
  const shared = telling.filter((word) => mentions.words.has(word)).length;
  return shared >= Math.min(2, telling.length);
}

function says(name: string, mentions: Mentions): boolean {
  const parts = words(name)
    .flatMap((word) => word.lower.split(/[-_]/))
    .filter((part) => part !== "");
  return parts.length > 0 && parts.every((part) => mentions.words.has(stem(part)));
}

const PLAIN = new Set(
  "with from into that this have will should must when then than for and the use using over under about".split(" "),
);

function tellingWords(title: string): readonly string[] {
  const telling = words(title)
    .flatMap((word) => word.lower.split(/[-_]/))
    .filter((word) => word.length >= 4 && !PLAIN.has(word) && !/^\d/.test(word));
  return [...new Set(telling.map(stem))];
}

const FOLDERS: readonly { readonly kind: DocumentKind; readonly names: readonly string[] }[] = [
  { kind: "adr", names: ["adr", "adrs", "decisions", "decision"] },
  { kind: "intent_spec", names: ["intent", "intents", "specs", "spec", "intent-specs", "intent_specs"] },
  { kind: "standard", names: ["standard", "standards", "conventions", "style"] },
  { kind: "principles", names: ["principles", "principle", "vision"] },
  { kind: "source", names: ["src", "lib", "app", "packages", "source", "internal", "cmd", "test", "tests"] },
];

/**
 * Describe a document of which only the reference is known: `adr:0007-tokens`, `docs/adr/0007-tokens.md`, `src/a.ts`.
 * Null when the reference does not tell what it is: nobody guesses what a child may see.
 */
export function documentOfRef(ref: string): ContextDocument | null {
  const parts = ref
    .toLowerCase()
    .split(/[/:\\]/)
    .filter((part) => part !== "" && part !== ".");
  const base = (parts.at(-1) ?? "").replace(/\.[a-z0-9]{1,8}$/, "");
  const kind = FOLDERS.find(({ names }) => parts.slice(0, -1).some((p) => names.includes(p)))?.kind ?? kindOfName(base);
  if (kind === null) return null;
  const title = base.replaceAll(/[-_.]/g, " ").replace(/^(?:adr )?\d{1,6} /, "");
  const domain = kind === "principles" || kind === "standard" ? "" : title.slice(0, 128);
  return { ref, kind, domain, status: "active", tags: [], title: title.slice(0, 300), size: 0 };
}

function kindOfName(base: string): DocumentKind | null {
  if (/^adr[-_]?\d/.test(base)) return "adr";
  return (
    FOLDERS.find(
      ({ kind, names }) => kind !== "source" && names.some((name) => base === name || base.startsWith(`${name}-`)),
    )?.kind ?? null
  );
}
