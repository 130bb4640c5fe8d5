import { cover } from "./cover.js";
import { folderOf, isStandingPage, kindOfFile, nameOf, newsFolderOf } from "./file-kinds.js";
import { MIGRATION_FILES } from "./signs.js";

/* Where a project keeps what, as patterns a scope can hold. Found by names alone, in one pass over the files. */

export interface FoundPlaces {
  readonly source: readonly string[];
  /** Source that is not the product's: examples, scripts, benchmarks. */
  readonly beside: readonly string[];
  readonly tests: readonly string[];
  readonly docs: readonly string[];
  /** Where a change is described for users: changelogs and folders of fragments. */
  readonly news: readonly string[];
  readonly manifests: readonly string[];
  /** How the project is built, packed and checked, beside its manifests. */
  readonly builds: readonly string[];
  readonly pipelines: readonly string[];
  readonly infrastructure: readonly string[];
  readonly migrations: readonly string[];
  /** Folders with a manifest of their own, where there are several. */
  readonly packages: readonly string[];
  readonly sourceBytes: number;
  /** The files behind `source`, in the order of the tree. */
  readonly sourceFiles: readonly string[];
}

/** Folders that hold several projects: each of them is a place of its own. */
const MANY = new Set(["packages", "apps", "libs", "services", "crates", "modules", "projects", "cmd", "plugins"]);
/** They count as source only where there is no other. */
const BESIDE = new Set(
  "examples example _examples scripts tools bench benchmark benchmarks fixtures docs doc site website samples sample playground playgrounds demo demos".split(
    " ",
  ),
);
const TEST_FOLDER = /^(.*?(?:^|\/)(?:tests?|__tests__|spec|e2e))\//;
const DOCS_FOLDER = /^((?:[^/]+\/){0,2}?(?:docs?|documentation|site|website|guides?|manual|book))\//;
const INFRASTRUCTURE_FOLDER =
  /^(.*?(?:^|\/)(?:terraform|infra|infrastructure|k8s|kubernetes|helm|charts|deploy|ansible))\//;
const INFRASTRUCTURE_FILE = /(?:^|\/)(?:Dockerfile|docker-compose\.ya?ml|compose\.ya?ml)$|\.tf$/;
const README = /^readme\b/i;
const DEEPEST_MANIFEST = 4;

/** Contract: pure and total; a few patterns each, which leave out nothing; the same for the same files. */
export function findPlaces(files: readonly { readonly path: string; readonly bytes: number }[]): FoundPlaces {
  const source = new Set<string>();
  const tests = new Set<string>();
  const docs = new Set<string>();
  const news = new Set<string>();
  const manifests = new Set<string>();
  const builds = new Set<string>();
  const pipelines = new Set<string>();
  const infrastructure = new Set<string>();
  const migrations = new Set<string>();
  const sourceFiles: string[] = [];
  const manifestFolders = new Set<string>();
  let sourceBytes = 0;
  for (const { path, bytes } of files) {
    const kind = kindOfFile(path);
    if (kind === "foreign") continue;
    const infra = INFRASTRUCTURE_FOLDER.exec(path)?.[1];
    if (infra !== undefined) infrastructure.add(`${infra}/**`);
    else if (INFRASTRUCTURE_FILE.test(path)) infrastructure.add(path);
    if (MIGRATION_FILES.test(path) && path.includes("/")) migrations.add(`${folderOf(path)}/**`);
    switch (kind) {
      case "news":
        news.add(newsPlace(path));
        break;
      case "page":
        for (const place of docsPlaces(path)) docs.add(place);
        break;
      case "pipeline":
        pipelines.add(/^\.github\/[^/]+\//.test(path) ? `${path.split("/").slice(0, 2).join("/")}/**` : path);
        break;
      case "manifest":
        if (path.split("/").length > DEEPEST_MANIFEST) break;
        manifests.add(path);
        if (path.includes("/")) manifestFolders.add(folderOf(path));
        break;
      case "build":
        builds.add(path);
        break;
      case "test":
        tests.add(testPlace(path));
        break;
      case "source":
        sourceBytes += bytes;
        sourceFiles.push(path);
        source.add(sourcePlace(path));
        break;
      case "other":
        break;
    }
  }
  const own = [...source].filter((path) => !isBeside(path));
  const only = own.length === 0;
  return {
    source: cover(only ? source : own),
    beside: only ? [] : cover([...source].filter(isBeside)),
    tests: cover(tests),
    docs: cover(docs),
    news: ownNews(news),
    manifests: cover(manifests),
    builds: cover(builds),
    pipelines: cover(pipelines),
    infrastructure: cover(infrastructure),
    migrations: cover(migrations),
    packages: packagesOf(manifestFolders, sourceFiles),
    sourceBytes,
    sourceFiles: only ? sourceFiles : sourceFiles.filter((path) => !isBeside(path)),
  };
}

/** Whether source is the product's own, as opposed to examples, scripts and pages beside it. */
export function isBeside(path: string): boolean {
  return BESIDE.has((path.split("/")[0] ?? "").toLowerCase());
}

/** The folder at the top, one deeper where it holds several projects; files at the root by their ending. */
function sourcePlace(path: string): string {
  const [top = "", second = "", third] = path.split("/");
  if (top === path) return `*${path.slice(path.lastIndexOf("."))}`;
  return MANY.has(top) && third !== undefined ? `${top}/${second}/**` : `${top}/**`;
}

function testPlace(path: string): string {
  const folder = TEST_FOLDER.exec(path)?.[1];
  if (folder !== undefined) return `${folder}/**`;
  // Tests that stand beside what they test: the same place, and only files of such names.
  const name = nameOf(path);
  const place = sourcePlace(path);
  const marked = /([._-](?:test|spec)s?)\.\w+$/.exec(name)?.[1];
  const begins = /^(test_)/.exec(name)?.[1];
  const names = marked !== undefined ? `*${marked}.*` : begins !== undefined ? `${begins}*` : `*Test*`;
  return place.endsWith("/**") ? `${place}/${names}` : names;
}

/** Pages of a folder for pages, the project's own pages at the root, and what packages say of themselves. */
function docsPlaces(path: string): string[] {
  const folder = DOCS_FOLDER.exec(path)?.[1];
  if (folder !== undefined) return [`${folder}/**`];
  if (path.startsWith(".")) return /^\.github\/contributing\./i.test(path) ? [path] : [];
  const isReadme = README.test(nameOf(path));
  if (!path.includes("/")) return isReadme || !isStandingPage(path) ? [path] : [];
  return isReadme && path.split("/").length <= DEEPEST_MANIFEST ? [path] : [];
}

function newsPlace(path: string): string {
  const folder = newsFolderOf(path);
  return folder === null ? path : `${folder}/**`;
}

/** Leaves out changelogs of packages where the project has one of its own: programs make theirs from it. */
function ownNews(news: ReadonlySet<string>): string[] {
  const own = [...news].filter((path) => !path.includes("/") || path.endsWith("/**"));
  return cover(own.length > 0 ? own : news);
}

const MOST_PACKAGES = 300;

/** Folders with a manifest and source below them. One package is not several. */
function packagesOf(folders: ReadonlySet<string>, sourceFiles: readonly string[]): string[] {
  const holds = new Set<string>();
  for (const path of sourceFiles) {
    const parts = path.split("/");
    for (let depth = 1; depth < Math.min(parts.length, DEEPEST_MANIFEST); depth++)
      holds.add(parts.slice(0, depth).join("/"));
  }
  const found = [...folders].filter((folder) => holds.has(folder) && !isBeside(folder)).sort();
  return found.length < 2 || found.length > MOST_PACKAGES ? [] : found;
}
