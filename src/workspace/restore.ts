import { mkdir, open, readdir, symlink } from "node:fs/promises";
import { CoordinatorError } from "../model/errors.js";
import { type BytePath, readBlobs, readTree, type TreeEntry } from "./git/records.js";
import { onDisk } from "./path-safety.js";
import type { Quarantine } from "./quarantine.js";
import { LIST_NAME, SalvageList } from "./salvage.js";

const MOST_BYTES = 1024 * 1024 * 1024;

/**
 * Put a salvaged workspace back as files, repositories inside of it included.
 *
 * Contract: into an empty or new folder only, so that nothing is replaced and no link can lead a file elsewhere. Links
 * are made last.
 */
export async function restoreSalvage(quarantine: Quarantine, commit: string, folder: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw new CoordinatorError("FILE_WRITE_FAILED", `${folder} is not empty.`, { fix: "Name a new folder." });
  const { git, gitDir } = quarantine;
  const files = new Map<BytePath, TreeEntry>(await readTree(git, gitDir, commit));
  const aside = await readTree(git, gitDir, `${commit}^2`);
  const listed = aside.get(LIST_NAME);
  if (listed === undefined) throw new CoordinatorError("NOT_FOUND", `${commit} is no salvaged workspace.`);
  const list = SalvageList.parse(
    JSON.parse((await readBlobs(git, gitDir, [listed.oid], MOST_BYTES)).get(listed.oid)?.toString("utf8") ?? ""),
  );
  for (const { name, path } of list.files) {
    const entry = aside.get(name);
    if (entry !== undefined) files.set(Buffer.from(path, "base64").toString("latin1"), entry);
  }
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
