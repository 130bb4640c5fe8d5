import type { LoggedEvent } from "../../../model/event.js";
import type { RunState } from "../../../mind/run/state.js";
import { newProjectNotes, type ProjectNotes, takeEvent } from "../../../mind/report/project-state/project-notes.js";
import type { EventReader } from "../../../hands/store/event-store.js";
import type { StateFolder } from "../../project/state-folder.js";
import { createRunFold, type RunFold } from "../fold-run.js";
import { type Looked, readSnapshots, writeSnapshot } from "./snapshot-file.js";

/*
 * Looking at a run whose log may be long. A command that has folded many events leaves what they came to beside the log,
 * and the next one goes on from there. Logs are chained by hashes: a fold that ends at an event with a given hash is the
 * fold of every log that has this event there. Nothing depends on a snapshot; a process that carries out a run folds
 * its log and asks for none.
 */

/** After so many events a snapshot is left. Folding them takes about as long as starting the program. */
const SNAPSHOT_EVERY = 5000;

/** A fold that goes on, with the notes that answers are made of. */
export class RunLook {
  readonly #runId: string;
  readonly #at: StateFolder | null;
  readonly #fold: RunFold;
  readonly notes: ProjectNotes;
  #last: LoggedEvent | null = null;
  /** The first event it has not taken. */
  #next: number;
  #snapshotAt: number;

  constructor(runId: string, at: StateFolder | null, from: Looked | null) {
    this.#runId = runId;
    this.#at = at;
    this.#fold = createRunFold(runId, from?.run);
    this.notes = from?.notes ?? newProjectNotes();
    this.#snapshotAt = from?.run.sequence ?? 0;
    this.#next = this.#snapshotAt + 1;
  }

  get next(): number {
    return this.#next;
  }

  /** Take an event but for the notes, for a caller that gives it to them. Contract: in the order of the log. */
  fold(logged: LoggedEvent): RunState {
    this.#last = logged;
    this.#next = logged.sequence + 1;
    return this.#fold.take(logged).after;
  }

  take(logged: LoggedEvent): void {
    takeEvent(this.notes, logged, this.fold(logged));
  }

  now(): Looked {
    return { run: this.#fold.now(), notes: this.notes };
  }

  /** Leave a snapshot, if there is enough since the last. Contract: total. */
  keep(every = SNAPSHOT_EVERY): void {
    if (this.#at === null || this.#last === null || this.#last.sequence - this.#snapshotAt < every) return;
    const { sequence, hash } = this.#last;
    writeSnapshot(this.#at, { run_id: this.#runId, sequence, hash }, this.now());
    this.#snapshotAt = sequence;
  }
}

/** Begin to look at a run, with its newest snapshot of an event before `before`. */
export async function startLook(
  reader: EventReader,
  runId: string,
  at: StateFolder | null,
  before = Number.POSITIVE_INFINITY,
): Promise<RunLook> {
  for (const found of at === null ? [] : readSnapshots(at, runId))
    if (found.sequence < before && (await hashAt(reader, runId, found.sequence)) === found.hash)
      return new RunLook(runId, at, found);
  return new RunLook(runId, at, null);
}

/** A run as its log has it now. `every`: for tests. Contract: throws as `foldRun`. */
export async function lookAtRun(
  reader: EventReader,
  runId: string,
  at: StateFolder | null,
  every = SNAPSHOT_EVERY,
): Promise<Looked> {
  const look = await startLook(reader, runId, at);
  for await (const logged of reader.read(runId, { from: look.next })) look.take(logged);
  look.keep(every);
  return look.now();
}

async function hashAt(reader: EventReader, runId: string, sequence: number): Promise<string | null> {
  for await (const { hash } of reader.entries(runId, { from: sequence, to: sequence })) return hash;
  return null;
}
