import { type Dirent, type FSWatcher, lstatSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { compileGlob, globPrefix, matchesGlob } from "../../../rules/glob.js";
import type { WatchOrder, WatchReport } from "./watcher.js";

/*
 * Watches a workspace from a process of its own: an agent that writes in a loop floods its watcher with events, and
 * that must never be the Coordinator. One watch per directory; a recursive one would cost one per file.
 *
 * It only shortens the time to a kill. What it misses, the gate over the whole diff finds.
 */

const order = JSON.parse(process.argv[2] ?? "{}") as WatchOrder;
const allowed = order.write.map(compileGlob);
const watched = new Map<string, FSWatcher>();
const reported = new Set<string>();
const MAX_REPORTED = 10_000;

const say = (report: WatchReport) => void process.stdout.write(`${JSON.stringify(report)}\n`);

/** A directory on the way to something that may be written may be made: it holds nothing yet. */
const onTheWay = (path: string) => order.write.some((glob) => `${globPrefix(glob)}/`.startsWith(`${path}/`));
const isIgnored = (path: string) => order.ignore.some((glob) => matchesGlob(glob, path));

function judge(path: string, event: string): void {
  if (reported.size >= MAX_REPORTED || reported.has(path) || isIgnored(path)) return;
  if (allowed.some((matches) => matches(path))) return;
  reported.add(path);
  say({ type: "violation", path, event });
}

function seen(folder: string, event: string, name: string): void {
  const path = folder === "" ? name : `${folder}/${name}`;
  const found = lstatSync(join(order.root, path), { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return void (watched.has(path) || isIgnored(path) || enter(path, true));
  // What has gone again at once may have been a directory on the way; everything else is judged as a file.
  if (found === undefined && onTheWay(path)) return;
  judge(path, event);
}

/** Watches first and looks after: what is made in between is seen twice rather than never. */
function enter(folder: string, isNew: boolean): void {
  const at = join(order.root, folder);
  try {
    const watcher = watch(at, (event, name) => {
      if (name !== null) seen(folder, event, name);
    });
    watcher.on("error", () => leave(folder));
    watched.set(folder, watcher);
  } catch (error) {
    // Gone again, or too many: then the gate alone decides, and the Coordinator knows.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") say({ type: "blind", path: folder, why: String(code) });
    return;
  }
  for (const entry of entriesOf(at)) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!watched.has(path) && !isIgnored(path)) enter(path, isNew);
    } else if (isNew) judge(path, "rename");
  }
}

function leave(folder: string): void {
  watched.get(folder)?.close();
  watched.delete(folder);
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

// A directory that was removed and made again has a new watch to get.
setInterval(() => {
  for (const folder of watched.keys())
    if (folder !== "" && lstatSync(join(order.root, folder), { throwIfNoEntry: false }) === undefined) leave(folder);
}, 250);
// It ends with the Coordinator, however that ends.
process.stdin.on("end", () => process.exit(0));
process.stdin.on("error", () => process.exit(0));
process.stdin.resume();

enter("", false);
say({ type: "ready", directories: watched.size });
