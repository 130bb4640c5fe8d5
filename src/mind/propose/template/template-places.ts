import { isTestPath, pathsIn } from "../../adr/task-kind.js";
import type { FactPack } from "../../../model/settings/packs.js";
import { safePaths } from "../words.js";
import { findAlongside } from "./alongside.js";
import { factStrings } from "./fact-strings.js";
import { findMentioned } from "./mentioned.js";
import { type Narrowing, narrowingOf } from "./narrow.js";
import type { Scaffold } from "./scaffolds.js";

/** Where work of a project goes, as far as words and facts say. Patterns, narrowest first; empty: unknown. */
export interface Places {
  readonly source: readonly string[];
  readonly tests: readonly string[];
  readonly docs: readonly string[];
  /** Changelogs, and folders of fragments for them. */
  readonly news: readonly string[];
  readonly manifests: readonly string[];
  readonly builds: readonly string[];
  readonly pipelines: readonly string[];
  readonly infrastructure: readonly string[];
  readonly migrations: readonly string[];
  /** Paths the request itself names: those that are there, as they are spelled there, and those that are to be made. */
  readonly named: {
    readonly source: readonly string[];
    readonly tests: readonly string[];
    readonly docs: readonly string[];
  };
  /** Files that the words speak of beside source, tests and pages: examples, build files, a licence. */
  readonly alongside: readonly string[];
  /** The part of the source the request is about; null when its words name none. */
  readonly narrowing: Narrowing | null;
}

export function placesOf(text: string, facts: FactPack | null): Places {
  const of = (name: string) => safePaths(factStrings(facts, name));
  const { files } = findMentioned(text, facts);
  const there = (...kinds: readonly string[]) =>
    safePaths(files.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path));
  const fresh = newPaths(text, files, facts);
  const narrowing = narrowingOf(text, facts);
  return {
    source: of("source_places"),
    tests: of("test_places"),
    docs: of("docs_places"),
    news: of("news_places"),
    manifests: of("manifests"),
    builds: of("build_files"),
    pipelines: of("pipeline_places"),
    infrastructure: of("infrastructure_places"),
    migrations: of("migration_places"),
    named: {
      source: safePaths([...(narrowing?.isNamed === true ? narrowing.change : []), ...fresh.filter(isCode)]),
      tests: safePaths([...there("test"), ...fresh.filter((path) => !isDoc(path) && isTestPath(path))]),
      docs: safePaths([...there("page", "news"), ...fresh.filter(isDoc)]),
    },
    alongside: findAlongside(text, files, of, narrowing?.isNamed === true),
    narrowing,
  };
}

const isDoc = (path: string) => /\.(?:md|mdx|rst|adoc|rdoc|txt)$/i.test(path);
/** Files that programs read and people do not write by hand. */
const isData = (path: string) =>
  /\.(?:csv|tsv|parquet|feather|npz|npy|xlsx?|png|jpe?g|gif|webp|pdf|zip|gz|db|sqlite)$/i.test(path);
const isCode = (path: string) => !isDoc(path) && !isTestPath(path) && !isData(path);

/**
 * Paths that are named and not there. Where nothing is known of the project every path may be one; otherwise it has to
 * lie in a place of the project, or at its root as a page: `Node.js`, `1.2/3.4` and `dist/x.js` are not files to make.
 */
function newPaths(text: string, files: readonly { readonly word: string }[], facts: FactPack | null): string[] {
  const words = new Set(files.map(({ word }) => word));
  const tops = new Set(
    PLACE_FACTS.flatMap((name) => factStrings(facts, name))
      .filter((place) => place.includes("/") && !place.startsWith("*"))
      .map((place) => place.slice(0, place.indexOf("/"))),
  );
  const isUnknown = factStrings(facts, "source_places").length === 0;
  return safePaths(pathsIn(text)).filter((path) => {
    if (words.has(path.toLowerCase()) || /[*?{}]/.test(path)) return false;
    if (isUnknown) return true;
    const top = path.includes("/") ? path.slice(0, path.indexOf("/")) : null;
    return top === null ? isDoc(path) : tops.has(top);
  });
}

const PLACE_FACTS = [
  "source_places",
  "beside_places",
  "test_places",
  "docs_places",
  "pipeline_places",
  "migration_places",
];

/** Places of a project that is only begun: where nothing is known of it, the scaffold of its kind says where files go. */
export function placeOnScaffold(places: Places, { source, tests }: Scaffold): Places {
  return {
    ...places,
    source: places.source.length > 0 ? places.source : source,
    tests: places.tests.length > 0 ? places.tests : tests,
  };
}

export const NEW_DOCS = ["docs/**"];

/** Selects the source that new behaviour may write. A named file may get neighbours; without any, all source there is. */
export function sourceToExtend({ source, named, narrowing }: Places): readonly string[] {
  if (narrowing !== null) return safePaths([...narrowing.extend, ...named.source.map(folderPattern)]);
  if (named.source.length > 0) return safePaths(named.source.map(folderPattern));
  return source;
}

/** Selects the source that a change of existing behaviour may write: the named files and no others, where any are named. */
export function sourceToChange({ source, named, narrowing }: Places): readonly string[] {
  if (narrowing !== null) return safePaths([...narrowing.change, ...named.source]);
  if (named.source.length > 0) return named.source;
  return source;
}

/** Selects the source that a restructuring may write: code may move to files of its own. */
export function sourceToRestructure(places: Places): readonly string[] {
  return sourceToExtend(places);
}

export function testsOf({ tests, named, narrowing }: Places): readonly string[] {
  const packages = narrowing?.packages ?? [];
  const own = tests.filter((place) => packages.some((folder) => place.startsWith(`${folder}/`)));
  if (own.length > 0) return safePaths([...named.tests, ...own]);
  return safePaths([...named.tests, ...tests]);
}

/**
 * Selects files that go with a change of the product: the changelog, the pages about it, and others that its words name.
 * A request that names files wants no other pages than the changelog.
 */
export function listChangedAlong({ news, docs, alongside, named }: Places): readonly string[] {
  return safePaths([...named.docs, ...alongside, ...news, ...(named.source.length > 0 ? [] : docs)]);
}

function folderPattern(path: string): string {
  return path.includes("/") ? `${path.slice(0, path.lastIndexOf("/"))}/**` : path;
}
