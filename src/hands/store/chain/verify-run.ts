import type { EventReader, Sha256 } from "../event-store.js";
import { CHECKPOINT_PREFIX, type Checkpoint, sequenceOfKey } from "./checkpoint.js";
import { checkpointOpener } from "./signing-key.js";
import { type ChainFinding, type ChainVerdict, createChainVerifier } from "./verify-chain.js";

export interface VerifyRunOptions {
  readonly sha256: Sha256;
  /** The keys that checkpoints may be signed with. Without any, checkpoints prove nothing and are not looked at. */
  readonly publicKeyPems?: readonly string[];
  /** Notes that were anchored for this run, as their anchors gave them. */
  readonly anchored?: readonly string[];
  /** Checkpoints of this run that were kept on this machine outside of the project, their signatures checked. */
  readonly remembered?: readonly Checkpoint[];
}

/**
 * Verify a run's log with everything there is to hold it against: its checkpoints, and what was anchored.
 *
 * Contract: a log that somebody appends to meanwhile is verified up to where it ended at first.
 */
export async function verifyRun(
  store: EventReader,
  runId: string,
  options: VerifyRunOptions,
): Promise<ChainVerdict & { readonly end: number }> {
  const { sha256, publicKeyPems = [], anchored = [], remembered = [] } = options;
  const end = (await store.head(runId))?.sequence ?? 0;
  const findings: ChainFinding[] = [];
  const checkpoints: Checkpoint[] = [];
  const anchors: Checkpoint[] = [];
  const signed = publicKeyPems.length > 0;
  if (signed) {
    const openers = publicKeyPems.map(checkpointOpener);
    const openCheckpoint = (note: string) => {
      for (const open of openers) {
        const checkpoint = open(note);
        if (checkpoint !== null) return checkpoint;
      }
      return null;
    };
    const notes = await store.list(runId, CHECKPOINT_PREFIX);
    const now = (await store.head(runId))?.sequence ?? 0;
    for (const { key, value } of notes) {
      // Of what was appended since; one beyond the end of the log is a trace of what was cut off.
      if (sequenceOfKey(key) > end && sequenceOfKey(key) <= now) continue;
      const checkpoint = openCheckpoint(value);
      if (checkpoint !== null && checkpoint.sequence === sequenceOfKey(key)) checkpoints.push(checkpoint);
      else findings.push(forgedFinding(sequenceOfKey(key), "The checkpoint"));
    }
    for (const note of anchored) {
      const anchor = openCheckpoint(note);
      if (anchor === null) findings.push(forgedFinding(0, "An anchor"));
      else anchors.push(anchor);
    }
  }
  const verifier = createChainVerifier({ runId, sha256, checkpoints, anchors, remembered, signed });
  for await (const entry of store.entries(runId, { to: Math.max(1, end) })) verifier.take(entry);
  const verdict = verifier.finish();
  const all = [...findings, ...verdict.findings].sort((a, b) => a.sequence - b.sequence);
  return { ...verdict, intact: all.length === 0, findings: all, end: Math.max(1, end) };
}

function forgedFinding(sequence: number, what: string): ChainFinding {
  const at = sequence > 0 ? ` at event ${sequence}` : "";
  return { kind: "replaced", sequence, message: `${what}${at} is not signed with this key` };
}
