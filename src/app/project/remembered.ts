import { createHash, randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readFileSync } from "../../foundation/files/read-files.js";
import { mkdirSync, renameSync, writeFileSync } from "../../foundation/files/write-files-sync.js";
import { CoordinatorError } from "../../model/errors.js";
import type { Anchor } from "../../hands/store/chain/anchor.js";
import { type Checkpoint, readCheckpoint, readNote } from "../../hands/store/chain/checkpoint.js";
import { openCheckpoint } from "../../hands/store/chain/signing-key.js";
import { keyOfPem, type PublicKey } from "./open-runs.js";
import type { StateFolder } from "./state-folder.js";

/*
 * Memory of a project's runs, on this machine and outside of the project: the last checkpoint of each run with the key
 * it was signed with, and the keys the project has had. So an exchanged key and a log that was cut off or written anew
 * are found although everything inside of the project fits together. Anyone who can act as the person can change this too:
 * an anchor elsewhere is the stronger proof.
 */

const KnownRun = z.object({ note: z.string(), public_key: z.string() });
const KnownKeys = z.array(z.object({ key_id: z.string(), public_key: z.string(), first_seen: z.string() }));
export type KnownKey = z.infer<typeof KnownKeys>[number];

/** The last checkpoint this machine saw of a run. */
export interface RememberedRun {
  readonly where: string;
  readonly key: PublicKey;
  readonly checkpoint: Checkpoint;
}

/** Where a project's memory lies. Contract: null where the person's account has no folder for state. */
export function memoryFolder({ folder }: StateFolder, stateDirectory: string | null): string | null {
  if (stateDirectory === null) return null;
  try {
    const name = createHash("sha256").update(realpathSync(folder)).digest("hex").slice(0, 16);
    return join(stateDirectory, "known-runs", name);
  } catch {
    return null;
  }
}

/** Contract: null when nothing is remembered. What stands there and cannot be read throws FILE_UNREADABLE. */
export function readRemembered(memory: string, runId: string): RememberedRun | null {
  const where = runFile(memory, runId);
  const found = readJson(where);
  if (found === undefined) return null;
  const read = KnownRun.safeParse(found);
  const key = read.success ? keyOfPem(read.data.public_key) : null;
  const checkpoint = read.success && key !== null ? openCheckpoint(read.data.note, key.pem) : null;
  if (key === null || checkpoint === null)
    throw new CoordinatorError("FILE_UNREADABLE", `${where} holds no checkpoint signed with the key beside it`, {
      fix: "Put the file back from a copy. Without one, remove it: the run is then verified without this machine's memory.",
    });
  return { where, key, checkpoint };
}

/** As an anchor that keeps the last note. Contract: a run that was signed with another key is not written over. */
export function memoryAnchor(memory: string, keyNow: () => PublicKey | null): Anchor {
  return {
    keeps: "last",
    async write(runId, note) {
      const key = keyNow();
      const before = readRemembered(memory, runId);
      if (key === null || openCheckpoint(note, key.pem) === null)
        throw new CoordinatorError("FILE_UNREADABLE", "its checkpoint is not signed with the project's key");
      if (before !== null && before.key.pem !== key.pem)
        throw new CoordinatorError(
          "FILE_UNREADABLE",
          `it was signed with the key ${before.key.id}, and the project has the key ${key.id} now`,
        );
      writeJson(runFile(memory, runId), { note, public_key: key.pem });
    },
    async read(runId) {
      readRemembered(memory, runId);
      const found = KnownRun.safeParse(readJson(runFile(memory, runId)));
      return found.success ? [found.data.note] : [];
    },
  };
}

/** The keys a project has had, oldest first. Contract: total; what cannot be read is nothing known. */
export function knownKeys(memory: string): readonly KnownKey[] {
  try {
    const read = KnownKeys.safeParse(readJson(join(memory, "keys.json")));
    return read.success ? read.data : [];
  } catch {
    return [];
  }
}

/**
 * Remember the key a project signs with from now on. Says which one it had before when that was another.
 *
 * Contract: throws FILE_WRITE_FAILED.
 */
export function rememberKey(memory: string, key: PublicKey, now: string): KnownKey | null {
  const known = knownKeys(memory);
  const last = known.at(-1) ?? null;
  if (last?.public_key === key.pem) return null;
  writeJson(join(memory, "keys.json"), [...known, { key_id: key.id, public_key: key.pem, first_seen: now }]);
  return last;
}

/** The id of the key a note says it was signed with; null for what is not a note. Whether that is true is another question. */
export function keyIdOfNote(text: string): string | null {
  const note = readNote(text);
  if (note === null || readCheckpoint(note.body) === null) return null;
  return Buffer.from(note.signature, "base64").subarray(0, 4).toString("hex");
}

function runFile(memory: string, runId: string): string {
  // INVARIANT: only what is an id of a run or a request becomes the name of a file.
  if (!/^(?:run|req)_[A-Za-z0-9_-]{1,80}$/.test(runId)) throw new TypeError(`${runId} is not an id of a run`);
  return join(memory, `${runId}.json`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CoordinatorError("FILE_UNREADABLE", `${path} cannot be read: ${(cause as Error).message}`, {
      cause,
      fix: "Put the file back from a copy, or remove it: the run is then verified without this machine's memory.",
    });
  }
}

function writeJson(path: string, value: unknown): void {
  const draft = `${path}.${randomUUID()}`;
  try {
    mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(value, null, 1)}\n`, { mode: 0o600, flag: "wx", flush: true });
    renameSync(draft, path);
  } catch (cause) {
    throw new CoordinatorError("FILE_WRITE_FAILED", `${path} cannot be written: ${(cause as Error).message}`, {
      cause,
      fix: "Check that the folder can be written to and has room.",
    });
  }
}
