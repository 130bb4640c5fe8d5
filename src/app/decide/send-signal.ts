import { setTimeout as sleep } from "node:timers/promises";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { CoordinatorError } from "../../model/errors.js";
import type { RunHolder } from "../../hands/store/event-store.js";
import { holderHere, holderOf, openRuns } from "../project/open-runs.js";
import { forgetVerdict, isLeft, leaveSignal, readVerdict, type Signal, type SignalVerdict } from "./signal-box.js";
import { redactorFor } from "../project/secrets.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { takeAllSignals } from "./take-signals.js";

export type Sent =
  | SignalVerdict
  /** A process carries out the run and has not said anything yet. It will take the signal when it comes to it. */
  | { readonly status: "left"; readonly holder: RunHolder };

/** How often the box is looked at while another process carries out the run. */
const LOOK_MS = 50;

/**
 * Send a person's decision to a run: to the process that works on it, or, when none does, straight into its log.
 *
 * Contract: durable when it resolves, whatever the status. Nothing is done but deciding.
 */
export async function sendSignal(
  at: StateFolder,
  signal: Signal,
  { waitMs, now }: { readonly waitMs: number; readonly now: () => string },
): Promise<Sent> {
  makeStateFolder(at);
  // What somebody types may hold a key of theirs: it is not even left in the box.
  const redact = redactorFor(at.folder);
  leaveSignal(at.signals, { ...signal, event: withoutSecrets(redact(signal.event)) });
  const until = performance.now() + waitMs;
  for (;;) {
    const holder = await takeOrWhoHolds(at, signal.run_id, now);
    const wasLeft = isLeft(at.signals, signal.signal_id);
    // Looked at after the signal: it goes only when its verdict is there.
    const verdict = readVerdict(at.signals, signal.signal_id);
    if (verdict !== null) {
      forgetVerdict(at.signals, signal.signal_id);
      return verdict;
    }
    if (!wasLeft)
      throw new CoordinatorError("STORE_FAILED", `What was decided is gone from ${at.signals} and nobody says why`, {
        fix: "`coordinator status` shows whether it was taken; send it again if not.",
      });
    if (holder !== null && performance.now() >= until) return { status: "left", holder };
    await sleep(LOOK_MS);
  }
}

/** Takes what is in the box for runs that no process carries out, also what others left; says who carries out this one. */
async function takeOrWhoHolds(at: StateFolder, runId: string, now: () => string): Promise<RunHolder | null> {
  const working = await holderHere(at, runId);
  // Asked first: opening the store to write would make those who write wait.
  if (working !== null) return working;
  const store = await openRuns(at);
  try {
    await takeAllSignals(at.signals, store, now);
    return await holderOf(store, runId);
  } finally {
    await store.close();
  }
}
