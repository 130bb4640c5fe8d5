import { setTimeout as sleep } from "node:timers/promises";
import { isMarked, processNumbers, statOf } from "../../../foundation/processes/proc.js";
import type { ProcessIdentity } from "../../../foundation/processes/process-identity.js";
import { shimFailure } from "./shim-failure.js";

/*
 * Nothing a body started may outlive its shim. Programs in a sandbox die with it by themselves; what a body starts without
 * one is found by the shim's session, or by the mark in its environment when it has left the session, and is ended.
 */

/** In the environment of a shim, and so of everything it starts: the folder of its instance. */
export const SHIM_MARK = "COORDINATOR_SHIM";

/**
 * End everything that a shim started and that still runs; by the shim itself before it says how it ended, or by
 * anyone who found it dead.
 *
 * Contract: when it resolves nothing is left. Never ends the caller, the program that started it, or a process that
 * merely got a number again. Where there is no /proc it finds nothing.
 */
export async function endSurvivors(folder: string, shim: ProcessIdentity): Promise<number> {
  const ended = new Set<number>();
  // A killed process may have started another one a moment before: search again until none is found.
  for (let round = 0; round < 200; round++) {
    const { found, isSure } = survivorsOf(folder, shim);
    if (found.length === 0 && isSure) return ended.size;
    for (const pid of found) {
      ended.add(pid);
      kill(pid);
    }
    await sleep(Math.min(50, 2 + round));
  }
  const { found } = survivorsOf(folder, shim);
  // A process that takes all that time to become another program is not one whose end was waited for.
  if (found.length === 0) return ended.size;
  throw shimFailure(folder, `Processes of a dead shim cannot be ended: ${found.join(", ")}`);
}

function survivorsOf(folder: string, shim: ProcessIdentity): { found: number[]; isSure: boolean } {
  const leader = statOf(shim.pid);
  // The system gives a number to nobody else while a session goes by it: a stranger there means the session is over.
  const sessionIsOver = leader !== null && leader.startTime !== shim.start_time;
  const since = Number(shim.start_time);
  let isSure = true;
  const isSurvivor = (pid: number) => {
    if (pid === shim.pid || pid === process.pid || pid === process.ppid) return false;
    const found = statOf(pid);
    if (found === null || Number(found.startTime) < since || found.state === "Z" || found.state === "X") return false;
    if (found.session === shim.pid && !sessionIsOver) return true;
    const marked = isMarked(pid, SHIM_MARK, folder);
    if (marked === "unknown") isSure = false;
    return marked === true;
  };
  return { found: processNumbers().filter(isSurvivor), isSure };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself in between; if not, the next look finds it again.
  }
}
