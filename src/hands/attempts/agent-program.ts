import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { isBelow } from "../../foundation/files/is-below.js";

/*
 * Which folders of this machine an agent's program needs to see itself: its own, and the packages it is made of. Never
 * more: a home directory holds what no agent may read. Arguments are words, and no word of a command shows a file.
 */

/**
 * `own` are the arguments that belong to the program, because a preset names them.
 *
 * Contract: absolute paths of files and folders; empty for what stands where every sandbox sees it.
 */
export function programPaths([program = ""]: readonly string[], path: string, own: readonly string[] = []): string[] {
  const parts = own.filter((word) => isAbsolute(word) && existsSync(word));
  const found = [findOnPath(program, path), ...parts].flatMap((place) =>
    place === null ? [] : [packageFolder(realpathSync(place))],
  );
  return [...new Set(found)].filter((place) => !place.startsWith("/usr/") && place !== realpathSync(process.execPath));
}

/** A PATH without what lies in a repository, or depends on where somebody stands: a clone must not name a program. */
export function pathOutside(path: string, repository: string | null): string {
  const root = repository === null ? null : realpathSync(repository);
  const isOutside = (folder: string) =>
    isAbsolute(folder) && (root === null || !isBelow(existsSync(folder) ? realpathSync(folder) : folder, root));
  return path.split(delimiter).filter(isOutside).join(delimiter);
}

/** Where a program stands outside; null when there is none. */
export function findOnPath(program: string, path: string): string | null {
  if (isAbsolute(program)) return existsSync(program) ? program : null;
  // A way from the workspace, which leads nowhere outside.
  if (program.includes(sep)) return null;
  for (const folder of path.split(delimiter).filter((part) => part !== "")) {
    const place = join(folder, program);
    if (existsSync(place)) return place;
  }
  return null;
}

/** A program out of an npm package needs the packages beside it: all of the outermost `node_modules`. */
function packageFolder(place: string): string {
  const at = place.indexOf(`${sep}node_modules${sep}`);
  if (at >= 0) return place.slice(0, at + `${sep}node_modules`.length);
  // A program that is one file needs nothing around it.
  return existsSync(join(dirname(place), "package.json")) ? dirname(place) : place;
}
