import type { LiveRun } from "../../hands/engine/carry-out.js";
import { CoordinatorError } from "../../model/errors.js";
import type { EventStore } from "../../hands/store/event-store.js";
import { boxOf } from "./signal-boxes.js";
import type { StateFolder } from "../project/state-folder.js";
import { type SignalTaker, takeForLog, takeSignal } from "./take-signals.js";
import { poll } from "../../foundation/processes/poll.js";

/** How often a box is looked at: one that says when something was left is looked at only in case that went unheard. */
const LOOK_MS = 200;
const LOOK_WHEN_WOKEN_MS = 2_000;

export const ENGINE_STOPPED = "the engine has stopped";

export interface ServeOptions {
  readonly runId: string;
  readonly at: StateFolder;
  /** The store the run is carried out on. */
  readonly store: EventStore;
  readonly now: () => string;
  /**
   * How signals to runs without a process are handled. `take`, the default: they go into the log at once. `leave`: for a
   * process that carries out several runs, which then serves each of them and takes nothing for the others.
   */
  readonly others?: "take" | "leave";
  readonly everyMs?: number;
}

export interface ServedSignals {
  /** Resolves when nothing is being taken any more. Signals in the box stay there for the next. */
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
  const box = boxOf(options.at, options.store);
  const { everyMs = box.follow === undefined ? LOOK_MS : LOOK_WHEN_WOKEN_MS } = options;
  let swept = false;
  const looking = poll(everyMs, (stopped) =>
    unlessAway(async () => {
      if (!swept) await box.sweep(Date.parse(options.now()));
      swept = true;
      for (const signal of await box.left()) {
        if (stopped.aborted) return;
        if (signal.run_id === options.runId) await takeSignal(box, signal, liveTaker(run, options));
        else if (options.others !== "leave") await takeForLog(box, signal, options.store, options.now);
      }
    }),
  );
  const following = box.follow?.(looking.wake);
  // Without it signals are found all the same, only later.
  following?.catch(() => undefined);
  return {
    ended: looking.ended,
    async stop() {
      await looking.stop();
      await (
        await following?.catch(() => undefined)
      )?.();
    },
  };
}

/** A server that is away for long may come back while the run's agents are still at work. */
async function unlessAway(look: () => Promise<void>): Promise<void> {
  try {
    await look();
  } catch (error) {
    if (!(error instanceof CoordinatorError) || error.code !== "STORE_UNREACHABLE") throw error;
  }
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
