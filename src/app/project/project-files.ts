import { lstat } from "node:fs/promises";
import { basename, join } from "node:path";
import { readFile, readdir } from "../../foundation/files/read-files.js";
import { CoordinatorError } from "../../model/errors.js";
import type { Git } from "../../hands/facts/git.js";
import type { ProjectFiles } from "../../hands/settings/detected-check.js";
import { LOCKFILES } from "../../hands/settings/setup/nested-folders.js";

const MOST_BYTES = 64 * 1024 * 1024;

/** The files of a repository for anyone who looks for its checks. A file is null when it is not there, is not a file, or is too large to be a manifest. */
export function projectFiles(root: string): ProjectFiles {
  return {
    read: async (name) => {
      const place = join(root, name);
      const found = await lstat(place).catch(() => null);
      if (found?.isFile() !== true || found.size >= MOST_BYTES) return null;
      // A file behind a link that leads out is not the project's.
      return readFile(place, "utf8").catch((error: unknown) => {
        if (error instanceof CoordinatorError && error.code === "LINK_REFUSED") return null;
        throw error;
      });
    },
    list: (folder) => readdir(join(root, folder)).catch(() => []),
  };
}

/** Leaves out lockfiles that git ignores: no commit has them, so no workspace ever does. */
export function filesOfWorkspaces(root: string, git: Git): ProjectFiles {
  const { read, list } = projectFiles(root);
  const asked = new Map<string, Promise<boolean>>();
  const isIgnored = (path: string): Promise<boolean> => {
    if (!LOCKFILES.has(basename(path))) return Promise.resolve(false);
    // Of a path that is tracked git says that it is not ignored.
    const answer = asked.get(path) ?? git("check-ignore", "--quiet", "--", path).then((said) => said !== null);
    asked.set(path, answer);
    return answer;
  };
  return {
    read: async (path) => ((await isIgnored(path)) ? null : read(path)),
    list: async (folder) => {
      const names = await list(folder);
      const hidden = await Promise.all(names.map((name) => isIgnored(join(folder, name))));
      return names.filter((_, i) => hidden[i] !== true);
    },
  };
}

/** Lockfiles at the root that are there and that git ignores. */
export async function ignoredLockfiles(root: string, git: Git): Promise<string[]> {
  const [all, seen] = await Promise.all([projectFiles(root).list("."), filesOfWorkspaces(root, git).list(".")]);
  return all.filter((name) => !seen.includes(name));
}
