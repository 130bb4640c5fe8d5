import { mkdir, open, symlink } from "node:fs/promises";
import type { Cgit } from "../git/cgit.js";
import { type BytePath, readBlobs, type Tree } from "../git/records.js";
import { onDisk } from "./path-safety.js";

const MOST_BYTES = 1024 * 1024 * 1024;

/**
 * The files and links of a tree, written below a folder exactly as they are; gives how many there are.
 *
 * Contract: into an empty folder only, so that nothing is replaced and no link can lead a file elsewhere. Links are made
 * last. Submodules are passed over.
 */
export async function writeFiles(git: Cgit, gitDir: string, files: Tree, folder: string): Promise<number> {
  const real = [...files].filter(([, { mode }]) => mode !== "160000");
  const contents = await readBlobs(
    git,
    gitDir,
    real.map(([, { oid }]) => oid),
    MOST_BYTES,
  );
  const root = Buffer.from(folder).toString("latin1");
  const links = real.filter(([, { mode }]) => mode === "120000");
  for (const [path, { mode, oid }] of real.filter(([, { mode: kind }]) => kind !== "120000")) {
    await makeParents(root, path);
    const file = await open(onDisk(`${root}/${path}`), "wx", mode === "100755" ? 0o755 : 0o644);
    await file.writeFile(contents.get(oid) ?? "");
    await file.close();
  }
  for (const [path, { oid }] of links) {
    await makeParents(root, path);
    await symlink(contents.get(oid) ?? "", onDisk(`${root}/${path}`));
  }
  return real.length;
}

async function makeParents(root: BytePath, path: BytePath): Promise<void> {
  const slash = path.lastIndexOf("/");
  if (slash > 0) await mkdir(onDisk(`${root}/${path.slice(0, slash)}`), { recursive: true });
}
