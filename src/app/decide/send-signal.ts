import { setTimeout as sleep } from "node:timers/promises";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { CoordinatorError } from "../../model/errors.js";
import type { EventStore, RunHolder } from "../../hands/store/event-store.js";
import { holderHere, holderOf, openRuns } from "../project/open-runs.js";
import type { Signal, SignalVerdict } from "./signal-box.js";
import { boxOf, fileBox, type SignalBox } from "./signal-boxes.js";
import { redactorFor } from "../project/secrets.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { readStoreSetting, SQLITE } from "../store/store-setting.js";
import { takeAllSignals } from "./take-signals.js";

export type Sent =
  | SignalVerdict
  /** A process carries out the run and has not said anything yet. It will take the signal when it comes to it. */
  | { readonly status: "left"; readonly holder: RunHolder };

/** The way of a signal to the process that takes it. */
interface Way {
  readonly box: SignalBox;
  /** Contract: takes what is in the box for runs that no process carries out, also what others left; says who carries out this one. */
  readonly takeOrWhoHolds: (runId: string) => Promise<RunHolder | null>;
  /** How often the box is looked at while another process carries out the run. */
  readonly everyMs: number;
  readonly close: () => Promise<void>;
}

/**
 * Send a person's decision to a run: to the process that works on it, on whatever machine that is, or, when none does, straight
 * into its log.
 *
 * Contract: durable when it resolves, whatever the status. Nothing is done but deciding.
 */
export async function sendSignal(
  at: StateFolder,
  signal: Signal,
  { waitMs, now }: { readonly waitMs: number; readonly now: () => string },
): Promise<Sent> {
  makeStateFolder(at);
  const way = readStoreSetting(at) === SQLITE ? useFileBox(at, now) : useTeamStore(at, await openRuns(at), now);
  const { box } = way;
  try {
    // Typed text may hold a key: it does not even get into the box.
    const redact = redactorFor(at.folder);
    await box.leave({ ...signal, event: withoutSecrets(redact(signal.event)) });
    const until = performance.now() + waitMs;
    for (;;) {
      const holder = await way.takeOrWhoHolds(signal.run_id);
      const wasLeft = await box.isLeft(signal.signal_id);
      // Looked at after the signal: it goes only when its verdict is there.
      const verdict = await box.verdict(signal.signal_id);
      if (verdict !== null) {
        await box.forget(signal.signal_id);
        return verdict;
      }
      if (!wasLeft)
        throw new CoordinatorError(
          "STORE_FAILED",
          "The decision disappeared before a process applied it, and no record says why",
          {
            fix: "`coordinator status` shows whether it was taken; send it again if not.",
          },
        );
      if (holder !== null && performance.now() >= until) return { status: "left", holder };
      await sleep(way.everyMs);
    }
  } finally {
    await way.close();
  }
}

/** By files beside a log in SQLite. */
function useFileBox(at: StateFolder, now: () => string): Way {
  const box = fileBox(at.signals);
  return {
    box,
    async takeOrWhoHolds(runId) {
      const working = await holderHere(at, runId);
      // Asked first: opening the store to write would make those who write wait.
      if (working !== null) return working;
      const store = await openRuns(at);
      try {
        await takeAllSignals(box, store, now);
        return await holderOf(store, runId);
      } finally {
        await store.close();
      }
    },
    everyMs: 50,
    close: async () => undefined,
  };
}

/** Through the store of a team, which is opened once. */
function useTeamStore(at: StateFolder, store: EventStore, now: () => string): Way {
  const box = boxOf(at, store);
  return {
    box,
    async takeOrWhoHolds(runId) {
      const working = await holderOf(store, runId);
      if (working !== null) return working;
      await takeAllSignals(box, store, now);
      return holderOf(store, runId);
    },
    everyMs: 100,
    close: () => store.close(),
  };
}
