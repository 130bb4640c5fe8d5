import { createHash, randomBytes } from "node:crypto";
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { readdirSync } from "../../../foundation/files/read-files.js";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "../../../foundation/files/write-files-sync.js";
import { stateDirectory, temporaryDirectory } from "../../workspace/state-places.js";
import { isAlwaysSeen, viewOf } from "./shown-places.js";

/*
 * The private trees that sandboxes show instead of folders in which something may appear. They lie on the disk of the state
 * directory, where hard links into homes are possible. A tree of hard links is kept for later processes, as long as no
 * folder below has changed: a toolchain has ten thousands of files, and every attempt is a process of its own. A copy may
 * grow old in other ways, and goes with the process that made it.
 */

const made = new Map<string, Promise<string>>();
/** An older tree may still be shown by a sandbox that is open; no sandbox is open for longer. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** The place to mount for a file or folder. Contract: as `viewOf`. */
export async function sharedView(real: string, environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const known = await made.get(real);
  if (known !== undefined && existsSync(known)) return known;
  // Only in a folder can something appear, and in these nobody but root makes it.
  if (lstatSync(real).isFile() || isAlwaysSeen(real)) return real;
  const view = viewOfFolder(real, environment);
  made.set(real, view);
  view.catch(() => made.delete(real));
  return view;
}

async function viewOfFolder(real: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const shown = shownFolder(environment);
  const name = createHash("sha256").update(real).digest("hex").slice(0, 20);
  const kept = join(shown, `${name}-${stateOfFolders(real)}`);
  if (existsSync(kept)) return kept;
  const draft = `${process.pid}-${randomBytes(6).toString("hex")}`;
  const { path, isLinked } = await viewOf(real, shown, draft);
  if (path === real) return real;
  if (!isLinked) {
    process.once("exit", () => rmSync(path, { recursive: true, force: true }));
    return path;
  }
  try {
    renameSync(path, kept);
  } catch (error) {
    if (!existsSync(kept)) throw error;
    // Another process was faster, with the same.
    rmSync(path, { recursive: true, force: true });
  }
  removeOlder(shown, name, kept);
  return kept;
}

/**
 * Changes whenever a name is added, removed or replaced anywhere below a folder. Writing into a file that is there
 * shows in a hard link to it anyway.
 */
function stateOfFolders(folder: string): string {
  const hash = createHash("sha256");
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { ino, ctimeNs } = lstatSync(at, { bigint: true });
    hash.update(`${at}\0${ino}\0${ctimeNs}\0`);
    try {
      for (const entry of readdirSync(at, { withFileTypes: true }))
        if (entry.isDirectory()) waiting.push(join(at, entry.name));
    } catch {
      hash.update("unreadable\0");
    }
  }
  return hash.digest("hex").slice(0, 20);
}

/** Made when it is first needed; folders of ended processes are removed then. */
function shownFolder(environment: NodeJS.ProcessEnv): string {
  const directory = stateDirectory(environment);
  try {
    if (directory === null) throw new Error("there is no home");
    const shown = join(directory, "shown");
    mkdirSync(shown, { recursive: true, mode: 0o711 });
    removeLeft(shown);
    return shown;
  } catch {
    // Where the state cannot be written, temporary files may be.
    const mine = mkdtempSync(join(temporaryDirectory(), "coordinator-shown-"));
    process.once("exit", () => rmSync(mine, { recursive: true, force: true }));
    return mine;
  }
}

function removeLeft(shown: string): void {
  for (const name of readdirSync(shown)) {
    const pid = /^(\d+)-[0-9a-f]{12}$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(shown, name), { recursive: true, force: true });
  }
}

function removeOlder(shown: string, name: string, kept: string): void {
  for (const other of readdirSync(shown)) {
    const place = join(shown, other);
    if (!other.startsWith(`${name}-`) || place === kept) continue;
    if (Date.now() - lstatSync(place).ctimeMs > KEPT_MS) rmSync(place, { recursive: true, force: true });
  }
}
