import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { readFile, readdir } from "../../foundation/files/read-files.js";
import { CoordinatorError } from "../../model/errors.js";
import type { ProjectFiles } from "../../hands/settings/detected-check.js";

const MOST_BYTES = 64 * 1024 * 1024;

/** The files of a repository for whoever looks for its checks. A file is null when it is not there, is not a file, or is too large to be a manifest. */
export function projectFiles(root: string): ProjectFiles {
  return {
    read: async (name) => {
      const place = join(root, name);
      const found = await lstat(place).catch(() => null);
      if (found?.isFile() !== true || found.size >= MOST_BYTES) return null;
      // What lies behind a link that leads out is not the project's.
      return readFile(place, "utf8").catch((error: unknown) => {
        if (error instanceof CoordinatorError && error.code === "LINK_REFUSED") return null;
        throw error;
      });
    },
    list: (folder) => readdir(join(root, folder)).catch(() => []),
  };
}
