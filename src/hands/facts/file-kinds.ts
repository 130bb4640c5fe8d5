import { CI_FILES, LANGUAGES, LOCKFILES, MANIFESTS, SHARED_MANIFESTS, TEST_FILES } from "./signs.js";

/* The kind of a file of a project, by its path alone. */

/** Others made it, or a program did: nobody writes there by hand. */
const FOREIGN = /(?:^|\/)(?:node_modules|vendor|third_party|dist|build|target|coverage|__pycache__|\.venv)\//;
const PAGE = /\.(?:md|mdx|rst|adoc|rdoc)$/i;
/** Folders for tools, editors and services, such as `.devcontainer`: not the product's source. */
const HIDDEN = /(?:^|\/)\.[^/]+\//;

const NEWS_FILE =
  /^(?:CHANGES|CHANGELOG|CHANGE_LOG|HISTORY|NEWS|RELEASE[-_]?NOTES|RELEASES)(?:\.(?:md|mdx|rst|adoc|rdoc|txt))?$/i;
/** Folders where every change leaves a small file about itself, from which the changelog is made. */
const NEWS_FOLDER =
  /^((?:[^/]+\/){0,2}(?:\.changeset|\.changes|\.chloggen|changelog\.d|changelogs?|newsfragments|news\.d|news|changes|releasenotes\/notes|changelog_unreleased))\/(?:[^/]+\/){0,2}[^/]+\.(?:md|rst|txt|ya?ml|json|feature|bugfix|misc|doc|removal|breaking|change|deprecation)$/i;

/** Files of pipelines beside the workflows themselves. */
const PIPELINE_FILE = /^\.github\/(?:actions\/.+|workflows\/[^/]+|[^/]+\.ya?ml)$/;

/** Files that say how a project is built, packed and checked, beside its manifests. */
const BUILD_FILE =
  /^(?:[^/]+\/){0,2}(?:CMakeLists\.txt|(?:GNU)?[Mm]akefile|meson\.build|meson_options\.txt|configure\.ac|[^/]+\.(?:gemspec|podspec|csproj|sln|cabal)|Rakefile|setup\.(?:py|cfg)|tox\.ini|\.flake8|\.readthedocs\.ya?ml|requirements[^/]*\.(?:txt|in)|requirements\/[^/]+\.(?:txt|in)|noxfile\.py|MANIFEST\.in|tsconfig[^/]*\.json|jsconfig\.json|pnpm-workspace\.yaml|lerna\.json|turbo\.json|nx\.json|go\.work|settings\.gradle(?:\.kts)?|gradle\.properties|[Jj]ustfile|\.editorconfig|\.gitignore|\.gitattributes|\.npmrc|\.npmignore|\.nvmrc|\.node-version|\.python-version|\.ruby-version|\.tool-versions|\.prettierrc[^/]*|\.eslintrc[^/]*|\.eslintignore|eslint\.config\.\w+|\.oxlintrc\.json|\.oxfmtrc\.json|biome\.jsonc?|\.rubocop\.yml|ruff\.toml|\.golangci\.ya?ml|rustfmt\.toml|\.clang-format|\.pre-commit-config\.yaml|[a-z]+\.config\.[cm]?[jt]s)$/;

/** Pages about the project that a change of its behaviour never touches. Naming them is asking for them. */
const STANDING_PAGE =
  /^(?:AGENTS|CLAUDE|GEMINI|COPILOT[^.]*|SECURITY|CODE_OF_CONDUCT|LICEN[CS]E[^.]*|COPYING|AUTHORS|CONTRIBUTORS|MAINTAINERS|GOVERNANCE|FUNDING|SUPPORT|PULL_REQUEST_TEMPLATE|ISSUE_TEMPLATE)\b/i;

export type FileKind = "foreign" | "news" | "page" | "pipeline" | "manifest" | "build" | "test" | "source" | "other";

/** Contract: pure and total. */
export function kindOfFile(path: string): FileKind {
  if (FOREIGN.test(path)) return "foreign";
  const name = nameOf(path);
  if (newsFolderOf(path) !== null || NEWS_FILE.test(name)) return "news";
  if (CI_FILES.test(path) || PIPELINE_FILE.test(path)) return "pipeline";
  if (PAGE.test(path)) return "page";
  if (isManifest(name)) return "manifest";
  if (BUILD_FILE.test(path)) return "build";
  if (TEST_FILES.test(path)) return "test";
  if (HIDDEN.test(path)) return "other";
  return isSource(name) ? "source" : "other";
}

export function isStandingPage(path: string): boolean {
  return STANDING_PAGE.test(nameOf(path));
}

/** The folder of news fragments a file lies in; null when it is not a fragment. */
export function newsFolderOf(path: string): string | null {
  return NEWS_FOLDER.exec(path)?.[1] ?? null;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The name of a file without its ending. */
export function stemOf(path: string): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}

/** Gradle keeps versions there, and the names of dependencies in its build files. */
const VERSION_CATALOGUE = "libs.versions.toml";

/** Names come from a repository: `constructor` is one that every object has. */
function isManifest(name: string): boolean {
  return (
    [LOCKFILES, MANIFESTS, SHARED_MANIFESTS].some((known) => Object.hasOwn(known, name)) || name === VERSION_CATALOGUE
  );
}

function isSource(name: string): boolean {
  const dot = name.lastIndexOf(".");
  return dot > 0 && Object.hasOwn(LANGUAGES, name.slice(dot + 1).toLowerCase());
}
