import { createHash, createPublicKey, verify } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deserialize, serialize } from "node:v8";
import { readFileSync } from "../../../foundation/files/read-files.js";
import { mkdirSync, renameSync, writeFileSync } from "../../../foundation/files/write-files-sync.js";
import { loadSigningKey } from "../../../hands/store/chain/signing-key.js";
import { type PackedState, packState, unpackState } from "../../../mind/run/pack-state.js";
import type { ProjectNotes } from "../../../mind/report/project-state/project-notes.js";
import { VERSION } from "../../../version.js";
import { publicKeyOf } from "../../project/open-runs.js";
import type { StateFolder } from "../../project/state-folder.js";
import type { FoldedRun } from "../fold-run.js";

/*
 * Snapshots: the state of a long log at one of its events, beside the log: `.coordinator/snapshots/RUN`. A line that says of which
 * run, event and hash it is, which code made it, and the checksum of the rest; a line with the signature of that line by
 * the project's key; the fold itself. The one before it is kept as `RUN.before`, for anyone who follows from between.
 */

/** A run as it is looked at, after one of its events. */
export interface Looked {
  readonly run: FoldedRun;
  readonly notes: ProjectNotes;
}

/** Of which event a snapshot is. */
interface Place {
  readonly run_id: string;
  readonly sequence: number;
  readonly hash: string;
}

export interface Snapshot extends Looked, Place {}

interface Head extends Place {
  readonly code: string;
  readonly body: string;
}

/** The beginning of a signed text, so that it cannot be taken for anything else that the key signs. */
const SIGNED = "coordinator snapshot\n";

/**
 * The snapshots of a run, the newest first. Contract: nothing but what `writeSnapshot` wrote with this project's key and
 * the code of this program. That their events are ones of the log is for the caller to see.
 */
export function* readSnapshots(at: StateFolder, runId: string): Iterable<Snapshot> {
  for (const path of [fileOf(at, runId), olderOf(fileOf(at, runId))]) {
    const found = readSnapshot(at, runId, path);
    if (found !== null) yield found;
  }
}

function readSnapshot(at: StateFolder, runId: string, path: string): Snapshot | null {
  try {
    const bytes = readFileSync(path);
    const end = bytes.indexOf("\n");
    const endOfSignature = bytes.indexOf("\n", end + 1);
    const line = bytes.subarray(0, end).toString("utf8");
    const signature = Buffer.from(bytes.subarray(end + 1, endOfSignature).toString("latin1"), "base64");
    const key = publicKeyOf(at);
    // INVARIANT: nothing of the file is believed, or even taken apart, before its signature is checked.
    if (key === null || !verify(null, Buffer.from(SIGNED + line), createPublicKey(key.pem), signature)) return null;
    const { run_id, sequence, hash, code, body } = JSON.parse(line) as Head;
    const packed = bytes.subarray(endOfSignature + 1);
    if (run_id !== runId || code !== codeOfProgram() || checksumOf(packed) !== body) return null;
    return { run_id, sequence, hash, ...unpack(deserialize(packed) as Packed) };
  } catch {
    // There is none, or it is of no use: the log says the same.
    return null;
  }
}

/** Contract: total. A snapshot that cannot be written is none. */
export function writeSnapshot(at: StateFolder, place: Place, looked: Looked): void {
  try {
    if (publicKeyOf(at) === null) return;
    const packed = serialize(pack(looked));
    const head: Head = { ...place, code: codeOfProgram(), body: checksumOf(packed) };
    const line = JSON.stringify(head);
    const signature = loadSigningKey(at.folder).signBytes(Buffer.from(SIGNED + line));
    const path = fileOf(at, place.run_id);
    const draft = `${path}.${process.pid}`;
    mkdirSync(join(at.folder, SNAPSHOTS), { recursive: true });
    writeFileSync(draft, Buffer.concat([Buffer.from(`${line}\n${signature.toString("base64")}\n`), packed]), {
      mode: 0o600,
    });
    if (existsSync(path)) renameSync(path, olderOf(path));
    renameSync(draft, path);
  } catch {
    // The folder may be another's, or full.
  }
}

const SNAPSHOTS = "snapshots";

const olderOf = (path: string) => `${path}.before`;

const fileOf = ({ folder }: StateFolder, runId: string) => join(folder, SNAPSHOTS, runId);

const checksumOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

interface Packed {
  readonly run: Omit<FoldedRun, "state">;
  readonly state: PackedState;
  readonly notes: Omit<ProjectNotes, "run">;
}

function pack({ run: { state, ...run }, notes: { run: _, ...notes } }: Looked): Packed {
  return { run, state: packState(state), notes };
}

function unpack({ run, state: packed, notes }: Packed): Looked {
  const state = unpackState(packed);
  return { run: { ...run, state }, notes: { ...notes, run: state } };
}

let code: string | null = null;

/** The version, and the checksum of everything a fold comes from, which the build wrote down. */
function codeOfProgram(): string {
  if (code !== null) return code;
  try {
    code = `${VERSION} ${readFileSync(fileURLToPath(new URL("../../../shipped/code.txt", import.meta.url)), "utf8")}`;
  } catch {
    code = VERSION;
  }
  return code;
}
