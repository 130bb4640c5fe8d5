import type { EventReader, Sha256 } from "../event-store.js";
import { CHECKPOINT_PREFIX, type Checkpoint, sequenceOfKey } from "./checkpoint.js";
import { checkpointOpener } from "./signing-key.js";
import { type ChainFinding, type ChainVerdict, createChainVerifier } from "./verify-chain.js";

export interface VerifyRunOptions {
  readonly sha256: Sha256;
  /** The key the store signs with. Without it, its checkpoints prove nothing and are not looked at. */
  readonly publicKeyPem?: string;
  /** Notes that were anchored for this run, as their anchors gave them. */
  readonly anchored?: readonly string[];
}

/** Verify a run's log with everything there is to hold it against: its checkpoints, and what was anchored. */
export async function verifyRun(store: EventReader, runId: string, options: VerifyRunOptions): Promise<ChainVerdict> {
  const { sha256, publicKeyPem, anchored = [] } = options;
  const findings: ChainFinding[] = [];
  const checkpoints: Checkpoint[] = [];
  const anchors: Checkpoint[] = [];
  if (publicKeyPem !== undefined) {
    const openCheckpoint = checkpointOpener(publicKeyPem);
    for (const { key, value } of await store.list(runId, CHECKPOINT_PREFIX)) {
      const checkpoint = openCheckpoint(value);
      if (checkpoint !== null && checkpoint.sequence === sequenceOfKey(key)) checkpoints.push(checkpoint);
      else findings.push(forged(sequenceOfKey(key), "The checkpoint"));
    }
    for (const note of anchored) {
      const anchor = openCheckpoint(note);
      if (anchor === null) findings.push(forged(0, "An anchor"));
      else anchors.push(anchor);
    }
  }
  const signed = publicKeyPem !== undefined;
  const verifier = createChainVerifier({ runId, sha256, checkpoints, anchors, signed });
  for await (const entry of store.entries(runId)) verifier.take(entry);
  const verdict = verifier.finish();
  const all = [...findings, ...verdict.findings].sort((a, b) => a.sequence - b.sequence);
  return { ...verdict, intact: all.length === 0, findings: all };
}

function forged(sequence: number, what: string): ChainFinding {
  const at = sequence > 0 ? ` at event ${sequence}` : "";
  return { kind: "replaced", sequence, message: `${what}${at} is not signed with this key` };
}
