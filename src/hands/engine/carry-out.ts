import { CoordinatorError } from "../../model/errors.js";
import type { RunEvent } from "../../model/event.js";
import { type Effect, effectIdOfTask, effectsOf, taskOfEffect } from "../../mind/run/effects.js";
import { indexOf, isOver, NEW_RUN, type RunState } from "../../mind/run/state.js";
import { fold, refusal, step } from "../../mind/run/transition.js";
import { type AppendResult, type EventStore, heldError } from "../store/event-store.js";
import type { Deed, EngineClock, Hands, RunDeed, Wanted } from "./hands.js";
import { LiveDeed } from "./live-deed.js";
import { Taken } from "./taken.js";

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
 * Contract: throws STORE_LOCKED while another process carries it out. Every event is durable before anybody acts on it, but for deeds that can be done again unnoticed
 * (`Hands.repeatable`); nothing but the log is needed to go on.
 */
export async function carryOut(runId: string, parts: EngineParts): Promise<LiveRun> {
  const run = new Engine(runId, parts);
  await run.open();
  return run;
}

/** An event somebody wants taken, and whoever waits to hear whether it was. */
interface Asked {
  readonly event: RunEvent;
  readonly answer: (why: string | null) => void;
  readonly fail: (error: unknown) => void;
}

class Engine implements LiveRun {
  readonly #runId: string;
  readonly #parts: EngineParts;
  readonly #live = new Map<string, LiveDeed>();
  readonly #waiters: { resolve: (state: RunState) => void; reject: (error: unknown) => void }[] = [];
  #state: RunState = NEW_RUN;
  #sequence = 0;
  /** The run's clock when it was opened, and the engine's at that moment. */
  #clockBase = 0;
  #openedAt = 0;
  #asked: Asked[] = [];
  /** Set while something asked for is not answered. */
  #taking: Promise<void> | null = null;
  #failure: unknown = null;
  #stopped = false;

  constructor(runId: string, parts: EngineParts) {
    this.#runId = runId;
    this.#parts = parts;
  }

  readonly state = (): RunState => this.#state;

  readonly signal = (event: RunEvent): Promise<string | null> =>
    new Promise((answer, fail) => this.#take({ event, answer, fail }));

  readonly settled = (): Promise<RunState> =>
    new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#tellIfSettled();
    });

  readonly stop = async (): Promise<void> => {
    this.#stopped = true;
    for (const deed of this.#live.values()) deed.abort();
    await this.#taking;
  };

  async open(): Promise<void> {
    const { store, clock } = this.#parts;
    const claim = await store.claim(this.#runId);
    if (claim.status === "held") throw heldError(claim.holder);
    if (claim.head.sequence > 0) await this.#foldLog();
    this.#openedAt = clock.elapsedMs();
    for (const effect of effectsOf(this.#state)) this.#act(effect, this.#state);
  }

  /** The log decides: whatever this process thought, it is in the state the events give. */
  async #foldLog(): Promise<void> {
    let last: { clock_ms: number; at: string } | null = null;
    for await (const logged of this.#parts.store.read(this.#runId)) {
      this.#state = fold([logged], this.#state);
      this.#sequence++;
      last = logged;
    }
    const away = last === null ? 0 : Date.parse(this.#parts.clock.now()) - Date.parse(last.at);
    // Time passed while nobody ran it. A wall clock set back must not turn the run's clock back.
    this.#clockBase = (last?.clock_ms ?? 0) + Math.max(0, away);
  }

  #clock(): number {
    return Math.round(this.#clockBase + this.#parts.clock.elapsedMs() - this.#openedAt);
  }

  #take(asked: Asked): void {
    this.#asked.push(asked);
    this.#taking ??= this.#takeAll();
  }

  /**
   * What is asked for in one turn of the event loop, or while a commit is under way, is taken in one commit: making it
   * durable costs the same for one event and for a hundred.
   */
  async #takeAll(): Promise<void> {
    while (this.#asked.length > 0) {
      await nextTurn();
      const batch = this.#asked;
      this.#asked = [];
      try {
        await this.#commit(batch);
      } catch (error) {
        this.#fail(error);
        for (const { fail } of batch) fail(error);
      }
    }
    this.#taking = null;
    this.#tellIfSettled();
  }

  async #commit(batch: Asked[]): Promise<void> {
    if (this.#stopped) return answerAll(batch, "the engine has stopped");
    if (this.#failure !== null) throw this.#failure;
    const taken = new Taken(this.#state);
    this.#judge(batch, taken);
    while (this.#beginAhead(taken)) {
      await afterWhatEndsAtOnce();
      if (this.#asked.length === 0) break;
      const more = this.#asked;
      this.#asked = [];
      this.#judge(more, taken);
      for (const asked of more) batch.push(asked);
    }
    const { events } = taken;
    const result: AppendResult =
      events.length === 0 ? NOTHING_NEW : await this.#parts.store.append(this.#runId, this.#sequence, events);
    if (result.status === "conflict")
      throw new CoordinatorError(
        "STORE_LOCKED",
        `Somebody else writes to run ${this.#runId}: event ${result.actual} is not ours`,
        { fix: "End the other process, then resume the run." },
      );
    if (result.status === "duplicate") {
      // None of them is in the log, and one of them is the reason: each is tried alone.
      if (batch.length > 1) for (const asked of batch) await this.#commit([asked]);
      else answerAll(batch, `event ${result.sequence} says so already`);
      this.#abortWhatIsOver();
      return;
    }
    this.#state = taken.state;
    this.#sequence += events.length;
    this.#abortWhatIsOver();
    for (const effect of taken.effects) this.#act(effect, this.#state);
    for (let i = 0; i < batch.length; i++) (batch[i] as Asked).answer(taken.refusals.get(i) ?? null);
  }

  /** INVARIANT: each event is judged on the state its predecessor left; nobody sees that state before its commit. */
  #judge(batch: readonly Asked[], taken: Taken): void {
    const clock_ms = this.#clock();
    const at = this.#parts.clock.now();
    const { redact } = this.#parts.store;
    for (const { event: told } of batch) {
      const event = redact === undefined ? told : redact(told);
      const why = refusal(taken.state, event);
      if (why !== null) taken.refusals.set(taken.asked, why);
      taken.asked++;
      if (why !== null) continue;
      const next = step(taken.state, event, clock_ms);
      taken.state = next.state;
      for (const each of next.events) taken.events.push({ event: each, at, clock_ms });
      for (const effect of next.effects) (this.#isRepeatable(effect) ? taken.ahead : taken.effects).push(effect);
    }
  }

  #isRepeatable({ kind }: Effect): boolean {
    const { repeatable } = this.#parts.hands;
    return repeatable !== undefined && (repeatable as ReadonlySet<string>).has(kind);
  }

  /** Whether anything was begun. What goes into the log goes there behind its cause, whenever it ends. */
  #beginAhead({ ahead, state }: Taken): boolean {
    if (ahead.length === 0) return false;
    for (const effect of ahead.splice(0)) this.#act(effect, state);
    return true;
  }

  #act(effect: Effect, state: RunState): void {
    if (effect.kind === "ask" || this.#live.has(effect.id) || this.#stopped) return;
    const task = taskOf(state, effect);
    // What was decided later in the same commit may have made it nobody's.
    if (!isDue(state, effect.id, task)) return;
    const deed = new LiveDeed(effect.id, task, task === null ? null : state.tasks.get(task));
    this.#live.set(effect.id, deed);
    const outcome = effect.kind === "wait_until" ? this.#wait(effect, deed.signal) : this.#do(effect, deed);
    outcome.then(
      (event) => {
        this.#live.delete(deed.id);
        if (deed.aborted) this.#tellIfSettled();
        else this.#take({ event, answer: ignore, fail: ignore });
      },
      (error: unknown) => {
        this.#live.delete(deed.id);
        if (!deed.aborted) this.#fail(error);
        this.#tellIfSettled();
      },
    );
  }

  #do(deed: Deed | RunDeed, wanted: Wanted): Promise<RunEvent> {
    const { hands } = this.#parts;
    try {
      if (deed.kind !== "prove_requirements") return hands.act(this.#runId, deed, wanted);
      if (hands.actOnRun === undefined) throw new TypeError(`these hands cannot do ${deed.kind}`);
      return hands.actOnRun(this.#runId, deed, wanted);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #wait({ id, until_ms }: Extract<Effect, { kind: "wait_until" }>, signal: AbortSignal): Promise<RunEvent> {
    await this.#parts.clock.wait(Math.max(0, until_ms - this.#clock()), signal);
    return { type: "wait_ended", effect_id: id };
  }

  /** A deed whose task has moved on, or whose run has ended, is nobody's any more: it is stopped now. */
  #abortWhatIsOver(): void {
    const over = isOver(this.#state);
    for (const deed of this.#live.values()) {
      const record = deed.task === null ? null : this.#state.tasks.get(deed.task);
      // Most tasks did not move, and of those nothing need be asked.
      if (record === deed.record && !over) continue;
      if (isDue(this.#state, deed.id, deed.task)) deed.record = record;
      else deed.abort();
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const deed of this.#live.values()) deed.abort();
    for (const { reject } of this.#waiters.splice(0)) reject(this.#failure);
  }

  #tellIfSettled(): void {
    if (this.#failure !== null) {
      for (const { reject } of this.#waiters.splice(0)) reject(this.#failure);
      return;
    }
    const { status } = this.#state;
    // Something that was reported and is not in the log yet may still move the run.
    if (this.#taking !== null || status === "in_progress" || (status === "pending" && this.#live.size > 0)) return;
    for (const { resolve } of this.#waiters.splice(0)) resolve(this.#state);
  }
}

const ignore = () => undefined;

const NOTHING_NEW: AppendResult = { status: "appended", events: [] };

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Node.js comes to its ticks when no promise is left that can go on. */
const afterWhatEndsAtOnce = () => new Promise<void>((resolve) => process.nextTick(resolve));

function answerAll(batch: readonly Asked[], why: string): void {
  for (const { answer } of batch) answer(why);
}

function taskOf(state: RunState, effect: Exclude<Effect, { kind: "ask" }>): number | null {
  const task = "task_id" in effect ? effect.task_id : taskOfEffect(effect.id);
  return task === null ? null : indexOf(state, task);
}

/** Whether this is what the run waits for. A wait that belongs to no task is wanted until the run is over. */
function isDue(state: RunState, id: string, task: number | null): boolean {
  return !isOver(state) && (task === null || effectIdOfTask(state, task) === id);
}
