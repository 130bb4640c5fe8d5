import type { FactPack } from "../../../model/settings/packs.js";
import { codeNamesIn, spokenText, titlePrefixOf } from "../../../foundation/text/said-names.js";
import { factStrings } from "./fact-strings.js";
import { hasManyPoints } from "./list-points.js";
import { MANY, type Mentioned, findMentioned } from "./mentioned.js";

/*
 * Which part of the source a request is about. It narrows only on evidence: a file that is there, a package or folder
 * named as one, a name that the source defines. A scope that is too narrow costs a person's time, so what is found is
 * widened to what lies beside it and to what uses it, and without evidence nothing is narrowed.
 */

export interface Narrowing {
  /** Paths that a change of existing behaviour may write. */
  readonly change: readonly string[];
  /** Paths that new behaviour may write: it may need files of its own. */
  readonly extend: readonly string[];
  /** The packages it is about, below which their tests are. */
  readonly packages: readonly string[];
  /** The tests of the files that were found. */
  readonly tests: readonly string[];
  /** Its files are named one by one. */
  readonly isNamed: boolean;
  /** The reasons, one phrase each: "it names src/total.ts". */
  readonly because: readonly string[];
}

/** Contract: pure; the same words and facts give the same. Null: nothing in the words names a part of the source. */
export function narrowingOf(text: string, facts: FactPack | null): Narrowing | null {
  if (hasManyPoints(text)) return null;
  const known = findMentioned(text, facts);
  const places = factStrings(facts, "source_places");
  const packages = factStrings(facts, "packages");
  const named = findNamedSource(known);
  if (named.length > 0) {
    const files = named.map(({ path }) => path);
    return {
      change: files,
      extend: [...new Set(files.map((path) => widenToFolder(path, places)))],
      packages: packagesOf(files, packages),
      tests: files.flatMap((path) => known.tests.get(path) ?? []),
      isNamed: true,
      because: [`it names ${listPaths(files)}`],
    };
  }
  const folders = namedFolders(text, known, packages);
  const defined = definedFiles(text, known);
  const scope = new Set(folders.map(({ folder }) => `${folder}/**`));
  for (const { path } of defined) for (const pattern of reachOf(path, known, packages, places)) scope.add(pattern);
  if (scope.size > 0) for (const pattern of findMentionedBeside(known)) scope.add(pattern);
  const patterns = withoutCovered([...scope]);
  if (patterns.length === 0 || patterns.length > MOST_PATTERNS || coversNearlyAll(patterns, places, facts)) return null;
  const files = defined.map(({ path }) => path);
  return {
    change: patterns,
    extend: patterns,
    packages: packagesOf([...files, ...folders.map(({ folder }) => `${folder}/`)], packages),
    tests: files.flatMap((path) => known.tests.get(path) ?? []),
    isNamed: false,
    because: [
      ...folders.map(({ word, folder }) => `it speaks of ${word}, which is ${folder}`),
      ...defined.map(({ name, path }) => `it speaks of ${name}, which ${path} defines`),
    ].slice(0, 4),
  };
}

const MOST_PATTERNS = 40;

/** Folders and files that are called what a word says: too little to narrow a scope to them, enough to add them to one. */
function findMentionedBeside({ folders, stems }: Mentioned): string[] {
  const only = (found: ReadonlyMap<string, readonly string[]>) =>
    [...found].flatMap(([word, paths]) =>
      word.length >= SHORTEST_NAME && paths.length === 1 && !CALLS_A_PART.test(word) ? paths : [],
    );
  return [...only(folders).map((folder) => `${folder}/**`), ...only(stems)];
}

/** Files that are named by a path, or by a name that only one file has. */
function findNamedSource({ files }: Mentioned): { readonly word: string; readonly path: string }[] {
  const source = files.filter(({ kind }) => kind === "source");
  const isOnly = (word: string) => files.filter((each) => each.word === word).length === 1;
  const found = new Map(source.filter(({ word }) => isOnly(word)).map((each) => [each.path, each]));
  return [...found.values()];
}

interface NamedFolder {
  readonly word: string;
  readonly folder: string;
}

const PART =
  "(?:integration|component|package|module|plugin|server|crate|library|app|service|extension|provider|adapter|driver|workspace|middleware|subsystem|directory|folder)s?";
const CALLS_A_PART = new RegExp(`^${PART}$`);
const SHORTEST_BARE = 3;

/** Folders that are named as a part of the project: in front of a colon, beside such a noun, or by a path. */
function namedFolders(text: string, known: Mentioned, packages: readonly string[]): NamedFolder[] {
  const prefix = new Set(titlePrefixOf(text)?.parts.map((part) => part.toLowerCase()) ?? []);
  const spoken = spokenText(text).toLowerCase();
  const found: NamedFolder[] = [];
  for (const [word, all] of known.folders) {
    if (word.length < SHORTEST_BARE && !prefix.has(word)) continue;
    const own = all.filter((folder) => packages.includes(folder));
    const candidates = own.length > 0 ? own : all;
    const [folder] = candidates;
    if (folder === undefined || candidates.length !== 1) continue;
    const isPackage = own.length > 0;
    if (prefix.has(word) || isSaidAsPart(word, spoken, isPackage)) found.push({ word, folder });
  }
  return found;
}

function isSaidAsPart(word: string, spoken: string, isPackage: boolean): boolean {
  const name = escapePattern(word);
  const alone = `(?<![\\w/.-])\`?${name}/?\`?(?![\\w/-])`;
  if (word.includes("/")) return true;
  if (new RegExp(`${alone}[ -]${PART}\\b`).test(spoken) || new RegExp(`\\b${PART} ${alone}`).test(spoken)) return true;
  if (!isPackage) return false;
  // A package is called by its name: "in core", "to the cli"; `proxy-addr` is nothing but a name.
  if (word.includes("-") && new RegExp(alone).test(spoken)) return true;
  return new RegExp(
    `\\b(?:in|of|to|for|from|inside) (?:the )?${alone}(?=$|[.,;:)\\n]| (?:and|when|so|if|that)\\b)`,
  ).test(spoken);
}

interface DefinedName {
  readonly name: string;
  readonly path: string;
}

const SHORTEST_NAME = 4;
/** Names that every project has: they say what something is, and not which. */
const EVERYWHERE = new Set("main init index setup constructor default test tests module config options".split(" "));
const NEW_NAME =
  /^(?:[\w-]+(?:\([^)]*\))?!?:\s*)?(?:add|create|introduce|implement|support|provide|expose)\s+(?:an?\s+|the\s+|new\s+|support\s+for\s+)*`?([A-Za-z_$][\w$]*)/i;

/** Source files that define what the request writes as code. */
function definedFiles(text: string, known: Mentioned): DefinedName[] {
  const names = codeNamesIn(text);
  const isKnown = (word: string) =>
    known.definitions.has(word) || known.folders.has(word.toLowerCase()) || known.stems.has(word.toLowerCase());
  const fresh = NEW_NAME.exec(text.trimStart())?.[1];
  // Behaviour to be added is nowhere yet, and may go anywhere: the names beside it say little.
  if (fresh !== undefined && names.some(({ name }) => name === fresh) && !isKnown(fresh)) return [];
  const found: DefinedName[] = [];
  for (const { name, of } of names) {
    // `slices.Concat` is not ours just because something else here is called Concat.
    if (
      EVERYWHERE.has(name) ||
      name.length < SHORTEST_NAME ||
      /^[A-Z0-9]+$/.test(name) ||
      (of[0] !== undefined && !isKnown(of[0]))
    )
      continue;
    for (const path of known.definitions.get(name) ?? []) if (path !== MANY) found.push({ name, path });
  }
  const prefix = titlePrefixOf(text)?.parts ?? [];
  for (const part of prefix)
    for (const path of known.folders.has(part.toLowerCase()) ? [] : (known.stems.get(part.toLowerCase()) ?? []))
      found.push({ name: part, path });
  return found;
}

/** A file with what lies beside it and what uses it; its whole package where there are several. */
function reachOf(path: string, known: Mentioned, packages: readonly string[], places: readonly string[]): string[] {
  const own = packageOf(path, packages);
  const neighbours = known.neighbours.get(path) ?? [];
  const beside = own === null ? widenToFolder(path, places) : `${own}/**`;
  if (neighbours.includes(MANY)) return [own === null ? (placeOf(path, places) ?? beside) : beside];
  return [beside, ...neighbours];
}

/** The folder of a file as a pattern; the place of source where it lies at the root. */
function widenToFolder(path: string, places: readonly string[]): string {
  const folder = folderOf(path);
  return folder === "" ? (placeOf(path, places) ?? path) : `${folder}/**`;
}

function placeOf(path: string, places: readonly string[]): string | null {
  return places.find((place) => covers(place, path)) ?? null;
}

/** Whether a pattern of the profile, `folder/**` or `*.ending`, covers a path or pattern. */
function covers(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  if (pattern.endsWith("/**")) return path.startsWith(pattern.slice(0, -2));
  return pattern.startsWith("*.") && !path.includes("/") && path.endsWith(pattern.slice(1));
}

function withoutCovered(patterns: readonly string[]): string[] {
  return patterns.filter((path) => !patterns.some((other) => other !== path && covers(other, path)));
}

/** A part that is nearly everything: to call it narrow would say more than it does. */
const NEARLY_ALL = 0.9;

function coversNearlyAll(patterns: readonly string[], places: readonly string[], facts: FactPack | null): boolean {
  const files = factStrings(facts, "source_files");
  const all = files.length > 0 ? files : factStrings(facts, "source_folders").map((folder) => `${folder}/`);
  if (all.length === 0)
    return places.length > 0 && places.every((place) => patterns.some((pattern) => covers(pattern, place)));
  return all.filter((path) => patterns.some((pattern) => covers(pattern, path))).length > NEARLY_ALL * all.length;
}

function packageOf(path: string, packages: readonly string[]): string | null {
  const own = packages.filter((folder) => path.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length);
  return own[0] ?? null;
}

function packagesOf(paths: readonly string[], packages: readonly string[]): string[] {
  const own = paths.map((path) => packageOf(path, packages));
  return own.includes(null) ? [] : [...new Set(own.filter((folder) => folder !== null))];
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const escapePattern = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
const listPaths = (paths: readonly string[]): string =>
  paths.length <= 3 ? paths.join(", ") : `${paths.slice(0, 3).join(", ")} and ${paths.length - 3} more`;
