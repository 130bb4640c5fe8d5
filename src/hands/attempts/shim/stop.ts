import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../../../foundation/processes/process-identity.js";
import {
  effectFolder,
  effectFolders,
  instanceFolder,
  instancesOf,
  isActive,
  isWorking,
  orderStop,
  readClaim,
  readOrder,
  voidInstance,
} from "./instance-folder.js";
import { hasCode } from "./shim-failure.js";
import { endSurvivors } from "./survivors.js";

/** More than the shim itself gives its body: it has to end what is left and to write its result. */
const BEYOND_GRACE_MS = 2000;

/**
 * Stop an instance: its shim is asked, and killed when it does not listen.
 *
 * Contract: when it resolves, nothing of the body runs and nothing of it ever will. A result it wrote stays; a shim that
 * has one and finds no room for it is left to wait, for it does nothing else any more.
 */
export async function stopInstance(folder: string): Promise<void> {
  try {
    orderStop(folder);
  } catch {
    // On a full disk the signal alone has to do.
  }
  const held = readClaim(folder) ?? (voidInstance(folder) ? "void" : readClaim(folder));
  if (held === null || held === "void") return;
  send(held.pid, "SIGTERM", () => isAlive(held));
  const patience = (readOrder(folder)?.grace_ms ?? 0) + BEYOND_GRACE_MS;
  for (let waited = 0, pause = 5; isAlive(held) && waited < patience; waited += pause, pause = Math.min(100, pause * 2))
    await sleep(pause);
  if (!isAlive(held) || isWorking(folder)) await endHolder(folder);
}

/** Kill the shim of an instance and everything it started. Contract: when it resolves nothing of it runs. */
export async function endHolder(folder: string): Promise<void> {
  const held = readClaim(folder);
  if (held === null || held === "void") return;
  for (let pause = 1; isAlive(held); pause = Math.min(50, pause * 2)) {
    send(held.pid, "SIGKILL", () => isAlive(held));
    await sleep(pause);
  }
  await endSurvivors(folder, held);
}

/**
 * After a crash: stop what still runs for effects that are not under way any more. Who was to stop them may have died
 * before it could. Says which it stopped.
 */
export async function stopStrays(runFolder: string, dueEffectIds: Iterable<string>): Promise<string[]> {
  const due = new Set(Array.from(dueEffectIds, (id) => basename(effectFolder(runFolder, id))));
  const strays = effectFolders(runFolder)
    .filter((name) => !due.has(name))
    .map((name) => join(runFolder, name))
    .flatMap((base) => instancesOf(base).map((n) => instanceFolder(base, n)))
    .filter((folder) => isActive(folder) || readClaim(folder) === null);
  await Promise.all(strays.map(stopInstance));
  return strays;
}

function send(pid: number, signal: NodeJS.Signals, isStillIt: () => boolean): void {
  try {
    if (isStillIt()) process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
}
