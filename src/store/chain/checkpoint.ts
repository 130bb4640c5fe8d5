import type { LoggedEvent } from "../../model/event.js";

/*
 * A checkpoint says "this run's log had this hash at this event" and is signed. It is a text a person can read, in the
 * form of a signed note: lines, an empty line, a signature line.
 *
 *   coordinator/run_4f2a
 *   100
 *   9WNjz2yBV/9sXKz4OeIBRdhGUKBLGe3VcUnmZhA3RdI=
 *   2026-02-03T04:05:06Z
 *
 *   — coordinator Q2hlY2tw…
 */

export interface Checkpoint {
  readonly run_id: string;
  readonly sequence: number;
  readonly hash: string;
  readonly at: string;
}

/** At most this many events stand behind the last checkpoint. */
export const CHECKPOINT_EVERY = 100;

const ORIGIN = "coordinator/";
export const CHECKPOINT_PREFIX = "checkpoint/";

/** The keys of checkpoints sort as their numbers do. */
export const checkpointKey = (sequence: number) => `${CHECKPOINT_PREFIX}${String(sequence).padStart(12, "0")}`;

export function sequenceOfKey(key: string): number {
  return Number(key.slice(CHECKPOINT_PREFIX.length));
}

/** The events of an append that are to be signed: every hundredth, and the one that ends the run. */
export function checkpointsDue(lastSigned: number, events: readonly LoggedEvent[]): LoggedEvent[] {
  let last = lastSigned;
  return events.filter(({ sequence, event }) => {
    const due = sequence - last >= CHECKPOINT_EVERY || event.type === "run_finished";
    if (due) last = sequence;
    return due;
  });
}

export function checkpointBody({ run_id, sequence, hash, at }: Checkpoint): string {
  return `${ORIGIN}${run_id}\n${sequence}\n${toBase64(hash)}\n${at}\n`;
}

/** A note taken apart: what was signed, and the signature as it stands there. */
export interface Note {
  readonly body: string;
  readonly keyName: string;
  readonly signature: string;
}

const NOTE = /^((?:[^\n]+\n)+)\n— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})\n$/;

/** Contract: total; null for what is no signed note. */
export function readNote(text: string): Note | null {
  const [, body, keyName, signature] = NOTE.exec(text) ?? [];
  if (body === undefined || keyName === undefined || signature === undefined) return null;
  return { body, keyName, signature };
}

export function writeNote({ body, keyName, signature }: Note): string {
  return `${body}\n— ${keyName} ${signature}\n`;
}

const BODY = /^coordinator\/([^\n]+)\n([1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n([^\n]+)\n$/;

/** Contract: total; null for a body that is no checkpoint. Whether it is signed is another question. */
export function readCheckpoint(body: string): Checkpoint | null {
  const [, run_id, sequence, hash, at] = BODY.exec(body) ?? [];
  if (run_id === undefined || sequence === undefined || hash === undefined || at === undefined) return null;
  const hex = toHex(hash);
  return toBase64(hex) === hash ? { run_id, sequence: Number(sequence), hash: hex, at } : null;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** 64 hex characters as 44 of base64: three hex characters are two of base64. */
function toBase64(hex: string): string {
  let text = "";
  for (let i = 0; i < 64; i += 3) {
    const bits = Number.parseInt(hex.slice(i, i + 3).padEnd(3, "0"), 16);
    text += (DIGITS[bits >> 6] ?? "") + (DIGITS[bits & 63] ?? "");
  }
  return `${text.slice(0, 43)}=`;
}

function toHex(base64: string): string {
  let text = "";
  for (let i = 0; i < 44; i += 2) {
    const high = DIGITS.indexOf(base64[i] ?? "A");
    const low = Math.max(0, DIGITS.indexOf(base64[i + 1] ?? "A"));
    text += ((high << 6) | low).toString(16).padStart(3, "0");
  }
  return text.slice(0, 64);
}
