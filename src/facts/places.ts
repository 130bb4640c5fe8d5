import { CI_FILES, LANGUAGES, LOCKFILES, MANIFESTS, MIGRATION_FILES, SHARED_MANIFESTS, TEST_FILES } from "./signs.js";

/* Where a project keeps what, as patterns a scope can hold. Found by names alone, in one pass over the files. */

export interface TreeFile {
  readonly path: string;
  readonly bytes: number;
}

export interface FoundPlaces {
  readonly source: readonly string[];
  readonly tests: readonly string[];
  readonly docs: readonly string[];
  readonly manifests: readonly string[];
  readonly pipelines: readonly string[];
  readonly infrastructure: readonly string[];
  readonly migrations: readonly string[];
  readonly sourceBytes: number;
  /** The files behind `source`, in the order of the tree. */
  readonly sourceFiles: readonly string[];
}

const MOST = 20;
const FOREIGN = /(?:^|\/)(?:node_modules|vendor|third_party|dist|build|target|coverage|__pycache__|\.venv)\//;
/** Folders that hold several projects: each of them is a place of its own. */
const MANY = new Set(["packages", "apps", "libs", "services", "crates", "modules", "projects", "cmd", "plugins"]);
/** Source that is not the product's. They count only where there is no other. */
const BESIDE = new Set([
  "examples",
  "example",
  "scripts",
  "tools",
  "bench",
  "benchmarks",
  "fixtures",
  "docs",
  "doc",
  "samples",
]);
const TEST_FOLDER = /^(.*?(?:^|\/)(?:tests?|__tests__|spec|e2e))\//;
const PAGE = /\.(?:md|mdx|rst|adoc)$/i;
const DOCS_FOLDER = /^((?:[^/]+\/){0,2}?(?:docs?|documentation))\//;
const INFRASTRUCTURE_FOLDER =
  /^(.*?(?:^|\/)(?:terraform|infra|infrastructure|k8s|kubernetes|helm|charts|deploy|ansible))\//;
const INFRASTRUCTURE_FILE = /(?:^|\/)(?:Dockerfile|docker-compose\.ya?ml|compose\.ya?ml)$|\.tf$/;

/** Contract: pure and total; at most a few patterns each, most files first, the same for the same files. */
export function findPlaces(files: readonly TreeFile[]): FoundPlaces {
  const source = new Counter();
  const tests = new Counter();
  const docs = new Counter();
  const pipelines = new Counter();
  const infrastructure = new Counter();
  const migrations = new Counter();
  const manifests: string[] = [];
  const sourceFiles: string[] = [];
  let sourceBytes = 0;
  for (const { path, bytes } of files) {
    if (FOREIGN.test(path)) continue;
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (isManifest(name) && path.split("/").length <= 3) manifests.push(path);
    if (CI_FILES.test(path)) pipelines.add(path.startsWith(".github/") ? ".github/workflows/**" : path);
    const infra = INFRASTRUCTURE_FOLDER.exec(path)?.[1];
    if (infra !== undefined) infrastructure.add(`${infra}/**`);
    else if (INFRASTRUCTURE_FILE.test(path)) infrastructure.add(path);
    if (MIGRATION_FILES.test(path) && path.includes("/")) migrations.add(`${folderOf(path)}/**`);
    if (PAGE.test(path)) {
      const folder = DOCS_FOLDER.exec(path)?.[1];
      if (folder !== undefined) docs.add(`${folder}/**`);
      else if (/^readme\./i.test(path)) docs.add(path);
      continue;
    }
    if (TEST_FILES.test(path)) {
      tests.add(testPlace(path, name));
      continue;
    }
    if (!isSource(name)) continue;
    sourceBytes += bytes;
    sourceFiles.push(path);
    source.add(sourcePlace(path, name));
  }
  const isBeside = (path: string) => BESIDE.has(path.split("/")[0] ?? "");
  const own = source.without(isBeside);
  return {
    source: (own.isEmpty ? source : own).most(),
    tests: tests.most(),
    docs: docs.most(),
    manifests: manifests.slice(0, MOST),
    pipelines: pipelines.most(),
    infrastructure: infrastructure.most(),
    migrations: migrations.most(),
    sourceBytes,
    sourceFiles: own.isEmpty ? sourceFiles : sourceFiles.filter((path) => !isBeside(path)),
  };
}

/** The folder at the top, one deeper where it holds several projects; files at the root by their ending. */
function sourcePlace(path: string, name: string): string {
  const [top = "", second = "", third] = path.split("/");
  if (top === path) return `*${name.slice(name.lastIndexOf("."))}`;
  return MANY.has(top) && third !== undefined ? `${top}/${second}/**` : `${top}/**`;
}

function testPlace(path: string, name: string): string {
  const folder = TEST_FOLDER.exec(path)?.[1];
  if (folder !== undefined) return `${folder}/**`;
  // Tests that stand beside what they test: the same place, and only files of such names.
  const place = sourcePlace(path, name);
  const marked = /([._-](?:test|spec)s?)\.\w+$/.exec(name)?.[1];
  const begins = /^(test_)/.exec(name)?.[1];
  const names = marked !== undefined ? `*${marked}.*` : begins !== undefined ? `${begins}*` : `*Test*`;
  return place.endsWith("/**") ? `${place}/${names}` : names;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

class Counter {
  readonly #times: Map<string, number>;

  constructor(times: Iterable<readonly [string, number]> = []) {
    this.#times = new Map(times);
  }

  get isEmpty(): boolean {
    return this.#times.size === 0;
  }

  add(name: string): void {
    this.#times.set(name, (this.#times.get(name) ?? 0) + 1);
  }

  without(left: (name: string) => boolean): Counter {
    return new Counter([...this.#times].filter(([name]) => !left(name)));
  }

  /** Those seen most, in the order of their names. */
  most(): string[] {
    return [...this.#times]
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .slice(0, MOST)
      .map(([name]) => name)
      .sort();
  }
}

/** Names come from a repository: `constructor` is one that every object has. */
function isManifest(name: string): boolean {
  return [LOCKFILES, MANIFESTS, SHARED_MANIFESTS].some((known) => Object.hasOwn(known, name));
}

function isSource(name: string): boolean {
  const dot = name.lastIndexOf(".");
  return dot > 0 && Object.hasOwn(LANGUAGES, name.slice(dot + 1).toLowerCase());
}
