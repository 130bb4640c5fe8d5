import { CoordinatorError } from "../../model/errors.js";
import { byCodeUnit } from "../../model/by-code-unit.js";
import { ALL_UNSIGNED, checkpointBody, checkpointKey, checkpointsDue, type Unsigned } from "./chain/checkpoint.js";
import {
  appendResult,
  emptyHead,
  linkEvents,
  type LinkedEvent,
  toLoggedEvent,
  prepareEvents,
} from "./chain/hash-event.js";
import type { AppendResult, EventRange, EventStore, NewEvent, RunHead, StoreParts } from "./event-store.js";

interface KeptRun {
  /** With their texts, which are what is kept: an event given or handed out may change in other hands. */
  readonly events: LinkedEvent[];
  readonly notes: Map<string, string>;
  /** Which event is the start or the end of an attempt, by what it is about. */
  readonly marks: Map<string, number>;
  unsigned: Unsigned;
}

/** A store that keeps nothing: for tests, simulations and trials. It answers like every other store. */
export function createMemoryStore(parts: StoreParts): EventStore {
  const runs = new Map<string, KeptRun>();
  let closed = false;

  function refuseWhenClosed(): void {
    if (closed) throw new CoordinatorError("STORE_FAILED", "The store is closed");
  }

  function runOf(runId: string): KeptRun {
    let run = runs.get(runId);
    if (run === undefined) {
      run = { events: [], notes: new Map(), marks: new Map(), unsigned: ALL_UNSIGNED };
      runs.set(runId, run);
    }
    return run;
  }

  function headOf(runId: string): RunHead {
    const last = runs.get(runId)?.events.at(-1);
    return last === undefined ? emptyHead(runId) : { run_id: runId, sequence: last.sequence, hash: last.hash };
  }

  function append(runId: string, expected: number, events: readonly NewEvent[]): AppendResult {
    const head = headOf(runId);
    if (head.sequence !== expected) return { status: "conflict", expected, actual: head.sequence };
    const { sha256, redact, signer } = parts;
    const linked = linkEvents(head, prepareEvents(events, redact), sha256);
    const marks = new Map<string, number>();
    for (const { mark, sequence } of linked) {
      if (mark === null) continue;
      const key = JSON.stringify(mark);
      const before = runs.get(runId)?.marks.get(key) ?? marks.get(key);
      if (before !== undefined) return { status: "duplicate", sequence: before };
      marks.set(key, sequence);
    }
    const run = runOf(runId);
    for (const [key, sequence] of marks) run.marks.set(key, sequence);
    for (const each of linked) run.events.push(each);
    if (signer !== undefined) {
      const { checkpoints, unsigned } = checkpointsDue(run.unsigned, linked, sha256);
      for (const due of checkpoints) run.notes.set(checkpointKey(due.sequence), signer.sign(checkpointBody(due)));
      run.unsigned = unsigned;
    }
    return appendResult(linked);
  }

  async function* read(runId: string, { from = 1, to = Number.MAX_SAFE_INTEGER }: EventRange = {}) {
    refuseWhenClosed();
    for (const each of runs.get(runId)?.events.slice(Math.max(0, from - 1), Math.max(0, to)) ?? [])
      yield toLoggedEvent(each);
  }

  return {
    ...(parts.redact === undefined ? {} : { redact: parts.redact }),
    async open(runId) {
      refuseWhenClosed();
      runOf(runId);
      return headOf(runId);
    },
    // One process has it, so nobody else can claim anything.
    async claim(runId) {
      refuseWhenClosed();
      runOf(runId);
      return { status: "claimed", head: headOf(runId) };
    },
    async release() {
      refuseWhenClosed();
    },
    async append(runId, expected, events) {
      refuseWhenClosed();
      return append(runId, expected, events);
    },
    async put(runId, key, value) {
      refuseWhenClosed();
      runOf(runId).notes.set(key, value);
    },
    async head(runId) {
      refuseWhenClosed();
      return runs.has(runId) ? headOf(runId) : null;
    },
    async runs() {
      refuseWhenClosed();
      return [...runs]
        .sort(([a], [b]) => byCodeUnit(a, b))
        .map(([runId, { events }]) => ({
          ...headOf(runId),
          first_at: events[0]?.at ?? null,
          last_at: events.at(-1)?.at ?? null,
        }));
    },
    read,
    entries: read,
    async get(runId, key) {
      refuseWhenClosed();
      return runs.get(runId)?.notes.get(key) ?? null;
    },
    async list(runId, prefix) {
      refuseWhenClosed();
      return [...(runs.get(runId)?.notes ?? [])]
        .filter(([key]) => key.startsWith(prefix))
        .sort(([a], [b]) => byCodeUnit(a, b))
        .map(([key, value]) => ({ key, value }));
    },
    async close() {
      closed = true;
    },
  };
}
