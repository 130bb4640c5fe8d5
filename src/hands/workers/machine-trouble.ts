import { statfs } from "node:fs/promises";
import { CoordinatorError } from "../../model/errors.js";
import { hasCode } from "../attempts/shim/shim-failure.js";
import { WORKSPACE_LIMITS } from "../workspace/limits.js";
import type { GivesUp } from "./result-refs.js";

/*
 * Trouble of one worker's machine. It says nothing about the work, so the work is given back for another worker; and as the machine
 * would fail at the next piece of work, too, it rests before it takes anything.
 */

const DISK = ["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM"];
/** The words for these in the messages of programs, such as git. */
const SAID =
  /No space left on device|Disk quota exceeded|Read-only file system|Input\/output error|ENOSPC|EDQUOT|EROFS/;

const OF_REMOTE: ReadonlySet<string> = new Set(["REMOTE_REFUSED", "REMOTE_UNREACHABLE"]);

/** Contract: pure. A remote that refuses this machine, or that it cannot reach, may well take what another one pushes. */
export function isOfMachine(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if (isOfDisk(each) || (each instanceof CoordinatorError && OF_REMOTE.has(each.code))) return true;
  return false;
}

const isOfDisk = (error: Error) => hasCode(error, ...DISK) || SAID.test(error.message);

/** How long a worker waits for the remote before it has begun with something, and with the work of an agent in its hands. */
const WAITS_MS = { before: 60_000, after: 600_000 };

/**
 * Whether a worker gives work back that waits for the remote: others may reach it from where they are. Contract: pure. The work of an
 * agent is paid for, and is kept for longer.
 */
export const givesBack =
  (when: "before" | "after"): GivesUp =>
  (error, waitedMs) =>
    waitedMs > WAITS_MS[when] || (when === "before" && isOfDisk(error));

/** Reasons that keep this machine from taking work, in words; null when nothing does. `folder` is where its workspaces are. */
export async function findTrouble(folder: string): Promise<string | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    if (free >= WORKSPACE_LIMITS.freeBytes) return null;
    return `takes nothing: ${inMegabytes(free)} are free in ${folder}, and ${inMegabytes(WORKSPACE_LIMITS.freeBytes)} must stay free`;
  } catch (error) {
    return `takes nothing: ${folder} cannot be looked at: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const LOOK_MS = 500;

/** Look at this machine while something is done on it: a disk that was full for a moment has spoilt it all the same. */
export async function watchMachine<T>(
  folder: string,
  act: () => Promise<T>,
): Promise<{ readonly value: T; readonly trouble: string | null }> {
  let trouble: string | null = null;
  const look = async () => {
    trouble ??= await findTrouble(folder);
  };
  const looking = setInterval(() => void look(), LOOK_MS);
  try {
    const value = await act();
    await look();
    return { value, trouble };
  } finally {
    clearInterval(looking);
  }
}

const inMegabytes = (bytes: number) => `${Math.floor(bytes / 1024 ** 2)} MB`;

const REST_MS = [2_000, 5_000, 15_000, 60_000];

/** How long a worker rests that has given back so many pieces of work in a row. Contract: pure. */
export function restAfter(givenBack: number): number {
  return REST_MS[Math.min(givenBack, REST_MS.length) - 1] ?? 0;
}
