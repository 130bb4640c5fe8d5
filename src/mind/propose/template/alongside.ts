import type { NamedFile } from "./mentioned.js";

/*
 * Files that a request speaks of beside source, tests and pages. A manifest or an example is part of a change only when the words
 * are about it. Pipelines are changed by work on pipelines alone: rules deny it to everything else.
 */

interface Topic {
  readonly words: RegExp;
  readonly facts: readonly string[];
}

const TOPICS: readonly Topic[] = [
  {
    words:
      /\b(?:dep(?:s|endenc(?:y|ies)?)|devdeps?|lockfiles?|package\.json|peer|engines?|npm|pnpm|yarn|bun|pip|uv|poetry|cargo|maven|gradle|gems?|gemspec|go\.mod|upgrad\w+|drop support|node (?:v?\d+|version)|esm|commonjs|cjs|export map|exports field|sdk|typings? package|typing_extensions|pypi|sdist|wheel)\b/i,
    facts: ["manifests", "build_files"],
  },
  {
    // A tool's settings stand in files of their own, or in a manifest; a manifest asks for a review, so only on better evidence.
    words:
      /\b(?:cmake\w*|makefiles?|meson|autoconf|compiler flags?|compile flags?|build (?:system|script|files?|tags?|directives?|flags?|targets?)|tsconfig|module ?resolution|eslint|prettier|biome|oxlint|oxfmt|ruff|mypy|rubocop|linters?|lint(?:ing)?|formatter|bundl(?:e|er|ing)|rollup|webpack|esbuild|vite|vitest|jest|mocha|tox|pytest|sourcemaps?|strict types|gitignore|\.gitignore|editorconfig|toolchains?|miri|clippy|pre-commit)\b/i,
    facts: ["build_files"],
  },
  {
    words:
      /\b(?:android api level|jdk|crate|docs\.rs|(?:build|optional|cargo|default) features?|feature by default|feature flags?|build backend)\b/i,
    facts: ["build_files", "manifests"],
  },
  {
    // The versions a project supports stand in its manifests.
    words:
      /\b(?:python|pypy|node(?:\.?js)?|deno|bun|go|golang|ruby|rust|rustc|java|jdk|php|kotlin|swift|dotnet|clang|gcc|msrv) ?v?\d+(?:\.\d+)*\b|\b(?:end[- ]of[- ]life|eol|minimum (?:supported )?version|required compiler|\d{4} edition)\b/i,
    facts: ["manifests", "build_files"],
  },
  {
    // "Update okio to 3.18", "Support promises v2", "Pin to Composer 2.5.8", "raise the required version of x".
    words:
      /\b(?:updat\w*|bump\w*|pin\w*|rais\w*|increas\w*|requir\w*|support\w*|switch\w*|mov\w*|migrat\w*)\b[^.\n]{0,60}?\b(?:v\d+\b|\d+\.\d+(?:\.\d+)?\b|(?:required|minimum|pinned) versions?\b|versions? of\b)/i,
    facts: ["manifests"],
  },
  {
    words: /\b(?:examples?|samples?|playgrounds?|demos?|bench(?:marks?)?|scripts?|fixtures?|tools)\b/i,
    facts: ["beside_places"],
  },
  { words: /\b(?:migrations?|schema|tables?|columns?)\b/i, facts: ["migration_places"] },
  { words: /\b(?:docker\w*|terraform|kubernetes|helm|compose)\b/i, facts: ["infrastructure_places"] },
];

const SIDE_KINDS = new Set(["other", "build", "manifest", "pipeline"]);

/** Code that shows how the product is used: it has to be changed with it. */
const SHOWS_USE = /^_?(?:examples?|samples?|demos?|playgrounds?|bench\w*)\//i;

/** Contract: pure. `of` gives the paths of a fact; anyone who names files wants no examples. */
export function findAlongside(
  text: string,
  files: readonly NamedFile[],
  of: (fact: string) => readonly string[],
  isNamed: boolean,
): readonly string[] {
  // A pipeline is often called like an ordinary word: "test" does not name test.yml.
  const isMeant = ({ kind, path }: NamedFile) => kind !== "pipeline" || text.includes(path.split("/").at(-1) ?? path);
  const named = files.filter((file) => SIDE_KINDS.has(file.kind) && isMeant(file)).map(({ path }) => path);
  const spoken = TOPICS.filter(({ words }) => words.test(text)).flatMap(({ facts }) => facts.flatMap(of));
  const shown = isNamed ? [] : of("beside_places").filter((path) => SHOWS_USE.test(path));
  return [...new Set([...named, ...spoken, ...shown, ...newFilesIn(text, files)])];
}

/** A whole path with folders and an ending, in plain words or marked as code; quoted text and addresses are not paths. */
const WHOLE_PATH = /(?<=^|[\s`(])(?:[\w@-][\w.@-]*\/)+[\w@-][\w.@-]*\.[A-Za-z]\w{0,7}(?=$|[\s`),;:]|\.(?:\s|$))/g;

/** Pipelines, and what programs make. */
const NOT_WRITTEN = /(?:^|\/)(?:\.github|\.circleci|\.git|dist|build|out|target|node_modules|vendor)\//;

/** Files that a request names by their whole path and that are not there yet: it asks for them to be made. */
function newFilesIn(text: string, files: readonly NamedFile[]): readonly string[] {
  const there = new Set(files.map(({ path }) => path));
  return [...text.matchAll(WHOLE_PATH)]
    .map(([path]) => path)
    .filter((path) => !there.has(path) && !NOT_WRITTEN.test(path));
}
