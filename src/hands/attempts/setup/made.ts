import { contentOf } from "../../workspace/content.js";
import { foldersOf, findTopmost } from "../../workspace/given.js";
import { type BytePath, readTree, shownPath } from "../../git/records.js";
import type { Quarantine } from "../../workspace/quarantine.js";
import { type Survey, survey } from "../../workspace/watch/survey.js";

/* The files that a setup made in a workspace that held nothing but the files of a commit. */

export interface SetupSite {
  readonly quarantine: Quarantine;
  readonly path: string;
  readonly viewCommit: string;
}

export interface Made {
  /** New files and folders by their topmost name that is new, from the root. */
  readonly added: readonly string[];
  /** The made files outside of kept folders and of folders of packages. */
  readonly loose: readonly string[];
  /** Files of the commit that hold something else now, or are gone. */
  readonly changed: readonly string[];
  readonly files: number;
  readonly bytes: number;
  /** Why not everything could be seen; null when it could. */
  readonly problem: string | null;
}

/** How the files of the commit look before setup. Contract: after the workspace was given to its sandbox. */
export async function beforeSetup({ path }: SetupSite): Promise<ReadonlyMap<BytePath, string>> {
  const found = await survey(path, [".git"]);
  found.close();
  return new Map(found.entries.map((entry) => [entry.path, entry.stat]));
}

/** Contract: nothing runs in the workspace. */
export async function findMadeBySetup(
  site: SetupSite,
  before: ReadonlyMap<BytePath, string>,
  keeps: readonly string[],
): Promise<Made> {
  const { quarantine, path, viewCommit } = site;
  const view = await readTree(quarantine.git, quarantine.gitDir, viewCommit);
  const found = await survey(path, [".git"]);
  try {
    const added = found.entries.filter((entry) => !view.has(entry.path));
    const there = new Set(found.entries.map((entry) => entry.path));
    const changed = [...view.keys()].filter((at) => !there.has(at));
    for (const entry of found.entries) {
      const wanted = view.get(entry.path);
      if (wanted === undefined || before.get(entry.path) === entry.stat) continue;
      // Package managers make programs of a workspace executable: that is not a change of what they hold.
      if ((await contentOf(entry, quarantine.objectFormat))?.oid !== wanted.oid) changed.push(entry.path);
    }
    const folders = foldersOf(view.keys());
    const isLoose = (at: BytePath) => !isOfPackages(shownPath(at)) && !isBelowOne(shownPath(at), keeps);
    const loose = added.map((entry) => entry.path).filter(isLoose);
    const roots = [...added.map((entry) => entry.path), ...found.empty].map((at) => findTopmost(at, folders));
    return {
      added: [...new Set(roots)].map(shownPath).sort(),
      loose: [...new Set(loose.map((at) => findTopmost(at, folders)))].map(shownPath).sort(),
      changed: changed.map(shownPath).sort(),
      files: added.length,
      bytes: added.reduce((sum, { size }) => sum + size, 0),
      problem: problemIn(found, roots),
    };
  } finally {
    found.close();
  }
}

function problemIn({ findings, entries }: Survey, roots: readonly BytePath[]): string | null {
  const [first] = findings;
  if (first !== undefined) return `${first.path}: ${first.detail}`;
  const special = entries.find(({ kind }) => kind === "special");
  if (special !== undefined) return `${shownPath(special.path)} is neither a file nor a link`;
  const odd = roots.find((path) => Buffer.from(shownPath(path)).toString("latin1") !== path);
  return odd === undefined ? null : `${shownPath(odd)} has a name that is not UTF-8`;
}

/** Folders and files that package managers make from lockfiles and manifests alone. */
const OF_PACKAGES =
  /(?:^|\/)(?:node_modules|\.venv|venv|\.pnpm-store|\.yarn|\.husky\/_|\.bundle|vendor\/bundle|vendor\/composer|__pycache__|[^/]+\.egg-info|\.pnp\.[cm]?js|\.pnp\.loader\.mjs)(?:\/|$)/;

function isOfPackages(path: string): boolean {
  return OF_PACKAGES.test(path);
}

function isBelowOne(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const plain = folder.replace(/^\.\//, "").replace(/\/+$/, "");
    return path === plain || path.startsWith(`${plain}/`);
  });
}
