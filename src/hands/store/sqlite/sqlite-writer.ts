import { crashPoint } from "../../../foundation/processes/crash-points.js";
import {
  ALL_UNSIGNED,
  CHECKPOINT_PREFIX,
  checkpointBody,
  checkpointKey,
  checkpointsDue,
  sequenceOfKey,
  type Unsigned,
} from "../chain/checkpoint.js";
import {
  appendResult,
  emptyHead,
  type LinkedEvent,
  linkEvents,
  prepareEvents,
  type Prepared,
} from "../chain/hash-event.js";
import {
  type AppendResult,
  type ClaimResult,
  heldError,
  type NewEvent,
  type RunHead,
  type StoreParts,
} from "../event-store.js";
import { type Database, rollBack } from "./driver.js";
import { failureKind, storeFailure } from "./failure.js";
import { createGroupCommit, type GroupCommit, type Transactions } from "./group-commit.js";
import { createRowWriter } from "./row-writer.js";
import { toHex } from "./rows.js";
import { createLeases, RunHeld } from "./run-leases.js";
import { ownIdentity } from "../../../foundation/processes/process-identity.js";

/** Of how many runs the ends are remembered: those written to last. Any other is read again when it is written to. */
const MOST_ENDS = 1024;

/** The writer's knowledge of a run's end. */
interface RunEnd {
  readonly number: number;
  readonly head: RunHead;
  readonly unsigned: Unsigned;
}

export interface SqliteWriter {
  open(runId: string): Promise<RunHead>;
  claim(runId: string): Promise<ClaimResult>;
  release(runId: string): Promise<void>;
  releaseAll(): Promise<void>;
  append(runId: string, expected: number, events: readonly NewEvent[]): Promise<AppendResult>;
  put(runId: string, key: string, value: string): Promise<void>;
  drained(): Promise<void>;
  hasFailed(): boolean;
}

/** The writing half of the store. Other processes may write beside it; `holder` is who it is in the leases of runs. */
export function createWriter(database: Database, path: string, holder: string, parts: StoreParts): SqliteWriter {
  const { sha256, signer, redact } = parts;
  const statements = prepareStatements(database);
  const rows = createRowWriter(database);
  const leases = createLeases(database, holder, ownIdentity());

  // INVARIANT: `ends` holds what is committed; what a transaction would change stands in `next` until its commit. It is
  // forgotten as soon as another connection has committed anything: the run may end elsewhere by now, or be held.
  const ends = new Map<string, RunEnd>();
  const next = new Map<string, RunEnd>();
  let version: unknown = null;
  const claimed = new Set<string>();

  const transactions: Transactions = {
    begin() {
      database.exec("BEGIN IMMEDIATE");
      next.clear();
      rows.clear();
      const { data_version } = statements.dataVersion.get() as { data_version: unknown };
      if (data_version !== version) ends.clear();
      version = data_version;
    },
    commit() {
      rows.write();
      crashPoint("store.before_commit");
      database.exec("COMMIT");
      crashPoint("store.after_commit");
      for (const [runId, end] of next) keepEnd(runId, end);
    },
    rollback() {
      next.clear();
      rollBack(database);
    },
    isRefusal: (error) => error instanceof RunHeld || failureKind(error) === "constraint",
    failure(error) {
      const isFinal = failureKind(error) !== "busy";
      return { error: storeFailure(path, error), isFinal };
    },
  };
  const group: GroupCommit = createGroupCommit(transactions);

  function keepEnd(runId: string, end: RunEnd): void {
    ends.delete(runId);
    ends.set(runId, end);
    if (ends.size <= MOST_ENDS) return;
    for (const longestUnwritten of ends.keys()) {
      ends.delete(longestUnwritten);
      return;
    }
  }

  function endOf(runId: string): RunEnd {
    const known = next.get(runId) ?? ends.get(runId);
    if (known !== undefined) return known;
    const found = statements.run.get(runId) as { number: number } | undefined;
    if (found === undefined) return newRun(runId);
    leases.refuseHeld(found.number);
    return loadEnd(runId, found.number);
  }

  function claim(runId: string): ClaimResult {
    const found = statements.run.get(runId) as { number: number } | undefined;
    const other = leases.take(found?.number ?? newRun(runId).number, new Date().toISOString());
    if (other !== null) return { status: "held", holder: other };
    claimed.add(runId);
    return { status: "claimed", head: endOf(runId).head };
  }

  function release(runId: string): void {
    const found = statements.run.get(runId) as { number: number } | undefined;
    if (found !== undefined) leases.drop(found.number);
    claimed.delete(runId);
  }

  function newRun(runId: string): RunEnd {
    const { number } = statements.insertRun.get(runId) as { number: number };
    const end = { number, head: emptyHead(runId), unsigned: ALL_UNSIGNED };
    next.set(runId, end);
    return end;
  }

  function loadEnd(runId: string, number: number): RunEnd {
    const last = statements.lastEvent.get(number) as { sequence: number; hash: Uint8Array } | undefined;
    const head =
      last === undefined ? emptyHead(runId) : { run_id: runId, sequence: last.sequence, hash: toHex(last.hash) };
    const end = { number, head, unsigned: signer === undefined ? ALL_UNSIGNED : loadUnsigned(number) };
    next.set(runId, end);
    return end;
  }

  function loadUnsigned(run: number): Unsigned {
    const note = statements.lastNote.get(run, CHECKPOINT_PREFIX) as { key: string } | undefined;
    const sequence = note === undefined ? 0 : sequenceOfKey(note.key);
    const signed = statements.clockAt.get(run, sequence) as { clock_ms: number } | undefined;
    const rows = statements.hashesAfter.all(run, sequence) as { hash: Uint8Array }[];
    return { sequence, clock_ms: signed?.clock_ms ?? 0, hashes: rows.map(({ hash }) => toHex(hash)) };
  }

  function append(runId: string, expected: number, events: Prepared): AppendResult {
    const { number, head, unsigned: before } = endOf(runId);
    if (head.sequence !== expected) return { status: "conflict", expected, actual: head.sequence };
    const linked = linkEvents(head, events, sha256);
    for (const each of linked) rows.add(number, each);
    const unsigned = signDue(number, before, linked);
    const { sequence, hash } = linked.at(-1) ?? head;
    next.set(runId, { number, head: { run_id: runId, sequence, hash }, unsigned });
    return appendResult(linked);
  }

  function signDue(run: number, before: Unsigned, linked: readonly LinkedEvent[]): Unsigned {
    if (signer === undefined) return before;
    const { checkpoints, unsigned } = checkpointsDue(before, linked, sha256);
    for (const due of checkpoints)
      statements.putNote.run(run, checkpointKey(due.sequence), signer.sign(checkpointBody(due)));
    return unsigned;
  }

  /** The database refused an append. Either it repeats an attempt, or somebody wrote past this process. */
  function refusedAppend(runId: string, expected: number, events: Prepared): AppendResult {
    ends.delete(runId);
    const run = statements.run.get(runId) as { number: number } | undefined;
    const seen = new Map<string, number>();
    for (const [i, { mark }] of events.entries()) {
      if (mark === null) continue;
      const key = JSON.stringify(mark);
      const stored = run && statements.sameMark.get(run.number, mark.type, mark.task_id, mark.attempt);
      const sequence = (stored as { sequence: number } | undefined)?.sequence ?? seen.get(key);
      if (sequence !== undefined) return { status: "duplicate", sequence };
      seen.set(key, expected + i + 1);
    }
    const last = run && (statements.lastEvent.get(run.number) as { sequence: number } | undefined);
    return { status: "conflict", expected, actual: last?.sequence ?? 0 };
  }

  const throwFailure = (error: unknown): never => {
    throw error instanceof RunHeld ? heldError(error.holder) : storeFailure(path, error);
  };

  return {
    open: (runId) => group.submit({ act: () => endOf(runId).head, refused: throwFailure }),
    claim: (runId) => group.submit({ act: () => claim(runId), refused: throwFailure }),
    release: (runId) => group.submit({ act: () => release(runId), refused: throwFailure }),
    releaseAll: async () => {
      if (claimed.size > 0) await group.submit({ act: () => leases.dropAll(), refused: throwFailure });
    },
    append(runId, expected, events) {
      const prepared = prepareEvents(events, redact);
      return group.submit({
        act: () => append(runId, expected, prepared),
        refused: (error) => (error instanceof RunHeld ? throwFailure(error) : refusedAppend(runId, expected, prepared)),
      });
    },
    put: (runId, key, value) =>
      group.submit({
        act: () => void statements.putNote.run(endOf(runId).number, key, value),
        refused: throwFailure,
      }),
    drained: () => group.drained(),
    hasFailed: () => group.hasFailed(),
  };
}

function prepareStatements(database: Database) {
  return {
    dataVersion: database.prepare("PRAGMA data_version"),
    run: database.prepare("SELECT number FROM runs WHERE run_id = ?"),
    insertRun: database.prepare("INSERT INTO runs (run_id) VALUES (?) RETURNING number"),
    lastEvent: database.prepare("SELECT sequence, hash FROM events WHERE run = ? ORDER BY sequence DESC LIMIT 1"),
    lastNote: database.prepare(
      "SELECT key FROM notes WHERE run = ?1 AND substr(key, 1, length(?2)) = ?2 ORDER BY key DESC LIMIT 1",
    ),
    clockAt: database.prepare("SELECT clock_ms FROM events WHERE run = ? AND sequence = ?"),
    hashesAfter: database.prepare("SELECT hash FROM events WHERE run = ? AND sequence > ? ORDER BY sequence"),
    sameMark: database.prepare(
      "SELECT sequence FROM events WHERE run = ? AND type = ? AND task_id = ? AND attempt = ?",
    ),
    putNote: database.prepare(
      "INSERT INTO notes (run, key, value) VALUES (?, ?, ?) ON CONFLICT (run, key) DO UPDATE SET value = excluded.value",
    ),
  };
}
