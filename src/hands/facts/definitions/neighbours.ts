import type { DefinitionIndex } from "./index-definitions.js";

/*
 * Which files use each other. An import is resolved by the end of a path, not by the rules of one build tool: `a.b.C`,
 * `pkg/mod`, `./x.js` and `"x.h"` are all found where a source file lies there.
 */

/** Files that only stand for their folder. */
const STANDS_FOR_FOLDER = new Set(["index", "__init__", "mod", "lib", "main"]);

export interface ImportGraph {
  /** The files a file uses, and the files that use it; without itself, in order. */
  readonly neighboursOf: (path: string) => readonly string[];
}

export function importGraph(index: DefinitionIndex): ImportGraph {
  const byEnd = new Map<string, string[]>();
  const add = (end: string, path: string) => {
    const paths = byEnd.get(end);
    if (paths === undefined) byEnd.set(end, [path]);
    else paths.push(path);
  };
  for (const path of index.keys()) {
    const segments = stemOf(path).split("/");
    const last = segments.at(-1) ?? "";
    add(last, path);
    if (STANDS_FOR_FOLDER.has(last)) add(segments.at(-2) ?? "", path);
  }
  const usersByEnd = new Map<string, Set<string>>();
  for (const [path, { imports }] of index)
    for (const written of imports)
      for (const target of targetsOf(written, path)) {
        const end = target.slice(target.lastIndexOf("/") + 1);
        const users = usersByEnd.get(end);
        if (users === undefined) usersByEnd.set(end, new Set([path]));
        else users.add(path);
      }
  const uses = (path: string): string[] =>
    (index.get(path)?.imports ?? []).flatMap((written) =>
      targetsOf(written, path).flatMap((target) => resolve(target, path, byEnd)),
    );
  return {
    neighboursOf: (path) => {
      const segments = stemOf(path).split("/");
      const ends = [
        segments.at(-1) ?? "",
        ...(STANDS_FOR_FOLDER.has(segments.at(-1) ?? "") ? [segments.at(-2) ?? ""] : []),
      ];
      const candidates = new Set(ends.flatMap((end) => [...(usersByEnd.get(end) ?? [])]));
      const users = [...candidates].filter((user) => uses(user).includes(path));
      const all = new Set([...uses(path), ...users]);
      all.delete(path);
      return [...all].sort();
    },
  };
}

/** Paths without an ending that an import may mean; those that begin with `/` lie exactly there. */
function targetsOf(written: string, from: string): string[] {
  const folder = from.slice(0, Math.max(0, from.lastIndexOf("/")));
  const listed = /^from[ \t]+(\.+)[ \t]+import[ \t]+(.*)$/.exec(written);
  if (listed !== null)
    return (listed[2] ?? "")
      .split(/[, \t]+/)
      .filter((name) => name !== "" && name !== "as")
      .map((name) => `/${climb(folder, (listed[1] ?? ".").length - 1, name)}`);
  const dots = /^(\.+)(\w[\w.]*)?$/.exec(written);
  if (dots !== null)
    return [`/${climb(folder, (dots[1] ?? ".").length - 1, (dots[2] ?? "__init__").replaceAll(".", "/"))}`];
  if (/^\.{1,2}\//.test(written)) return [`/${withoutEnding(normalise(`${folder}/${written}`))}`];
  const path =
    written.includes("/") || /\.(?:h|hpp|rb|c|cc)$/.test(written)
      ? withoutEnding(written)
      : written.replaceAll(/\.|\\|::/g, "/");
  return [normalise(path)];
}

function climb(folder: string, levels: number, name: string): string {
  const parts = folder === "" ? [] : folder.split("/");
  return [...parts.slice(0, Math.max(0, parts.length - levels)), name].join("/");
}

function normalise(path: string): string {
  const out: string[] = [];
  for (const part of path.split("/"))
    if (part === "..") out.pop();
    else if (part !== "." && part !== "") out.push(part);
  return out.join("/");
}

function withoutEnding(path: string): string {
  return path.replace(/\.(?:[cm]?[jt]sx?|vue|svelte|h|hpp|c|cc|cpp|rb|d\.ts)$/, "");
}

function stemOf(path: string): string {
  const dot = path.lastIndexOf(".");
  return dot > path.lastIndexOf("/") ? path.slice(0, dot).replace(/\.d$/, "") : path;
}

/** More files at the end of one name than this are not an answer. */
const MOST_ENDS = 200;

function resolve(target: string, from: string, byEnd: ReadonlyMap<string, readonly string[]>): string[] {
  const exact = target.startsWith("/");
  const wanted = exact ? target.slice(1) : target;
  const candidates = byEnd.get(wanted.slice(wanted.lastIndexOf("/") + 1)) ?? [];
  if (candidates.length > MOST_ENDS && !exact) return [];
  const isThere = (path: string): boolean => {
    const stem = stemOf(path);
    const folder = stem.slice(0, Math.max(0, stem.lastIndexOf("/")));
    const names = STANDS_FOR_FOLDER.has(stem.slice(stem.lastIndexOf("/") + 1)) ? [stem, folder] : [stem];
    return names.some((name) => name === wanted || (!exact && name.endsWith(`/${wanted}`)));
  };
  const found = candidates.filter((path) => path !== from && isThere(path));
  // A bare name such as `os` or `"x.h"` may be anybody's: only one file of that name is meant.
  return !exact && !wanted.includes("/") && found.length > 1 ? found.filter((path) => sameFolder(path, from)) : found;
}

function sameFolder(a: string, b: string): boolean {
  return a.slice(0, a.lastIndexOf("/") + 1) === b.slice(0, b.lastIndexOf("/") + 1);
}
