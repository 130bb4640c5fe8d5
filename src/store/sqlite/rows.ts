import type { LoggedEvent, RunEvent } from "../../model/event.js";
import { CoordinatorError } from "../../model/errors.js";
import { canonicalJson } from "../../plan/canonical.js";
import { attemptMark } from "../chain/attempt-mark.js";
import type { ChainEntry } from "../event-store.js";

/** The columns of an event, in the order they are asked for. */
export const EVENT_COLUMNS = "sequence, at, clock_ms, type, task_id, attempt, event, previous_hash, hash";

export interface EventRow {
  readonly sequence: number;
  readonly at: string;
  readonly clock_ms: number;
  readonly type: string;
  readonly task_id: string | null;
  readonly attempt: number | null;
  readonly event: string;
  readonly previous_hash: Uint8Array;
  readonly hash: Uint8Array;
}

export const fromHex = (hash: string): Uint8Array => Buffer.from(hash, "hex");
export const toHex = (hash: Uint8Array): string =>
  Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("hex");

/** Contract: throws STORE_CORRUPT for a row that holds no event. */
export function eventOfRow(runId: string, row: EventRow): LoggedEvent {
  const event = parsed(row.event);
  if (event === null)
    throw new CoordinatorError("STORE_CORRUPT", `Event ${row.sequence} of ${runId} cannot be read`, {
      fix: "`coordinator verify` says what else of this run was changed.",
    });
  return { ...place(runId, row), event };
}

/** Contract: total. A row that is not as the store writes it gives the text that stands there. */
export function entryOfRow(runId: string, row: EventRow): ChainEntry {
  const event = parsed(row.event);
  return { ...place(runId, row), event: event !== null && isAsWritten(row, event) ? event : row.event };
}

function place(runId: string, { sequence, at, clock_ms, previous_hash, hash }: EventRow) {
  return { run_id: runId, sequence, at, clock_ms, previous_hash: toHex(previous_hash), hash: toHex(hash) };
}

/** The text is canonical, and the columns beside it say what it says. */
function isAsWritten(row: EventRow, event: RunEvent): boolean {
  const mark = attemptMark(event);
  return (
    row.type === event.type &&
    row.task_id === (mark?.task_id ?? null) &&
    row.attempt === (mark?.attempt ?? null) &&
    isCanonical(event, row.event)
  );
}

function isCanonical(event: RunEvent, text: string): boolean {
  try {
    return canonicalJson(event) === text;
  } catch {
    return false;
  }
}

function parsed(text: string): RunEvent | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "type" in value ? (value as RunEvent) : null;
  } catch {
    return null;
  }
}
