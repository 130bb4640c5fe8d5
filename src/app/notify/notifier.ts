import { crashPoint } from "../../foundation/processes/crash-points.js";
import type { LiveRun } from "../../hands/engine/carry-out.js";
import type { RunEvent } from "../../model/event.js";
import type { NotifySettings } from "../../model/settings/record-config.js";
import { type NotifyEffect, noticesOf } from "../../mind/run/notices.js";
import type { RunState } from "../../mind/run/state.js";
import type { EventStore } from "../../hands/store/event-store.js";
import { foldRun } from "../inspect/fold-run.js";
import { ENGINE_STOPPED } from "../decide/serve-signals.js";
import { logTaker } from "../decide/take-signals.js";
import { noticeDocument } from "./notice-document.js";
import { type SendPlace, sendNotice } from "./send-notice.js";
import { poll } from "../../foundation/processes/poll.js";

/** The parts of a live run that notifications need. */
export type ToldRun = Pick<LiveRun, "state" | "signal">;

export interface NotifierParts extends SendPlace {
  /** Contract: this process holds the store. */
  readonly store: EventStore;
  readonly runId: string;
  readonly settings: NotifySettings;
  readonly project: string;
  readonly now: () => string;
  readonly clean: (text: string) => string;
  readonly warn: (message: string) => void;
}

/**
 * Send the notifications that this state requires and that were not sent yet.
 *
 * Contract: at most once for each effect, whatever dies in between: it is claimed before it is done, and a claim is never
 * given back. A failure is reported and logged; nothing follows from it.
 */
async function notifyDue(
  parts: NotifierParts,
  state: RunState,
  report: (event: RunEvent) => Promise<string | null>,
): Promise<void> {
  for (const effect of noticesOf(state)) if (isWanted(effect, parts.settings)) await notifyOnce(parts, effect, report);
}

/** A run that failed is over too. */
function isWanted({ about }: NotifyEffect, { events }: NotifySettings): boolean {
  return events.includes(about) || (about === "failed" && events.includes("ended"));
}

async function notifyOnce(
  parts: NotifierParts,
  effect: NotifyEffect,
  report: (event: RunEvent) => Promise<string | null>,
): Promise<void> {
  const { store, runId, settings, clean, warn } = parts;
  const key = `notify/${effect.id}`;
  if ((await store.get(runId, key)) !== null) return;
  const at = parts.now();
  await store.put(runId, key, at);
  crashPoint("notice.claimed");
  const document = noticeDocument(effect, await foldRun(store, runId), { ...parts, at });
  const sent = await sendNotice(`${JSON.stringify(document)}\n`, settings, parts);
  crashPoint("notice.sent");
  const ways = sent.map(({ way, problem }) => ({ way, problem: problem === null ? null : clean(problem) }));
  for (const { way, problem } of ways)
    if (problem !== null) warn(`The notification ${effect.id} of ${runId} was not sent by the ${way}: ${problem}`);
  await report({ type: "notification_sent", effect_id: effect.id, about: effect.about, ways });
}

/** Sends due notifications once, for a run without a process. Contract: total; a failure is reported. */
export async function notifyNow(parts: NotifierParts): Promise<void> {
  const { store, runId, now, warn } = parts;
  const taker = logTaker(store, now);
  try {
    await notifyDue(parts, await taker.state(runId), (event) => taker.take(runId, event));
  } catch (error) {
    warn(`Notifications of ${runId} failed: ${(error as Error).message}`);
  }
}

const LOOK_MS = 500;

/**
 * Send the notifications of a live run for as long as this process works on it.
 *
 * Contract: never rejects and holds nothing up. `stop`, once the run is not worked on any more, sends those that are left.
 */
export function followNotices(parts: NotifierParts, run: ToldRun): { readonly stop: () => Promise<void> } {
  let seen: RunState | null = null;
  const look = async () => {
    const state = run.state();
    if (state === seen) return;
    await notifyDue(parts, state, async (event) => {
      const why = await run.signal(event);
      return why === ENGINE_STOPPED ? logTaker(parts.store, parts.now).take(parts.runId, event) : why;
    });
    seen = state;
  };
  const looking = poll(LOOK_MS, () =>
    look().catch((error: unknown) => parts.warn(`Notifications failed: ${(error as Error).message}`)),
  );
  return {
    stop: async () => {
      await looking.stop();
      await notifyNow(parts);
    },
  };
}
