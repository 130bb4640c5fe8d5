import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { holdPlace } from "../../../foundation/files/hold-place.js";
import { readFile } from "../../../foundation/files/read-files.js";
import { mkdir, rename, rm, writeFile } from "../../../foundation/files/write-files.js";
import { plainWay, removeInside } from "../../workspace/path-safety.js";
import type { Made } from "./made.js";
import type { SetupPlace, SetupSettings } from "./place.js";

/*
 * The files that a setup made, kept under a key of the command and of the files that decide it, and copied into every later
 * workspace. So the base and the result of a change stand in the same environment.
 *
 * INVARIANT: only a tree no agent has touched may fill the cache. Otherwise a change to some script would be run in the
 * workspaces of others.
 */

/** Raised when what is kept, or how it is copied, changes. */
const LAYOUT = 2;
const MOST_BYTES = 8 * 1024 ** 3;

const Kept = z.strictObject({
  /** `each`: it cannot be copied from one tree to another, so setup runs in every workspace. */
  mode: z.enum(["kept", "each"]),
  /** Why it runs in every workspace; empty for `kept`. */
  reason: z.string(),
  paths: z.array(z.string()),
});
export type Kept = z.infer<typeof Kept>;

/** Null when nothing is known of the setup of such a workspace. */
export async function findKeptSetup(settings: SetupSettings, place: SetupPlace): Promise<Kept | null> {
  const text = await readFile(join(await folderFor(settings, place), "kept.json"), "utf8").catch(() => null);
  const read = Kept.safeParse(text === null ? null : JSON.parse(text));
  return read.success ? read.data : null;
}

/**
 * Puts the files that were kept for this workspace into it. True when nothing is left to be run.
 *
 * Contract: before its sandbox is open, which gives the copies to the user of the sandbox.
 */
export async function restoreSetup(settings: SetupSettings, place: SetupPlace): Promise<boolean> {
  const kept = await findKeptSetup(settings, place);
  if (kept === null || kept.mode === "each") return false;
  const ways = new Map<string, string>();
  for (const path of kept.paths) {
    const to = await plainWay(place.workspace, path);
    // The tree has something of its own where setup made something: what setup makes of that is not known.
    if (to === null || (await lstat(to).catch(() => null)) !== null) return false;
    ways.set(path, to);
  }
  const folder = await folderFor(settings, place);
  try {
    for (const [path, to] of ways) await copy(join(folder, "files", path), to);
    return true;
  } catch {
    // Not all of it is there: it is made anew.
    for (const path of kept.paths) await removeInside(place.workspace, path);
    return false;
  }
}

/** Contract: the workspace is as the command left it, no agent has been in it, and nothing runs in it. */
export async function keepSetup(settings: SetupSettings, place: SetupPlace, made: Made): Promise<Kept> {
  const reason = whyEach(settings, made);
  const loose = new Set(settings.build === undefined ? [] : made.loose);
  const paths = made.added.filter((path) => !loose.has(path));
  const folder = await folderFor(settings, place);
  const making = `${folder}.${randomUUID()}`;
  const write = async (kept: Kept) => {
    await mkdir(making, { recursive: true });
    await writeFile(join(making, "kept.json"), `${JSON.stringify(kept)}\n`);
    await rm(folder, { recursive: true, force: true });
    await rename(making, folder);
    return kept;
  };
  try {
    if (reason !== null) return await write({ mode: "each", reason, paths: [] });
    for (const path of paths) await copy(join(place.workspace, path), join(making, "files", path));
    return await write({ mode: "kept", reason: "", paths });
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    const why = `what it made could not be copied (${(error as Error).message.split("\n")[0] ?? ""})`;
    return await write({ mode: "each", reason: why, paths: [] });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

/**
 * Why what setup made on one tree must not be put into another one; null when it may.
 *
 * The files that a setup makes besides the folders of packages are often made from the source: a build that an install started. A
 * copy of it beside a changed source would be the old program, and checks of it would prove nothing. With a command
 * that makes it anew, only the rest is copied.
 */
function whyEach({ build }: SetupSettings, { changed, loose, problem, bytes }: Made): string | null {
  const some = (paths: readonly string[]) => `${paths.slice(0, 5).join(", ")}${paths.length > 5 ? ", …" : ""}`;
  if (problem !== null) return problem;
  if (changed.length > 0) return `it changes files of the repository (${some(changed)})`;
  if (loose.length > 0 && build === undefined)
    return `it makes ${some(loose)}, which may be made from the source. Name the command that makes it in workspace.setup.build, or, if the inputs alone decide it, name it in workspace.setup.keeps: then all else is copied`;
  if (bytes > MOST_BYTES) return `what it makes is too large to be kept (${Math.floor(bytes / 1024 ** 2)} MB)`;
  return null;
}

/** The key of a workspace's setup: two workspaces with the same one get the same environment. */
async function setupKey(
  settings: Pick<SetupSettings, "run" | "build" | "inputs" | "keeps" | "caches" | "mounts">,
  { readFile: read }: Pick<SetupPlace, "readFile">,
): Promise<string> {
  const { run, build, inputs, keeps, caches, mounts } = settings;
  const user = process.getuid?.() ?? null;
  const decides = { layout: LAYOUT, run, build, keeps, caches, mounts, node: process.version, user };
  const hash = createHash("sha256").update(JSON.stringify(decides));
  for (const path of inputs) hash.update(`\0${path}\0${(await read(path, 64 * 1024 * 1024)) ?? "absent"}`);
  return hash.digest("hex");
}

async function folderFor(settings: SetupSettings, place: SetupPlace): Promise<string> {
  return join(place.cache, await setupKey(settings, place));
}

/**
 * Links stay links, blocks are shared where the disk can, and the copy belongs to anyone who copies: under a Coordinator
 * of root every sandbox has a user of its own, and a file of another sandbox's user would be nobody's inside. Files with
 * several names become several files: those are not given to the user of a sandbox.
 */
async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const how = ["-R", "-P", "--preserve=mode,timestamps", "--reflink=auto", "-T", "--"];
  const source = holdPlace(from);
  try {
    const target = holdPlace(to);
    try {
      const env = { PATH: "/usr/bin:/bin", LC_ALL: "C" };
      await promisify(execFile)("cp", [...how, source.forOthers, target.forOthers], { env });
    } finally {
      target.letGo();
    }
  } finally {
    source.letGo();
  }
}
