import { type Detector, Finds } from "./evidence.js";
import { isDigit, isIdentifierChar, isUpper } from "./identifiers.js";

const EXTENSIONS = new Set(
  (
    "js mjs cjs jsx ts mts cts tsx vue svelte astro html htm css scss sass less py pyi pyx ipynb rb erb rake gemspec go mod rs " +
    "java kt kts groovy gradle scala clj ex exs erl hs ml mli fs fsx cs csproj vb c h cc cpp cxx hpp hh hxx m mm swift " +
    "plist xib storyboard dart lua r rmd jl pl pm php phtml twig sh bash zsh fish ps1 bat cmd sql proto graphql thrift tf hcl " +
    "json jsonl json5 yaml yml toml ini cfg conf properties env xml xsd xsl lock md mdx rst adoc tex make mk cmake ninja bazel bzl nix " +
    "dockerfile asm s v sv vhd ino zig nim sol wat"
  ).split(" "),
);

/** Files about the project that every template asks to read. */
const BOILERPLATE = new Set(["contributing.md", "code_of_conduct.md", "support.md", "security.md"]);

/** Names of things, not of files, that end like a file. */
const NAMED_LIKE_FILES = new Set(
  "node vue next nuxt three d3 chart moment ember backbone angular react express video socket discord alpine".split(
    " ",
  ),
);

/**
 * File names and paths that the author names, and links to a line of source.
 *
 * An address is not a path: only one that points at a line (`#L12`) or at a file in a tree of sources says where.
 */
export const filePaths: Detector = (doc) => {
  const finds = new Finds();
  for (const token of doc.tokens) {
    if (token.plain) continue;
    const path = pathOf(token.text, token.code);
    if (path !== null) finds.add(token.start, token.end, path);
    else addPathsAmongSigns(finds, token);
  }
  for (const line of doc.lines) {
    if (!line.code) continue;
    const path = pathAtStart(line.text);
    if (path !== null) finds.add(line.start, line.start + path.length, path);
  }
  for (const part of doc.segments) {
    if (part.kind === "url" && (pointsAtLine(part.text) || pointsAtSource(part.text)))
      finds.add(part.start, part.end, part.text);
  }
  return finds.all();
};

/** Chinese and Japanese are written without blanks: `在src/a.c里添加` names a path. */
function addPathsAmongSigns(finds: Finds, { text, start, code }: { text: string; start: number; code: boolean }): void {
  let from = 0;
  let mixed = false;
  for (let at = 0; at <= text.length; at++) {
    const sign = at < text.length && text.charCodeAt(at) >= FIRST_SIGN;
    if (sign) mixed = true;
    else if (at < text.length) continue;
    if (mixed && at > from) {
      const run = text.slice(from, at).replace(/[,;:!?.]+$/, "");
      const path = pathOf(run, code);
      if (path !== null) finds.add(start + from, start + from + run.length, path);
    }
    from = at + 1;
  }
}

/** Where the signs of Chinese, Japanese and Korean begin. */
const FIRST_SIGN = 0x2e80;

/** `src/a.c:12: error …`: how compilers and searches print where. */
function pathAtStart(line: string): string | null {
  const space = line.indexOf(" ");
  const head = space === -1 ? line : line.slice(0, space);
  const colon = head.indexOf(":", 2);
  return colon > 0 && head.length < 300 ? pathOf(head.slice(0, colon), false) : null;
}

/** The path without its line number, or null. */
export function pathOf(token: string, code: boolean): string | null {
  const path = withoutLine(token);
  if (path.length < 3 || path.includes("(") || path.includes("=") || path.includes("@")) return null;
  if (path.includes("::") || path.includes("//")) return null;
  const slash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  const name = path.slice(slash + 1);
  const dot = name.lastIndexOf(".");
  if (BOILERPLATE.has(name.toLowerCase())) return null;
  if (dot !== -1 && hasExtension(name, dot)) {
    const stem = name.slice(0, dot);
    // "a.m./p.m": what stands for one letter on both sides of the dot is an abbreviation.
    if (stem.length < 2 && name.length < 4 && !code && (slash === -1 || path.indexOf(".") < slash)) return null;
    if (slash !== -1) return path;
    if (stem === "" || stem.endsWith(".")) return code ? path : null;
    if (!isFileStem(stem)) return null;
    return isNamedLikeFile(name, stem, code) ? null : path;
  }
  if (slash === -1) return null;
  if (code && slash > 0 && !path.startsWith("-") && !path.includes("<") && !hasSpaceLikeMarks(path)) return path;
  return path.startsWith("./") || path.startsWith("../") || path.startsWith("~/") ? path : null;
}

function withoutLine(token: string): string {
  const colon = token.indexOf(":", 2);
  return colon > 0 && isDigit(token.charCodeAt(colon + 1)) ? token.slice(0, colon) : token;
}

function hasExtension(name: string, dot: number): boolean {
  const extension = name.slice(dot + 1);
  return extension.length <= 12 && EXTENSIONS.has(extension.toLowerCase());
}

function isFileStem(stem: string): boolean {
  for (let i = 0; i < stem.length; i++) {
    const c = stem.charCodeAt(i);
    if (!isIdentifierChar(c) && c !== 0x2d && c !== 0x2e && c !== 0x2b) return false;
  }
  // "5.c" or "1.2.md" is numbering, not a name.
  return !isDigit(stem.charCodeAt(0)) || stem.length > 3;
}

function isNamedLikeFile(name: string, stem: string, code: boolean): boolean {
  if (code) return false;
  if (!name.toLowerCase().endsWith(".js") && stem.length > 1) return false;
  return isUpper(name.charCodeAt(0)) || stem.length < 2 || NAMED_LIKE_FILES.has(stem);
}

function hasSpaceLikeMarks(path: string): boolean {
  return path.includes(",") || path.includes(";") || path.includes("{") || path.includes("$") || path.includes("*");
}

/** `…/blob/main/src/a.c`: a file as a repository shows it. Guides that every template links to are none. */
function pointsAtSource(url: string): boolean {
  const blob = url.indexOf("/blob/");
  return (
    blob > 0 && !url.includes("#") && pathOf(url.slice(blob + 6), false) !== null && !/\.(?:md|rst|txt)$/i.test(url)
  );
}

/** `…/blob/main/src/a.c#L12`. */
export function pointsAtLine(url: string): boolean {
  const hash = url.lastIndexOf("#L");
  return hash > 0 && isDigit(url.charCodeAt(hash + 2));
}
