import { CoordinatorError } from "../../model/errors.js";
import type { EventOf, LoggedEvent, RunEvent } from "../../model/event.js";
import type { Refusal } from "../../model/scope.js";
import { apply } from "../../mind/run/apply.js";
import { describeFailure } from "../../mind/run/decide/failure.js";
import { NEW_RUN, type RunState } from "../../mind/run/state.js";
import type { EventRange, EventReader } from "../../hands/store/event-store.js";
import type { StateFolder } from "../project/state-folder.js";
import type { FoldCache, KeptRun } from "./fold-cache.js";
import { describeUse } from "./describe-tool-use.js";

/*
 * A run as people look at it: the state its log gives, and when and why it came to be so, which the state alone does not
 * say.
 */

interface Mark {
  readonly sequence: number;
  readonly at: string;
}

/** How the last attempt at a task ended, in its agent's words, and what it was refused. */
export interface AttemptWords {
  readonly attempt: number;
  readonly said: string | null;
  readonly refused: readonly Refusal[];
}

/** The last thing that went wrong with a task. */
interface Trouble extends Mark {
  readonly stage: "attempt" | "verify" | "integrate" | "review";
  readonly why: string;
}

export interface FoldedRun {
  readonly run_id: string;
  readonly state: RunState;
  readonly request: string;
  readonly sequence: number;
  readonly first_at: string | null;
  readonly last_at: string | null;
  /** Since when each open entry of the inbox is there. */
  readonly opened: ReadonlyMap<string, Mark>;
  /** When the last attempt at each task started. */
  readonly began: ReadonlyMap<string, Mark>;
  readonly troubles: ReadonlyMap<string, Trouble>;
  /** The last action seen of the agent of each task, in the attempt under way. */
  readonly doing: ReadonlyMap<string, string>;
  /** The last words of the last ended attempt at each task, and its refused actions. */
  readonly ended: ReadonlyMap<string, AttemptWords>;
  /** Login files of the person's that agents of the run can read, by agent. */
  readonly logins: ReadonlyMap<string, readonly string[]>;
}

/** Readers of processes that keep folds between one look and the next. */
const keptFolds = new WeakMap<EventReader, FoldCache>();

/** Readers of a project's own log, beside which snapshots of long ones lie. */
const places = new WeakMap<EventReader, StateFolder>();

/** Folding with this reader goes by what is kept. */
export function keepFolds(reader: EventReader, folds: FoldCache): void {
  keptFolds.set(reader, folds);
}

/** Folding long logs with this reader goes by their snapshots, and leaves some. */
export function keepSnapshots(reader: EventReader, at: StateFolder): void {
  places.set(reader, at);
}

/** Where the snapshots of a reader's runs lie; null where it goes by none. */
export function snapshotsOf(reader: EventReader): StateFolder | null {
  return places.get(reader) ?? null;
}

/** A log so long that its snapshot is looked for. Reading a shorter one takes no longer than that. */
const LONG = 2000;

/** The fold of a run and the events it is of. Contract: as `foldRun`. */
export async function foldWhole(reader: EventReader, runId: string): Promise<KeptRun> {
  const kept = keptFolds.get(reader);
  if (kept !== undefined) return kept.foldOf(reader, runId);
  const fold = createRunFold(runId);
  const events: LoggedEvent[] = [];
  for await (const logged of reader.read(runId)) {
    fold.take(logged);
    events.push(logged);
  }
  return { run: fold.now(), events };
}

/** Contract: throws STORE_CORRUPT at an event that does not fit what came before it. */
export async function foldRun(reader: EventReader, runId: string, range: EventRange = {}): Promise<FoldedRun> {
  const kept = keptFolds.get(reader);
  if (kept !== undefined && range.from === undefined && range.to === undefined)
    return (await kept.foldOf(reader, runId)).run;
  const at = snapshotsOf(reader);
  if (at !== null && range.from === undefined && range.to === undefined && (await isLong(reader, runId)))
    return (await (await import("./snapshots/run-look.js")).lookAtRun(reader, runId, at)).run;
  const fold = createRunFold(runId);
  for await (const logged of reader.read(runId, range)) fold.take(logged);
  return fold.now();
}

async function isLong(reader: EventReader, runId: string): Promise<boolean> {
  return ((await reader.head(runId))?.sequence ?? 0) > LONG;
}

export interface RunFold {
  /** Contract: events in the order of the log. Returns the state before and after. */
  take(logged: LoggedEvent): { readonly before: RunState; readonly after: RunState };
  now(): FoldedRun;
}

/** Folds a run event by event, for callers that follow a log; continues a fold of its beginning, if there is one. */
export function createRunFold(run_id: string, from?: FoldedRun): RunFold {
  const opened = new Map(from?.opened);
  const began = new Map(from?.began);
  const troubles = new Map(from?.troubles);
  const doing = new Map(from?.doing);
  const ended = new Map(from?.ended);
  const logins = new Map(from?.logins);
  let { state, request, sequence, first_at, last_at } = from ?? NOTHING_FOLDED;

  function take(logged: LoggedEvent): { before: RunState; after: RunState } {
    const { event, at } = logged;
    const before = state;
    state = applyLogged(state, logged);
    sequence = logged.sequence;
    first_at ??= at;
    last_at = at;
    if (event.type === "request_received") request = event.request;
    if (event.type === "sandbox_graded") for (const { agent, files } of event.logins ?? []) logins.set(agent, files);
    if (event.type === "attempt_started") began.set(event.task_id, { sequence, at });
    if (event.type === "tool_judged") doing.set(event.task_id, describeUse(event.use));
    if (event.type === "attempt_started" || event.type === "attempt_finished") doing.delete(event.task_id);
    if (event.type === "attempt_finished") {
      const { attempt, said = null, refused = [] } = event;
      ended.set(event.task_id, { attempt, said, refused });
    }
    const trouble = troubleOf(event);
    if (trouble !== null) troubles.set(trouble.task_id, { sequence, at, stage: trouble.stage, why: trouble.why });
    // The list is another one whenever something was put in or taken out, and only then.
    if (state.inbox !== before.inbox) markOpened({ sequence, at });
    return { before, after: state };
  }

  function markOpened(mark: Mark): void {
    const open = new Set(state.inbox.map(({ id }) => id));
    for (const id of opened.keys()) if (!open.has(id)) opened.delete(id);
    for (const id of open) if (!opened.has(id)) opened.set(id, mark);
  }

  return {
    take,
    now: () => ({ run_id, state, request, sequence, first_at, last_at, opened, began, troubles, doing, ended, logins }),
  };
}

const NOTHING_FOLDED: Pick<FoldedRun, "state" | "request" | "sequence" | "first_at" | "last_at"> = {
  state: NEW_RUN,
  request: "",
  sequence: 0,
  first_at: null,
  last_at: null,
};

function applyLogged(state: RunState, { run_id, sequence, event, clock_ms }: LoggedEvent): RunState {
  try {
    return apply(state, event, clock_ms);
  } catch (cause) {
    throw new CoordinatorError(
      "STORE_CORRUPT",
      `Event ${sequence} of ${run_id} (${event.type}) does not fit the events before it`,
      {
        cause,
        fix: `\`coordinator verify ${run_id}\` says whether the log was changed. If it was not, a newer version wrote it.`,
      },
    );
  }
}

function troubleOf(event: RunEvent): { task_id: string; stage: Trouble["stage"]; why: string } | null {
  switch (event.type) {
    case "attempt_finished": {
      const why = readEndReason(event.outcome);
      return why === null ? null : { task_id: event.task_id, stage: "attempt", why };
    }
    case "verification_finished":
      return event.verdict === "PASS"
        ? null
        : { task_id: event.task_id, stage: "verify", why: `verdict ${event.verdict}: ${event.evidence}` };
    case "integration_finished":
      return event.integrated
        ? null
        : { task_id: event.task_id, stage: "integrate", why: `could not be integrated: ${event.ref}` };
    case "review_finished":
      return event.accepted ? null : { task_id: event.task_id, stage: "review", why: event.summary };
    default:
      return null;
  }
}

/** Why an attempt did not come to a result; null when it did. */
export function readEndReason(outcome: EventOf<"attempt_finished">["outcome"]): string | null {
  switch (outcome.kind) {
    case "completed":
      return null;
    case "cancelled":
      return "cancelled";
    case "scope_request":
      return `${outcome.kind}: ${outcome.message}`;
    default:
      return describeFailure(outcome);
  }
}
