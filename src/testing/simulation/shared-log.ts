import type { LoggedEvent } from "../../model/event.js";
import { CoordinatorError } from "../../model/errors.js";
import type { EventStore, NewEvent } from "../../hands/store/event-store.js";
import { createMemoryStore } from "../../hands/store/memory-store.js";
import { sha256 } from "../store-suite.js";
import type { Chance } from "./chance.js";
import type { SimulatedProcess, Timeline } from "./timeline.js";

/*
 * The store of a team as its processes see it: one log, a lease beside it, and a network in between on which a message takes its
 * time, and the answer of a process that died in between goes nowhere.
 */

export const LEASE_MS = 5_000;
const BEAT_MS = 1_000;
const RUN = "run_shared";

export interface SharedLogParts {
  readonly time: Timeline;
  readonly chance: Chance;
  /** Told what was appended, in the order of the log. */
  readonly onAppended: (events: readonly LoggedEvent[]) => void;
  /** False: neither the lease nor the end of the log is looked at, which must be found out. */
  readonly isFenced: boolean;
}

export class SharedLog {
  readonly #parts: SharedLogParts;
  readonly #kept = createMemoryStore({ sha256 });
  #lease: { readonly holder: SimulatedProcess; until: number } | null = null;
  /** Appends of processes that had lost the run. */
  refused = 0;

  constructor(parts: SharedLogParts) {
    this.#parts = parts;
  }

  get holder(): SimulatedProcess | null {
    return this.#lease?.holder ?? null;
  }

  /** The store as one process has it. */
  storeOf(process: SimulatedProcess): EventStore {
    const there = <T>(act: () => Promise<T>) => this.#there(process, act);
    return {
      ...this.#kept,
      claim: (runId) =>
        there(async () => {
          const { now } = this.#parts.time;
          if (this.#lease !== null && this.#lease.holder !== process && this.#lease.until > now)
            return { status: "held", holder: { run_id: runId, pid: 1, start_time: "", boot_id: "", since: "" } };
          this.#lease = { holder: process, until: now + LEASE_MS };
          this.#beat(process);
          return this.#kept.claim(runId);
        }),
      append: (runId, expected, events) => there(() => this.#append(process, runId, expected, events)),
    };
  }

  async #append(process: SimulatedProcess, runId: string, expected: number, events: readonly NewEvent[]) {
    const { isFenced, onAppended } = this.#parts;
    if (isFenced && this.holder !== process) {
      this.refused++;
      throw new CoordinatorError("STORE_LOCKED", "another process carries out the run");
    }
    const end = isFenced ? expected : ((await this.#kept.head(runId))?.sequence ?? 0);
    const result = await this.#kept.append(runId, end, events);
    if (result.status === "appended") onAppended(result.events);
    return result;
  }

  /** Contract: a message that was sent arrives, whatever becomes of its sender, unless it died at once. */
  #there<T>(process: SimulatedProcess, act: () => Promise<T>): Promise<T> {
    const { time, chance } = this.#parts;
    return new Promise((resolve, reject) => {
      time.after(chance.happens(0.05) ? chance.between(100, 8_000) : chance.between(1, 20), async () => {
        if (!process.isAlive && chance.happens(0.5)) return;
        const [value, error] = await act().then(
          (given) => [given, null] as const,
          (thrown: unknown) => [null, thrown] as const,
        );
        process.later(chance.between(1, 20), () => (error === null ? resolve(value as T) : reject(error)));
      });
    });
  }

  #beat(process: SimulatedProcess): void {
    process.later(BEAT_MS, () => {
      if (this.#lease?.holder !== process) return;
      this.#lease.until = this.#parts.time.now + LEASE_MS;
      this.#beat(process);
    });
  }

  async log(): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    for await (const event of this.#kept.read(RUN)) events.push(event);
    return events;
  }

  readonly runId = RUN;
}
