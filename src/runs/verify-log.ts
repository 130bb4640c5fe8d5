import type { ProofSummary } from "../model/check.js";
import type { LoggedEvent } from "../model/event.js";
import type { PlanRef } from "../model/run.js";
import { GENESIS_HASH } from "../store/chain/hash-event.js";
import { CHECKPOINT_PREFIX } from "../store/chain/checkpoint.js";
import { type ChainFinding, type ChainVerdict } from "../store/chain/verify-chain.js";
import { verifyRun } from "../store/chain/verify-run.js";
import { tellAccepted } from "../run/tell-proof.js";
import type { EventReader } from "../store/event-store.js";
import { createDeriver, type Derivation } from "./derive.js";
import { sha256 } from "../store/sha256.js";
import { keyOfPem, type PublicKey } from "./open-runs.js";
import type { Tape } from "./tape.js";
import { comparePlan, type PlanFinding, type PlanSeen, type VerifiedPlan } from "./verify-frozen-plan.js";
import { type ChecksumNow, createRecordsNamed, type RecordFinding, type VerifiedRecords } from "./verify-records.js";
import { tellRequirements, type VerifiedRequirements, verifiedRequirements } from "./verify-requirements.js";

/** One thing that is not as it was written, and the event it is about. */
export interface LogFinding {
  readonly kind: ChainFinding["kind"] | RecordFinding["kind"] | PlanFinding["kind"] | "impossible" | "incomplete";
  readonly sequence: number;
  readonly message: string;
}

interface LogCheck {
  readonly name: "chain" | "checkpoints" | "anchors" | "fold" | "plan" | "records" | "requirements";
  /** Null: there was nothing to check it by. */
  readonly passed: boolean | null;
  readonly detail: string;
}

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
  /** What this verification shows, and what it cannot, in sentences. */
  readonly proves: readonly string[];
  readonly unproven: readonly string[];
}

export interface VerifyLogOptions {
  readonly key: PublicKey | null;
  /** The key came with what is verified: whoever made the one could have made the other. */
  readonly keyIsTheirs?: boolean;
  /** Notes of this run that were kept elsewhere, and where. */
  readonly anchors: readonly { readonly where: string; readonly notes: readonly string[] }[];
  /** What stands beside the log now; null, or absent, where only the log is there. */
  readonly records?: ChecksumNow | null;
  /** The plan in the folder the run was begun from; absent where only the log is there. */
  readonly plan?: PlanSeen;
}

/** Verify a run's log with everything there is to hold it against. Contract: total; nothing is written. */
export async function verifyLog(
  reader: EventReader,
  runId: string,
  options: VerifyLogOptions,
): Promise<LogVerification> {
  const key = options.key !== null && keyOfPem(options.key.pem) !== null ? options.key : null;
  const anchored = options.anchors.flatMap(({ notes }) => notes);
  const verdict = await verifyRun(reader, runId, {
    sha256,
    anchored,
    ...(key === null ? {} : { publicKeyPem: key.pem }),
  });
  const deriver = createDeriver();
  const named = createRecordsNamed();
  const proofs = new Map<string, ProofSummary>();
  let frozen: { readonly plan: PlanRef; readonly sequence: number } | null = null;
  for await (const entry of reader.entries(runId)) {
    deriver.take(entry as LoggedEvent);
    named.take(entry as LoggedEvent);
    const { event, sequence } = entry as LoggedEvent;
    if (event.type === "plan_frozen") frozen ??= { plan: event.plan, sequence };
    if (event.type === "verification_finished" && event.verdict === "PASS" && event.proof !== undefined)
      proofs.set(event.task_id, event.proof);
  }
  const records = await named.compare(options.records ?? null);
  const plan = frozen === null || options.plan === undefined ? null : comparePlan(frozen, options.plan);
  const derivation = deriver.finish();
  const findings: LogFinding[] = [...verdict.findings, ...(records.findings ?? []), ...(plan?.findings ?? [])];
  if (derivation.impossible !== null)
    findings.push({
      kind: "impossible",
      sequence: derivation.impossible.sequence,
      message: `Event ${derivation.impossible.sequence} could not have been taken: ${derivation.impossible.why}`,
    });
  if (options.key !== null && key === null)
    findings.push({ kind: "incomplete", sequence: 0, message: "The key is no key that checkpoints are signed with" });
  const requirements = verifiedRequirements(derivation.state);
  const checkpoints = (await reader.list(runId, CHECKPOINT_PREFIX)).length;
  return {
    run_id: runId,
    passed: findings.length === 0,
    events: verdict.events,
    key_id: key?.id ?? null,
    checks: [
      chainCheck(verdict),
      checkpointCheck(verdict, checkpoints, key),
      anchorCheck(verdict, options, key),
      foldCheck(derivation),
      ...(plan === null ? [] : [{ name: "plan" as const, passed: plan.passed, detail: plan.detail }]),
      ...recordsCheck(records),
      ...(requirements === null ? [] : [requirementsCheck(requirements, findings.length === 0)]),
    ],
    findings: findings.sort((a, b) => a.sequence - b.sequence),
    proven: verdict.proven,
    requirements,
    proves: findings.length > 0 ? [] : sentences(verdict, records),
    unproven: [
      ...acceptedIn(proofs),
      ...verdict.unproven,
      ...gaps(derivation, options, key),
      ...planGap(plan),
      ...recordGaps(records),
    ],
  };
}

/** Results that stand on somebody's word and not on a check alone. */
function acceptedIn(proofs: ReadonlyMap<string, ProofSummary>): string[] {
  return [...proofs].flatMap(([task, { accepted, unreached }]) => [
    ...accepted.map((one) => `${task}: ${tellAccepted(one)}.`),
    ...(unreached.length === 0 ? [] : [`${task}: no check touches ${unreached.join(", ")}.`]),
  ]);
}

const OF_CHECKPOINTS = new Set<ChainFinding["kind"]>(["truncated", "replaced", "unsigned"]);

function chainCheck({ findings, events }: ChainVerdict): LogCheck {
  const first = findings.find(({ kind }) => !OF_CHECKPOINTS.has(kind));
  return first === undefined
    ? { name: "chain", passed: true, detail: `${events} events, each chained to the one before it` }
    : { name: "chain", passed: false, detail: first.message };
}

function checkpointCheck({ findings }: ChainVerdict, count: number, key: PublicKey | null): LogCheck {
  const name = "checkpoints";
  if (key === null) return { name, passed: null, detail: `${count} there, and no key to check them with` };
  const first = findings.find(({ kind, message }) => OF_CHECKPOINTS.has(kind) && !/anchor/i.test(message));
  if (first !== undefined) return { name, passed: false, detail: first.message };
  return count === 0
    ? { name, passed: null, detail: "none is due yet" }
    : { name, passed: true, detail: `${count} signed with the key ${key.id}` };
}

function anchorCheck({ findings }: ChainVerdict, { anchors }: VerifyLogOptions, key: PublicKey | null): LogCheck {
  const name = "anchors";
  const count = anchors.reduce((sum, { notes }) => sum + notes.length, 0);
  if (anchors.length === 0) return { name, passed: null, detail: "none was given" };
  if (key === null) return { name, passed: null, detail: `${count} there, and no key to check them with` };
  if (count === 0) return { name, passed: null, detail: "none of them knows this run" };
  const first = findings.find(({ message }) => /anchor/i.test(message));
  return first === undefined
    ? { name, passed: true, detail: `${count} kept elsewhere, and the log agrees` }
    : { name, passed: false, detail: first.message };
}

function foldCheck({ impossible, reported, derived }: Derivation): LogCheck {
  return impossible === null
    ? { name: "fold", passed: true, detail: `${reported} events reported, ${derived} more follow from them by rule` }
    : { name: "fold", passed: false, detail: `Event ${impossible.sequence}: ${impossible.why}` };
}

/** Null where one is not proven: that says something about the work, and nothing against the log. */
function requirementsCheck(requirements: VerifiedRequirements, intact: boolean): LogCheck {
  const all = requirements.results.every(({ proven }) => proven);
  const detail = tellRequirements(requirements);
  return { name: "requirements", passed: intact && all ? true : null, detail };
}

function recordsCheck({ named, findings }: VerifiedRecords): LogCheck[] {
  const name = "records";
  if (named === 0) return [];
  const [first] = findings ?? [];
  if (first !== undefined) return [{ name, passed: false, detail: first.message }];
  return findings === null
    ? [{ name, passed: null, detail: `${named} named by checksum, and none is here to be compared` }]
    : [{ name, passed: true, detail: `${named} beside the log, each with the checksum the log names` }];
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
  return ["Records that the log does not name by a checksum are not compared; commits are git's to prove."];
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
        "whoever wrote the tape could have signed it anew.",
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

/** What a tape's header promises and the tape does not hold. */
export function tapeFindings({ events, checkpoints, entries, notes }: Tape): LogFinding[] {
  const found: LogFinding[] = [];
  const differs = (what: string, promised: number, there: number, sequence: number) => {
    if (promised !== there)
      found.push({
        kind: "incomplete",
        sequence,
        message: `The tape says it has ${promised} ${what}, and it has ${there}`,
      });
  };
  differs("events", events, entries.length, entries.length + 1);
  differs("checkpoints", checkpoints, notes.length, 0);
  return found;
}

/** A tape as a log that can be read. */
export function tapeReader(tape: Tape): EventReader {
  const within = <T>(runId: string, values: readonly T[]) => (runId === tape.run_id ? values : []);
  const last = tape.entries.at(-1);
  const head = { run_id: tape.run_id, sequence: last?.sequence ?? 0, hash: last?.hash ?? GENESIS_HASH };
  return {
    head: async (runId) => (runId === tape.run_id ? head : null),
    runs: async () => [{ ...head, first_at: tape.entries[0]?.at ?? null, last_at: last?.at ?? null }],
    async *read(runId) {
      yield* within(runId, tape.entries) as readonly LoggedEvent[];
    },
    async *entries(runId) {
      yield* within(runId, tape.entries);
    },
    get: async (runId, key) => within(runId, tape.notes).find((note) => note.key === key)?.note ?? null,
    list: async (runId, prefix) =>
      within(runId, tape.notes)
        .filter(({ key }) => key.startsWith(prefix))
        .map(({ key, note }) => ({ key, value: note })),
    close: async () => undefined,
  };
}
