import { join } from "node:path";
import { readdir } from "../../foundation/files/read-files.js";
import type { Git } from "./git.js";

/** The files of a project and how they were found. */
export interface Listing {
  readonly files: readonly string[];
  readonly evidence: string;
  /** There were more files than anyone looked at, so what is not among them may still be there. */
  readonly cut: boolean;
}

const MOST_FILES = 200_000;
const NOT_THE_PROJECT = new Set(["node_modules", "vendor", "dist", "build", "target", "coverage", "__pycache__"]);

/** Lists files that git tracks; in a folder that is not a repository, those that look like the project's own. */
export async function listFiles(repo: string, git: Git): Promise<Listing> {
  const tracked = await git("ls-files", "-z");
  if (tracked !== null) {
    const files = tracked.split("\0").filter((name) => name !== "");
    return { files: files.slice(0, MOST_FILES), evidence: "git://ls-files", cut: files.length > MOST_FILES };
  }
  const files: string[] = [];
  const folders = [""];
  while (folders.length > 0 && files.length < MOST_FILES) {
    const folder = folders.pop() ?? "";
    const entries = await readdir(join(repo, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) files.push(path);
      else if (entry.isDirectory() && !entry.name.startsWith(".git") && !NOT_THE_PROJECT.has(entry.name))
        folders.push(path);
    }
  }
  return { files: files.sort(), evidence: "file://.", cut: folders.length > 0 };
}
