import { type FSWatcher, watch } from "node:fs";
import type { EngineClock } from "../../engine/effect-runner.js";
import { isAlive } from "../../../foundation/processes/process-identity.js";
import {
  expectWritable,
  isToStop,
  isWorking,
  isWritable,
  readClaim,
  readOrder,
  readResult,
  type ShimResult,
  uptimeMs,
  voidInstance,
} from "./instance-folder.js";
import { NoteReader } from "./notes.js";
import { shimFailure } from "./shim-failure.js";
import type { SpawnedShim } from "./spawn-shim.js";
import { endHolder } from "./stop.js";

/** How an instance that was followed came to its end. */
export type Followed =
  | { readonly end: "result"; readonly result: ShimResult }
  /** Its shim never acted and never will. */
  | { readonly end: "void" }
  /** Its shim died and left no result; nothing of it runs any more. */
  | { readonly end: "died" }
  | { readonly end: "aborted" };

export interface FollowOptions {
  readonly clock: EngineClock;
  readonly signal: AbortSignal;
  readonly notesFrom: number;
  readonly onNote: (note: unknown, position: number) => void;
  /** Set when this process started the shim itself. */
  readonly shim?: SpawnedShim;
  /** How long a shim may take to claim its instance before it is voided. */
  readonly claimWithinMs: number;
}

/** The end of a shim we started wakes us; that of one we adopted is only seen by looking. */
const LOOK_MS = { own: 2000, adopted: 1000 };
/** However fast a body writes notes, nobody looks more often. */
const REST_MS = 15;
/** A shim says itself that it cannot write its result. Past this the disk takes not even that, or it hangs. */
const RESULT_WITHIN_MS = 60_000;
/** Beyond limit and grace: past it the shim does not do its own work any more. */
const OVERDUE_MS = 10_000;

interface Look {
  readonly notes: NoteReader;
  readonly longestMs: number;
}

/** Contract: between two looks it costs nothing: it sleeps until the folder changes, with a slow look as a net. */
export async function follow(folder: string, options: FollowOptions): Promise<Followed> {
  const { clock, signal, shim } = options;
  const bell = new Bell(clock);
  const ring = () => bell.ring();
  let exited = false;
  void shim?.exited.then(() => {
    exited = true;
    ring();
  });
  const watcher = watchFolder(folder, ring);
  signal.addEventListener("abort", ring);
  const looked: Look = {
    notes: new NoteReader(folder, options.notesFrom, options.onNote),
    longestMs: longestOf(folder),
  };
  const since = clock.elapsedMs();
  let endedAt: number | null = null;
  let triesAgain = false;
  try {
    for (;;) {
      const gone = exited || shim === undefined || clock.elapsedMs() - since > options.claimWithinMs;
      const ended = await readInstance(folder, looked, gone);
      if (ended !== null) return ended;
      if (signal.aborted) return { end: "aborted" };
      if (!isWorking(folder)) {
        endedAt ??= clock.elapsedMs();
        // Somebody may have made room since it last tried: what its next try comes to is waited for, once.
        const isRefused = !isWritable(folder);
        const hasFailed = isRefused && (triesAgain || !expectWritable(folder));
        triesAgain ||= isRefused;
        if (hasFailed || clock.elapsedMs() - endedAt > RESULT_WITHIN_MS)
          throw shimFailure(
            folder,
            "An effect is done, but its result cannot be written; its shim keeps it and tries on",
          );
      }
      await bell.waitUntilHeard(Math.min(shim === undefined ? LOOK_MS.adopted : LOOK_MS.own, options.claimWithinMs));
    }
  } finally {
    watcher?.close();
    signal.removeEventListener("abort", ring);
  }
}

async function readInstance(
  folder: string,
  { notes, longestMs }: Look,
  claimIsLate: boolean,
): Promise<Followed | null> {
  const held = readClaim(folder);
  if (held === "void") return { end: "void" };
  if (held === null) return claimIsLate && voidInstance(folder) ? { end: "void" } : null;
  // In this order: a shim that ended well between the two has left its result.
  const alive = isAlive(held);
  const result = readResult(folder);
  notes.read();
  if (result !== null) return { end: "result", result };
  // The shim enforces its own limit. One that hangs cannot, and is ended here.
  const overdue = isWorking(folder) && (uptimeMs() ?? 0) - held.uptime_ms > longestMs;
  if (alive && !overdue) return null;
  await endHolder(folder);
  if (alive) return { end: "result", result: readResult(folder) ?? { kind: "timed_out" } };
  return isToStop(folder) ? { end: "result", result: { kind: "stopped" } } : { end: "died" };
}

function longestOf(folder: string): number {
  const order = readOrder(folder);
  return order === null ? Number.POSITIVE_INFINITY : order.limit_ms + order.grace_ms + OVERDUE_MS;
}

/** Contract: a system that has no more watches to give is not a failure: the slow look remains. */
function watchFolder(folder: string, ring: () => void): FSWatcher | null {
  try {
    const watcher = watch(folder, ring);
    watcher.on("error", ring);
    return watcher;
  } catch {
    return null;
  }
}

class Bell {
  readonly #clock: EngineClock;
  #rung = false;
  #wake: () => void = () => undefined;
  #heardAt = Number.NEGATIVE_INFINITY;

  constructor(clock: EngineClock) {
    this.#clock = clock;
  }

  readonly ring = (): void => {
    this.#rung = true;
    this.#wake();
  };

  /** Resolves when it rings, at once if it has since the last time, and in any case after so long. */
  async waitUntilHeard(withinMs: number): Promise<void> {
    const early = this.#heardAt + REST_MS - this.#clock.elapsedMs();
    if (early > 0) await this.#clock.wait(early, new AbortController().signal);
    if (!this.#rung) await this.#ringOr(withinMs);
    this.#rung = false;
    this.#heardAt = this.#clock.elapsedMs();
  }

  async #ringOr(ms: number): Promise<void> {
    const over = new AbortController();
    const rung = new Promise<void>((resolve) => (this.#wake = resolve));
    await Promise.race([rung, this.#clock.wait(ms, over.signal).catch(() => undefined)]);
    over.abort();
  }
}
