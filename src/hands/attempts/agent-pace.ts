import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readFile } from "../../foundation/files/read-files.js";
import { writeFile } from "../../foundation/files/write-files.js";
import { inTurn } from "../store/sqlite/turn.js";

/*
 * How often attempts may begin with an agent, over all processes that carry out runs of a project on this machine: a file with the
 * moments of the last minute. Where workers do the work, the tables of the store say so (`src/hands/workers/offers.ts`).
 */

export interface AgentPace {
  /**
   * Wait until one more may begin, and count it. Contract: `waiting` is called once if it has to wait. Resolves at once when it is
   * told to stop; nothing is counted then.
   */
  readonly take: (
    start: { readonly agent: string; readonly perMinute: number },
    signal: AbortSignal,
    waiting: () => void,
  ) => Promise<void>;
}

const MINUTE_MS = 60_000;
const TURN_MS = 20_000;
const LOOK_MS = 500;

export function agentPace(folder: string, nowMs: () => number): AgentPace {
  const file = join(folder, "starts.json");

  /** Contract: called by one process at a time. */
  async function begin(agent: string, perMinute: number): Promise<boolean> {
    const now = nowMs();
    // A clock that was set back must not hold anybody for longer than a minute.
    const recent = (await readStarts(file)).filter(({ at }) => at > now - MINUTE_MS && at <= now);
    if (recent.filter((start) => start.agent === agent).length >= perMinute) return false;
    await writeFile(file, JSON.stringify([...recent, { agent, at: now }]));
    return true;
  }

  return {
    async take({ agent, perMinute }, signal, waiting) {
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        if (await inTurn(join(folder, "turn.db"), TURN_MS, () => begin(agent, perMinute))) return;
        if (isFirst) waiting();
        await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

interface Start {
  readonly agent: string;
  readonly at: number;
}

/** A file that cannot be read counts for nothing: the limit holds again within a minute. */
async function readStarts(file: string): Promise<Start[]> {
  try {
    const found = JSON.parse(await readFile(file, "utf8")) as unknown;
    if (!Array.isArray(found)) return [];
    return found.filter((each): each is Start => typeof each?.agent === "string" && typeof each.at === "number");
  } catch {
    return [];
  }
}
