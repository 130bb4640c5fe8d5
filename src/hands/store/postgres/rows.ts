import type { LoggedEvent, RunEvent } from "../../../model/event.js";
import { CoordinatorError } from "../../../model/errors.js";
import { attemptMark } from "../chain/attempt-mark.js";
import type { ChainEntry } from "../event-store.js";

/** The columns of an event, in the order they are asked for. The server writes hashes as text. */
export const EVENT_COLUMNS =
  "sequence, at, clock_ms, type, task_id, attempt, event, encode(previous_hash, 'hex') AS previous_hash, encode(hash, 'hex') AS hash";

/** As the driver gives it: numbers of 64 bits are texts. */
export interface EventRow {
  readonly sequence: string;
  readonly at: string;
  readonly clock_ms: number;
  readonly type: string;
  readonly task_id: string | null;
  readonly attempt: string | null;
  readonly event: string;
  readonly previous_hash: string;
  readonly hash: string;
}

/** Contract: throws STORE_CORRUPT for a row that holds no event. */
export function eventOfRow(runId: string, row: EventRow): LoggedEvent {
  const event = parseEvent(row.event);
  if (event === null)
    throw new CoordinatorError("STORE_CORRUPT", `Event ${row.sequence} of ${runId} cannot be read`, {
      fix: "`coordinator verify` says what else of this run was changed.",
    });
  return { ...placeOf(runId, row), event };
}

/** Contract: total. A row that is not as the store writes it gives the text that stands there. */
export function entryOfRow(runId: string, row: EventRow): ChainEntry {
  const event = parseEvent(row.event);
  if (event === null || !saysTheSame(event, row)) return { ...placeOf(runId, row), event: row.event };
  return { ...placeOf(runId, row), event, text: row.event };
}

/** Whether the columns beside an event repeat what it says. */
function saysTheSame(event: RunEvent, { type, task_id, attempt }: EventRow): boolean {
  const mark = attemptMark(event);
  const [task, number] = mark === null ? [null, null] : [mark.task_id, String(mark.attempt)];
  return event.type === type && task === task_id && number === attempt;
}

function placeOf(run_id: string, { sequence, at, clock_ms, previous_hash, hash }: EventRow) {
  return { run_id, sequence: Number(sequence), at, clock_ms, previous_hash, hash };
}

function parseEvent(text: string): RunEvent | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "type" in value ? (value as RunEvent) : null;
  } catch {
    return null;
  }
}
