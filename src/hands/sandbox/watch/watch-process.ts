import { type Dirent, type FSWatcher, lstatSync, watch } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { readdirSync } from "../../../foundation/files/read-files.js";
import { compileGlob } from "../../../foundation/globs/glob.js";
import type { Seen, WatchCommand, WatchOrder, WatchReport } from "./watcher.js";

/*
 * Watches folders of a workspace from a process of its own: an agent that writes in a loop floods its watcher with
 * events, and that must never be the Coordinator. One watch for each folder it is told to enter, and no others: what
 * lies in folders nobody asked about, such as installed packages, costs nothing.
 */

const order = JSON.parse(process.argv[2] ?? "{}") as WatchOrder;
const allowed = order.write.map(compileGlob);
const watched = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>();
const pending = new Map<string, Seen["kind"]>();
const FLUSH_MS = 5;
const MOST_PENDING = 20_000;
const MOST_AT_ONCE = 1000;

const say = (report: WatchReport) => void process.stdout.write(`${JSON.stringify(report)}\n`);

function noteSeen(folder: string, name: string): void {
  const path = folder === "" ? name : `${folder}/${name}`;
  if (order.ignore.includes(path) || allowed.some((matches) => matches(path))) return;
  const found = lstatSync(join(order.root, path), { throwIfNoEntry: false });
  const known = watched.get(path);
  if (found?.isDirectory() === true) {
    if (known?.inode === found.ino) return;
    leave(path);
    return take(path, "folder");
  }
  leave(path);
  take(path, found === undefined ? "gone" : "file");
}

let flushing: NodeJS.Timeout | undefined;

/** Told in lots: the same file written a thousand times is one thing to look at. */
function take(path: string, kind: Seen["kind"]): void {
  if (pending.size >= MOST_PENDING) return;
  pending.set(path, kind);
  flushing ??= setTimeout(flush, FLUSH_MS);
}

function flush(): void {
  const some = [...pending].slice(0, MOST_AT_ONCE);
  for (const [path] of some) pending.delete(path);
  flushing = pending.size > 0 ? setTimeout(flush, FLUSH_MS) : undefined;
  say({ type: "seen", paths: some.map(([path, kind]) => ({ path, kind })) });
}

/** Watches first and looks after: what is made in between is seen twice rather than never. */
function enter(folder: string, fresh: boolean): void {
  if (watched.has(folder)) return;
  const at = join(order.root, folder);
  const found = lstatSync(at, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return;
  try {
    const watcher = watch(at, (_, name) => {
      if (name === null) return;
      noteSeen(folder, name);
      if (name === basename(at)) again(folder);
    });
    watcher.on("error", () => leave(folder));
    watched.set(folder, { watcher, inode: found.ino });
  } catch (error) {
    // Gone again, or too many: then the gate alone decides, and the Coordinator knows.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") say({ type: "blind", path: folder, why: String(code) });
    return;
  }
  if (fresh) for (const { name } of entriesOf(at)) noteSeen(folder, name);
}

/**
 * The system reports a folder's own end under its own name. By then a new one may stand there, with the same inode
 * number even: only a new watch sees what is done in it.
 */
function again(folder: string): void {
  leave(folder);
  enter(folder, true);
}

function leave(folder: string): void {
  watched.get(folder)?.watcher.close();
  watched.delete(folder);
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

// It ends with the Coordinator, however that ends.
process.stdin.on("end", () => process.exit(0));
process.stdin.on("error", () => process.exit(0));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { folders, fresh } = JSON.parse(line) as WatchCommand;
  for (const folder of folders) enter(folder, fresh);
  if (!fresh) say({ type: "ready", folders: watched.size });
});
