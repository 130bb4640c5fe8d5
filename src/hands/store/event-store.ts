import type { LoggedEvent, RunEvent } from "../../model/event.js";
import { CoordinatorError } from "../../model/errors.js";
import type { ProcessIdentity } from "../../foundation/processes/process-identity.js";

/*
 * The log of all runs. A run is an append-only, hash-chained list of events, and anyone who wants to know anything about
 * a run folds them. Beside the events a store keeps small texts per run: the signed checkpoints, and what was anchored.
 */

/** An event before it stands in the log. */
export interface NewEvent {
  readonly event: RunEvent;
  /** Wall clock, RFC 3339. */
  readonly at: string;
  /** The run's own clock, which never goes back. */
  readonly clock_ms: number;
}

export type Sha256 = (text: string) => string;

/** A row of the log before anybody has judged it: `event` may be anything. To write one out, take `plainEntry` of it. */
export interface ChainEntry {
  readonly run_id: string;
  readonly sequence: number;
  readonly at: string;
  readonly clock_ms: number;
  readonly event: unknown;
  /** The event as it is written in the log, when that is known: the hash must be the hash of exactly this. */
  readonly text?: string;
  readonly previous_hash: string;
  readonly hash: string;
}

/** The entry as plain data. A store may read the event when it is asked for, and copying or printing does not ask. */
export function plainEntry({
  run_id,
  sequence,
  at,
  clock_ms,
  event,
  text,
  previous_hash,
  hash,
}: ChainEntry): ChainEntry {
  const written = text === undefined ? {} : { text };
  return { run_id, sequence, at, clock_ms, event, ...written, previous_hash, hash };
}

/** Where a run's log ends. A run without events ends at 0 with the genesis hash. */
export interface RunHead {
  readonly run_id: string;
  readonly sequence: number;
  readonly hash: string;
}

interface RunSummary extends RunHead {
  readonly first_at: string | null;
  readonly last_at: string | null;
}

/** Both ends are included. */
export interface EventRange {
  readonly from?: number;
  readonly to?: number;
}

export type AppendResult =
  | { readonly status: "appended"; readonly events: readonly LoggedEvent[] }
  /** The log does not end where the writer thought: somebody else wrote. Nothing was written. */
  | { readonly status: "conflict"; readonly expected: number; readonly actual: number }
  /** The log has the start or the end of this very attempt already, as event `sequence`. Nothing was written. */
  | { readonly status: "duplicate"; readonly sequence: number };

/** An event with its place among those of all runs. */
interface AppendedEvent {
  readonly position: number;
  readonly logged: LoggedEvent;
}

/** The process that carries out a run. */
export interface RunHolder extends ProcessIdentity {
  readonly run_id: string;
  /** Since when, RFC 3339. */
  readonly since: string;
  /** The machine it runs on, where that is another one. */
  readonly host?: string;
}

/** How old the claim of a run is, in a store where claims have a term. */
export interface RunLease {
  readonly run_id: string;
  /** How long ago its process extended it last. */
  readonly age_ms: number;
  /** Its process has died or cannot be reached: anybody may take the run. */
  readonly has_ended: boolean;
}

/** The work that is offered to workers, over all runs of a store. */
export interface OfferedWork {
  /** How many pieces of work wait for a worker, and for how long the oldest of them has. */
  readonly waiting: number;
  readonly oldest_ms: number;
  /** How many workers live. */
  readonly workers: number;
}

/** The message where a run cannot be claimed because a living process carries it out. */
export function heldError({ run_id, pid, host }: RunHolder): CoordinatorError {
  const where = host === undefined ? "" : ` on ${host}`;
  return new CoordinatorError("STORE_LOCKED", `Process ${pid}${where} carries out ${run_id}`, {
    retryable: true,
    fix: `coordinator watch ${run_id} follows it, and what you answer reaches it.`,
  });
}

export type ClaimResult =
  | { readonly status: "claimed"; readonly head: RunHead }
  /** Another process carries out the run, and lives. */
  | { readonly status: "held"; readonly holder: RunHolder };

/** Records that are too large for a log, in a store that many machines use. */
export interface StoredRecords {
  /** Contract: durable when it resolves; replaces what was there. One that is too large is passed over. */
  readonly put: (runId: string, name: string, content: Buffer) => Promise<void>;
  /** Contract: null when the store has no content of this name. */
  readonly get: (runId: string, name: string) => Promise<Buffer | null>;
  readonly names: (runId: string) => Promise<readonly string[]>;
}

/** Decisions of people on their way to runs, in a store that many machines use. Their text is the sender's and is not read here. */
export interface StoredSignals {
  /** Contract: durable when it resolves; wakes who follows. One of this id that is there already stays as it is. */
  readonly leave: (signal: {
    readonly signal_id: string;
    readonly run_id: string;
    readonly text: string;
  }) => Promise<void>;
  /** Contract: those that nobody has judged, in the order in which the store got them. */
  readonly left: () => Promise<readonly { readonly signal_id: string; readonly text: string }[]>;
  readonly isLeft: (signalId: string) => Promise<boolean>;
  /** Contract: null while nobody has judged it. */
  readonly verdict: (signalId: string) => Promise<string | null>;
  /** Contract: durable when it resolves; the first verdict stands. */
  readonly judge: (signalId: string, verdict: string) => Promise<void>;
  /** Contract: takes away one that was judged. */
  readonly forget: (signalId: string) => Promise<void>;
  /** Contract: takes away what was judged a day ago and more. */
  readonly sweep: () => Promise<void>;
  /** Contract: as `follow` of a reader, for signals that were left. */
  readonly follow: (wake: () => void) => Promise<() => Promise<void>>;
}

/** The view of a reader, also while other processes write. */
export interface EventReader {
  /** Contract: null for a run the store does not know. */
  head(runId: string): Promise<RunHead | null>;

  /** Contract: every known run in the order of their ids. */
  runs(): Promise<readonly RunSummary[]>;

  /** Contract: the runs that living processes carry out, in the order of their ids. Absent where nobody could, as in a tape. */
  holders?(): Promise<readonly RunHolder[]>;

  /** Contract: every claim that was not given back. Absent where claims have no term. */
  leases?(): Promise<readonly RunLease[]>;

  /** Contract: null where the store is of a version without workers. Absent where there are none, as in a tape. */
  offeredWork?(): Promise<OfferedWork | null>;

  /**
   * Contract: the events in the order of their sequence; none for an unknown run. Events that are appended while it
   * is read may or may not be seen. Throws STORE_CORRUPT at an event that cannot be read.
   */
  read(runId: string, range?: EventRange): AsyncIterable<LoggedEvent>;

  /**
   * Contract: like `read`, for anyone who judges the log: the entries as they are stored, also those that are not an event.
   * A row that cannot be read as JSON, or is not written as the store writes it, is given as the text it is.
   */
  entries(runId: string, range?: EventRange): AsyncIterable<ChainEntry>;

  /**
   * Contract: what was appended to any run behind this position, in the order it was appended, at most `limit` of it. A
   * position counts the events of the whole store from 1 and belongs to one event for ever. Absent where there is no such
   * order, as in a tape.
   */
  appendedSince?(position: number, limit: number): Promise<readonly AppendedEvent[]>;

  /** Contract: the position of the last event of the whole store; 0 when there is none. Absent as `appendedSince` is. */
  lastPosition?(): Promise<number>;

  /**
   * Contract: calls `wake` soon after something was appended to any run, until what it resolves to is called. Some appends may
   * go without it, so who follows also looks by themselves from time to time. Absent where nobody says when.
   */
  follow?(wake: () => void): Promise<() => Promise<void>>;

  /** Records of runs. Absent where they lie as files beside the store. */
  readonly records?: StoredRecords;

  /** Contract: the text put under this key, or null. */
  get(runId: string, key: string): Promise<string | null>;

  /** Contract: the texts whose key begins so, in the order of their keys. */
  list(runId: string, prefix: string): Promise<readonly { readonly key: string; readonly value: string }[]>;

  /**
   * Contract: what of the store around this run's log is not as the store keeps it, in sentences; changes nothing.
   * Absent where there is nothing around the log, as in a tape.
   */
  audit?(runId: string): Promise<readonly string[]>;

  /** Contract: waits for what was asked for; afterwards every call is refused. Closing twice is closing once. */
  close(): Promise<void>;
}

export interface EventStore extends EventReader {
  /** Signals to runs. Absent where they lie as files beside the store. */
  readonly signals?: StoredSignals;

  /**
   * An event as it will be written, without secrets. Anyone who derives others from it derives them from this: what follows
   * from what was never written could not be verified.
   */
  readonly redact?: (event: RunEvent) => RunEvent;

  /** Contract: makes the run known, if it is not, and says where its log ends. Resolves when durable. */
  open(runId: string): Promise<RunHead>;

  /**
   * Take a run, to be the only one who carries it out; makes it known if it is not.
   *
   * Contract: at most one store has a run at a time. A run that this store has already is claimed again. The claim of a
   * process that has ended counts for nothing. Resolves when durable. Closing the store gives back every claim.
   */
  claim(runId: string): Promise<ClaimResult>;

  /** Contract: gives back the claim of this store; nothing where it has none. */
  release(runId: string): Promise<void>;

  /**
   * Add events to the end of a run's log: all of them or none.
   *
   * Contract: compare-and-swap on the sequence; `expectedSequence` is the last one the writer has seen, 0 for a new
   * run. Losing that race, and repeating an attempt's start or end, are values. Resolves when durable: an event that
   * was acknowledged survives the process and the power. Appends of one turn may share a commit, and are then carried
   * out in the order they were asked for. Rejects with TypeError for what JSON cannot carry, with STORE_LOCKED for a run
   * that another store has claimed, and with STORE_FAILED when it could not be made durable; after an I/O error the
   * store refuses every further write until it is opened again.
   */
  append(runId: string, expectedSequence: number, events: readonly NewEvent[]): Promise<AppendResult>;

  /** Contract: keeps a small text, replacing what was there. Resolves when durable; rejects as `append` does. */
  put(runId: string, key: string, value: string): Promise<void>;
}

/** The parts that every store needs from outside. */
export interface StoreParts {
  readonly sha256: Sha256;
  /** Signs checkpoints, which then are part of the commit that makes them due. Without it none are made. */
  readonly signer?: CheckpointSigner;
  /** Takes secrets out of an event before it is hashed and written. */
  readonly redact?: (event: RunEvent) => RunEvent;
}

/** Contract: synchronous, because it signs inside of a commit; the text is a signed note. */
export interface CheckpointSigner {
  readonly sign: (body: string) => string;
}
