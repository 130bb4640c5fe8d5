import type { Git } from "./git.js";

/** One file of a commit. */
export interface TreeFile {
  readonly path: string;
  readonly blob: string;
  readonly bytes: number;
}

/** The files of a commit in the order of their paths; null when there is no such commit. */
export async function listTree(git: Git, commit: string): Promise<readonly TreeFile[] | null> {
  const listed = await git("ls-tree", "-r", "-z", "--long", "--full-tree", commit);
  return listed === null ? null : readTree(listed);
}

/** `mode type hash size<tab>path`, with NUL behind each. */
function readTree(listed: string): TreeFile[] {
  const files: TreeFile[] = [];
  let at = 0;
  while (at < listed.length) {
    const end = listed.indexOf("\0", at);
    const stop = end === -1 ? listed.length : end;
    const tab = listed.indexOf("\t", at);
    // Links and submodules are not files of the project.
    if (tab !== -1 && tab < stop && listed.startsWith("100", at)) {
      const [, , blob = ""] = listed.slice(at, tab).split(" ");
      files.push({
        path: listed.slice(tab + 1, stop),
        blob,
        bytes: Number(listed.slice(listed.lastIndexOf(" ", tab) + 1, tab)) || 0,
      });
    }
    at = stop + 1;
  }
  return files;
}
