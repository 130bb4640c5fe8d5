import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { readdir } from "../../foundation/files/read-files.js";
import { mkdir } from "../../foundation/files/write-files.js";
import type { Cgit } from "../git/cgit.js";
import { readBlobs, readTree, shownPath } from "../git/records.js";
import { plainWay } from "./path-safety.js";
import { writeFiles } from "./write-files.js";

/*
 * Submodules. A commit names only which commit of another repository belongs into a folder; the files come from the
 * repository that `git submodule update --init` made on this machine. Nothing is fetched.
 */

export interface Submodule {
  readonly path: string;
  readonly commit: string;
  /** The repository on this machine that has the commit; null when there is none. */
  readonly gitDir: string | null;
}

interface Holder {
  readonly git: Cgit;
  /** The repository that has the tree. */
  readonly gitDir: string;
  /** Where the repositories of its submodules are: the user's git directory, or that of the submodule above. */
  readonly modulesOf: string;
  /** The user's checkout of it; null below the first level. */
  readonly checkout: string | null;
}

/** Submodules of submodules are looked for no deeper than this. */
const DEEPEST = 4;

/** The submodules of a commit or tree, in the order of their paths. */
export async function submodulesOf(holder: Holder, tree: string): Promise<Submodule[]> {
  const { git, gitDir } = holder;
  const entries = await readTree(git, gitDir, tree);
  const links = [...entries].filter(([, { mode }]) => mode === "160000");
  if (links.length === 0) return [];
  const settings = entries.get(".gitmodules");
  const text = settings === undefined ? "" : await textOf(git, gitDir, settings.oid);
  const names = namesByPath(text);
  const found: Submodule[] = [];
  for (const [bytes, { oid }] of links) {
    const path = shownPath(bytes);
    found.push({ path, commit: oid, gitDir: await repositoryOf(holder, path, names.get(path), oid) });
  }
  return found;
}

/**
 * Puts the files of the submodules that are on this machine into a workspace; gives the paths of those.
 *
 * Contract: `sees` says which paths are in the view of the workspace, in which no agent has been.
 */
export async function placeSubmodules(
  holder: Holder,
  tree: string,
  workspace: string,
  sees: (path: string) => boolean,
  depth = 0,
): Promise<string[]> {
  const placed: string[] = [];
  for (const { path, commit, gitDir } of await submodulesOf(holder, tree)) {
    const folder = gitDir === null || !sees(path) ? null : await plainWay(workspace, path);
    if (gitDir === null || folder === null) continue;
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length > 0) continue;
    await writeFiles(holder.git, gitDir, await readTree(holder.git, gitDir, commit), folder);
    placed.push(path);
    const inner: Holder = { git: holder.git, gitDir, modulesOf: gitDir, checkout: null };
    if (depth < DEEPEST) await placeSubmodules(inner, commit, folder, () => true, depth + 1);
  }
  return placed;
}

/** Where a repository that has the commit stands: among the modules of the one above, or in its own folder. */
async function repositoryOf(
  { git, modulesOf, checkout }: Holder,
  path: string,
  name: string | undefined,
  commit: string,
): Promise<string | null> {
  const places = [name, path]
    .filter((each): each is string => each !== undefined && !each.split("/").includes(".."))
    .map((each) => join(modulesOf, "modules", each));
  // By no link: a clone can name a commit of a repository of yours, and a link that leads there.
  const own = checkout === null ? null : await plainWay(checkout, join(path, ".git"));
  if (own !== null) places.push(own);
  for (const place of places) {
    if ((await lstat(place).catch(() => null))?.isDirectory() !== true) continue;
    const { code } = await git.call({ gitDir: place, args: ["cat-file", "-e", `${commit}^{commit}`] });
    if (code === 0) return place;
  }
  return null;
}

/** The names of submodules by their paths, from the text of `.gitmodules`. */
function namesByPath(text: string): Map<string, string> {
  const names = new Map<string, string>();
  let name: string | null = null;
  for (const line of text.split("\n")) {
    name = /^\s*\[submodule "(.+)"\]/.exec(line)?.[1] ?? name;
    const path = /^\s*path\s*=\s*(.+?)\s*$/.exec(line)?.[1];
    if (path !== undefined && name !== null) names.set(path, name);
  }
  return names;
}

async function textOf(git: Cgit, gitDir: string, oid: string): Promise<string> {
  return (await readBlobs(git, gitDir, [oid], 1024 * 1024)).get(oid)?.toString("utf8") ?? "";
}
