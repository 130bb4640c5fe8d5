import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, join, relative, sep } from "node:path";
import { readFileSync } from "../../foundation/files/read-files.js";
import { peopleHere, secretObjection } from "../sandbox/shown/secret-places.js";

/*
 * Where the programs of a project's checks are installed. A sandbox shows `/usr` and nothing of a home directory, but
 * many toolchains live there: a version manager's Python, Rust's, a package manager beside its own Node.js. Each find
 * is written into `coordinator.yaml`, where a person sees it; nothing is run to find it.
 */

export interface FoundTool {
  /** A folder to be shown; below the home it begins with `~/`. */
  readonly folder: string;
  readonly because: string;
}

export interface ToolPlaces {
  readonly path: string;
  readonly home: string;
  /** The repository, which may name versions of its own. */
  readonly root: string;
}

/** Folders that every sandbox shows and searches anyway. */
const SEEN = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/** Contract: reads and runs nothing but looks. A program that is not installed, or stands where it is seen, gives none. */
export function findTools(programs: Iterable<string>, places: ToolPlaces): FoundTool[] {
  const found = new Map<string, FoundTool>();
  for (const program of new Set(programs))
    for (const folder of toolsOf(program, places)) {
      const name = shortenHome(folder, places.home);
      if (!found.has(name)) found.set(name, { folder: name, because: program });
    }
  return [...found.values()];
}

/** Node.js and what comes with it are always shown. */
const ALWAYS = new Set(["node", "npm", "npx"]);

function toolsOf(program: string, places: ToolPlaces): string[] {
  const place = onPath(program, places.path);
  if (place === null || ALWAYS.has(program) || SEEN.includes(dirname(place))) return [];
  const own = findManaged(place, program, places) ?? place;
  const real = realpathSync(own);
  // Where its name stands, then where the program itself stands, then no more than the folder it is in.
  const candidates = [own, real].map(installation);
  const folder = [...candidates, dirname(real)].find((candidate) => mayBeShown(candidate, places.home));
  if (folder === undefined) return [];
  // The name may be a link out of the folder it stands in, as those of npm are in `node_modules/.bin`.
  const linked = relative(folder, real).startsWith("..") ? [installation(real)] : [];
  return [folder, ...linked, ...baseOf(folder)].filter((each) => mayBeShown(each, places.home));
}

/** The folder a program that a sandbox would find is installed in: the one above `bin`. Null when it is not installed. */
export function installationOf(program: string, places: ToolPlaces): string | null {
  const place = onPath(program, places.path);
  return place === null ? null : installation(findManaged(place, program, places) ?? place);
}

/** The first place where the PATH has a program of this name. */
export function onPath(program: string, path: string): string | null {
  const folders = path.split(delimiter).filter((folder) => folder.startsWith(sep));
  return folders.map((folder) => join(folder, program)).find(isFile) ?? null;
}

/** A folder of the PATH that may not be entered has no program for this person. */
function isFile(place: string): boolean {
  try {
    return statSync(place).isFile();
  } catch {
    return false;
  }
}

/** `bin` is a part of what was installed, and seldom all of it. */
function installation(program: string): string {
  const folder = dirname(program);
  return basename(folder) === "bin" ? dirname(folder) : folder;
}

/** A virtual environment is made on another Python, which it needs. */
function baseOf(folder: string): string[] {
  const home = /^home\s*=\s*(.+)$/m.exec(textOf(join(folder, "pyvenv.cfg")) ?? "")?.[1]?.trim();
  return home === undefined || SEEN.includes(home) || !existsSync(home) ? [] : [installation(join(home, "python"))];
}

/** Version managers put a small program in the way that asks for the version at every start, and that needs the manager. */
function findManaged(place: string, program: string, { home, root }: ToolPlaces): string | null {
  if (place.includes(`${sep}.pyenv${sep}shims${sep}`)) {
    const manager = dirname(dirname(place));
    const version = firstLine(join(root, ".python-version")) ?? firstLine(join(manager, "version"));
    // The repository's word: a name of a version, and no way to another folder.
    if (version === null || !/^[\w+-][\w.+-]*$/.test(version)) return null;
    return findExisting(join(manager, "versions", version, "bin", program));
  }
  if (place.includes(`${sep}.cargo${sep}bin${sep}`)) {
    const rustup = join(home, ".rustup");
    const settings = textOf(join(rustup, "settings.toml")) ?? "";
    const toolchain = /^default_toolchain\s*=\s*"([^"]+)"/m.exec(settings)?.[1];
    return findExisting(join(rustup, "toolchains", toolchain ?? "", "bin", program));
  }
  return null;
}

/** A home directory, what holds one, and what commonly holds logins is never shown as a whole. */
const NEVER = [".local", ".cargo"];

function mayBeShown(folder: string, home: string): boolean {
  if (folder === "/usr" || NEVER.includes(relative(home, folder)) || !existsSync(folder)) return false;
  return secretObjection(realpathSync(folder), peopleHere({ ...process.env, HOME: home })) === null;
}

function shortenHome(folder: string, home: string): string {
  const way = relative(home, folder);
  return way.startsWith("..") ? folder : `~/${way}`;
}

function findExisting(place: string): string | null {
  return existsSync(place) ? realpathSync(place) : null;
}

function firstLine(file: string): string | null {
  return textOf(file)?.split("\n")[0]?.trim() ?? null;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
