import type { CheckResult } from "../../../model/settings/check.js";

/* Reads the sources that a build compiled from its output: each command of a compiler, or a line of CMake or Meson, names its source. */

const COMPILER = /^\s*(?:\S*\/)?(?:ccache\s+)?(?:[\w.-]+-)?(?:cc|gcc|g\+\+|c\+\+|clang|clang\+\+)(?:-\d+)?\s.*$/;
const OBJECT = /\b(?:Building (?:C|CXX) object|Compiling (?:C|C\+\+) object)\b/;
const SOURCE = /(?:^|[\s'"])([\w./+@-]+\.(?:c|cc|cpp|cxx))(?:\.o(?:bj)?)?(?=$|[\s'":])/gi;

/** The most of an output that is kept: of one that is as long, the beginning may be missing. */
const WHOLE = 7_900;

export type Compiled = (
  path: string,
  paths: readonly string[],
  text: (path: string) => string | null,
) => boolean | null;

/** Whether a source or header was compiled; null where no output says what was, or not all of it is there. */
export function findCompiled(results: readonly CheckResult[]): Compiled {
  const lines = results.flatMap(({ output }) => output.split("\n"));
  const named = new Set(
    lines
      .filter((line) => COMPILER.test(line) || OBJECT.test(line))
      .flatMap((line) => [...line.matchAll(SOURCE)].map(([, name = ""]) => name.replace(/^.*?\.dir\//, ""))),
  );
  const isWhole = results.every(({ output }) => output.length < WHOLE);
  return (path, paths, text) => {
    if (named.size === 0) return null;
    const sources = paths.filter((each) => /\.(?:c|cc|cpp|cxx)$/i.test(each) && isNamed(each, named));
    if (sources.includes(path) || readIncluded(sources, paths, text).has(path)) return true;
    return isWhole && sources.length > 0 ? false : null;
  };
}

/** Makefiles name a source from where they stand, so the end of its path has to do. */
function isNamed(path: string, named: ReadonlySet<string>): boolean {
  for (const name of named) {
    const clean = name.replace(/^(?:\.{1,2}\/)+/, "").replace(/^\/.*\/ws\//, "");
    if (path === clean || path.endsWith(`/${clean}`) || clean.endsWith(`/${path}`)) return true;
  }
  return false;
}

/** Every file that these include, directly or not. A name that several files have stands for all of them. */
function readIncluded(
  sources: readonly string[],
  paths: readonly string[],
  text: (path: string) => string | null,
): Set<string> {
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  const found = new Set<string>();
  const open = [...sources];
  for (let path = open.pop(); path !== undefined; path = open.pop())
    for (const [, name = ""] of (text(path) ?? "").matchAll(/^\s*#\s*include\s*[<"]([^>"]+)[>"]/gm))
      for (const each of byName.get(name.slice(name.lastIndexOf("/") + 1)) ?? [])
        if (!found.has(each)) {
          found.add(each);
          open.push(each);
        }
  return found;
}
