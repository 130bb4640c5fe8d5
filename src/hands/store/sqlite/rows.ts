import type { LoggedEvent, RunEvent } from "../../../model/event.js";
import { CoordinatorError } from "../../../model/errors.js";
import type { ChainEntry } from "../event-store.js";

/** The columns of an event, in the order they are asked for. */
export const EVENT_COLUMNS = "sequence, at, clock_ms, event, previous_hash, hash";

export interface EventRow {
  readonly sequence: number;
  readonly at: string;
  readonly clock_ms: number;
  readonly event: string;
  readonly previous_hash: Uint8Array;
  readonly hash: Uint8Array;
}

export const toHex = (hash: Uint8Array): string =>
  Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("hex");

/** Contract: throws STORE_CORRUPT for a row that holds no event. */
export function eventOfRow(runId: string, row: EventRow): LoggedEvent {
  const event = parseEvent(row.event);
  if (event === null)
    throw new CoordinatorError("STORE_CORRUPT", `Event ${row.sequence} of ${runId} cannot be read`, {
      fix: "`coordinator verify` says what else of this run was changed.",
    });
  return { ...place(runId, row), event };
}

/**
 * The columns that are read when a log is judged. The database itself compares the text with the columns beside it, and writes
 * the hashes as text: of a million rows, most of the time would go into reading each event and making its two arrays.
 */
export const ENTRY_COLUMNS = `sequence, at, clock_ms, event,
  lower(hex(previous_hash)) AS previous_hash, lower(hex(hash)) AS hash,
  CASE WHEN json_valid(event) THEN
    type IS event ->> '$.type'
    AND CASE WHEN type IN ('attempt_started', 'attempt_finished')
      THEN task_id IS event ->> '$.task_id' AND attempt IS event ->> '$.attempt'
      ELSE task_id IS NULL AND attempt IS NULL END
  ELSE 0 END AS says_the_same`;

export interface EntryRow {
  readonly sequence: number;
  readonly at: string;
  readonly clock_ms: number;
  readonly event: string;
  readonly previous_hash: string;
  readonly hash: string;
  readonly says_the_same: number;
}

/**
 * Contract: total. A row that is not as the store writes it gives the text that stands there. Whether the text itself
 * is as it was written is what its hash says; it is read when somebody asks for the event.
 */
export function entryOfRow(run_id: string, row: EntryRow): ChainEntry {
  const { sequence, at, clock_ms, event, previous_hash, hash } = row;
  if (row.says_the_same !== 1) return { run_id, sequence, at, clock_ms, event, previous_hash, hash };
  return new StoredEntry(run_id, row);
}

/** A class, because an object with a getter of its own costs more to make than its hash. */
class StoredEntry implements ChainEntry {
  readonly run_id: string;
  readonly sequence: number;
  readonly at: string;
  readonly clock_ms: number;
  readonly text: string;
  readonly previous_hash: string;
  readonly hash: string;

  constructor(run_id: string, { sequence, at, clock_ms, event, previous_hash, hash }: EntryRow) {
    this.run_id = run_id;
    this.sequence = sequence;
    this.at = at;
    this.clock_ms = clock_ms;
    this.text = event;
    this.previous_hash = previous_hash;
    this.hash = hash;
  }

  get event(): unknown {
    return parseEvent(this.text) ?? this.text;
  }
}

function place(runId: string, { sequence, at, clock_ms, previous_hash, hash }: EventRow) {
  return { run_id: runId, sequence, at, clock_ms, previous_hash: toHex(previous_hash), hash: toHex(hash) };
}

function parseEvent(text: string): RunEvent | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "type" in value ? (value as RunEvent) : null;
  } catch {
    return null;
  }
}
