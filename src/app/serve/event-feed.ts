import type { LoggedEvent } from "../../model/event.js";
import type { EventReader } from "../../hands/store/event-store.js";
import { readRuns } from "../project/open-runs.js";
import type { StateFolder } from "../project/state-folder.js";

/*
 * Events that are appended to the logs of a project, for everybody who follows it in this process. The store is looked at once for
 * all of them, and what was appended lately is kept in memory, written out once. Anyone who is behind that reads from the
 * store at their own pace. So a follower costs a run nothing, however slow it is.
 */

/** An event as it is sent: its id in the stream, and the JSON of it. */
export interface SentEvent {
  readonly id: string;
  readonly data: string;
}

export interface EventFeed {
  /** Follow one run from behind event `after`. The id of each is its sequence. */
  followRun(runId: string, after: number, signal: AbortSignal): AsyncIterable<readonly SentEvent[]>;
  /** Follow the whole project from behind a position. The id of each is its position. */
  followAll(after: number, signal: AbortSignal): AsyncIterable<readonly SentEvent[]>;
  /** The position of the last event. */
  lastPosition(): Promise<number>;
  close(): Promise<void>;
}

interface Kept {
  readonly position: number;
  readonly run_id: string;
  readonly sequence: number;
  readonly data: string;
}

const LOOK_MS = 100;
/** How often to look at a store that says itself when something was appended. */
const LOOK_FOLLOWED_MS = 1000;
const PAGE = 256;
const MOST_KEPT = 4096;
const MOST_KEPT_BYTES = 4 * 1024 * 1024;

/** The form in which `coordinator watch --json` prints an event, with its project. Contract: pure. */
function dataOf(project: string, logged: LoggedEvent): string {
  return JSON.stringify({ type: "event", project, ...logged });
}

export function createEventFeed(project: string, at: StateFolder): EventFeed {
  let reader: EventReader | null = null;
  let opening: Promise<EventReader | null> | null = null;
  const kept: Kept[] = [];
  let keptBytes = 0;
  /** The position up to which `kept` is whole; -1 before the first look. */
  let head = -1;
  let looking: NodeJS.Timeout | null = null;
  let isLooking = false;
  let isWoken = false;
  /** Resolves to what ends the following of the store. */
  let following: Promise<() => Promise<void>> | null = null;
  let waiting = new Set<() => void>();
  let closed = false;

  async function store(): Promise<EventReader | null> {
    if (reader !== null) return reader;
    opening ??= readRuns(at).finally(() => (opening = null));
    reader = await opening;
    await followStore();
    return reader;
  }

  /** A store that says when something was appended is looked at then, and only now and then without. */
  async function followStore(): Promise<void> {
    if (reader?.follow === undefined || following !== null) return;
    following = reader.follow(() => {
      isWoken = isLooking;
      if (looking !== null) clearTimeout(looking);
      looking = null;
      schedule(0);
    });
    await following;
  }

  function keep(one: Kept): void {
    kept.push(one);
    keptBytes += one.data.length;
    while (kept.length > MOST_KEPT || (keptBytes > MOST_KEPT_BYTES && kept.length > 1))
      keptBytes -= kept.shift()?.data.length ?? 0;
  }

  /** Take what was appended since the last look. */
  async function look(): Promise<boolean> {
    const found = await store();
    if (found?.appendedSince === undefined) return false;
    if (head < 0) {
      head = (await found.lastPosition?.()) ?? 0;
      return true;
    }
    const before = head;
    for (;;) {
      const page = await found.appendedSince(head, PAGE);
      for (const { position, logged } of page) {
        const { run_id, sequence } = logged;
        keep({ position, run_id, sequence, data: dataOf(project, logged) });
        head = position;
      }
      if (page.length < PAGE) return head > before;
    }
  }

  /** One look at a time, and none while nobody follows. */
  function schedule(afterMs = following === null ? LOOK_MS : LOOK_FOLLOWED_MS): void {
    if (looking !== null || isLooking || closed || waiting.size === 0) return;
    looking = setTimeout(() => {
      looking = null;
      isLooking = true;
      void look()
        // A store that cannot be read this moment is looked at again; who reads it themselves is told why.
        .catch(() => false)
        .then((news) => {
          isLooking = false;
          if (news) wakeAll();
          // An event that was appended while the store was read may have come too late for that.
          schedule(isWoken ? 0 : undefined);
          isWoken = false;
        });
    }, afterMs);
    looking.unref();
  }

  function wakeAll(): void {
    const all = waiting;
    waiting = new Set();
    for (const wake of all) wake();
  }

  function nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        waiting.delete(finish);
        signal.removeEventListener("abort", finish);
        resolve();
      };
      if (signal.aborted || closed) return resolve();
      signal.addEventListener("abort", finish, { once: true });
      waiting.add(finish);
      schedule();
    });
  }

  /** The kept events behind a position; null when they do not reach back that far. */
  function keptBehind(position: number): readonly Kept[] | null {
    if (position >= head) return [];
    const [first] = kept;
    if (first === undefined || first.position > position + 1) return null;
    let low = 0;
    for (let high = kept.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((kept[middle] as Kept).position > position) high = middle;
      else low = middle + 1;
    }
    return kept.slice(low, low + PAGE);
  }

  const isOver = (signal: AbortSignal) => signal.aborted || closed;

  async function* followRun(runId: string, after: number, signal: AbortSignal) {
    let next = after + 1;
    // How far the project was read for this run; -1 while it has to be read from the store.
    let seen = -1;
    while (!isOver(signal)) {
      const behind = seen < 0 ? null : keptBehind(seen);
      if (behind === null) {
        if (head < 0) await look();
        const headBefore = head;
        const page: SentEvent[] = [];
        const found = await store();
        const range = { from: next, to: next + PAGE - 1 };
        if (found !== null)
          for await (const logged of found.read(runId, range))
            page.push({ id: String(logged.sequence), data: dataOf(project, logged) });
        next += page.length;
        if (page.length > 0) yield page;
        if (page.length < PAGE) seen = found === null ? -1 : headBefore;
        if (page.length > 0) continue;
      } else {
        const page = behind.filter(({ run_id, sequence }) => run_id === runId && sequence >= next);
        seen = behind.at(-1)?.position ?? seen;
        if (page.length > 0) {
          next = (page.at(-1) as Kept).sequence + 1;
          yield page.map(({ sequence, data }) => ({ id: String(sequence), data }));
        }
        if (behind.length > 0) continue;
      }
      if (seen < head) continue;
      await nextChange(signal);
    }
  }

  async function* followAll(after: number, signal: AbortSignal) {
    let seen = after;
    while (!isOver(signal)) {
      if (head < 0) await look();
      const behind = keptBehind(seen);
      const page =
        behind?.map(({ position, data }) => ({ position, data })) ??
        ((await (await store())?.appendedSince?.(seen, PAGE)) ?? []).map(({ position, logged }) => ({
          position,
          data: dataOf(project, logged),
        }));
      const last = page.at(-1);
      if (last === undefined) {
        await nextChange(signal);
        continue;
      }
      seen = last.position;
      yield page.map(({ position, data }) => ({ id: String(position), data }));
    }
  }

  return {
    followRun,
    followAll,
    async lastPosition() {
      return (await (await store())?.lastPosition?.()) ?? 0;
    },
    async close() {
      closed = true;
      if (looking !== null) clearTimeout(looking);
      wakeAll();
      await (
        await following
      )?.();
      await reader?.close();
    },
  };
}
