import { isTestPath, pathsIn } from "../../adr/task-kind.js";
import type { FactPack } from "../../model/packs.js";
import { safePaths } from "../words.js";
import { factStrings } from "./fact-strings.js";
import { type Nearby, nearbyOf } from "./nearby.js";

/** Where work of a project goes, as far as words and facts say. Patterns, narrowest first; empty: nobody knows. */
export interface Places {
  readonly source: readonly string[];
  readonly tests: readonly string[];
  readonly docs: readonly string[];
  readonly manifests: readonly string[];
  readonly pipelines: readonly string[];
  readonly infrastructure: readonly string[];
  readonly migrations: readonly string[];
  /** Paths the request itself names. */
  readonly named: {
    readonly source: readonly string[];
    readonly tests: readonly string[];
    readonly docs: readonly string[];
  };
  /** The part of the source the request speaks of; null when that is not clear, or it names paths. */
  readonly nearby: Nearby | null;
}

export function placesOf(text: string, facts: FactPack | null): Places {
  const named = safePaths(pathsIn(text));
  const isDoc = (path: string) => /\.(?:md|mdx|rst|adoc|txt)$/i.test(path);
  const of = (name: string) => safePaths(factStrings(facts, name));
  return {
    source: of("source_places"),
    tests: of("test_places"),
    docs: of("docs_places"),
    manifests: of("manifests"),
    pipelines: of("pipeline_places"),
    infrastructure: of("infrastructure_places"),
    migrations: of("migration_places"),
    named: {
      source: named.filter((path) => !isDoc(path) && !isTestPath(path)),
      tests: named.filter((path) => !isDoc(path) && isTestPath(path)),
      docs: named.filter(isDoc),
    },
    nearby: named.some((path) => !isDoc(path)) ? null : nearbyOf(text, facts),
  };
}

/** Where source goes when neither words nor facts say it: the folders of a project that is only begun. */
const NEW_SOURCE = ["src/**"];
const NEW_TESTS = ["test/**"];
export const NEW_DOCS = ["docs/**"];

/** What new behaviour may write. A named file may get neighbours; without any, all source there is. */
export function sourceToExtend({ source, named, nearby }: Places): readonly string[] {
  const around = named.source.map((path) =>
    path.includes("/") && !/[*?{]/.test(path) ? `${folderOf(path)}/**` : path,
  );
  if (around.length > 0) return safePaths(around);
  if (nearby !== null) return nearby.extend;
  return source.length > 0 ? source : NEW_SOURCE;
}

/** What a change of existing behaviour may write: the named files and no others, where any are named. */
export function sourceToChange({ source, named, nearby }: Places): readonly string[] {
  if (named.source.length > 0) return named.source;
  if (nearby !== null) return nearby.change;
  return source.length > 0 ? source : NEW_SOURCE;
}

/** What another structure of the same behaviour may write: code may move to files of its own. */
export function sourceToRestructure(places: Places): readonly string[] {
  return places.nearby === null ? sourceToChange(places) : places.nearby.extend;
}

export function testsOf({ tests, named, nearby }: Places): readonly string[] {
  if (named.tests.length > 0) return named.tests;
  const own = nearby?.package == null ? [] : tests.filter((place) => place.startsWith(`${nearby.package}/`));
  if (own.length > 0) return own;
  return tests.length > 0 ? tests : NEW_TESTS;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
