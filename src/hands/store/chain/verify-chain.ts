import type { ChainEntry, Sha256 } from "../event-store.js";
import type { Checkpoint } from "./checkpoint.js";
import { DueCheckpoints } from "./due-checkpoints.js";
import { GENESIS_HASH, hashEvent } from "./hash-event.js";
import { Gaps } from "./gaps.js";
import { MerkleStretches } from "./merkle-stretches.js";

/*
 * Was this log changed? The chain alone shows a change, a removal, a repetition, an insertion and another order. It
 * cannot show that the end is missing or that everything was written anew: a shorter chain is a chain. For that
 * somebody must have kept a later hash: a signed checkpoint beside the log, or an anchor away from it.
 */

type FindingKind =
  | "changed"
  | "removed"
  | "reordered"
  | "inserted"
  | "duplicated"
  | "truncated"
  | "replaced"
  /** Not a way to tamper but its trace: a stretch that should have been signed and is not. */
  | "unsigned";

export interface ChainFinding {
  readonly kind: FindingKind;
  /** The first event it is about. */
  readonly sequence: number;
  readonly message: string;
}

export interface ChainVerdict {
  readonly intact: boolean;
  readonly findings: readonly ChainFinding[];
  readonly events: number;
  /** The last event somebody vouches for, and who. Events after it could have been written anew. */
  readonly proven: { readonly sequence: number; readonly by: "anchor" | "checkpoint" | "chain" };
  /** Things that this verification cannot show, in sentences. */
  readonly unproven: readonly string[];
}

export interface ChainOptions {
  readonly runId: string;
  readonly sha256: Sha256;
  /** Checkpoints kept beside the log whose signatures were checked. */
  readonly checkpoints?: readonly Checkpoint[];
  /** Checkpoints kept where the log's writer could not change them unnoticed. */
  readonly anchors?: readonly Checkpoint[];
  /** Checkpoints that this machine remembers outside of the project; the person's own account can change them. */
  readonly remembered?: readonly Checkpoint[];
  /** The log is of a store that signs: a checkpoint that was due and is missing is a finding. */
  readonly signed?: boolean;
}

/** Contract: pure and total; an untouched log has no findings. The entries are taken in the order they are given. */
export function verifyChain(entries: Iterable<ChainEntry>, options: ChainOptions): ChainVerdict {
  const verifier = createChainVerifier(options);
  for (const entry of entries) verifier.take(entry);
  return verifier.finish();
}

export interface ChainVerifier {
  take(entry: ChainEntry): void;
  finish(): ChainVerdict;
}

/** As above, entry by entry, for logs that should not be held as a whole. */
export function createChainVerifier(options: ChainOptions): ChainVerifier {
  const { runId, sha256, checkpoints = [], anchors = [], remembered = [] } = options;
  const kept = [...checkpoints, ...anchors, ...remembered];
  const findings: ChainFinding[] = [];
  const find = (kind: FindingKind, sequence: number, message: string) => findings.push({ kind, sequence, message });
  const gaps = new Gaps();
  const wanted = new Set(kept.map(({ sequence }) => sequence));
  const seen = new Map<number, string>();
  const stretches = new MerkleStretches(kept, sha256);
  const due = new DueCheckpoints(checkpoints);
  let events = 0;
  /** The entry with the highest number so far: what the next one has to follow. */
  let last = { sequence: 0, hash: GENESIS_HASH, previous_hash: "", sound: true };

  function take(entry: ChainEntry): void {
    events++;
    const { sequence } = entry;
    const sound = isSound(entry);
    if (!Number.isSafeInteger(sequence) || sequence < 1)
      return void find("changed", 0, `An entry has the number ${String(sequence)}`);
    if (sequence <= last.sequence) return takeEarlier(entry, sound);
    if (sequence > last.sequence + 1) gaps.add(last.sequence + 1, sequence - 1);
    // An entry that is not what its hash says has one finding; that its neighbours do not fit it is no second one.
    else if (sound && last.sound && entry.previous_hash !== last.hash) judgeBrokenLink(entry);
    last = { sequence, hash: entry.hash, previous_hash: entry.previous_hash, sound };
    if (wanted.has(sequence)) seen.set(sequence, entry.hash);
    stretches.take(sequence, entry.hash);
    due.take(entry);
  }

  function isSound(entry: ChainEntry): boolean {
    const { sequence } = entry;
    if (entry.run_id !== runId) find("inserted", sequence, `Event ${sequence} belongs to the run ${entry.run_id}`);
    if (ownHash(entry, sha256) === entry.hash) return true;
    find("changed", sequence, `Event ${sequence} is not what its hash says`);
    return false;
  }

  function takeEarlier(entry: ChainEntry, sound: boolean): void {
    const { sequence } = entry;
    if (gaps.take(sequence)) find("reordered", sequence, `Event ${sequence} stands behind event ${last.sequence}`);
    else if (sequence === last.sequence && entry.hash !== last.hash) {
      find("inserted", sequence, `There are two different events with the number ${sequence}`);
      // Which of the two the log was chained through shows at the next event; the later one is tried first.
      if (sound) last = { sequence, hash: entry.hash, previous_hash: entry.previous_hash, sound: false };
    } else find("duplicated", sequence, `Event ${sequence} is there twice`);
  }

  function judgeBrokenLink(entry: ChainEntry): void {
    const { sequence } = entry;
    if (sequence === 1) find("replaced", 1, "The first event is not chained to the beginning of a log");
    else find("changed", sequence - 1, `Event ${sequence - 1} is not the one that event ${sequence} was chained to`);
  }

  function finish(): ChainVerdict {
    for (const [from, to] of gaps.left())
      find("removed", from, from === to ? `Event ${from} is missing` : `The events ${from} to ${to} are missing`);
    for (const checkpoint of checkpoints) judgeCheckpoint(checkpoint, "a signed checkpoint");
    for (const anchor of anchors) judgeCheckpoint(anchor, "an anchor");
    for (const known of remembered) judgeCheckpoint(known, "the checkpoint this machine remembers");
    if (options.signed === true) judgeCoverage();
    findings.sort((a, b) => a.sequence - b.sequence);
    const proven = describeProvenPart();
    return {
      intact: findings.length === 0,
      findings,
      events,
      proven,
      unproven: listUnprovenAfter(proven, last.sequence),
    };
  }

  function judgeCheckpoint(point: Checkpoint, witness: string): void {
    const { run_id, sequence, hash } = point;
    if (run_id !== runId) find("replaced", sequence, `${capital(witness)} is of the run ${run_id}`);
    else if (sequence > last.sequence)
      find("truncated", last.sequence + 1, `The log ends at event ${last.sequence}, but ${witness} knows ${sequence}`);
    else if (seen.has(sequence) && seen.get(sequence) !== hash)
      find("replaced", sequence, `Event ${sequence} is not the one ${witness} knows: the log was written anew`);
    else {
      const root = stretches.rootOf(point);
      if (root !== undefined && root !== point.merkle?.root)
        find("replaced", sequence, `The Merkle root at event ${sequence} is not that of the events ${witness} covers`);
    }
  }

  function judgeCoverage(): void {
    // A tree begins where the one before it ended: so a checkpoint that is gone is missed by the next.
    const at = new Set(checkpoints.map(({ sequence }) => sequence));
    for (const { merkle } of checkpoints)
      if (merkle !== undefined && merkle.from > 1 && !at.has(merkle.from - 1))
        find("unsigned", merkle.from - 1, `The checkpoint at event ${merkle.from - 1} is missing`);
    for (const { sequence, message } of due.missing()) find("unsigned", sequence, message);
  }

  function describeProvenPart(): ChainVerdict["proven"] {
    const broken = findings[0]?.sequence ?? Number.POSITIVE_INFINITY;
    const lastVouchedFor = (points: readonly Checkpoint[]) =>
      Math.max(0, ...points.map(({ sequence }) => sequence).filter((sequence) => sequence < broken));
    const anchored = lastVouchedFor(anchors);
    const signed = lastVouchedFor(checkpoints);
    if (anchored > 0 && anchored >= signed) return { sequence: anchored, by: "anchor" };
    if (signed > 0) return { sequence: signed, by: "checkpoint" };
    return { sequence: 0, by: "chain" };
  }

  function listUnprovenAfter(proven: ChainVerdict["proven"], end: number): string[] {
    const said: string[] = [];
    if (proven.by === "chain")
      said.push("There is no checkpoint and no anchor: a log cut off at its end or written anew would look the same.");
    else if (proven.sequence < end)
      said.push(
        `Events after ${proven.sequence} are chained but not vouched for: they could have been cut off or written anew.`,
      );
    if (proven.by === "checkpoint" && remembered.length === 0)
      said.push(
        "Without an anchor, cutting the log and its checkpoints off together would not show, " +
          "and the holder of the signing key could have rewritten everything.",
      );
    if (proven.by === "checkpoint" && remembered.length > 0)
      said.push(
        "Without an anchor, somebody who can change this machine's own memory of the run too, and cuts off the log " +
          "or holds the signing key, would leave no trace.",
      );
    if (proven.by === "anchor")
      said.push("Anyone who holds the signing key can still forge what comes after the last anchor.");
    return said;
  }

  return { take, finish };
}

function ownHash(entry: ChainEntry, sha256: Sha256): string | null {
  try {
    return hashEvent(entry, sha256);
  } catch {
    // It has no canonical form, so it is nothing this store ever wrote.
    return null;
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
