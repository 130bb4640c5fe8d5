import { setTimeout as sleep } from "node:timers/promises";
import { withoutSecrets } from "../files/unsaid.js";
import { CoordinatorError } from "../model/errors.js";
import type { LockHolder } from "../store/sqlite/lock-file.js";
import { workingProcess, writeRuns } from "./open-runs.js";
import { forgetVerdict, isLeft, leaveSignal, readVerdict, type Signal, type SignalVerdict } from "./signal-box.js";
import { redactorFor } from "./secrets.js";
import { makeStateFolder, type StateFolder } from "./state-folder.js";
import { takeAllSignals } from "./take-signals.js";

export type Sent =
  | SignalVerdict
  /** A process works on the runs and has not said anything yet. It will take the signal when it comes to it. */
  | { readonly status: "left"; readonly holder: LockHolder };

/** How often the box is looked at while somebody else holds the store. */
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
    const holder = await takeOrWhoHolds(at, now);
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

/** Whoever can open the store takes what is in the box, their own and what others left. */
async function takeOrWhoHolds(at: StateFolder, now: () => string): Promise<LockHolder | null> {
  // Asked first, because trying to open the store makes its writer wait.
  const working = workingProcess(at);
  if (working !== null) return working;
  const opened = await writeRuns(at);
  if (opened.status === "locked") return opened.holder;
  try {
    await takeAllSignals(at.signals, opened.store, now);
  } finally {
    await opened.store.close();
  }
  return null;
}
