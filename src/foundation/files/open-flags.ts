import { constants } from "node:fs";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = constants;

const FLAGS: Readonly<Record<string, number>> = {
  r: O_RDONLY,
  "r+": O_RDWR,
  w: O_WRONLY | O_CREAT | O_TRUNC,
  wx: O_WRONLY | O_CREAT | O_EXCL,
  "w+": O_RDWR | O_CREAT | O_TRUNC,
  "wx+": O_RDWR | O_CREAT | O_EXCL,
  a: O_WRONLY | O_CREAT | O_APPEND,
  ax: O_WRONLY | O_CREAT | O_APPEND | O_EXCL,
  "a+": O_RDWR | O_CREAT | O_APPEND,
};

/** Adds flags for a file that must not be a link, nor a pipe to wait for. Contract: throws for flags that are not used here. */
export function withoutFollowing(flags: string | number): number {
  const known = typeof flags === "number" ? flags : FLAGS[flags];
  if (known === undefined) throw new TypeError(`There are no flags "${flags}" to open a file with`);
  return known | O_NOFOLLOW | O_NONBLOCK;
}
