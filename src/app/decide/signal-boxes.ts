import { crashPoint } from "../../foundation/processes/crash-points.js";
import { withoutKeys } from "../../foundation/files/known-secrets.js";
import type { EventStore, StoredSignals } from "../../hands/store/event-store.js";
import type { StateFolder } from "../project/state-folder.js";
import {
  forgetVerdict,
  isLeft,
  judgeSignal,
  leaveSignal,
  leftSignals,
  readVerdict,
  refuseUnreadable,
  Signal,
  SignalVerdict,
  sweepBox,
} from "./signal-box.js";

/*
 * Where signals lie between the one who decides and the process that carries out the run. A log in a file of one machine has a
 * folder for them beside it; the store of a team has them in itself, since the two may work on different machines.
 */

export interface SignalBox {
  /** Contract: durable when it resolves; throws USAGE for one that nobody could read again. */
  readonly leave: (signal: Signal) => Promise<void>;
  readonly isLeft: (signalId: string) => Promise<boolean>;
  /** Contract: signals that are not judged yet, oldest first. A record that is not a signal is set aside. */
  readonly left: () => Promise<readonly Signal[]>;
  /** Contract: null while nobody has judged it. */
  readonly verdict: (signalId: string) => Promise<SignalVerdict | null>;
  /** Contract: the first verdict stands. */
  readonly judge: (signal: Signal, verdict: SignalVerdict) => Promise<void>;
  /** The sender has read the verdict. */
  readonly forget: (signalId: string) => Promise<void>;
  /** Take away what nobody will come back for. */
  readonly sweep: (nowMs: number) => Promise<void>;
  /** Calls `wake` when something was left. Absent where nobody says when. */
  readonly follow?: (wake: () => void) => Promise<() => Promise<void>>;
}

/** The box of a project whose runs are in this store. */
export function boxOf(at: StateFolder, { signals }: Pick<EventStore, "signals">): SignalBox {
  return signals === undefined ? fileBox(at.signals) : storeBox(signals);
}

export function fileBox(folder: string): SignalBox {
  return {
    leave: async (signal) => leaveSignal(folder, signal),
    isLeft: async (signalId) => isLeft(folder, signalId),
    left: async () => leftSignals(folder),
    verdict: async (signalId) => readVerdict(folder, signalId),
    judge: async (signal, verdict) => judgeSignal(folder, signal, verdict),
    forget: async (signalId) => forgetVerdict(folder, signalId),
    sweep: async (nowMs) => sweepBox(folder, nowMs),
  };
}

function storeBox(signals: StoredSignals): SignalBox {
  const textOf = (value: unknown) => JSON.stringify(withoutKeys(value));
  const unreadable: SignalVerdict = {
    status: "refused",
    reason: "it is not written as this version writes a decision",
  };
  return {
    async leave(signal) {
      refuseUnreadable(signal);
      const { signal_id, run_id } = signal;
      await signals.leave({ signal_id, run_id, text: textOf(signal) });
      crashPoint("signal.left");
    },
    isLeft: (signalId) => signals.isLeft(signalId),
    async left() {
      const found: Signal[] = [];
      for (const { signal_id, text } of await signals.left()) {
        const signal = parseOrNull(text, Signal);
        if (signal?.signal_id === signal_id) found.push(signal);
        else await signals.judge(signal_id, textOf(unreadable));
      }
      return found;
    },
    async verdict(signalId) {
      const text = await signals.verdict(signalId);
      return text === null ? null : (parseOrNull(text, SignalVerdict) ?? unreadable);
    },
    async judge({ signal_id }, verdict) {
      await signals.judge(signal_id, textOf(verdict));
      crashPoint("signal.judged");
    },
    forget: (signalId) => signals.forget(signalId),
    sweep: () => signals.sweep(),
    follow: (wake) => signals.follow(wake),
  };
}

function parseOrNull<T>(text: string, schema: { safeParse(value: unknown): { success: boolean; data?: T } }): T | null {
  try {
    const read = schema.safeParse(JSON.parse(text));
    return read.success ? (read.data ?? null) : null;
  } catch {
    return null;
  }
}
