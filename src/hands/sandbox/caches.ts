import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { lstat, realpath, statfs } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { readdir } from "../../foundation/files/read-files.js";
import { chmod, mkdir } from "../../foundation/files/write-files.js";
import { CoordinatorError } from "../../model/errors.js";
import { isKnownCache } from "../../model/settings/known-caches.js";
import { isPlainPath } from "../../foundation/globs/glob.js";
import { HOME, type Mount } from "./layout.js";

/*
 * Caches of package managers and compilers, as one sandbox gets them: a copy of its own that it may write to. Programs write
 * to their caches also when they only read packages: lock files, indexes, databases, lists of projects. With a read-only
 * cache they fail, and with the person's own one a sandbox could change what the person installs later.
 *
 * The packages themselves are large and never rewritten, so they are not copied: the folders that hold them are shown
 * read-only at their place inside the copy.
 */

export interface PrivateCaches {
  readonly mounts: readonly Mount[];
  /** Caches that could not be given as a copy, in words. */
  readonly notices: readonly string[];
}

interface CacheLayout {
  /** Folders of packages, from the root of the cache: shown read-only. */
  readonly shared: readonly string[];
  /** Parts that are left out of a new cache. */
  readonly skipped: readonly string[];
}

/** The most that is copied of one cache; above it the whole cache is shown read-only. */
const MOST_BYTES = 1024 ** 3;
/** Space that must stay free on the disk besides. */
const FREE_BYTES = 512 * 1024 ** 2;

/**
 * Makes the private copies of these caches, named by their place below the home inside.
 *
 * Contract: throws USAGE for a name that is not a plain path. A cache that is not there yet is an empty folder, which is
 * on the disk of `folder` and not in the small temporary file system of the home.
 */
export async function privateCaches(
  caches: Readonly<Record<string, string>>,
  folder: string,
  most: number = MOST_BYTES,
  viewOf: (real: string) => Promise<string> = async (real) => real,
): Promise<PrivateCaches> {
  const mounts: Mount[] = [];
  const notices: string[] = [];
  for (const [i, [name, source]] of Object.entries(caches).entries()) {
    if (!isPlainPath(name) || name.startsWith("/"))
      throw new CoordinatorError("USAGE", `${name} is not a plain path below the home directory`);
    const to = `${HOME}/${name}`;
    const copy = join(folder, String(i));
    await mkdir(copy, { recursive: true, mode: 0o755 });
    mounts.push({ from: copy, to, writable: true });
    if (!existsSync(source)) continue;
    const real = await realpath(source);
    const layout = await layoutOf(real);
    // Caches of package managers hold packages; other folders that a person shows are shown by a view.
    const shown = isKnownCache(`~/${name}`) ? async (place: string) => place : viewOf;
    const bytes = await bytesOf(real, layout, most);
    const { bavail, bsize } = await statfs(folder);
    if (bytes > most || bytes + FREE_BYTES > bavail * bsize) {
      mounts.push({ from: await shown(real), to });
      notices.push(
        `~/${name} is too large to be copied (more than ${Math.floor(most / 1024 ** 2)} MB): it is shown read-only, and programs that write to it fail`,
      );
      continue;
    }
    await copyExcept(real, copy, "", layout);
    for (const at of layout.shared) mounts.push({ from: await shown(join(real, at)), to: `${to}/${at}` });
  }
  return { mounts, notices };
}

/** Which folders of a cache hold packages. Told from what is in it, not from its name: people move their caches. */
async function layoutOf(cache: string): Promise<CacheLayout> {
  const shared: string[] = [];
  const skipped: string[] = [];
  const isFolder = async (at: string) => (await lstat(join(cache, at)).catch(() => null))?.isDirectory() === true;
  const share = async (...folders: readonly string[]) => {
    for (const at of folders) if (await isFolder(at)) shared.push(at);
  };
  // npm
  await share("_cacache/content-v2");
  skipped.push("_logs", "_npx", "_cacache/tmp");
  // pnpm: the store itself, or the folder that holds it.
  for (const store of [".", "store"])
    for (const version of await namesIn(join(cache, store)))
      if (/^v\d+$/.test(version) && (await isFolder(join(store, version, "files")))) {
        const at = join(store, version);
        await share(join(at, "files"));
        skipped.push(join(at, "projects"), join(at, "tmp"), join(at, "links"));
      }
  // uv, cargo, Go modules, Gradle, Composer
  await share("archive-v0");
  skipped.push("builds-v0", "environments-v2");
  if (basename(cache) === "registry") await share("cache", "src");
  if (await isFolder("cache/download")) await share(...(await modulesIn(cache)));
  await share("files-2.1", "modules-2/files-2.1");
  skipped.push("daemon", "build-cache-1", "journal-1");
  return { shared, skipped };
}

/** The extracted modules of Go's cache lie beside `cache`, one folder for each host. */
async function modulesIn(cache: string): Promise<string[]> {
  return (await namesIn(cache)).filter((name) => name !== "cache");
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/** Counts the bytes that would be copied, until they are too many. */
async function bytesOf(cache: string, layout: CacheLayout, most: number): Promise<number> {
  const left = new Set([...layout.shared, ...layout.skipped]);
  const waiting = [""];
  let bytes = 0;
  for (let at = waiting.pop(); at !== undefined && bytes <= most; at = waiting.pop()) {
    for (const name of await namesIn(join(cache, at))) {
      const path = join(at, name);
      if (left.has(path)) continue;
      const found = await lstat(join(cache, path)).catch(() => null);
      if (found?.isDirectory() === true) waiting.push(path);
      // A small file takes a block of the disk, and time.
      else if (found !== null) bytes += Math.max(found.size, 4096);
    }
  }
  return bytes;
}

async function copyExcept(from: string, to: string, at: string, layout: CacheLayout): Promise<void> {
  const whole: string[] = [];
  for (const name of await namesIn(join(from, at))) {
    const path = join(at, name);
    if (layout.skipped.includes(path)) continue;
    if (layout.shared.includes(path)) await mkdir(join(to, path), { recursive: true });
    else if ([...layout.shared, ...layout.skipped].some((each) => each.startsWith(`${path}/`))) {
      await mkdir(join(to, path), { recursive: true });
      await copyExcept(from, to, path, layout);
    } else whole.push(join(from, path));
  }
  for (let i = 0; i < whole.length; i += AT_ONCE) await copyInto(whole.slice(i, i + AT_ONCE), join(to, at));
  await chmod(join(to, at), 0o755);
}

const AT_ONCE = 500;

/** Owned by anyone who copies, links stay links, and blocks are shared where the disk can. */
async function copyInto(paths: readonly string[], folder: string): Promise<void> {
  const how = ["-R", "-P", "--preserve=mode,timestamps", "--reflink=auto", "-t", folder, "--"];
  await promisify(execFile)("cp", [...how, ...paths], { env: { PATH: "/usr/bin:/bin", LC_ALL: "C" } }).catch(
    (cause: unknown) => {
      throw new CoordinatorError("WORKSPACE_FAILED", `A cache could not be copied into ${folder}`, {
        cause,
        fix: "See that it can be read and that there is room on the disk, or take it out of workspace.setup.caches.",
      });
    },
  );
}
