import type { FactPack } from "../../model/packs.js";
import { tellingWords } from "../words.js";
import { factStrings } from "./fact-strings.js";

/*
 * Which part of the source a request speaks of, by names alone: files, folders and packages that are called what its
 * words say. It says nothing unless that is clear, because a scope that is too narrow costs a person's time.
 */

export interface Nearby {
  /** What a change of existing behaviour may write. */
  readonly change: readonly string[];
  /** What new behaviour may write: it may need files of its own. */
  readonly extend: readonly string[];
  /** The package it is about, below which its tests are; null when there are no packages, or it is none of them. */
  readonly package: string | null;
  /** The words that speak for it. */
  readonly because: readonly string[];
}

/** More files than this are no part any more. */
const MOST_FILES = 3;

/** Contract: pure; the same words and facts give the same. Null: nothing is clear. */
export function nearbyOf(text: string, facts: FactPack | null): Nearby | null {
  const places = factStrings(facts, "source_places").filter((place) => place.endsWith("/**"));
  const said = new Set(tellingWords(text).flatMap(partsOf));
  const packages = packagesIn(places);
  const inside = packageOf(packages, said);
  const within = (path: string) => inside === null || path.startsWith(`${inside.folder}/`);
  const byFile = clearest(factStrings(facts, "source_files").filter(within), stemOf, said);
  const [one] = byFile.found;
  if (one !== undefined && byFile.found.length <= MOST_FILES && byFile.found.every(sharesFolder(one))) {
    const folder = folderOf(one);
    const wide = places.find((place) => covers(place, one)) ?? null;
    const extend = folder === "" ? wide : `${folder}/**`;
    return {
      change: byFile.found,
      extend: extend === null ? byFile.found : [extend],
      package: inside?.folder ?? packages.find((each) => one.startsWith(`${each}/`)) ?? null,
      because: [...(inside?.because ?? []), ...byFile.because],
    };
  }
  const folders = foldersBelow(facts, places).filter(within);
  const byFolder = clearest(folders, nameOf, said);
  const tops = byFolder.found.filter((path) => !byFolder.found.some((other) => path.startsWith(`${other}/`)));
  const [folder] = tops;
  // Files of that name elsewhere speak against it.
  if (folder !== undefined && tops.length === 1 && byFile.found.every((path) => path.startsWith(`${folder}/`)))
    return {
      change: [`${folder}/**`],
      extend: [`${folder}/**`],
      package: inside?.folder ?? packages.find((each) => folder.startsWith(`${each}/`)) ?? null,
      because: [...(inside?.because ?? []), ...byFolder.because],
    };
  if (inside === null) return null;
  const all = [`${inside.folder}/**`];
  return { change: all, extend: all, package: inside.folder, because: inside.because };
}

function packagesIn(places: readonly string[]): string[] {
  const folders = places.map((place) => place.slice(0, -3)).filter((folder) => folder.includes("/"));
  return folders.length < 2 ? [] : folders;
}

/** The one of several packages that the words name; null when they name none, or more than one. */
function packageOf(
  packages: readonly string[],
  said: ReadonlySet<string>,
): { readonly folder: string; readonly because: readonly string[] } | null {
  const { found, because } = clearest(packages, nameOf, said, NOTHING_IS_TOO_LITTLE);
  const [folder] = found;
  return found.length === 1 && folder !== undefined ? { folder, because } : null;
}

function foldersBelow(facts: FactPack | null, places: readonly string[]): string[] {
  const known = [
    ...factStrings(facts, "source_folders"),
    ...factStrings(facts, "source_files")
      .map(folderOf)
      .filter((folder) => folder !== ""),
  ];
  const above = known.flatMap((folder) => {
    const parts = folder.split("/");
    return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  });
  // A whole place is nothing that could be narrower.
  return [...new Set(above)].filter((folder) => places.some((place) => covers(place, folder))).sort();
}

interface Found {
  readonly found: readonly string[];
  readonly because: readonly string[];
}

/** Those whose names have most words in common with what was said, and no word that was not. */
function clearest(
  paths: readonly string[],
  named: (path: string) => string,
  said: ReadonlySet<string>,
  saysNothing: ReadonlySet<string> = SAYS_NOTHING,
): Found {
  let most = 0;
  let found: string[] = [];
  const because = new Set<string>();
  for (const path of paths) {
    const own = [...new Set(partsOf(named(path)))].filter((part) => !saysNothing.has(part));
    // A name that would be read as a pattern stands for other files too.
    if (/[*?{]/.test(path)) continue;
    if (own.length === 0 || own.length < most || !own.every((part) => said.has(part))) continue;
    if (own.length > most) {
      most = own.length;
      found = [];
      because.clear();
    }
    found.push(path);
    for (const part of own) because.add(part);
  }
  return { found, because: [...because].sort() };
}

/** Words in the names of files that say what a file is, and not what it is about. */
const SAYS_NOTHING = new Set(
  (
    "index main app init lib mod core common shared base util utils helper type types constant config setting src " +
    "service controller handler manager model module component view page screen route router store api client server " +
    "test spec mock fixture internal pkg cmd public private new old data file d"
  ).split(" "),
);

/** Packages are few, and people call them by their names: the core, the cli. */
const NOTHING_IS_TOO_LITTLE: ReadonlySet<string> = new Set();

/** `orderService`, `order_service` and `Orders` have the word order in common. */
function partsOf(name: string): string[] {
  return name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length > 1)
    .map(singular);
}

function singular(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:[sxz]|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) && !word.endsWith("is") ? word.slice(0, -1) : word;
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const stemOf = (path: string): string => nameOf(path).replace(/\.[^.]*$/, "");
const sharesFolder = (one: string) => (path: string) => folderOf(path) === folderOf(one);

/** Whether a path lies below the folder of a pattern. */
function covers(place: string, path: string): boolean {
  return place.endsWith("/**") && path.startsWith(place.slice(0, -2));
}
