import { closeSync, readSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openSync } from "../../../foundation/files/write-files-sync.js";
import { withoutSecrets } from "../../../foundation/files/known-secrets.js";

/*
 * Notes of a body while it works, each a line of JSON in `events.jsonl`. Followers are told of them, and no outcome
 * may depend on it: a note that is too large, or finds the disk full, is left out, and how many were is said.
 */

const LARGEST_NOTE = 256 * 1024;
const AT_ONCE = 64 * 1024;

const fileOf = (folder: string) => join(folder, "events.jsonl");

/** Contract: never throws and never waits for the disk; the file stays under the limit. */
export class NoteWriter {
  readonly #file: number | null;
  #room: number;
  #dropped = 0;
  #torn = false;

  constructor(folder: string, limitBytes: number) {
    this.#room = limitBytes;
    this.#file = attempt(() => openSync(fileOf(folder), "a"));
  }

  readonly write = (note: unknown): void => {
    const text = attempt(() =>
      JSON.stringify({ note: withoutSecrets(note), ...(this.#dropped > 0 && { dropped_before: this.#dropped }) }),
    );
    const line = Buffer.from(`${this.#torn ? "\n" : ""}${text ?? ""}\n`);
    const fits = text !== null && line.length <= LARGEST_NOTE && line.length <= this.#room;
    const file = this.#file;
    const written = fits && file !== null ? (attempt(() => writeSync(file, line)) ?? 0) : 0;
    this.#room -= written;
    if (written === line.length) {
      this.#dropped = 0;
      this.#torn = false;
      return;
    }
    this.#dropped++;
    this.#torn ||= written > 0;
  };
}

/** Where a note ends in the notes of its instance: anyone who keeps it can be told the rest, and nothing twice. */
export interface NotePlace {
  readonly instance: number;
  readonly position: number;
}

/** Contract: tells each complete line once, from the place it was given; a line that is none is passed over. */
export class NoteReader {
  readonly #path: string;
  readonly #tell: (note: unknown, position: number) => void;
  /** Everything before this is told. */
  #told: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(folder: string, from: number, tell: (note: unknown, position: number) => void) {
    this.#path = fileOf(folder);
    this.#told = from;
    this.#tell = tell;
  }

  readonly read = (): void => {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= this.#told + this.#rest.length) return;
    const file = attempt(() => openSync(this.#path, "r"));
    if (file === null) return;
    try {
      for (;;) {
        const chunk = Buffer.alloc(AT_ONCE);
        const count = readSync(file, chunk, 0, AT_ONCE, this.#told + this.#rest.length);
        if (count === 0) return;
        this.#take(Buffer.concat([this.#rest, chunk.subarray(0, count)]));
      }
    } finally {
      closeSync(file);
    }
  };

  #take(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      const line = bytes.toString("utf8", from, end);
      this.#told += end + 1 - from;
      from = end + 1;
      const read = attempt(() => JSON.parse(line) as { note?: unknown });
      if (typeof read === "object" && read !== null && "note" in read) this.#tell(read.note, this.#told);
    }
    this.#rest = bytes.subarray(from);
  }
}

/** A part of the notes of an instance. */
export interface NotesPart {
  readonly notes: readonly unknown[];
  /** Where the next part begins. */
  readonly next: number;
  /** Something before the first of them was left out. */
  readonly cut: boolean;
}

/**
 * The notes behind a place, for somebody who only looks; the last of all where no place is named, or where more were
 * written since than one part holds.
 *
 * Contract: reads at most `most` bytes, and nothing that is still being written.
 */
export function readNotesPart(folder: string, after: number | null, most: number): NotesPart {
  const size = statSync(fileOf(folder), { throwIfNoEntry: false })?.size ?? 0;
  const wanted = Math.min(after ?? 0, size);
  const from = Math.max(wanted, size - most);
  const cut = from > wanted;
  const file = size === from ? null : attempt(() => openSync(fileOf(folder), "r"));
  if (file === null) return { notes: [], next: from, cut };
  try {
    const bytes = Buffer.alloc(size - from);
    const read = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
    // In the middle of the file the first line may be a part of one.
    const begin = cut ? read.indexOf(10) + 1 : 0;
    const end = read.lastIndexOf(10) + 1;
    const notes = read
      .toString("utf8", begin, Math.max(begin, end))
      .split("\n")
      .flatMap((line) => attempt(() => [(JSON.parse(line) as { note: unknown }).note]) ?? []);
    return { notes, next: from + end, cut };
  } finally {
    closeSync(file);
  }
}

function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
