import { execFile } from "node:child_process";
import { lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { CoordinatorError } from "../../model/errors.js";
import { findAbilities } from "./grade.js";
import { findProgram } from "./programs.js";

/*
 * A Coordinator that is root does not run agents as root: the limit on processes does not count for it, and files of
 * the system are root's. Each workspace gets a user of its own, from numbers that no distribution hands out (60578 to
 * 61183 are unused in systemd's table) and that exist in containers with 65,536 users.
 */
const FIRST = 60_600;
const COUNT = 512;

let next = process.pid % COUNT;

/** Chooses the user of a sandbox; null when the Coordinator is not root and everything runs as its own user. */
export function ownerOf(workspace: string): number | null {
  if (process.getuid?.() !== 0) return null;
  const { uid } = lstatSync(workspace);
  if (uid >= FIRST && uid < FIRST + COUNT) return uid;
  next = (next + 1) % COUNT;
  return FIRST + next;
}

const run = promisify(execFile);

/**
 * Gives a workspace to the user of its sandbox.
 *
 * Contract: changes only what root owns, follows no link, leaves the file system it is on, and passes over files with
 * several names: one of them may be somebody else's file.
 */
export async function giveWorkspace(workspace: string, uid: number): Promise<void> {
  const find = findProgram("find");
  const chown = findProgram("chown");
  if (find === null || chown === null)
    throw new CoordinatorError("SANDBOX_MISSING", "find and chown are needed to give a workspace to its sandbox", {
      fix: "Install findutils and coreutils.",
    });
  const owned = ["-uid", "0", "(", "-type", "d", "-o", "-links", "1", ")"];
  try {
    await run(find, [workspace, "-xdev", ...owned, "-exec", chown, "-h", `${uid}:${uid}`, "{}", "+"], { env: {} });
  } catch (cause) {
    throw new CoordinatorError("SANDBOX_MISSING", `The workspace ${workspace} cannot be given to its sandbox`, {
      cause,
    });
  }
}

/**
 * Gives a workspace to the user that its sandbox will choose, so that opening the sandbox changes no file any more.
 *
 * Contract: before anything runs in it. Does nothing where sandboxes have no user of their own.
 */
export async function giveAhead(workspace: string): Promise<void> {
  const owner = findAbilities().bubblewrap?.features.ownUser === true ? ownerOf(workspace) : null;
  if (owner !== null) await giveWorkspace(workspace, owner);
}

/** Whether somebody who is neither root nor the owner can come to this path. */
export function isReachable(path: string, uid: number): boolean {
  for (let at = dirname(path); ; at = dirname(at)) {
    const { mode, uid: owner } = statSync(at);
    if ((mode & 0o001) === 0 && owner !== uid) return false;
    if (at === "/") return true;
  }
}
