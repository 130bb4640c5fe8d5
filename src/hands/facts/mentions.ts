import { codeNamesIn, nameTokens, titlePrefixOf } from "../../foundation/text/said-names.js";
import type { DefinitionIndex } from "./definitions/index-definitions.js";
import { importGraph } from "./definitions/neighbours.js";
import { type FileKind, folderOf, kindOfFile, nameOf, stemOf } from "./file-kinds.js";
import { isBeside } from "./find-places.js";
import { testsFor } from "./test-names.js";
import type { TreeFile } from "./tree.js";

/*
 * Mentions of a request in a repository: files, folders, and names that its source defines. Only those that exist are listed,
 * with the word that names it; what follows from it for a scope is for the planner to decide.
 */

export interface Mentions {
  /** word → files that are called so, by path, by the end of their path, or by their name; and what they are. */
  readonly files: readonly FileMention[];
  /** word → source files whose name without ending it is. */
  readonly stems: readonly Mention[];
  /** word → folders with source that are called so. */
  readonly folders: readonly Mention[];
  /** name → source files that define it; `*` when they are many. */
  readonly definitions: readonly Mention[];
  /** file → files that use it or that it uses; `*` when they are many. */
  readonly neighbours: readonly Mention[];
  /** file → where its tests are, or would be by the habits of the project. */
  readonly tests: readonly Mention[];
}

type Mention = readonly [word: string, path: string];
type FileMention = readonly [word: string, path: string, kind: FileKind];

/** More files of one name than these, and the name says nothing. */
const MOST_CALLED_SO = 6;
const MOST_DEFINING = 3;
const MOST_NEIGHBOURS = 40;
const MOST_MENTIONS = 300;
const MANY = "*";

/**
 * Contract: the same words and files give the same. `index` is asked for only when the words name something that only
 * definitions can settle; null where there is none.
 */
export async function findMentions(
  text: string,
  files: readonly TreeFile[],
  index: () => Promise<DefinitionIndex | null>,
): Promise<Mentions> {
  const tokens = nameTokens(text);
  const source = ownSource(files);
  const named = namedFiles(tokens, files);
  const stems = findBounded(tokens, source, ({ path }) => stemOf(path).toLowerCase(), MOST_DEFINING);
  const names = codeNamesIn(text);
  const prefix = titlePrefixOf(text)?.parts.map((part) => part.toLowerCase()) ?? [];
  const inPrefix = stems.filter(([word]) => prefix.includes(word));
  const definitions = names.length === 0 && inPrefix.length === 0 ? null : await index();
  const defined =
    definitions === null ? [] : findDefinitions(definitions, new Set(names.flatMap(({ name, of }) => [name, ...of])));
  const isSource = new Set(source.map(({ path }) => path));
  const found = new Set(
    [...named, ...inPrefix, ...defined].map(([, path]) => path).filter((path) => isSource.has(path)),
  );
  return {
    files: named.slice(0, MOST_MENTIONS),
    stems: stems.slice(0, MOST_MENTIONS),
    folders: namedFolders(tokens, source).slice(0, MOST_MENTIONS),
    definitions: defined.slice(0, MOST_MENTIONS),
    neighbours: definitions === null ? [] : neighboursOf(definitions, found),
    tests: [...found]
      .sort()
      .flatMap((path) => testsFor(path, files).map((test): Mention => [path, test]))
      .slice(0, MOST_MENTIONS),
  };
}

/** The product's own source; where there is none, examples and scripts are the product. */
export function ownSource(files: readonly TreeFile[]): readonly TreeFile[] {
  const source = files.filter(({ path }) => kindOfFile(path) === "source");
  const own = source.filter(({ path }) => !isBeside(path));
  return own.length > 0 ? own : source;
}

function namedFiles(tokens: ReadonlySet<string>, files: readonly TreeFile[]): FileMention[] {
  const found = new Map<string, string[]>();
  for (const { path } of files) {
    const kind = kindOfFile(path);
    if (kind === "foreign") continue;
    const lower = path.toLowerCase();
    for (const end of endsOf(lower)) {
      // A word alone names a file only when it has an ending: `command.ts`, not `command`.
      if (!tokens.has(end) || (!end.includes("/") && !end.includes(".") && lower !== end)) continue;
      found.set(end, [...(found.get(end) ?? []), path]);
    }
    const isTop = !path.includes("/");
    const name = nameOf(path).replace(/^\./, "").replace(/\..*$/, "");
    // `LICENSE-MIT` is spoken of as the license.
    const word = (/^[A-Z]+[-_]/.test(name) ? name.replace(/[-_].*$/, "") : name).toLowerCase();
    const speaks = kind === "pipeline" || (isTop && kind !== "source" && kind !== "test");
    if (speaks && word.length >= 4 && tokens.has(word) && !tokens.has(nameOf(lower)))
      found.set(word, [...(found.get(word) ?? []), path]);
  }
  return [...found]
    .filter(([, paths]) => paths.length <= MOST_CALLED_SO)
    .flatMap(([word, paths]) => paths.map((path): FileMention => [word, path, kindOfFile(path)]));
}

/** A path and all of its ends: `a/b/c.ts`, `b/c.ts`, `c.ts`. */
function endsOf(path: string): string[] {
  const ends = [path];
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) ends.push(path.slice(at + 1));
  return ends;
}

function namedFolders(tokens: ReadonlySet<string>, source: readonly TreeFile[]): Mention[] {
  const folders = new Set<string>();
  for (const { path } of source)
    for (let folder = folderOf(path); folder !== "" && !folders.has(folder); folder = folderOf(folder))
      folders.add(folder);
  const found = new Map<string, string[]>();
  for (const folder of [...folders].sort())
    for (const end of endsOf(folder.toLowerCase()))
      if (tokens.has(end)) found.set(end, [...(found.get(end) ?? []), folder]);
  return [...found].flatMap(([word, all]) => {
    // `hue` and `hue/v2` below it are one place.
    const tops = all.filter((folder) => !all.some((other) => folder.startsWith(`${other}/`)));
    return tops.length > MOST_CALLED_SO ? [] : tops.map((folder): Mention => [word, folder]);
  });
}

function findBounded(
  tokens: ReadonlySet<string>,
  files: readonly TreeFile[],
  wordOf: (file: TreeFile) => string,
  most: number,
): Mention[] {
  const found = new Map<string, string[]>();
  for (const file of files) {
    const word = wordOf(file);
    if (word.length > 2 && tokens.has(word)) found.set(word, [...(found.get(word) ?? []), file.path]);
  }
  return [...found].flatMap(([word, paths]) => (paths.length > most ? [] : paths.map((path): Mention => [word, path])));
}

function findDefinitions(index: DefinitionIndex, names: ReadonlySet<string>): Mention[] {
  const found = new Map<string, string[]>([...names].map((name) => [name, []]));
  for (const [path, { names: own }] of index) for (const name of own) found.get(name)?.push(path);
  return [...found].flatMap(([name, paths]) =>
    paths.length > MOST_DEFINING ? [[name, MANY] as const] : paths.map((path): Mention => [name, path]),
  );
}

function neighboursOf(index: DefinitionIndex, files: ReadonlySet<string>): Mention[] {
  const graph = importGraph(index);
  const all = [...files].sort().flatMap((path) => {
    const around = graph.neighboursOf(path);
    return around.length > MOST_NEIGHBOURS
      ? [[path, MANY] as const]
      : around.map((neighbour): Mention => [path, neighbour]);
  });
  return all.slice(0, 1000);
}
