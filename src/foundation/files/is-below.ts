import { relative, sep } from "node:path";

/** Whether a path is a folder or lies in it, by their names alone. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith(sep));
}
