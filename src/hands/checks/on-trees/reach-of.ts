import { type Git, must } from "../../integration/merge.js";
import { findUnreached } from "../reach/reach.js";
import type { Seen } from "../suspect/examined.js";

/* Finds which files the checks of a result touch, from the texts of two trees in git. */

const READABLE = /\.(?:[cm]?[jt]sx?|py|c|cc|cpp|cxx|h|hh|hpp)$|(?:^|\/)package\.json$/i;
/** More files than this take longer to read than what could be said of them is worth. */
const MOST_READ = 4_000;

/** Contract: changes nothing; what cannot be looked at is not known, and nothing is said of it. */
export function reachIn(git: Git): (seen: Seen) => Promise<readonly string[]> {
  return async ({ base_tree, tree, results }) => {
    const listed = await must(git, ["diff-tree", "-r", "-z", "--name-only", "--diff-filter=ACMR", base_tree, tree]);
    const changed = listed.split("\0").filter((path) => READABLE.test(path) && !path.endsWith("package.json"));
    if (changed.length === 0) return [];
    const entries = (await must(git, ["ls-tree", "-r", "-z", tree])).split("\0").flatMap((line) => {
      const [, object, path] = /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return object === undefined || path === undefined ? [] : [{ object, path }];
    });
    const wanted = entries.filter(({ path }) => READABLE.test(path));
    if (wanted.length > MOST_READ) return [];
    const texts = await textsOf(git, wanted);
    const text = (path: string) => texts.get(path) ?? null;
    return findUnreached({ changed, paths: entries.map(({ path }) => path), text, results });
  };
}

/** All of them in one process. A header tells where each begins: its object, and how long it is. */
async function textsOf(
  git: Git,
  wanted: readonly { readonly object: string; readonly path: string }[],
): Promise<Map<string, string>> {
  const objects = [...new Set(wanted.map(({ object }) => object))];
  const all = await must(git, ["cat-file", "--batch"], { input: objects.map((each) => `${each}\n`).join("") });
  const found = new Map<string, string>();
  let at = 0;
  for (const [i, object] of objects.entries()) {
    const begin = all.indexOf("\n", all.indexOf(`${object} blob `, at)) + 1;
    const next = objects[i + 1];
    const end = next === undefined ? all.length : all.indexOf(`\n${next} blob `, begin);
    found.set(object, all.slice(begin, end < 0 ? all.length : end));
    at = end < 0 ? all.length : end;
  }
  return new Map(wanted.map(({ object, path }) => [path, found.get(object) ?? ""]));
}
