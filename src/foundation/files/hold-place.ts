import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isGitPath } from "../../model/fold-path.js";
import { type ProjectPath, projectPathOf } from "./project-bounds.js";
import { intoGit, linkOnTheWay } from "./refusals.js";

/*
 * A place in a project, held while something is written there. The folder it lies in is opened name by name from the
 * root, each without following a link, and the write goes through that handle: who puts a link in the way meanwhile
 * changes nothing. On Linux `/proc/self/fd/N/name` is the file `name` of the folder that N holds. Elsewhere each name is
 * looked at just before.
 */

/** `O_PATH` of Linux: a handle that only names a file. Opening has no effect on what is opened, be it a pipe or a device. */
export const O_PATH = 0o10000000;
export const HAS_HANDLES = process.platform === "linux" && existsSync("/proc/self/fd");

export interface HeldPlace {
  /** The path of the place for this process; valid until it is released. */
  readonly path: string;
  /** The path of the place for a program that this process starts. */
  readonly forOthers: string;
  readonly letGo: () => void;
}

/**
 * Hold the place of a path.
 *
 * Contract: throws LINK_REFUSED when a folder on the way is a link, FILE_WRITE_FAILED below `.git`, which only git writes
 * to, and what the system says when a folder is missing; with `make`, folders that are missing are made. The file at the place itself is not looked at. A path of no project is
 * given back as it is.
 */
export function holdPlace(path: string, make: { readonly mode?: number } | null = null): HeldPlace {
  const project = projectPathOf(path);
  if (project?.names.some((name) => isGitPath(name)) === true) throw intoGit(path);
  if (project === null || project.names.length === 0) return { path, forOthers: path, letGo: () => undefined };
  if (!HAS_HANDLES) return checkEachStep(path, project, make);
  const folder = openFolder(project, path, make);
  const name = project.names.at(-1) as string;
  return {
    path: `/proc/self/fd/${folder}/${name}`,
    forOthers: `/proc/${process.pid}/fd/${folder}/${name}`,
    letGo: () => closeSync(folder),
  };
}

const FOLDER = O_PATH | constants.O_DIRECTORY;

function openFolder({ root, names }: ProjectPath, path: string, make: { readonly mode?: number } | null): number {
  let at = openSync(root, FOLDER);
  let shown = root;
  try {
    for (const name of names.slice(0, -1)) {
      shown = join(shown, name);
      const next = enter(`/proc/self/fd/${at}/${name}`, shown, path, make);
      closeSync(at);
      at = next;
    }
    return at;
  } catch (error) {
    closeSync(at);
    throw error;
  }
}

function enter(inner: string, shown: string, path: string, make: { readonly mode?: number } | null): number {
  const open = () => openSync(inner, FOLDER | constants.O_NOFOLLOW);
  try {
    return open();
  } catch (error) {
    const found = lstatSync(inner, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true) throw linkOnTheWay(path, shown);
    if (found !== undefined || make === null) throw withPath(error, inner, shown);
    makeFolder(inner, shown, make);
    return open();
  }
}

function makeFolder(inner: string, shown: string, { mode }: { readonly mode?: number }): void {
  try {
    mkdirSync(inner, { mode });
  } catch (error) {
    // Somebody else made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw withPath(error, inner, shown);
  }
}

/** Where there are no handles: a window is left between looking and writing, and only there. */
function checkEachStep(path: string, { root, names }: ProjectPath, make: { readonly mode?: number } | null): HeldPlace {
  let at = root;
  for (const name of names.slice(0, -1)) {
    at = join(at, name);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true) throw linkOnTheWay(path, at);
    if (found === undefined && make !== null) makeFolder(at, at, make);
  }
  const place = join(at, names.at(-1) as string);
  return { path: place, forOthers: place, letGo: () => undefined };
}

/** Contract: throws LINK_REFUSED when a link stands at the place; gives back what is there, or undefined. */
export function refuseLinkAt(inner: string, path: string): Stats | undefined {
  const found = lstatSync(inner, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) throw linkOnTheWay(path, path);
  return found;
}

/** An error of the system with the path that was meant, not the handle it went through. */
export function withPath(error: unknown, inner: string, path: string): unknown {
  if (!(error instanceof Error) || inner === path) return error;
  const failed = error as NodeJS.ErrnoException & { dest?: string };
  const [folder, shown] = [dirname(inner), dirname(path)];
  const nameOwnPath = (text: string) =>
    text
      .replaceAll(inner, path)
      .replaceAll(`${folder}/${basename(path)}`, path)
      .replaceAll(folder, shown);
  failed.message = nameOwnPath(failed.message);
  if (failed.path !== undefined) failed.path = nameOwnPath(failed.path);
  if (failed.dest !== undefined) failed.dest = nameOwnPath(failed.dest);
  return failed;
}
