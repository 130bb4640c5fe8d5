import type { ProofSummary } from "../../model/settings/check.js";
import type { LoggedEvent } from "../../model/event.js";
import type { PlanRef } from "../../model/run.js";
import { CHECKPOINT_PREFIX } from "../../hands/store/chain/checkpoint.js";
import type { ChainVerdict } from "../../hands/store/chain/verify-chain.js";
import { verifyRun } from "../../hands/store/chain/verify-run.js";
import { describeAccepted } from "../../mind/run/describe-proof.js";
import type { EventReader } from "../../hands/store/event-store.js";
import type { AnchorNotes } from "./anchors.js";
import { type ChosenKey, chooseKey, type KeysSeen } from "./choose-key.js";
import { createDeriver, type Derivation } from "./derive.js";
import { sha256 } from "../../hands/store/sha256.js";
import {
  anchorCheck,
  chainCheck,
  checkpointCheck,
  foldCheck,
  keyCheck,
  type LogCheck,
  type LogFinding,
  memoryCheck,
  recordsCheck,
  requirementsCheck,
  storeCheck,
} from "./log-checks.js";
import { keyOfPem, type PublicKey } from "../project/open-runs.js";
import { keyIdOfNote } from "../project/remembered.js";
import { comparePlan, type PlanSeen, type VerifiedPlan } from "./verify-frozen-plan.js";
import { type ChecksumNow, createRecordsNamed, type VerifiedRecords } from "./verify-records.js";
import { type VerifiedRequirements, verifiedRequirements } from "./verify-requirements.js";

export interface LogVerification {
  readonly run_id: string;
  readonly passed: boolean;
  readonly events: number;
  readonly key_id: string | null;
  readonly checks: readonly LogCheck[];
  readonly findings: readonly LogFinding[];
  readonly proven: ChainVerdict["proven"];
  /** Each requirement of the run's Intent Spec and the record it was seen in; null when the run has no spec. */
  readonly requirements: VerifiedRequirements | null;
  /** Sentences about what this verification shows, and what it cannot. */
  readonly proves: readonly string[];
  readonly unproven: readonly string[];
}

/** Something checked outside of the log itself: refs, commits, statements. */
export interface CheckBeside {
  readonly check: LogCheck;
  readonly findings: readonly LogFinding[];
  readonly unproven: readonly string[];
}

export interface VerifyLogOptions {
  /** Keys that were given, or came with a tape, the first one first. None, or absent: they are chosen among `keys`. */
  readonly given?: readonly PublicKey[];
  /** The keys there are where the run was carried out; absent where only the log is there. */
  readonly keys?: KeysSeen;
  /** The key came with what is verified: anyone who made the one could have made the other. */
  readonly keyIsTheirs?: boolean;
  /** Notes of this run that were kept elsewhere, and where. */
  readonly anchors: readonly AnchorNotes[];
  /** Why anchors that the settings name were not read, in sentences. */
  readonly notRead?: readonly string[];
  /** The checksums of records beside the log now; null, or absent, where only the log is there. */
  readonly records?: ChecksumNow | null;
  /** The plan in the folder the run was begun from; absent where only the log is there. */
  readonly plan?: PlanSeen;
  readonly beside?: readonly CheckBeside[];
}

/** Verify a run's log with everything there is to hold it against. Contract: total; nothing is written. */
export async function verifyLog(
  reader: EventReader,
  runId: string,
  options: VerifyLogOptions,
): Promise<LogVerification> {
  const { anchors, beside = [] } = options;
  const remembered = options.keys?.remembered ?? null;
  const chosen = await keyOf(reader, runId, options);
  const { key } = chosen;
  const verdict = await verifyRun(reader, runId, {
    sha256,
    anchored: anchors.flatMap(({ notes }) => notes),
    remembered: remembered === null ? [] : [remembered.checkpoint],
    publicKeyPems: chosen.keys.map(({ pem }) => pem),
  });
  const { derivation, records: named, frozen, proofs } = await foldAgain(reader, runId, verdict.end);
  const records = await named.compare(options.records ?? null);
  const plan = frozen === null || options.plan === undefined ? null : comparePlan(frozen, options.plan);
  const audit = (await reader.audit?.(runId)) ?? null;
  const findings: LogFinding[] = [
    ...chosen.findings,
    ...(audit ?? []).map((message) => ({ kind: "store" as const, sequence: 0, message })),
    ...verdict.findings,
    ...findImpossible(derivation),
    ...(records.findings ?? []),
    ...(plan?.findings ?? []),
    ...beside.flatMap((each) => each.findings),
  ];
  const requirements = verifiedRequirements(derivation.state);
  const checkpoints = (await reader.list(runId, CHECKPOINT_PREFIX)).length;
  return {
    run_id: runId,
    passed: findings.length === 0,
    events: verdict.events,
    key_id: key?.id ?? null,
    checks: [
      chainCheck(verdict),
      ...keyCheck(chosen),
      checkpointCheck(verdict, checkpoints, key),
      anchorCheck(verdict, anchors, key, options.notRead),
      ...(options.keys === undefined ? [] : memoryCheck(verdict, remembered)),
      ...storeCheck(audit),
      foldCheck(derivation),
      ...(plan === null ? [] : [{ name: "plan" as const, passed: plan.passed, detail: plan.detail }]),
      ...recordsCheck(records),
      ...beside.map(({ check }) => check),
      ...(requirements === null ? [] : [requirementsCheck(requirements, findings.length === 0)]),
    ],
    findings: findings.sort((a, b) => a.sequence - b.sequence),
    proven: verdict.proven,
    requirements,
    proves: findings.length > 0 ? [] : sentences(verdict, records),
    unproven: [
      ...describeAcceptedResults(proofs),
      ...verdict.unproven,
      ...(options.notRead ?? []),
      ...chosen.said,
      ...gaps(derivation, options, key),
      ...planGap(plan),
      ...recordGaps(records),
      ...beside.flatMap((each) => each.unproven),
    ],
  };
}

async function keyOf(reader: EventReader, runId: string, { given = [], keys }: VerifyLogOptions): Promise<ChosenKey> {
  if (given.some(({ pem }) => keyOfPem(pem) === null))
    return {
      key: null,
      keys: [],
      findings: [{ kind: "key", sequence: 0, message: "The key is not a key that checkpoints are signed with" }],
      said: [],
    };
  const notes = (await reader.list(runId, CHECKPOINT_PREFIX)).map(({ value }) => value);
  if (given.length > 0 || keys === undefined) {
    const ids = new Set(notes.map(keyIdOfNote));
    return { key: given.find(({ id }) => ids.has(id)) ?? given[0] ?? null, keys: given, findings: [], said: [] };
  }
  let begunAt: string | null = null;
  for await (const { at } of reader.entries(runId, { to: 1 })) begunAt = at;
  return chooseKey(keys, notes, begunAt);
}

/** The log once more, for what its events say: what follows by rule, and which records they name. */
async function foldAgain(reader: EventReader, runId: string, to: number) {
  const deriver = createDeriver();
  const records = createRecordsNamed();
  const proofs = new Map<string, ProofSummary>();
  let frozen: { readonly plan: PlanRef; readonly sequence: number } | null = null;
  for await (const entry of reader.entries(runId, { to })) {
    deriver.take(entry as LoggedEvent);
    records.take(entry as LoggedEvent);
    const { event, sequence } = entry as LoggedEvent;
    if (event.type === "plan_frozen") frozen ??= { plan: event.plan, sequence };
    if (event.type === "verification_finished" && event.verdict === "PASS" && event.proof !== undefined)
      proofs.set(event.task_id, event.proof);
  }
  return { derivation: deriver.finish(), records, frozen, proofs };
}

function findImpossible({ impossible }: Derivation): LogFinding[] {
  if (impossible === null) return [];
  const { sequence, why } = impossible;
  return [{ kind: "impossible", sequence, message: `Event ${sequence} could not have been taken: ${why}` }];
}

/** Results that stand on somebody's word and not on a check alone. */
function describeAcceptedResults(proofs: ReadonlyMap<string, ProofSummary>): string[] {
  return [...proofs].flatMap(([task, { accepted, unreached }]) => [
    ...accepted.map((one) => `${task}: ${describeAccepted(one)}.`),
    ...(unreached.length === 0 ? [] : [`${task}: no check touches ${unreached.join(", ")}.`]),
  ]);
}

function planGap(plan: VerifiedPlan | null): string[] {
  return plan?.passed === null ? [`The plan it carries out is not compared: ${plan.detail}.`] : [];
}

function recordGaps({ named, findings }: VerifiedRecords): string[] {
  if (named === 0) return [];
  if (findings === null)
    return [
      `The ${named} records that are named by their checksums are not part of the log: verify the run where it was carried out.`,
    ];
  return ["Records that the log does not name by a checksum are not compared."];
}

function sentences({ proven, events }: ChainVerdict, { named, findings }: VerifiedRecords): string[] {
  const witness = { anchor: "an anchor", checkpoint: "a signed checkpoint", chain: "nobody" }[proven.by];
  return [
    `The ${events} events are those that were chained, in their order; none in between was changed, added or removed.`,
    ...(proven.sequence === 0 ? [] : [`Up to event ${proven.sequence}, ${witness} vouches for them.`]),
    ...(named === 0 || findings === null
      ? []
      : [`The ${named} records that verdicts, briefs and requirements stand on are those the log names.`]),
  ];
}

function gaps({ other }: Derivation, options: VerifyLogOptions, key: PublicKey | null): string[] {
  const said: string[] = [];
  if (key === null) said.push("There is no key: checkpoints and anchors say nothing without it.");
  else if (options.keyIsTheirs === true)
    said.push(
      `The key came with the tape. Ask the keeper of the run whether ${key.id} is theirs, or give it with --key: ` +
        "the author of the tape could have signed it again.",
    );
  for (const { where, notes } of options.anchors)
    if (notes.length === 0) said.push(`${where} holds no anchor of this run.`);
  if (other !== null)
    said.push(
      `Event ${other.sequence} is ${other.found} where the rules of this version give ${other.expected}: ` +
        "another version wrote it, a secret was taken out, or somebody wrote it by hand.",
    );
  said.push("What hands and people reported is taken as they reported it.");
  return said;
}
