import { execFile } from "node:child_process";
import { type Dirent, lstatSync, realpathSync } from "node:fs";
import { lstat, statfs } from "node:fs/promises";
import { readdir } from "../../../foundation/files/read-files.js";
import { mkdir } from "../../../foundation/files/write-files.js";
import { rmSync } from "../../../foundation/files/write-files-sync.js";
import { join } from "node:path";
import { promisify } from "node:util";
import { CoordinatorError } from "../../../model/errors.js";
import { isBelow } from "../../../foundation/files/is-below.js";
import { isSecretName, type People, peopleHere, secretObjection } from "./secret-places.js";

/*
 * Places that a person agreed to show in a sandbox: a file as it is, a folder as a tree without anything that leads out again.
 *
 * A read-only mount does not hold a UNIX socket: anyone who sees one can connect to it, and the program behind it runs
 * outside. So a folder with a socket, a FIFO or a device in it is refused. A socket may also be made later, while a sandbox is
 * open: a folder in which the person or anybody but root may make one is shown as a private tree of hard links (or
 * copies), which nothing new appears in.
 */

/** Seen by every sandbox without being named. */
const ALWAYS_SEEN = ["/usr", "/nix/store"];

export const isAlwaysSeen = (real: string) => ALWAYS_SEEN.some((folder) => isBelow(real, folder));

/**
 * The real path of what may be shown.
 *
 * Contract: throws USAGE for a place that is not there, that is or holds a secret one, or is neither file nor folder.
 */
export function requireShowable(path: string, people: People = peopleHere()): string {
  const real = realpathSync(path);
  refuseSecret(path, real, people);
  const { isFile, isDirectory } = kindOf(real);
  if (!isFile && !isDirectory)
    throw refusedPlace(path, "it is a socket, a FIFO or a device", "Name a folder of programs or a file.");
  return real;
}

/** Contract: throws USAGE for a place that is a secret one, or lies above or below one, whether it is there or not. */
export function refuseSecret(path: string, real: string, people: People = peopleHere()): void {
  const objection = secretObjection(real, people);
  if (objection !== null) throw refusedPlace(path, objection, "Name the folder of the program itself.");
}

function kindOf(real: string): { isFile: boolean; isDirectory: boolean } {
  const found = lstatSync(real);
  return { isFile: found.isFile(), isDirectory: found.isDirectory() };
}

function refusedPlace(path: string, why: string, fix: string): CoordinatorError {
  return new CoordinatorError("USAGE", `${path} may not be shown to an agent: ${why}`, { fix });
}

/** The most that is copied of one folder where hard links are not possible. */
const MOST_BYTES = 1024 ** 3;
const FREE_BYTES = 512 * 1024 ** 2;

interface View {
  readonly path: string;
  /** The files are those of the folder itself, in folders of our own. */
  readonly isLinked: boolean;
}

/**
 * The place to mount for a folder that may be shown: itself, or a private tree below `views`.
 *
 * Contract: `real` is what `requireShowable` returned. Throws USAGE for a folder with a socket, a FIFO, a device or a place
 * of secrets in it, and for one that would have to be copied and is too large.
 */
export async function viewOf(real: string, views: string, name: string): Promise<View> {
  // Where only root can make something, no program of the person's makes a socket; unless the person is root.
  const { isOpen } = await scanFolder(real);
  if (!isOpen && process.getuid?.() !== 0) return { path: real, isLinked: false };
  const view = join(views, name);
  await mkdir(view, { recursive: true, mode: 0o755 });
  const isNear = (await lstat(real)).dev === (await lstat(view)).dev;
  const isLinked = isNear && (await copyTree(real, view, ["-l"]));
  if (!isLinked) {
    rmSync(view, { recursive: true, force: true });
    await mkdir(view, { recursive: true, mode: 0o755 });
    await requireRoom(real, views);
    if (!(await copyTree(real, view, ["--reflink=auto"])))
      throw refusedPlace(
        real,
        "it could not be copied",
        "See that all of it can be read, and that there is room on the disk.",
      );
  }
  // Something may have been made while it was linked.
  await scanFolder(view, real);
  return { path: view, isLinked };
}

async function requireRoom(real: string, views: string): Promise<void> {
  const { bavail, bsize } = await statfs(views);
  const bytes = await bytesIn(real);
  if (bytes <= MOST_BYTES && bytes + FREE_BYTES <= bavail * bsize) return;
  throw refusedPlace(
    real,
    `others than root may make sockets in it, and with ${Math.ceil(bytes / 1024 ** 2)} MB it is too large to be copied`,
    "Let root own it and nobody else write to it, put it on the disk of ~/.local/state, or name a smaller folder.",
  );
}

/**
 * Whether somebody besides root may make something in a folder.
 *
 * Contract: throws USAGE for what must not be shown. Links are not followed: inside they lead to what is there.
 */
async function scanFolder(folder: string, called = folder): Promise<{ readonly isOpen: boolean }> {
  const waiting = [folder];
  let isOpen = false;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { uid, mode } = await lstat(at);
    if (uid !== 0 || (mode & 0o022) !== 0) isOpen = true;
    const entries = await readdir(at, { withFileTypes: true }).catch(() => [] as Dirent[]);
    for (const entry of entries) {
      const place = join(at, entry.name);
      const inside = `${called}${place.slice(folder.length)}`;
      if (isSecretName(entry.name))
        throw refusedPlace(
          called,
          `it holds ${inside}, a place for logins and keys`,
          "Name the folder of the program itself.",
        );
      if (entry.isDirectory()) waiting.push(place);
      else if (!entry.isFile() && !entry.isSymbolicLink())
        throw refusedPlace(
          called,
          `${inside} is a socket, a FIFO or a device, and leads out of the sandbox`,
          "Remove it, or name a folder without any.",
        );
    }
  }
  return { isOpen };
}

/** Counted until it is too much. */
async function bytesIn(folder: string): Promise<number> {
  const waiting = [folder];
  let bytes = 0;
  for (let at = waiting.pop(); at !== undefined && bytes <= MOST_BYTES; at = waiting.pop())
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [] as Dirent[])) {
      const place = join(at, entry.name);
      if (entry.isDirectory()) waiting.push(place);
      else bytes += Math.max((await lstat(place).catch(() => null))?.size ?? 0, 4096);
    }
  return bytes;
}

/** Whether all of it could be copied or linked. Links stay links. */
async function copyTree(from: string, to: string, how: readonly string[]): Promise<boolean> {
  const args = ["-R", "-P", "--preserve=mode,timestamps", ...how, "--", `${from}/.`, to];
  return promisify(execFile)("cp", args, { env: { PATH: "/usr/bin:/bin", LC_ALL: "C" }, maxBuffer: 1 << 24 }).then(
    () => true,
    () => false,
  );
}
