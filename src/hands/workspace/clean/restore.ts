import { readdir } from "../../../foundation/files/read-files.js";
import { mkdir } from "../../../foundation/files/write-files.js";
import { CoordinatorError } from "../../../model/errors.js";
import { type BytePath, readBlobs, readTree, type TreeEntry } from "../../git/records.js";
import type { Quarantine } from "../quarantine.js";
import { LIST_NAME, SalvageList } from "./salvage.js";
import { writeFiles } from "../write-files.js";

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
  if (listed === undefined) throw new CoordinatorError("NOT_FOUND", `${commit} is not a salvaged workspace.`);
  const list = SalvageList.parse(
    JSON.parse((await readBlobs(git, gitDir, [listed.oid], MOST_BYTES)).get(listed.oid)?.toString("utf8") ?? ""),
  );
  for (const { name, path } of list.files) {
    const entry = aside.get(name);
    if (entry !== undefined) files.set(Buffer.from(path, "base64").toString("latin1"), entry);
  }
  return writeFiles(git, gitDir, files, folder);
}
