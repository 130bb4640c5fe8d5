import { createPublicKey, verify } from "node:crypto";
import type { JudgedRequirement } from "../../mind/run/decide/requirements.js";
import type { SigningKey } from "../../hands/store/chain/signing-key.js";

/*
 * The statement on a commit that came out of a run: in-toto, in a signed envelope, kept as a note on the
 * commit. Anyone who has the project's public key can see what was promised, and where the evidence stands.
 */

export interface MergeFacts {
  readonly run_id: string;
  readonly commit: string;
  readonly base: string;
  readonly head: string;
  readonly into: string;
  readonly plan_id: string;
  readonly plan_checksum: string;
  /** The end of the run's log: its number and its hash. */
  readonly log: { readonly sequence: number; readonly hash: string };
  readonly sandbox: string | null;
  readonly tasks: readonly {
    readonly task_id: string;
    readonly status: string;
    readonly agent: string;
    readonly attempt: number;
    /** The verdict as the log has it, with the checksum of its record. */
    readonly verdict: string | null;
  }[];
  /** Every requirement of the run's Intent Spec, on the run's tree or, where the branch had moved, on the merged one. */
  readonly requirements: {
    readonly spec_id: string;
    readonly spec_checksum: string;
    readonly tree: string | null;
    readonly ref: string | null;
    readonly results: readonly JudgedRequirement[];
  } | null;
  readonly reviews: readonly { readonly gate_id: string; readonly by: string }[];
  readonly by: string;
  readonly at: string;
}

export interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

const PAYLOAD_TYPE = "application/vnd.in-toto+json";
const PREDICATE_TYPE = "urn:coordinator:merge:v1";

export function signedStatement(facts: MergeFacts, key: SigningKey): Envelope {
  const { commit, ...predicate } = facts;
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: facts.into, digest: { gitCommit: commit } }],
    predicateType: PREDICATE_TYPE,
    predicate,
  };
  const payload = Buffer.from(JSON.stringify(statement));
  const sig = key.signBytes(preAuthentication(payload)).toString("base64");
  return {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString("base64"),
    signatures: [{ keyid: key.keyId, sig }],
  };
}

/** The statement in an envelope, if this key signed it. Contract: total; null for anything else. */
export function openStatement(envelope: Envelope, publicKeyPem: string): unknown {
  const payload = Buffer.from(envelope.payload, "base64");
  const signed = envelope.signatures.some(({ sig }) =>
    verify(null, preAuthentication(payload), createPublicKey(publicKeyPem), Buffer.from(sig, "base64")),
  );
  return signed && envelope.payloadType === PAYLOAD_TYPE ? (JSON.parse(payload.toString("utf8")) as unknown) : null;
}

/** Builds the signed text: type and payload with their lengths, so that neither can pass for the other. */
function preAuthentication(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
}
