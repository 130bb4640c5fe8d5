import { posix } from "node:path";
import type { ProjectView } from "./examined.js";
import { isDocument, isInSourceFolder, isTestFile } from "./test-files.js";

/* The files of a project that another of its files takes in: imported, sourced, or named by a path. */

const JAVASCRIPT = /\.[cm]?[jt]sx?$/;
const TRIED = [
  "",
  ".js",
  ".ts",
  ".mjs",
  ".cjs",
  ".tsx",
  ".jsx",
  ".json",
  "/index.js",
  "/index.ts",
  ".py",
  "/__init__.py",
];

/** Contract: paths of the view, none of them twice; only what the text says in so many words. */
export function importsOfFile(path: string, text: string, view: Pick<ProjectView, "paths">): string[] {
  const folder = posix.dirname(path);
  const found = new Set<string>();
  for (const name of namesIn(path, text))
    for (const from of [folder, "."]) {
      const file = findExisting(posix.join(from, name), view);
      if (file !== null && file !== path) found.add(file);
    }
  return [...found];
}

export function findExisting(name: string, { paths }: Pick<ProjectView, "paths">): string | null {
  const plain = posix.normalize(name).replace(/^\.\//, "");
  if (plain.startsWith("../") || plain.startsWith("/")) return null;
  // An import of .js may mean a .ts file.
  const written = JAVASCRIPT.test(plain) ? [plain, plain.replace(/js(x?)$/, "ts$1")] : [plain];
  for (const one of written) for (const ending of TRIED) if (paths.has(`${one}${ending}`)) return `${one}${ending}`;
  return null;
}

/** Quoted paths, modules of Python, and what a shell sources or runs. */
function* namesIn(path: string, text: string): Generator<string> {
  for (const [, , name = ""] of text.matchAll(/(["'`])((?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*)\1/g))
    if (/[./]/.test(name)) yield name;
  if (path.endsWith(".py"))
    for (const [, dots = "", module = "", names = ""] of text.matchAll(
      /^\s*(?:from\s+(\.*)([\w.]*)\s+import\s+([\w, ]+)|import\s+[\w., ]+)/gm,
    )) {
      const up = dots.length > 1 ? "../".repeat(dots.length - 1) : "";
      if (module !== "") yield `${up}${module.replaceAll(".", "/")}`;
      for (const name of names.split(","))
        yield `${up}${module === "" ? "" : `${module.replaceAll(".", "/")}/`}${name.trim()}`;
    }
  if (path.endsWith(".py"))
    for (const [, modules = ""] of text.matchAll(/^\s*import\s+([\w., ]+)/gm))
      for (const module of modules.split(",")) yield (module.trim().split(/\s/)[0] ?? "").replaceAll(".", "/");
  if (/\.(?:sh|bash|bats|zsh)$/.test(path) || text.startsWith("#!"))
    for (const [, name = ""] of text.matchAll(
      /(?:^|[\s;&|(])((?:\.{0,2}\/)?[\w.-]+(?:\/[\w.-]+)+|[\w-]+\.(?:sh|bash|js|mjs|py|rb|pl))\b/gm,
    ))
      yield name;
}

/** Files that hold much beside settings: what they name is for people and packages. */
const SHARED = /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg|tox\.ini|Cargo\.toml|go\.mod|pom\.xml|\.npmrc)$/;
const LOCK = /(?:\.lock|-lock\.json|\.sum)$/;

/** Sources that a build description lists are the product, not its settings. */
const COMPILED = /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm|s|asm|rs|go|java|kt|scala|swift|zig|d|f90)$/i;

/** Lists files that settings of a tool include: settings they extend, and files loaded before tests. */
export function findTakenInBySettings(path: string, text: string, view: Pick<ProjectView, "paths">): string[] {
  if (SHARED.test(path)) return [];
  const isTypes = /(?:ts|js)config[^/]*\.json$/.test(path);
  const said = isTypes
    ? [...text.matchAll(/"extends"\s*:\s*(\[[^\]]*\]|"[^"]*")/g)].map(([, list]) => list).join("\n")
    : text;
  return importsOfFile(path, said, view).filter((taken) => {
    if (
      COMPILED.test(taken) ||
      isTestFile(taken) ||
      isInSourceFolder(taken) ||
      isDocument(taken) ||
      LOCK.test(taken) ||
      SHARED.test(taken)
    )
      return false;
    // Python imports what it tests by the same words as its helpers: only what stands beside is a helper.
    return !path.endsWith(".py") || (posix.dirname(path) !== "." && posix.dirname(taken) === posix.dirname(path));
  });
}

/**
 * Whether a file that a steering file takes in steers too. A runner also takes in what it tests, and that is the product:
 * it is recognised by its place.
 */
export function steersToo(path: string, by: string): boolean {
  if (isTestFile(path) || isInSourceFolder(path)) return false;
  const folder = posix.dirname(by);
  return folder !== "." && posix.dirname(path).startsWith(folder.split("/")[0] as string);
}
