import { CHECKPOINT_PREFIX, readCheckpoint, readNote, sequenceOfKey } from "../../hands/store/chain/checkpoint.js";
import type { EventReader } from "../../hands/store/event-store.js";
import type { ProjectBase } from "../project/project.js";
import { anchorAt } from "./anchors.js";
import { poll } from "../../foundation/processes/poll.js";

/*
 * Checkpoints are signed with the commit that makes them due; here they are copied to where the log's keeper cannot
 * change them unnoticed. That is done beside the run and never holds it up: an anchor that could not be written is reported, and
 * tried again until it is.
 */

/** The state of one place for a run. */
export interface Anchored {
  readonly where: string;
  /** How many notes were written there this time. */
  readonly written: number;
  /** The last event it knows; 0 when it knows none. */
  readonly sequence: number;
  /** Why it does not hold the run's last checkpoint; null when it does. */
  readonly problem: string | null;
}

/**
 * Bring one place up to date with the checkpoints of a run. `known` is the last event it is known to hold.
 *
 * Contract: total. A place that knows more than the log has, or something else, is not written to: what it knows is the
 * proof that something was cut off or written anew.
 */
export async function anchorRun(
  reader: EventReader,
  runId: string,
  where: string,
  base: Pick<ProjectBase, "root" | "environment">,
  known?: number,
): Promise<Anchored> {
  let written = 0;
  let sequence = known ?? 0;
  try {
    const anchor = anchorAt(where, base);
    const points = await reader.list(runId, CHECKPOINT_PREFIX);
    if (known === undefined) {
      const notes = (await anchor.read(runId)).map((note) => ({ note, sequence: sequenceOfNote(note) }));
      sequence = Math.max(0, ...notes.map((each) => each.sequence));
      const there = new Map(points.map(({ key, value }) => [sequenceOfKey(key), value]));
      const other = notes.find((each) => there.has(each.sequence) && there.get(each.sequence) !== each.note);
      if (other !== undefined)
        return { where, written, sequence, problem: `it knows another event ${other.sequence} than the log has` };
    }
    const last = sequenceOfKey(points.at(-1)?.key ?? `${CHECKPOINT_PREFIX}0`);
    if (sequence > last || (sequence > 0 && !points.some(({ key }) => sequenceOfKey(key) === sequence)))
      return { where, written, sequence, problem: `it knows event ${sequence}, and the log is signed up to ${last}` };
    const missing = points.filter(({ key }) => sequenceOfKey(key) > sequence);
    for (const { key, value } of anchor.keeps === "all" ? missing : missing.slice(-1)) {
      await anchor.write(runId, value);
      written++;
      sequence = sequenceOfKey(key);
    }
    return { where, written, sequence, problem: null };
  } catch (error) {
    return { where, written, sequence, problem: (error as Error).message };
  }
}

function sequenceOfNote(note: string): number {
  return readCheckpoint(readNote(note)?.body ?? "")?.sequence ?? 0;
}

export interface FollowOptions extends Pick<ProjectBase, "root" | "environment"> {
  readonly reader: EventReader;
  readonly runId: string;
  readonly places: readonly string[];
  /** Told each problem once. */
  readonly warn: (message: string) => void;
  readonly everyMs?: number;
}

const LONGEST_PAUSE_MS = 60_000;

/**
 * Anchor the checkpoints of a live run for as long as this process works on it.
 *
 * Contract: never rejects and holds nothing up. `stop` tries everything once more and resolves when that is done; call
 * it before the store is closed. It keeps no process alive.
 */
export function followAnchors(options: FollowOptions): { readonly stop: () => Promise<readonly Anchored[]> } {
  const { reader, runId, places, everyMs = 1000 } = options;
  const kept = places.map((where) => new KeptPlace(where, options));
  let seen = -1;
  const look = async () => {
    const head = (await reader.head(runId).catch(() => null))?.sequence ?? 0;
    for (const place of kept) {
      const again = place.isDue(everyMs);
      if (head !== seen || again) await place.update();
    }
    seen = head;
  };
  const looking = places.length === 0 ? null : poll(everyMs, look);
  return {
    stop: async () => {
      await looking?.stop();
      return Promise.all(kept.map((place) => place.update(true)));
    },
  };
}

/** One place, what it is known to hold, and when it is tried again after it failed. */
class KeptPlace {
  readonly #where: string;
  readonly #options: FollowOptions;
  readonly #told = new Set<string>();
  #known: number | undefined;
  #failures = 0;
  #waited = 0;

  constructor(where: string, options: FollowOptions) {
    this.#where = where;
    this.#options = options;
  }

  /** Something failed there, and as much time has passed as it failed often. */
  isDue(passedMs: number): boolean {
    if (this.#failures === 0) return false;
    this.#waited += passedMs;
    return this.#waited >= this.#pauseMs();
  }

  async update(now = false): Promise<Anchored> {
    const { reader, runId, warn } = this.#options;
    if (!now && this.#failures > 0 && this.#waited < this.#pauseMs())
      return { where: this.#where, written: 0, sequence: this.#known ?? 0, problem: "it is tried again later" };
    const done = await anchorRun(reader, runId, this.#where, this.#options, this.#known);
    this.#waited = 0;
    this.#failures = done.problem === null ? 0 : this.#failures + 1;
    if (done.problem === null) this.#known = done.sequence;
    else if (!this.#told.has(done.problem)) {
      this.#told.add(done.problem);
      warn(`${runId} is not anchored at ${this.#where}: ${done.problem}`);
    }
    return done;
  }

  #pauseMs(): number {
    return Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** (this.#failures - 1));
  }
}
