import type { ProjectFiles } from "../detected-check.js";

/* One package manager in one folder of a repository: how its packages come into a workspace without a network. */

export interface SetupPart {
  /** From the root of the repository; "." for the root. */
  readonly folder: string;
  /** The program that has to be installed. */
  readonly program: string;
  /** Run in the folder, inside the sandbox. */
  readonly run: string;
  /** Run in the folder for every tree: makes what the install also makes, but from the source. */
  readonly build?: string;
  /** Files that decide the result, from the root of the repository. */
  readonly inputs: readonly string[];
  /** Files and folders it makes, from the root of the repository. */
  readonly keeps: readonly string[];
  /** Caches below the home that it reads and writes. */
  readonly caches: readonly string[];
  /** Folders below the home that it only reads. */
  readonly mounts: readonly string[];
  /** The file it was derived from. */
  readonly because: string;
  /**
   * Run in the folder, outside of the sandbox and with the network: fills the caches, makes a missing lockfile. Scripts of the
   * packages do not run there where the package manager can leave them out: the setup runs them inside.
   */
  readonly install: string;
  /** The files that it makes, in words. */
  readonly makes: string;
  /** A path that is in the folder after the install: seen there, it has been run. */
  readonly installed: string | null;
  /** There is no lockfile: what it installs is decided by what the caches happen to hold. */
  readonly unlocked: boolean;
  /** False: known to be right in general and not tried by us; anyone who wants it has to look at it. */
  readonly tried: boolean;
}

/** Files of one folder, seen from there. */
export function filesIn({ read, list }: ProjectFiles, folder: string): ProjectFiles {
  const at = (path: string) => joinBelow(folder, path);
  return folder === "." ? { read, list } : { read: (path) => read(at(path)), list: (path) => list(at(path)) };
}

/** A path of a folder, from the root of the repository. */
export function joinBelow(folder: string, path: string): string {
  if (folder === ".") return path;
  return path === "." || path === "" ? folder : `${folder}/${path}`;
}
