import type { RunEvent } from "../../model/event.js";
import { CoordinatorError } from "../../model/errors.js";
import type { EffectRunner, RunnableEffect } from "../../hands/engine/effect-runner.js";
import { judgeRequirements, outcomeOf, reportsOf } from "./agents.js";
import type { Chance } from "./chance.js";
import type { Faults } from "./draw.js";
import { LEASE_MS } from "./shared-log.js";
import type { SimulatedProcess, Timeline } from "./timeline.js";

/*
 * Workers and git as the processes that carry out a run know them: work goes on when the process that asked for it is gone, workers die and
 * come back from the dead, and of everything that is done more than once the first result counts.
 */

export interface HandsParts {
  readonly time: Timeline;
  readonly chance: Chance;
  readonly faults: Faults;
  readonly onAsked: (effect: RunnableEffect) => void;
  /** Something of an attempt on its way, for the process that carries out the run. */
  readonly report: (process: SimulatedProcess, event: RunEvent) => void;
  /** An outcome once more, by another way. */
  readonly again: (event: RunEvent) => void;
}

interface Asked {
  /** The result that counts. */
  outcome: RunEvent | null;
  isStopped: boolean;
  readonly waiting: (() => void)[];
  readonly listeners: { readonly process: SimulatedProcess; readonly signal: AbortSignal }[];
}

/** Done by workers; everything else is done by the process that carries out the run. */
const FOR_WORKERS = new Set<RunnableEffect["kind"]>(["start_attempt", "verify"]);

export class SharedHands {
  readonly #parts: HandsParts;
  readonly #asked = new Map<string, Asked>();
  /** Results that came too late, because another worker was first. */
  late = 0;

  constructor(parts: HandsParts) {
    this.#parts = parts;
  }

  runnerOf(process: SimulatedProcess): EffectRunner {
    return {
      run: (_, effect, { signal }) =>
        new Promise((resolve) => {
          const { chance, onAsked, again } = this.#parts;
          onAsked(effect);
          const asked = this.#begin(effect, process);
          const tell = () =>
            process.later(chance.between(5, chance.happens(0.1) ? 9_000 : 200), () => {
              const { outcome } = asked;
              if (outcome === null) return;
              resolve(outcome);
              if (chance.happens(0.2)) again(outcome);
            });
          if (asked.outcome === null) asked.waiting.push(tell);
          else tell();
          asked.listeners.push({ process, signal });
          signal.addEventListener("abort", () => {
            // A process that has lost the run leaves the work to the one that has it.
            if (process.isAlive && !(signal.reason instanceof CoordinatorError)) asked.isStopped = true;
          });
        }),
    };
  }

  #begin(effect: RunnableEffect, process: SimulatedProcess): Asked {
    const before = this.#asked.get(effect.id);
    const isForWorkers = FOR_WORKERS.has(effect.kind);
    if (before !== undefined) {
      // Work of a dead process itself is done again, unless its result is there.
      if (!isForWorkers && before.outcome === null) this.#doHere(effect, before, process);
      return before;
    }
    const asked: Asked = { outcome: null, isStopped: false, waiting: [], listeners: [] };
    this.#asked.set(effect.id, asked);
    if (isForWorkers) this.#doThere(effect, asked);
    else this.#doHere(effect, asked, process);
    return asked;
  }

  #doHere(effect: RunnableEffect, asked: Asked, process: SimulatedProcess): void {
    const { chance } = this.#parts;
    if (effect.kind === "stop_attempt") {
      const attempt = this.#asked.get(`attempt:${effect.task_id}#${effect.attempt}`);
      if (attempt !== undefined) attempt.isStopped = true;
    }
    process.later(chance.between(20, 3_000), () => this.#end(effect, asked));
  }

  #doThere(effect: RunnableEffect, asked: Asked): void {
    const { time, chance, faults } = this.#parts;
    const takes = chance.between(100, 60_000);
    // Nobody was there for a while.
    const begins = chance.between(10, chance.happens(0.1) ? 30_000 : 300);
    if (effect.kind === "start_attempt")
      for (const event of reportsOf(effect, chance, faults))
        time.after(begins + chance.between(0, takes), () => {
          if (asked.isStopped || asked.outcome !== null) return;
          for (const { process, signal } of asked.listeners)
            process.later(chance.between(1, 200), () => {
              if (!signal.aborted) this.#parts.report(process, event);
            });
        });
    const dies = chance.happens(0.2);
    const comesBack = !dies || chance.happens(0.5);
    if (comesBack) time.after(begins + takes + (dies ? chance.between(0, 30_000) : 0), () => this.#end(effect, asked));
    if (dies) time.after(begins + LEASE_MS + chance.between(0, 60_000), () => this.#end(effect, asked));
  }

  #end(effect: RunnableEffect, asked: Asked): void {
    const { chance, faults, time } = this.#parts;
    if (asked.isStopped) return;
    // Drawn for each that comes to its end: two that did the same work may come to another result.
    const outcome =
      effect.kind === "prove_requirements"
        ? judgeRequirements(effect, chance)
        : outcomeOf(effect, chance, faults, time.now);
    if (asked.outcome !== null) return void this.late++;
    asked.outcome = outcome;
    for (const tell of asked.waiting) tell();
  }
}
