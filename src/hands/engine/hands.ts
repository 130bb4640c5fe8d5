import type { RunEvent } from "../../model/event.js";
import type { Effect } from "../../mind/run/effects.js";

/** An effect somebody has to do for one task, as opposed to waiting for time or for a person. */
export type Deed = Exclude<Effect, { kind: "wait_until" | "ask" | "prove_requirements" }>;

/** What has to be done for the run as a whole. */
export type RunDeed = Extract<Effect, { kind: "prove_requirements" }>;

/**
 * Who does the deeds of a run.
 *
 * Contract: idempotent by the deed's id: asked again after a crash it adopts what is under way, or says that it died; it
 * never does a deed twice. It resolves with the event that says how the deed ended, whatever happened, and rejects only
 * when it cannot tell: the engine then leaves the deed open, and whoever folds the log next asks for it again. It
 * honours the signal: an aborted deed is stopped, and what it resolves with is not taken any more.
 */
export interface Hands {
  readonly act: (runId: string, deed: Deed, wanted: Wanted) => Promise<RunEvent>;
  /** The same for the run as a whole. It is asked only of hands of a run that has an Intent Spec. */
  readonly actOnRun?: (runId: string, deed: RunDeed, wanted: Wanted) => Promise<RunEvent>;
  /**
   * Deeds that only find something out: they are begun before what asks for them is durable, and what they end in at once
   * is in the log with it.
   *
   * Contract: when what asked for such a deed never came into the log, nobody can tell that it was begun: done again it
   * finds the same, and what it does beyond looking it does behind an event of its own that it has seen taken.
   */
  readonly repeatable?: ReadonlySet<Deed["kind"]>;
}

/** How long a deed is wanted. Whoever never asks for the signal never pays for one. */
export interface Wanted {
  readonly signal: AbortSignal;
}

/** The engine's clock. Contract: `elapsedMs` never goes back, whatever happens to the wall clock. */
export interface EngineClock {
  readonly now: () => string;
  readonly elapsedMs: () => number;
  /** Resolves after so many milliseconds, or rejects when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}
