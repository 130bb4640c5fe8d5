import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readdirSync } from "../../../files/read-files.js";
import { mkdirSync, mkdtempSync, rmSync } from "../../../files/write-files-sync.js";
import { stateDirectory, temporaryDirectory } from "../../places.js";
import { viewOf } from "./shown-places.js";

/*
 * The private trees that cages of this process show. They lie on the disk of the state directory, where hard links into
 * homes are possible, are made once for each folder, and go with the process.
 */

let folder: string | null = null;
const made = new Map<string, Promise<string>>();

/** The place to mount for a file or folder. Contract: as `viewOf`. */
export async function sharedView(real: string): Promise<string> {
  const known = await made.get(real);
  if (known !== undefined && existsSync(known)) return known;
  const view = viewOf(real, viewsFolder(), randomBytes(6).toString("hex"));
  made.set(real, view);
  view.catch(() => made.delete(real));
  return view;
}

/** Made when it is first needed; what processes that are no more have left is removed then. */
function viewsFolder(): string {
  if (folder !== null && existsSync(folder)) return folder;
  const mine = newFolder();
  process.once("exit", () => rmSync(mine, { recursive: true, force: true }));
  folder = mine;
  return mine;
}

function newFolder(): string {
  const directory = stateDirectory(process.env);
  try {
    if (directory === null) throw new Error("there is no home");
    const shown = join(directory, "shown");
    mkdirSync(shown, { recursive: true, mode: 0o700 });
    removeLeft(shown);
    const mine = join(shown, `${process.pid}-${randomBytes(6).toString("hex")}`);
    mkdirSync(mine, { mode: 0o711 });
    return mine;
  } catch {
    // Where the state cannot be written, temporary files may be.
    return mkdtempSync(join(temporaryDirectory(), "coordinator-shown-"));
  }
}

function removeLeft(shown: string): void {
  for (const name of readdirSync(shown)) {
    const pid = /^(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(shown, name), { recursive: true, force: true });
  }
}
