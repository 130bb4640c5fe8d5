import { createHash, randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { readUpTo } from "../../foundation/files/read-files.js";
import { mkdir, rename } from "../../foundation/files/write-files.js";
import { syncFolder, writeSynced } from "../../foundation/files/durable.js";
import type { EventReader } from "../store/event-store.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";

export { BASE_RECORD, PLAN_RECORD, REVIEWS_RECORD } from "../../mind/run/record-names.js";

/*
 * Data of a run that is too large for its log: the proof of a verdict, what an agent said, what
 * was changed. The log holds their checksums, so that none of it can be changed unnoticed.
 */

interface RecordRef {
  /** `sha256:` and the checksum: how the log names the record. */
  readonly ref: string;
  readonly path: string;
}

export interface RunRecords {
  /** Contract: durable when it resolves, without secrets, and so is its checksum; writing the same record twice leaves one. */
  readonly write: (name: string, value: unknown) => Promise<RecordRef>;
  /** Null when there is none, or it is not what its checksum says when one is given. */
  readonly read: (name: string, ref?: string) => Promise<unknown>;
  /** The checksum of what is there now, as the log would name it; null when there is nothing. */
  readonly refNow: (name: string) => Promise<string | null>;
  readonly folder: string;
}

/** The records of one run in a store that many machines use. */
interface SharedRecords {
  readonly put: (name: string, content: Buffer) => Promise<void>;
  readonly get: (name: string) => Promise<Buffer | null>;
}

/** Undefined for a store without records: they are files of this machine only. */
export function sharedRecords({ records }: EventReader, runId: string): SharedRecords | undefined {
  if (records === undefined) return undefined;
  return {
    put: (name, content) => records.put(runId, name, content),
    get: (name) => records.get(runId, name),
  };
}

/**
 * With `shared`, a record is written to both, and the shared one counts: the file here may be from before another process took the
 * run over. Only what is too large for the store is in the file alone.
 */
export function openRecords(folder: string, shared?: SharedRecords): RunRecords {
  const findHere = (name: string) => bytesOf(join(folder, `${fileName(name)}.json`));
  const find = async (name: string) => (await shared?.get(fileName(name))) ?? (await findHere(name));
  return {
    folder,
    async write(name, value) {
      const text = textOf(value);
      const path = join(folder, `${fileName(name)}.json`);
      await writeDurably(path, text);
      await shared?.put(fileName(name), Buffer.from(text));
      return { ref: refOf(text), path };
    },
    async read(name, ref) {
      if (ref !== undefined && shared !== undefined) {
        // The checksum tells which is meant, and a file is nearer.
        const near = await findHere(name);
        if (near !== null && refOf(near) === ref) return JSON.parse(near.toString("utf8")) as unknown;
      }
      const bytes = await find(name);
      if (bytes === null || (ref !== undefined && refOf(bytes) !== ref)) return null;
      return JSON.parse(bytes.toString("utf8")) as unknown;
    },
    async refNow(name) {
      const bytes = await find(name);
      return bytes === null ? null : refOf(bytes);
    },
  };
}

/** The name the log has for a record that says this. */
export function recordRef(value: unknown): string {
  return refOf(textOf(value));
}

function textOf(value: unknown): string {
  return `${JSON.stringify(withoutSecrets(value), null, 2)}\n`;
}

/** A record is a file of its own: a link, a pipe or a device in its place is none, and is not waited for. */
async function bytesOf(path: string): Promise<Buffer | null> {
  return readUpTo(path, LARGEST_BYTES, { followLinks: false }).catch(() => null);
}

/** Larger than any record is. */
const LARGEST_BYTES = 512 * 1024 * 1024;

function refOf(text: string | Buffer): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** Task ids come from people. */
function fileName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._#-]/g, (character) => `%${character.codePointAt(0)?.toString(16)}`);
}

async function writeDurably(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // Two of one process may write the same record at once: each has a draft of its own, and either is right.
  const draft = `${path}.${randomUUID()}.next`;
  await writeSynced(draft, text);
  await rename(draft, path);
  await syncFolder(dirname(path));
}
