import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readdir, readFile } from "../../foundation/files/read-files.js";
import { rm, writeFile } from "../../foundation/files/write-files.js";
import { isAlive, ownIdentity, type ProcessIdentity } from "../../foundation/processes/process-identity.js";
import { inTurn } from "../store/sqlite/turn.js";

/*
 * How many tasks may be worked on at once in a project, over all processes that carry out its runs. Each task that is
 * worked on has a place: a file that names the process. The place of a process that has ended is free.
 */

export interface PlacesForWork {
  /**
   * Take a place, waiting until there is one. Contract: `waiting` is called once if it has to wait. Gives back what frees
   * the place; null when it was told to stop first. Work that goes on already takes its place at once, also where none is
   * free: it must not go on without supervision, and nobody new starts until there are fewer again.
   */
  readonly take: (signal: AbortSignal, waiting: () => void, goesOn?: boolean) => Promise<(() => Promise<void>) | null>;
}

/** How long a process may look at the places while others wait to, and how often one that waits looks again. */
const TURN_MS = 20_000;
const LOOK_MS = 200;

export function placesForWork(folder: string, most: number): PlacesForWork {
  return {
    async take(signal, waiting, goesOn = false) {
      const room = goesOn ? Infinity : most;
      const place = join(folder, `${randomUUID()}.json`);
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        if (await inTurn(join(folder, "turn.db"), TURN_MS, () => takeFree(folder, room, place)))
          return () => rm(place, { force: true });
        if (isFirst) waiting();
        await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
      }
      return null;
    },
  };
}

/** Contract: called by one process at a time. */
async function takeFree(folder: string, most: number, place: string): Promise<boolean> {
  let taken = 0;
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".json")) continue;
    const path = join(folder, name);
    if (await isHeld(path)) taken++;
    else await rm(path, { force: true });
  }
  if (taken >= most) return false;
  await writeFile(place, JSON.stringify(ownIdentity()));
  return true;
}

/** A file that names no living process holds no place. */
async function isHeld(path: string): Promise<boolean> {
  try {
    return isAlive(JSON.parse(await readFile(path, "utf8")) as ProcessIdentity);
  } catch {
    return false;
  }
}
