import type { LoggedEvent } from "../../model/event.js";
import type { EventReader } from "../../hands/store/event-store.js";
import { createRunFold, type FoldedRun, type RunFold } from "./fold-run.js";

/*
 * Folds that a process which lives long keeps, so that looking at a run again costs only what was appended since. Logs are
 * chained by hashes: a fold that ends at an event with a given hash is the fold of every log that has this event there. So
 * each look asks the store where the log ends, and compares; nothing is kept that could be out of date.
 */

/** A run with its whole log, as it was at one moment. */
export interface KeptRun {
  readonly run: FoldedRun;
  readonly events: readonly LoggedEvent[];
}

export interface FoldCache {
  /** Contract: what folding the whole log gives now. It does not change afterwards. Throws as folding does. */
  readonly foldOf: (reader: EventReader, runId: string) => Promise<KeptRun>;
}

interface Entry {
  fold: RunFold;
  events: LoggedEvent[];
  shown: KeptRun | null;
}

const MOST_EVENTS = 200_000;

/** Contract: holds at most so many events, or one log; those nobody looked at for longest go first. */
export function createFoldCache(mostEvents = MOST_EVENTS): FoldCache {
  const kept = new Map<string, Entry>();
  const turns = new Map<string, Promise<unknown>>();

  async function foldOf(reader: EventReader, runId: string): Promise<KeptRun> {
    const known = kept.get(runId);
    // A fold that fails on the way is not kept.
    kept.delete(runId);
    const entry = known !== undefined && (await readOn(known, reader, runId)) ? known : await foldAnew(reader, runId);
    kept.set(runId, entry);
    dropOldest();
    return (entry.shown ??= show(entry));
  }

  function dropOldest(): void {
    let all = 0;
    for (const { events } of kept.values()) all += events.length;
    for (const [runId, { events }] of kept) {
      if (all <= mostEvents || kept.size === 1) return;
      kept.delete(runId);
      all -= events.length;
    }
  }

  return {
    async foldOf(reader, runId) {
      const before = turns.get(runId) ?? Promise.resolve();
      const next = before.catch(() => undefined).then(() => foldOf(reader, runId));
      turns.set(runId, next);
      try {
        return await next;
      } finally {
        if (turns.get(runId) === next) turns.delete(runId);
      }
    },
  };
}

/** Take what was appended. Contract: false where the log is not the one that was folded; the entry is of no use then. */
async function readOn(entry: Entry, reader: EventReader, runId: string): Promise<boolean> {
  const last = entry.events.at(-1);
  const head = await reader.head(runId);
  if (head === null || last === undefined || head.sequence < last.sequence) return false;
  if (head.sequence === last.sequence) return head.hash === last.hash;
  let isSame = false;
  for await (const logged of reader.read(runId, { from: last.sequence })) {
    if (!isSame && logged.hash !== last.hash) return false;
    if (isSame) take(entry, logged);
    isSame = true;
  }
  return isSame;
}

async function foldAnew(reader: EventReader, runId: string): Promise<Entry> {
  const entry: Entry = { fold: createRunFold(runId), events: [], shown: null };
  for await (const logged of reader.read(runId)) take(entry, logged);
  return entry;
}

function take(entry: Entry, logged: LoggedEvent): void {
  entry.fold.take(logged);
  entry.events.push(logged);
  entry.shown = null;
}

/** A copy: the fold goes on, and who was given this one has it as it was. */
function show({ fold, events }: Entry): KeptRun {
  const now = fold.now();
  return {
    run: {
      ...now,
      opened: new Map(now.opened),
      began: new Map(now.began),
      troubles: new Map(now.troubles),
      doing: new Map(now.doing),
      ended: new Map(now.ended),
      logins: new Map(now.logins),
    },
    events: [...events],
  };
}
