import type { AttemptOutcome } from "../../model/run.js";
import type { Account } from "./accounting.js";
import type { AgentEvent, AttemptRequest } from "./agent.js";
import { IdleTimer } from "./idle-timer.js";

/*
 * Causes that end an attempt from outside: a person, the clock, the budget, silence. The first cause holds; what happens
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
  readonly #silence: IdleTimer;
  readonly #timers: NodeJS.Timeout[] = [];
  /** When the turn under way began, null between two turns; and what the turns before it took. */
  #since: number | null = null;
  #before = 0;
  #silenceMeans: (() => AttemptOutcome | null) | undefined;
  #cause: AttemptOutcome | null = null;
  #over = false;
  readonly #onAbort = () => this.windDown({ kind: "cancelled" });

  constructor(request: AttemptRequest, account: Account, silenceSeconds: number, stopping: Stopping) {
    this.#request = request;
    this.#account = account;
    this.#stopping = stopping;
    const message = `The agent said nothing for ${silenceSeconds} seconds.`;
    this.#silence = new IdleTimer(silenceSeconds * 1000, () =>
      this.kill(this.#silenceMeans?.() ?? { kind: "structural", error: "timeout", message }),
    );
  }

  /** Starts the clocks, but for silence: that counts from what the agent says first. The signal may already be set. */
  start(): void {
    const { signal } = this.#request;
    this.resume();
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  /** The agent has ended its turn: until `resume` nothing is expected of it, and its time does not run. */
  pause(): void {
    if (this.#since === null) return;
    this.#before += performance.now() - this.#since;
    this.#since = null;
    this.#silence.end();
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
  }

  /** A turn begins. */
  resume(): void {
    if (this.#over || this.#since !== null) return;
    const { budget, scope } = this.#request;
    this.#since = performance.now();
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
        message: `The attempt took longer than the ${describeMinutes(scope.minutes)} its scope allows.`,
      }),
    );
  }

  /**
   * Asks for the next prompt after a turn; null when there is none. The agent's time stands still until `resume`, and an
   * attempt that is stopped meanwhile gets no further turn.
   */
  async nextPrompt(output: string): Promise<string | null> {
    const { next } = this.#request;
    if (next === undefined) return null;
    this.pause();
    const prompt = await next({ output, usage: this.#account.usage(this.minutes) });
    return this.#cause === null ? prompt : null;
  }

  get cause(): AttemptOutcome | null {
    return this.#cause;
  }

  /** How long the agent has worked: from the start of each turn to its end. */
  get minutes(): number {
    const now = this.#since === null ? 0 : performance.now() - this.#since;
    return (this.#before + now) / 60_000;
  }

  #after(minutes: number, act: () => void): void {
    const left = Math.max(0, minutes * 60_000 - this.#before);
    this.#timers.push(setTimeout(act, Math.min(left, LONGEST_TIMER_MS)));
  }

  /** The agent said something. `why` describes what its silence from now on would mean. */
  noteActivity(why?: () => AttemptOutcome | null): void {
    this.#silenceMeans = why;
    if (this.#over || this.#since === null) this.#silence.end();
    else this.#silence.begin();
  }

  /** Nothing more is expected of the agent in this turn. */
  quiet(): void {
    this.#silence.end();
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

  /** An effect that must not go on takes the place of a mere limit: what was seen while stopping counts. */
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

/** `5 minutes`, or seconds where a policy allows less than a few of them. */
function describeMinutes(minutes: number): string {
  return minutes < 5 ? `${Math.round(minutes * 6000) / 100} s` : `${Math.round(minutes * 100) / 100} minutes`;
}
