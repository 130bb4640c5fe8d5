import type { Stats } from "node:fs";
import { CoordinatorError } from "../../model/errors.js";

/* Why a file of a project is neither read nor written, in words. */

/** Contract: `target` is where the link leads, when that is known. */
export function leadsOut(path: string, target: string | null): CoordinatorError {
  const to = target === null ? "" : `, to ${target}`;
  return new CoordinatorError("LINK_REFUSED", `${path} is not read: a link leads out of the project${to}.`, {
    fix: "Copy the file into the project, or name its real path. Who made the link? A clone can hold links to your own files.",
  });
}

export function leadsInto(path: string, folder: string): CoordinatorError {
  return new CoordinatorError("LINK_REFUSED", `${path} is not read: a link leads into ${folder}.`, {
    fix: `Copy the file instead of linking to it. ${folder} can hold keys and logins.`,
  });
}

export function linkOnTheWay(path: string, link: string): CoordinatorError {
  const what = path === link ? `${path} is a link` : `${link}, on the way to ${path}, is a link`;
  return new CoordinatorError("LINK_REFUSED", `Nothing is written to ${path}: ${what}.`, {
    fix: `Look where it leads (ls -l ${link}), then remove it. Files of a project are not written through links.`,
  });
}

export function intoGit(path: string): CoordinatorError {
  return new CoordinatorError("FILE_WRITE_FAILED", `Nothing is written to ${path}: only git writes below .git.`, {
    fix: "Name a path outside of .git. Which file of the project names this one? What stands in .git can start programs.",
  });
}

export function notRegular(path: string, found: Stats, access: "read" | "write"): CoordinatorError {
  const kind = kindOf(found);
  return new CoordinatorError(
    access === "read" ? "FILE_UNREADABLE" : "FILE_WRITE_FAILED",
    `Cannot ${access} ${path}: it is a ${kind}.`,
    { fix: kind === "directory" ? "Name a file inside it." : `Name a regular file; a ${kind} is refused.` },
  );
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "directory";
  if (found.isFIFO()) return "named pipe (FIFO)";
  if (found.isSocket()) return "socket";
  if (found.isCharacterDevice() || found.isBlockDevice()) return "device";
  return found.isSymbolicLink() ? "link" : "special file";
}

export function tooLong(path: string, mostBytes: number): CoordinatorError {
  const size = mostBytes >= 1024 * 1024 ? `${Math.floor(mostBytes / 1024 / 1024)} MB` : `${mostBytes} bytes`;
  return new CoordinatorError("FILE_UNREADABLE", `Cannot read ${path}: it is larger than ${size}.`, {
    fix: "Name a smaller file, or split it.",
  });
}
