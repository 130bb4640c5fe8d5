import { isTestPath, pathsIn } from "../../adr/task-kind.js";
import type { FactPack } from "../../model/packs.js";
import { safePaths } from "../words.js";

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
}

/** The strings of a fact; none when the pack does not say, or when its sources disagree. */
export function factStrings(facts: FactPack | null, name: string): readonly string[] {
  const found = facts?.facts[name];
  const value = found === undefined || Array.isArray(found) ? undefined : found.value;
  return Array.isArray(value) ? value : typeof value === "string" ? [value] : [];
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
  };
}

/** Where source goes when neither words nor facts say it: the folders of a project that is only begun. */
const NEW_SOURCE = ["src/**"];
const NEW_TESTS = ["test/**"];
export const NEW_DOCS = ["docs/**"];

/** What new behaviour may write. A named file may get neighbours; without any, all source there is. */
export function sourceToExtend({ source, named }: Places): readonly string[] {
  const around = named.source.map((path) =>
    path.includes("/") && !/[*?{]/.test(path) ? `${folderOf(path)}/**` : path,
  );
  if (around.length > 0) return safePaths(around);
  return source.length > 0 ? source : NEW_SOURCE;
}

/** What a change of existing behaviour may write: the named files and no others, where any are named. */
export function sourceToChange({ source, named }: Places): readonly string[] {
  if (named.source.length > 0) return named.source;
  return source.length > 0 ? source : NEW_SOURCE;
}

export function testsOf({ tests, named }: Places): readonly string[] {
  if (named.tests.length > 0) return named.tests;
  return tests.length > 0 ? tests : NEW_TESTS;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
