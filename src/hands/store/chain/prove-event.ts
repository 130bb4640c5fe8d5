import { type ChainEntry, type EventReader, plainEntry, type Sha256 } from "../event-store.js";
import { CHECKPOINT_PREFIX, sequenceOfKey } from "./checkpoint.js";
import { hashEvent } from "./hash-event.js";
import { merklePath, rootByPath } from "./merkle.js";
import { openCheckpoint } from "./signing-key.js";

/*
 * One event of a log, proven without the others: the event, the way from its hash up to the Merkle root of its stretch,
 * and the signed checkpoint that holds that root. Anyone who has the public key needs nothing else.
 */

export interface EventProof {
  readonly entry: ChainEntry;
  /** The hashes beside the way to the root, from the leaf upwards. */
  readonly path: readonly string[];
  /** The signed checkpoint, as it stands in the store. */
  readonly note: string;
}

export interface ProofParts {
  readonly sha256: Sha256;
  readonly publicKeyPem: string;
}

/** Contract: null for an event that is not there, or that no signed checkpoint with a root covers. */
export async function proveEvent(
  store: EventReader,
  runId: string,
  sequence: number,
  parts: ProofParts,
): Promise<EventProof | null> {
  const notes = await store.list(runId, CHECKPOINT_PREFIX);
  const note = notes.find(({ key }) => sequenceOfKey(key) >= sequence)?.value;
  const point = note === undefined ? null : openCheckpoint(note, parts.publicKeyPem);
  if (note === undefined || point?.merkle === undefined || point.merkle.from > sequence) return null;
  const hashes: string[] = [];
  let entry: ChainEntry | null = null;
  for await (const each of store.entries(runId, { from: point.merkle.from, to: point.sequence })) {
    hashes.push(each.hash);
    if (each.sequence === sequence) entry = each;
  }
  if (entry === null) return null;
  const { text: _, ...plain } = plainEntry(entry);
  return { entry: plain, path: merklePath(hashes, sequence - point.merkle.from, parts.sha256), note };
}

/** Why a proof does not hold; null when it does. Contract: total. */
export function refuteProof({ entry, path, note }: EventProof, { sha256, publicKeyPem }: ProofParts): string | null {
  const point = openCheckpoint(note, publicKeyPem);
  if (point === null) return "the checkpoint is not signed with this key";
  if (point.merkle === undefined) return "the checkpoint has no Merkle root";
  if (point.run_id !== entry.run_id) return `the checkpoint is of the run ${point.run_id}`;
  const { from, root } = point.merkle;
  try {
    if (hashEvent(entry, sha256) !== entry.hash) return "the event is not what its hash says";
  } catch {
    return "the event has no canonical form";
  }
  const reached = rootByPath(entry.hash, entry.sequence - from, point.sequence - from + 1, path, sha256);
  return reached === root ? null : "the event is not among those the checkpoint covers";
}
