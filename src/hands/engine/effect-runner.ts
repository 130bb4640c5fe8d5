import type { RunEvent } from "../../model/event.js";
import type { Effect } from "../../mind/run/effects.js";

/** An effect that is carried out, as opposed to waiting for time or for a person. */
export type RunnableEffect = Exclude<Effect, { kind: "wait_until" | "ask" }>;

/**
 * Carries out the effects of a run.
 *
 * Contract: idempotent by the effect's id: called again after a crash it adopts what is under way, or reports that it died; it
 * never carries an effect out twice. It resolves with the event that says how the effect ended, whatever happened, and rejects
 * only when it cannot tell: the engine then leaves the effect open, and the next process that folds the log runs it again. It
 * honours the signal: an aborted effect is stopped, and the event it resolves with is ignored. Where the signal's reason is a
 * CoordinatorError this process cannot go on with the run, and another one may have it: work that outlives processes is left alone.
 */
export interface EffectRunner {
  readonly run: (runId: string, effect: RunnableEffect, options: { readonly signal: AbortSignal }) => Promise<RunEvent>;
  /**
   * Effects that only find something out: they are begun before what asks for them is durable, and what they end in at once
   * is in the log with it.
   *
   * Contract: when what asked for such an effect never came into the log, nobody can tell that it was begun: run again it
   * finds the same, and what it does beyond looking it does behind an event of its own that it has seen taken.
   */
  readonly repeatable?: ReadonlySet<RunnableEffect["kind"]>;
}

/** The engine's clock. Contract: `elapsedMs` never goes back, whatever happens to the wall clock. */
export interface EngineClock {
  readonly now: () => string;
  readonly elapsedMs: () => number;
  /** Resolves after so many milliseconds, or rejects when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}
