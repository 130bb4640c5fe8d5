import { z } from "zod";
import { CHECKPOINT_PREFIX, sequenceOfKey } from "../../hands/store/chain/checkpoint.js";
import { type ChainEntry, type EventReader, plainEntry } from "../../hands/store/event-store.js";
import type { PublicKey } from "../project/open-runs.js";
import { jsonOrUndefined } from "../../foundation/documents/json-or-undefined.js";

/*
 * The tape: a run's log as one file that a stranger can verify, with the signed checkpoints and the key to check them.
 * As JSON lines it reads header, events, checkpoints; as JSON it is one document with the same three.
 */

export type TapeFormat = "jsonl" | "json";
const FORMAT = "coordinator-tape/1";

const Header = z.object({
  type: z.literal("tape"),
  format: z.literal(FORMAT),
  run_id: z.string(),
  events: z.int().min(0),
  checkpoints: z.int().min(0),
  key_id: z.string().nullable(),
  public_key: z.string().nullable(),
});
const Entry = z.object({
  run_id: z.string(),
  sequence: z.number(),
  at: z.string(),
  clock_ms: z.number(),
  event: z.unknown(),
  previous_hash: z.string(),
  hash: z.string(),
});
const Note = z.object({ key: z.string(), note: z.string() });
const Document = Header.extend({ entries: z.array(Entry), notes: z.array(Note) });

export interface Tape {
  readonly run_id: string;
  /** How many events and checkpoints the header promises. */
  readonly events: number;
  readonly checkpoints: number;
  readonly key_id: string | null;
  readonly public_key: string | null;
  readonly entries: readonly ChainEntry[];
  readonly notes: readonly { readonly key: string; readonly note: string }[];
}

/** The tape of a run, piece by piece. Contract: follows from the store alone; the same log gives the same bytes. */
export async function* writeTape(
  reader: EventReader,
  runId: string,
  key: PublicKey | null,
  format: TapeFormat,
): AsyncGenerator<string> {
  // INVARIANT: the end is fixed first, so that what is appended meanwhile does not break the header's promise.
  const last = (await reader.head(runId))?.sequence ?? 0;
  const notes = (await reader.list(runId, CHECKPOINT_PREFIX)).filter(({ key: name }) => sequenceOfKey(name) <= last);
  const header = {
    type: "tape",
    format: FORMAT,
    run_id: runId,
    events: last,
    checkpoints: notes.length,
    key_id: key?.id ?? null,
    public_key: key?.pem ?? null,
  };
  const lines = format === "jsonl";
  yield lines ? `${JSON.stringify(header)}\n` : `${JSON.stringify(header).slice(0, -1)},"entries":[\n`;
  let first = true;
  for await (const stored of reader.entries(runId, { to: last })) {
    const entry = plainEntry(stored);
    yield lines ? `${JSON.stringify({ type: "event", ...entry })}\n` : `${first ? "" : ",\n"}${JSON.stringify(entry)}`;
    first = false;
  }
  if (!lines) yield `\n],"notes":${JSON.stringify(notes.map(noteOf))}}\n`;
  else for (const note of notes) yield `${JSON.stringify({ type: "checkpoint", ...noteOf(note) })}\n`;
}

const noteOf = ({ key, value }: { key: string; value: string }) => ({ key, note: value });

export type ReadTape =
  | { readonly ok: true; readonly tape: Tape }
  | { readonly ok: false; readonly line: number; readonly problem: string };

/** Contract: total. A file that is not a tape gives the line that shows it. */
export function readTape(text: string): ReadTape {
  const whole = jsonOrUndefined(text);
  if (isObject(whole) && "entries" in whole) return readDocument(whole);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const header = Header.safeParse(jsonOrUndefined(lines[0] ?? ""));
  if (!header.success) return { ok: false, line: 1, problem: "is not the header of a tape" };
  const entries: ChainEntry[] = [];
  const notes: { key: string; note: string }[] = [];
  for (const [i, line] of lines.entries()) {
    if (i === 0) continue;
    const value = jsonOrUndefined(line);
    const type = isObject(value) ? value["type"] : undefined;
    const entry = type === "event" ? Entry.safeParse(value) : null;
    const note = type === "checkpoint" ? Note.safeParse(value) : null;
    if (entry?.success === true) entries.push(entry.data);
    else if (note?.success === true) notes.push(note.data);
    else return { ok: false, line: i + 1, problem: "is neither an event nor a checkpoint" };
  }
  return { ok: true, tape: { ...header.data, entries, notes } };
}

function readDocument(value: Readonly<Record<string, unknown>>): ReadTape {
  const read = Document.safeParse(value);
  if (read.success) return { ok: true, tape: read.data };
  const path = read.error.issues[0]?.path ?? [];
  return {
    ok: false,
    line: path[0] === "entries" ? Number(path[1]) + 2 : 1,
    problem: `has no valid ${path.join(".")}`,
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
