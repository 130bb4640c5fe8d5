import type { LiveRun } from "../../hands/engine/carry-out.js";
import { CoordinatorError } from "../../model/errors.js";
import type { EventStore } from "../../hands/store/event-store.js";
import { leftSignals, sweepBox } from "./signal-box.js";
import type { StateFolder } from "../project/state-folder.js";
import { type SignalTaker, takeForLog, takeSignal } from "./take-signals.js";
import { poll } from "../../foundation/processes/poll.js";

export const ENGINE_STOPPED = "the engine has stopped";

export interface ServeOptions {
  readonly runId: string;
  readonly at: StateFolder;
  /** The store the run is carried out on. */
  readonly store: EventStore;
  readonly now: () => string;
  /**
   * What becomes of signals to runs nobody works on. `take`, the default: they go into the log at once. `leave`: for a
   * process that carries out several runs, which then serves each of them and takes nothing for the others.
   */
  readonly others?: "take" | "leave";
  readonly everyMs?: number;
}

export interface ServedSignals {
  /** Resolves when nothing is being taken any more. What is in the box stays there for the next. */
  readonly stop: () => Promise<void>;
  /** Rejects when the store fails or the box cannot be read; resolves when it was stopped. */
  readonly ended: Promise<void>;
}

/**
 * Bring people's decisions to a live run for as long as this process works on it.
 *
 * Contract: stop it before the run's engine and before the store is closed. It keeps no process alive.
 */
export function serveSignals(run: LiveRun, options: ServeOptions): ServedSignals {
  const { at, everyMs = 200 } = options;
  let swept = false;
  return poll(everyMs, async (stopped) => {
    if (!swept) sweepBox(at.signals, Date.parse(options.now()));
    swept = true;
    for (const signal of leftSignals(at.signals)) {
      if (stopped.aborted) return;
      if (signal.run_id === options.runId) await takeSignal(at.signals, signal, liveTaker(run, options));
      else if (options.others !== "leave") await takeForLog(at.signals, signal, options.store, options.now);
    }
  });
}

function liveTaker(run: LiveRun, { runId, store }: ServeOptions): SignalTaker {
  return {
    log: store,
    state: async () => run.state(),
    take: async (_, event) => {
      const why = await run.signal(event);
      // Not the run refuses but this process: the signal stays for the next one.
      if (why === ENGINE_STOPPED) throw new CoordinatorError("STORE_LOCKED", `Nobody takes signals for ${runId}`);
      return why;
    },
  };
}
