import type { WaitingOffer } from "../../hands/workers/offers.js";
import type { WorkerRow } from "../../hands/workers/worker-rows.js";

/* Reports of the commands about workers. */

/** The workers of a store, and what waits for one. */
export interface WorkersListed {
  readonly type: "workers";
  readonly store: string;
  readonly workers: readonly WorkerRow[];
  readonly waiting: readonly (WaitingOffer & {
    /** The things each worker lacks for it, by its id. */
    readonly lacks: Readonly<Record<string, readonly string[]>>;
  })[];
}

/** A worker that has ended by order. */
export interface WorkerStopped {
  readonly type: "worker_stopped";
  readonly worker: string;
  /** How many pieces of work it has done. */
  readonly done: number;
}
