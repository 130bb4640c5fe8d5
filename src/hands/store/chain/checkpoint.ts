import { AFTER_THE_END } from "../../../model/after-the-end.js";
import type { RunEvent } from "../../../model/event.js";
import type { Sha256 } from "../event-store.js";
import { merkleRoot } from "./merkle.js";

/*
 * A checkpoint says "this run's log had this hash at this event" and is signed. It is a text a person can read, in the
 * form of a signed note: lines, an empty line, a signature line. The last line of its body is the Merkle root over the
 * events since the checkpoint before, and the first of them: by it one event can be proven without the others. Logs
 * from before there were roots have checkpoints without that line.
 *
 *   coordinator/run_4f2a
 *   100
 *   9WNjz2yBV/9sXKz4OeIBRdhGUKBLGe3VcUnmZhA3RdI=
 *   2026-02-03T04:05:06Z
 *   merkle 1 1YD3bFuKsd8sBEwlTtUIv2OKTGgkHjnUXyd4NEsF6fc=
 *
 *   — coordinator Q2hlY2tw…
 */

export interface Checkpoint {
  readonly run_id: string;
  readonly sequence: number;
  readonly hash: string;
  readonly at: string;
  /** The events `from` … `sequence` as a tree. */
  readonly merkle?: { readonly from: number; readonly root: string };
}

/** At most this many events stand behind the last checkpoint. */
export const CHECKPOINT_EVERY = 100;

/** An event appended so long after the last checkpoint, by the run's clock, is signed with its append. */
export const CHECKPOINT_MS = 5_000;

const ORIGIN = "coordinator/";
export const CHECKPOINT_PREFIX = "checkpoint/";

/** The keys of checkpoints sort as their numbers do. */
export const checkpointKey = (sequence: number) => `${CHECKPOINT_PREFIX}${String(sequence).padStart(12, "0")}`;

export function sequenceOfKey(key: string): number {
  return Number(key.slice(CHECKPOINT_PREFIX.length));
}

/** The events that are signed with their own append, whatever was signed before: the ends of a run and all after them. */
export const ALWAYS_SIGNED: ReadonlySet<string> = new Set(["run_finished", "run_cancelled", ...AFTER_THE_END]);

/** The events of a log behind its last checkpoint. */
export interface Unsigned {
  /** The event that was signed last, and the run's clock then. */
  readonly sequence: number;
  readonly clock_ms: number;
  /** The hashes of the events after it. */
  readonly hashes: readonly string[];
}

/** The fields of an event that decide about a checkpoint. */
export interface Chained {
  readonly run_id: string;
  readonly sequence: number;
  readonly hash: string;
  readonly at: string;
  readonly clock_ms: number;
  readonly type: RunEvent["type"];
}

export const ALL_UNSIGNED: Unsigned = { sequence: 0, clock_ms: 0, hashes: [] };

export interface SignedAppend {
  readonly checkpoints: readonly Checkpoint[];
  readonly unsigned: Unsigned;
}

/**
 * The checkpoints an append makes due: every hundredth event, the ones that end a run or are said after its end, and the
 * last of an append that comes five seconds after the last checkpoint. Contract: pure.
 */
export function checkpointsDue(before: Unsigned, events: readonly Chained[], sha256: Sha256): SignedAppend {
  const checkpoints: Checkpoint[] = [];
  let { sequence: last, clock_ms: since } = before;
  let hashes = [...before.hashes];
  for (const [i, { run_id, sequence, hash, at, clock_ms, type }] of events.entries()) {
    hashes.push(hash);
    const late = i === events.length - 1 && clock_ms - since >= CHECKPOINT_MS;
    if (!late && !ALWAYS_SIGNED.has(type) && sequence - last < CHECKPOINT_EVERY) continue;
    checkpoints.push({ run_id, sequence, hash, at, merkle: { from: last + 1, root: merkleRoot(hashes, sha256) } });
    last = sequence;
    since = clock_ms;
    hashes = [];
  }
  return { checkpoints, unsigned: { sequence: last, clock_ms: since, hashes } };
}

export function checkpointBody({ run_id, sequence, hash, at, merkle }: Checkpoint): string {
  const tree = merkle === undefined ? "" : `merkle ${merkle.from} ${toBase64(merkle.root)}\n`;
  return `${ORIGIN}${run_id}\n${sequence}\n${toBase64(hash)}\n${at}\n${tree}`;
}

/** A note taken apart: what was signed, and the signature as it stands there. */
export interface Note {
  readonly body: string;
  readonly keyName: string;
  readonly signature: string;
}

const NOTE = /^((?:[^\n]+\n)+)\n— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})\n$/;

/** Contract: total; null for what is not a signed note. */
export function readNote(text: string): Note | null {
  const [, body, keyName, signature] = NOTE.exec(text) ?? [];
  if (body === undefined || keyName === undefined || signature === undefined) return null;
  return { body, keyName, signature };
}

export function writeNote({ body, keyName, signature }: Note): string {
  return `${body}\n— ${keyName} ${signature}\n`;
}

const BODY =
  /^coordinator\/([^\n]+)\n([1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n([^\n]+)\n(?:merkle ([1-9]\d{0,14}) ([A-Za-z0-9+/]{43}=)\n)?$/;

/** Contract: total; null for a body that is not a checkpoint. Whether it is signed is another question. */
export function readCheckpoint(body: string): Checkpoint | null {
  const [, run_id, number, hash, at, from, root] = BODY.exec(body) ?? [];
  if (run_id === undefined || number === undefined || hash === undefined || at === undefined) return null;
  const sequence = Number(number);
  const point = { run_id, sequence, hash: toHex(hash), at };
  if (toBase64(point.hash) !== hash) return null;
  if (from === undefined || root === undefined) return point;
  const merkle = { from: Number(from), root: toHex(root) };
  return toBase64(merkle.root) === root && merkle.from <= sequence ? { ...point, merkle } : null;
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
