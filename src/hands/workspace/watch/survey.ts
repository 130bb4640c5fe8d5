import { type BigIntStats, chmodSync, closeSync, constants, lstatSync, openSync, readdirSync } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import type { Finding } from "../finding.js";
import { type BytePath, shownPath } from "../../git/records.js";
import { onDisk } from "../path-safety.js";

/*
 * The survey of a workspace from outside: every name, of any kind, by `lstat` alone. No file is opened, no link
 * followed, no repository asked. A tree too large, too deep or closed to its owner is a finding and never an endless walk.
 */

export interface SurveyEntry {
  readonly path: BytePath;
  /** Where it can be opened; differs from the path below the root where that would be too long for the system. */
  readonly place: BytePath;
  readonly kind: "file" | "symlink" | "special";
  readonly size: number;
  readonly executable: boolean;
  /** Changes whenever the content may have changed; agents cannot set the time of a change. */
  readonly stat: string;
  readonly changedMs: number;
}

export interface Survey {
  readonly entries: readonly SurveyEntry[];
  /** Folders below the root with a `.git` in them. */
  readonly nested: readonly BytePath[];
  readonly empty: readonly BytePath[];
  readonly bytes: number;
  /** Places that could not be seen. INVARIANT: with any finding, the entries are not everything there is. */
  readonly findings: readonly Finding[];
  /** Contract: after it, places beyond the system's limit on paths cannot be opened any more. */
  readonly close: () => void;
}

export interface SurveyLimits {
  readonly entries: number;
  readonly pathBytes: number;
}
const SURVEY_LIMITS: SurveyLimits = { entries: 500_000, pathBytes: 256 * 1024 };

// Below the 4,096 bytes of Linux with room for a name of 255 bytes.
const LONGEST_PLACE = 3000;
const AT_ONCE = 400;

/** Contract: `skip` names entries of the root that are left out. Never throws for what it finds, only without a root. */
export async function survey(
  root: string,
  skip: readonly string[],
  limits: SurveyLimits = SURVEY_LIMITS,
): Promise<Survey> {
  const entries: SurveyEntry[] = [];
  const nested: BytePath[] = [];
  const empty: BytePath[] = [];
  const findings: Finding[] = [];
  const anchors: number[] = [];
  let bytes = 0;
  let seen = 0;
  const top = Buffer.from(root).toString("latin1");
  const waiting: { path: BytePath; place: BytePath }[] = [{ path: "", place: top }];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const { path, place } = holdFolder(folder, anchors, findings);
    if (place === "") continue;
    const names = namesIn(place);
    if (names === null) {
      findings.push({ gate: "unreadable", path: shownPath(path), detail: "the folder cannot be read" });
      continue;
    }
    if (names.length === 0 && path !== "") empty.push(path);
    if (path !== "" && names.includes(".git")) nested.push(path);
    for (const name of names) {
      if (path === "" && skip.includes(name)) continue;
      const child = { path: path === "" ? name : `${path}/${name}`, place: `${place}/${name}` };
      if (++seen > limits.entries || child.path.length > limits.pathBytes) {
        const gate = seen > limits.entries ? "too_many" : "too_deep";
        const detail = gate === "too_many" ? `more than ${limits.entries} entries` : "the path is too long";
        findings.push({ gate, path: shownPath(child.path).slice(0, 500), detail });
        if (gate === "too_deep") continue;
        waiting.length = 0;
        break;
      }
      if (seen % AT_ONCE === 0) await breathe();
      const stats = lstatSync(onDisk(child.place), { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) continue;
      if (stats.isDirectory()) waiting.push(child);
      else {
        const entry = entryOf(child, stats);
        entries.push(entry);
        bytes += entry.size;
      }
    }
  }
  const close = () => anchors.splice(0).forEach((descriptor) => closeSync(descriptor));
  return { entries, nested, empty, bytes, findings, close };
}

/** One file or link as a survey would tell of it; null when there is none. */
export function surveyFile(root: string, path: BytePath): SurveyEntry | null {
  const place = `${Buffer.from(root).toString("latin1")}/${path}`;
  const stats = lstatSync(onDisk(place), { bigint: true, throwIfNoEntry: false });
  return stats === undefined || stats.isDirectory() ? null : entryOf({ path, place }, stats);
}

function entryOf({ path, place }: { path: BytePath; place: BytePath }, stats: BigIntStats): SurveyEntry {
  return {
    path,
    place,
    kind: stats.isFile() ? "file" : stats.isSymbolicLink() ? "symlink" : "special",
    size: stats.isFile() ? Number(stats.size) : 0,
    executable: (stats.mode & 0o100n) !== 0n,
    stat: `${stats.dev}:${stats.ino}:${stats.size}:${stats.mode}:${stats.mtimeNs}:${stats.ctimeNs}`,
    changedMs: Number(stats.ctimeNs / 1_000_000n),
  };
}

function namesIn(place: BytePath): BytePath[] | null {
  const read = () => readdirSync(onDisk(place), { encoding: "buffer" }).map((name) => name.toString("latin1"));
  try {
    return read();
  } catch {
    try {
      // INVARIANT: asked for folders only; the agent is gone, so nothing swaps it for a link in between.
      if (!lstatSync(onDisk(place)).isDirectory()) return null;
      chmodSync(onDisk(place), 0o700);
      return read();
    } catch {
      return null;
    }
  }
}

/** A folder too deep to be named from the root is held open and named by its descriptor. */
function holdFolder(
  folder: { path: BytePath; place: BytePath },
  anchors: number[],
  findings: Finding[],
): typeof folder {
  if (folder.place.length <= LONGEST_PLACE) return folder;
  try {
    const descriptor = openSync(
      onDisk(folder.place),
      constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
    );
    anchors.push(descriptor);
    const place = `/proc/self/fd/${descriptor}`;
    if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) return { path: folder.path, place };
  } catch {
    // Told below.
  }
  findings.push({
    gate: "too_deep",
    path: shownPath(folder.path).slice(0, 500),
    detail: "the folder is too deep to be read",
  });
  return { path: folder.path, place: "" };
}
