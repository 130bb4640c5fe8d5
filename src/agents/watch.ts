import type { AttemptOutcome } from "../model/run.js";
import type { Account } from "./accounting.js";
import type { AgentEvent, AttemptRequest } from "./agent.js";
import { Quiet } from "./quiet.js";

/*
 * What ends an attempt from outside: a person, the clock, the budget, silence. The first cause holds; what happens
 * while it is carried out does not change it.
 */

const LONGEST_TIMER_MS = 2 ** 31 - 1;
const ENFORCED = ["tokens", "cost_usd", "api_calls"] as const;

export interface Stopping {
  /** Ask the agent to stop, and see to it that it does. */
  readonly wind_down: () => void;
  /** Everything ends now. */
  readonly kill: () => void;
}

export class Watch {
  readonly #request: AttemptRequest;
  readonly #account: Account;
  readonly #stopping: Stopping;
  readonly #silence: Quiet;
  readonly #started = performance.now();
  readonly #timers: NodeJS.Timeout[] = [];
  #silenceMeans: (() => AttemptOutcome | null) | undefined;
  #cause: AttemptOutcome | null = null;
  #over = false;
  readonly #onAbort = () => this.windDown({ kind: "cancelled" });

  constructor(request: AttemptRequest, account: Account, silenceSeconds: number, stopping: Stopping) {
    this.#request = request;
    this.#account = account;
    this.#stopping = stopping;
    const message = `The agent said nothing for ${silenceSeconds} seconds.`;
    this.#silence = new Quiet(silenceSeconds * 1000, () =>
      this.kill(this.#silenceMeans?.() ?? { kind: "structural", error: "timeout", message }),
    );
  }

  /** Starts the clocks, but for silence: that counts from what the agent says first. The signal may already be set. */
  start(): void {
    const { budget, scope, signal } = this.#request;
    this.#after(budget.minutes, () =>
      this.windDown({
        kind: "resource",
        what: "minutes",
        message: `The attempt took the ${budget.minutes} minutes set aside for it.`,
      }),
    );
    this.#after(scope.minutes, () =>
      this.windDown({
        kind: "structural",
        error: "timeout",
        message: `The attempt took longer than the ${scope.minutes} minutes its scope allows.`,
      }),
    );
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  get cause(): AttemptOutcome | null {
    return this.#cause;
  }

  get minutes(): number {
    return (performance.now() - this.#started) / 60_000;
  }

  #after(minutes: number, act: () => void): void {
    this.#timers.push(setTimeout(act, Math.min(minutes * 60_000, LONGEST_TIMER_MS)));
  }

  /** The agent said something. `why` tells what its silence from now on would mean. */
  heard(why?: () => AttemptOutcome | null): void {
    this.#silenceMeans = why;
    if (this.#over) this.#silence.end();
    else this.#silence.begin();
  }

  /** Compares what was used with what was set aside. */
  spend(): void {
    const amounts = this.#account.amounts(this.minutes);
    const { budget } = this.#request;
    const over = ENFORCED.find((what) => amounts[what] > budget[what]);
    if (over === undefined) return;
    const message = `The attempt used ${amounts[over]} ${over} of the ${budget[over]} set aside for it.`;
    this.windDown({ kind: "resource", what: over, message });
  }

  tellUsage(): void {
    const event: AgentEvent = { type: "usage", usage: this.#account.usage(this.minutes) };
    this.#request.onEvent(event);
  }

  windDown(cause: AttemptOutcome): void {
    if (this.#cause !== null || this.#over) return;
    this.#cause = cause;
    this.#stopping.wind_down();
  }

  /** A deed that must not go on takes the place of a mere limit: what was seen while stopping counts. */
  kill(cause: AttemptOutcome): void {
    if (this.#over) return;
    if (this.#cause === null || cause.kind === "semantic" || cause.kind === "safety") this.#cause = cause;
    this.#stopping.kill();
  }

  end(): void {
    this.#over = true;
    this.#silence.end();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#request.signal.removeEventListener("abort", this.#onAbort);
  }
}
