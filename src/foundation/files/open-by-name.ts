import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { HAS_HANDLES, holdPlace, refuseLinkAt } from "./hold-place.js";
import { projectPathOf, realOf } from "./project-bounds.js";
import { linkOnTheWay, notRegular } from "./refusals.js";

/** A name that SQLite makes no file of. */
const IN_MEMORY = ":memory:";

/**
 * Open a file of a project by a library that takes a name and opens it itself, as SQLite does.
 *
 * Contract: throws LINK_REFUSED when the file, one that stands beside it under its name and one of these endings, or a
 * folder on the way is a link. The opened file is checked before it is returned: put elsewhere meanwhile, it is closed
 * and refused, and nothing was written to it.
 */
export function openByName<T extends { close(): void }>(
  path: string,
  endings: readonly string[],
  open: (path: string) => T,
): T {
  if (path === IN_MEMORY || projectPathOf(path) === null) return open(path);
  const place = holdPlace(path);
  try {
    for (const ending of ["", ...endings]) {
      const found = refuseLinkAt(place.path + ending, path + ending);
      if (found !== undefined && !found.isFile()) throw notRegular(path + ending, found, "write");
    }
    const real = HAS_HANDLES ? join(readlinkSync(dirname(place.path)), basename(path)) : null;
    const opened = open(path);
    if (real === null ? isStillPlain(path) : isHeldHere(real)) return opened;
    opened.close();
    throw linkOnTheWay(path, path);
  } finally {
    place.letGo();
  }
}

/** Whether this process has a file of this real path open. */
function isHeldHere(real: string): boolean {
  return readdirSync("/proc/self/fd").some((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`) === real;
    } catch {
      return false;
    }
  });
}

function isStillPlain(path: string): boolean {
  const folder = realOf(dirname(path));
  return folder !== null && lstatSync(join(folder, basename(path)), { throwIfNoEntry: false })?.isFile() === true;
}
