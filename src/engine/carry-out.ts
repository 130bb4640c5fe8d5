import { CoordinatorError } from "../model/errors.js";
import type { RunEvent } from "../model/event.js";
import { type Effect, effectOfTask, effectsOf, taskOfEffect } from "../run/effects.js";
import { indexOf, isOver, NEW_RUN, type RunState } from "../run/state.js";
import { fold, refusal, step } from "../run/transition.js";
import type { EventStore } from "../store/event-store.js";
import type { Deed, EngineClock, Hands } from "./hands.js";

export interface EngineParts {
  readonly store: EventStore;
  readonly hands: Hands;
  readonly clock: EngineClock;
}

/** A run under way in this process. */
export interface LiveRun {
  readonly state: () => RunState;
  /** Something happened that no deed reports: an answer, an approval, a cancellation. Says why it was not taken. */
  readonly signal: (event: RunEvent) => Promise<string | null>;
  /** Resolves when the run is over or waits on people only; rejects when the store fails. */
  readonly settled: () => Promise<RunState>;
  /** Stop working on the run without ending it: its deeds are aborted, the log stays as it is. */
  readonly stop: () => Promise<void>;
}

/**
 * Carry on with a run from wherever its log ends: a new run from nothing, one whose process died from its last event.
 *
 * Contract: one writer. Every event is durable before anybody acts on it; nothing but the log is needed to go on.
 */
export async function carryOut(runId: string, parts: EngineParts): Promise<LiveRun> {
  const run = new Engine(runId, parts);
  await run.open();
  return run;
}

class Engine implements LiveRun {
  readonly #runId: string;
  readonly #parts: EngineParts;
  readonly #live = new Map<string, AbortController>();
  readonly #waiters: { resolve: (state: RunState) => void; reject: (error: unknown) => void }[] = [];
  #state: RunState = NEW_RUN;
  #sequence = 0;
  /** The run's clock when it was opened, and the engine's at that moment. */
  #clockBase = 0;
  #openedAt = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #failure: unknown = null;
  #stopped = false;

  constructor(runId: string, parts: EngineParts) {
    this.#runId = runId;
    this.#parts = parts;
  }

  readonly state = (): RunState => this.#state;

  readonly signal = (event: RunEvent): Promise<string | null> => this.#take(event);

  readonly settled = (): Promise<RunState> =>
    new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#tellIfSettled();
    });

  readonly stop = async (): Promise<void> => {
    this.#stopped = true;
    for (const controller of this.#live.values()) controller.abort();
    await this.#queue;
  };

  async open(): Promise<void> {
    const { store, clock } = this.#parts;
    await store.open(this.#runId);
    await this.#foldLog();
    this.#openedAt = clock.elapsedMs();
    for (const effect of effectsOf(this.#state)) this.#act(effect);
  }

  /** The log decides: whatever this process thought, it is in the state the events give. */
  async #foldLog(): Promise<void> {
    const events: { event: RunEvent; clock_ms: number; at: string }[] = [];
    for await (const logged of this.#parts.store.read(this.#runId)) events.push(logged);
    this.#state = fold(events);
    this.#sequence = events.length;
    const last = events.at(-1);
    const away = last === undefined ? 0 : Date.parse(this.#parts.clock.now()) - Date.parse(last.at);
    // Time passed while nobody ran it. A wall clock set back must not turn the run's clock back.
    this.#clockBase = (last?.clock_ms ?? 0) + Math.max(0, away);
  }

  #clock(): number {
    return Math.round(this.#clockBase + this.#parts.clock.elapsedMs() - this.#openedAt);
  }

  /** One event at a time: each is judged on the state its predecessor left. */
  #take(event: RunEvent): Promise<string | null> {
    const taken = this.#queue.then(() => this.#commit(event));
    this.#queue = taken.catch((error: unknown) => this.#fail(error));
    return taken;
  }

  async #commit(event: RunEvent): Promise<string | null> {
    if (this.#stopped) return "the engine has stopped";
    if (this.#failure !== null) throw this.#failure;
    const why = refusal(this.#state, event);
    if (why !== null) return why;
    const clock_ms = this.#clock();
    const taken = step(this.#state, event, clock_ms);
    const at = this.#parts.clock.now();
    const result = await this.#parts.store.append(
      this.#runId,
      this.#sequence,
      taken.events.map((e) => ({ event: e, at, clock_ms })),
    );
    if (result.status === "conflict")
      throw new CoordinatorError(
        "STORE_LOCKED",
        `Somebody else writes to run ${this.#runId}: event ${result.actual} is not ours`,
        { fix: "End the other process, then resume the run." },
      );
    if (result.status === "duplicate") return `event ${result.sequence} says so already`;
    this.#state = taken.state;
    this.#sequence += taken.events.length;
    this.#abortWhatIsOver();
    for (const effect of taken.effects) this.#act(effect);
    this.#tellIfSettled();
    return null;
  }

  #act(effect: Effect): void {
    if (effect.kind === "ask" || this.#live.has(effect.id) || this.#stopped) return;
    const controller = new AbortController();
    this.#live.set(effect.id, controller);
    void this.#outcomeOf(effect, controller.signal)
      .then(async (event) => {
        this.#live.delete(effect.id);
        if (!controller.signal.aborted) await this.#take(event);
      })
      .catch((error: unknown) => {
        this.#live.delete(effect.id);
        if (!controller.signal.aborted) this.#fail(error);
      })
      .finally(() => this.#tellIfSettled());
  }

  async #outcomeOf(effect: Exclude<Effect, { kind: "ask" }>, signal: AbortSignal): Promise<RunEvent> {
    if (effect.kind !== "wait_until") return this.#parts.hands.act(this.#runId, effect satisfies Deed, signal);
    await this.#parts.clock.wait(Math.max(0, effect.until_ms - this.#clock()), signal);
    return { type: "wait_ended", effect_id: effect.id };
  }

  /** A deed whose task has moved on, or whose run has ended, is nobody's any more: it is stopped now. */
  #abortWhatIsOver(): void {
    for (const [id, controller] of this.#live) {
      const task = taskOfEffect(id);
      const due = task === null || effectOfTask(this.#state, indexOf(this.#state, task))?.id === id;
      if (isOver(this.#state) || !due) controller.abort();
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const controller of this.#live.values()) controller.abort();
    for (const { reject } of this.#waiters.splice(0)) reject(this.#failure);
  }

  #tellIfSettled(): void {
    if (this.#failure !== null) {
      for (const { reject } of this.#waiters.splice(0)) reject(this.#failure);
      return;
    }
    const { status } = this.#state;
    if (status === "in_progress" || (status === "pending" && this.#live.size > 0)) return;
    for (const { resolve } of this.#waiters.splice(0)) resolve(this.#state);
  }
}
