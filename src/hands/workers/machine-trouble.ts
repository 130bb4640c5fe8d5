import { statfs } from "node:fs/promises";
import { CoordinatorError } from "../../model/errors.js";
import { hasCode } from "../attempts/shim/shim-failure.js";
import { WORKSPACE_LIMITS } from "../workspace/limits.js";

/*
 * Trouble of one worker's machine. It says nothing about the work, so the work is given back for another worker; and as the machine
 * would fail at the next piece of work, too, it rests before it takes anything.
 */

const DISK = ["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM"];
/** The words for these in the messages of programs, such as git. */
const SAID =
  /No space left on device|Disk quota exceeded|Read-only file system|Input\/output error|ENOSPC|EDQUOT|EROFS/;

/** Contract: pure. A remote that refuses this machine may well take what another one pushes. */
export function isOfMachine(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (hasCode(each, ...DISK) || SAID.test(each.message)) return true;
    if (each instanceof CoordinatorError && each.code === "REMOTE_REFUSED") return true;
  }
  return false;
}

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
