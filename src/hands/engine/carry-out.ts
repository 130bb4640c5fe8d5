import { CoordinatorError } from "../../model/errors.js";
import type { RunEvent } from "../../model/event.js";
import { type Effect, effectIdOfTask, effectsOf } from "../../mind/run/effects.js";
import { indexOf, isOver, NEW_RUN, type RunState } from "../../mind/run/state.js";
import { fold, refusal, step } from "../../mind/run/transition.js";
import { type AppendResult, type EventStore, heldError } from "../store/event-store.js";
import type { EffectRunner, EngineClock, RunnableEffect } from "./effect-runner.js";
import { RunningEffect } from "./running-effect.js";
import { PendingCommit } from "./pending-commit.js";

export interface EngineParts {
  readonly store: EventStore;
  readonly runner: EffectRunner;
  readonly clock: EngineClock;
}

/** A run under way in this process. */
export interface LiveRun {
  readonly state: () => RunState;
  /** Something happened that no effect reports: an answer, an approval, a cancellation. Resolves with why it was refused, or null. */
  readonly signal: (event: RunEvent) => Promise<string | null>;
  /** Resolves when the run is over or waits on people only; rejects when the store fails. */
  readonly settled: () => Promise<RunState>;
  /** Stop working on the run without ending it: its effects are aborted, the log stays as it is. */
  readonly stop: () => Promise<void>;
}

/**
 * Carry on with a run from wherever its log ends: a new run from nothing, one whose process died from its last event.
 *
 * Contract: throws STORE_LOCKED while another process carries it out. Every event is durable before it is acted on, but for effects that may
 * be run again unnoticed (`EffectRunner.repeatable`); nothing but the log is needed to resume.
 */
export async function carryOut(runId: string, parts: EngineParts): Promise<LiveRun> {
  const run = new Engine(runId, parts);
  await run.open();
  return run;
}

/** An event on its way into the log, and the callbacks of its sender. */
interface QueuedEvent {
  readonly event: RunEvent;
  readonly answer: (why: string | null) => void;
  readonly fail: (error: unknown) => void;
}

class Engine implements LiveRun {
  readonly #runId: string;
  readonly #parts: EngineParts;
  readonly #running = new Map<string, RunningEffect>();
  readonly #waiters: { resolve: (state: RunState) => void; reject: (error: unknown) => void }[] = [];
  #state: RunState = NEW_RUN;
  #sequence = 0;
  /** The run's clock when it was opened, and the engine's at that moment. */
  #clockBase = 0;
  #openedAt = 0;
  #queue: QueuedEvent[] = [];
  /** Set while a queued event is not answered. */
  #committing: Promise<void> | null = null;
  #failure: unknown = null;
  #stopped = false;

  constructor(runId: string, parts: EngineParts) {
    this.#runId = runId;
    this.#parts = parts;
  }

  readonly state = (): RunState => this.#state;

  readonly signal = (event: RunEvent): Promise<string | null> =>
    new Promise((answer, fail) => this.#enqueue({ event, answer, fail }));

  readonly settled = (): Promise<RunState> =>
    new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#resolveIfSettled();
    });

  readonly stop = async (): Promise<void> => {
    this.#stopped = true;
    for (const effect of this.#running.values()) effect.abort();
    await this.#committing;
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

  #enqueue(queued: QueuedEvent): void {
    this.#queue.push(queued);
    this.#committing ??= this.#commitQueue();
  }

  /**
   * Events queued in one turn of the event loop, or while a commit is under way, go into one commit: making it
   * durable costs the same for one event and for a hundred.
   */
  async #commitQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      await nextTurn();
      const batch = this.#queue;
      this.#queue = [];
      try {
        await this.#commit(batch);
      } catch (error) {
        this.#fail(error);
        for (const { fail } of batch) fail(error);
      }
    }
    this.#committing = null;
    this.#resolveIfSettled();
  }

  async #commit(batch: QueuedEvent[]): Promise<void> {
    if (this.#stopped) return answerAll(batch, "the engine has stopped");
    if (this.#failure !== null) throw this.#failure;
    const pending = new PendingCommit(this.#state);
    this.#judge(batch, pending);
    while (this.#beginAhead(pending)) {
      await afterWhatEndsAtOnce();
      if (this.#queue.length === 0) break;
      const more = this.#queue;
      this.#queue = [];
      this.#judge(more, pending);
      for (const queued of more) batch.push(queued);
    }
    const { events } = pending;
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
      if (batch.length > 1) for (const queued of batch) await this.#commit([queued]);
      else answerAll(batch, `event ${result.sequence} says so already`);
      this.#abortWhatIsOver();
      return;
    }
    this.#state = pending.state;
    this.#sequence += events.length;
    this.#abortWhatIsOver();
    for (const effect of pending.effects) this.#act(effect, this.#state);
    for (let i = 0; i < batch.length; i++) (batch[i] as QueuedEvent).answer(pending.refusals.get(i) ?? null);
  }

  /** INVARIANT: each event is judged on the state its predecessor left; nobody sees that state before its commit. */
  #judge(batch: readonly QueuedEvent[], pending: PendingCommit): void {
    const clock_ms = this.#clock();
    const at = this.#parts.clock.now();
    const { redact } = this.#parts.store;
    for (const { event: sent } of batch) {
      const event = redact === undefined ? sent : redact(sent);
      const why = refusal(pending.state, event);
      if (why !== null) pending.refusals.set(pending.judged, why);
      pending.judged++;
      if (why !== null) continue;
      const next = step(pending.state, event, clock_ms);
      pending.state = next.state;
      for (const each of next.events) pending.events.push({ event: each, at, clock_ms });
      for (const effect of next.effects) (this.#isRepeatable(effect) ? pending.ahead : pending.effects).push(effect);
    }
  }

  #isRepeatable({ kind }: Effect): boolean {
    const { repeatable } = this.#parts.runner;
    return repeatable !== undefined && (repeatable as ReadonlySet<string>).has(kind);
  }

  /** Whether anything was begun. A result enters the log behind its cause, whenever it ends. */
  #beginAhead({ ahead, state }: PendingCommit): boolean {
    if (ahead.length === 0) return false;
    for (const effect of ahead.splice(0)) this.#act(effect, state);
    return true;
  }

  #act(effect: Effect, state: RunState): void {
    if (effect.kind === "ask" || this.#running.has(effect.id) || this.#stopped) return;
    const task = effect.task_id === null ? null : indexOf(state, effect.task_id);
    // An event later in the same commit may have made the effect unnecessary.
    if (!isDue(state, effect.id, task)) return;
    const running = new RunningEffect(effect.id, task, task === null ? null : state.tasks.get(task));
    this.#running.set(effect.id, running);
    const outcome = effect.kind === "wait_until" ? this.#wait(effect, running.signal) : this.#run(effect, running);
    outcome.then(
      (event) => {
        this.#running.delete(running.id);
        if (running.aborted) this.#resolveIfSettled();
        else this.#enqueue({ event, answer: ignore, fail: ignore });
      },
      (error: unknown) => {
        this.#running.delete(running.id);
        if (!running.aborted) this.#fail(error);
        this.#resolveIfSettled();
      },
    );
  }

  #run(effect: RunnableEffect, running: RunningEffect): Promise<RunEvent> {
    try {
      return this.#parts.runner.run(this.#runId, effect, running);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #wait({ id, until_ms }: Extract<Effect, { kind: "wait_until" }>, signal: AbortSignal): Promise<RunEvent> {
    await this.#parts.clock.wait(Math.max(0, until_ms - this.#clock()), signal);
    return { type: "wait_ended", effect_id: id };
  }

  /** An effect whose task has moved on, or whose run has ended, is not due any more: it is stopped now. */
  #abortWhatIsOver(): void {
    const over = isOver(this.#state);
    for (const effect of this.#running.values()) {
      const record = effect.task === null ? null : this.#state.tasks.get(effect.task);
      // Most tasks did not move: nothing to look up for those.
      if (record === effect.record && !over) continue;
      if (isDue(this.#state, effect.id, effect.task)) effect.record = record;
      else effect.abort();
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const effect of this.#running.values()) effect.abort(this.#failure);
    for (const { reject } of this.#waiters.splice(0)) reject(this.#failure);
  }

  #resolveIfSettled(): void {
    if (this.#failure !== null) {
      for (const { reject } of this.#waiters.splice(0)) reject(this.#failure);
      return;
    }
    const { status } = this.#state;
    // Something that was reported and is not in the log yet may still move the run.
    if (this.#committing !== null || status === "in_progress" || (status === "pending" && this.#running.size > 0))
      return;
    for (const { resolve } of this.#waiters.splice(0)) resolve(this.#state);
  }
}

const ignore = () => undefined;

const NOTHING_NEW: AppendResult = { status: "appended", events: [] };

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Node.js comes to its ticks when no promise is left that can go on. */
const afterWhatEndsAtOnce = () => new Promise<void>((resolve) => process.nextTick(resolve));

function answerAll(batch: readonly QueuedEvent[], why: string): void {
  for (const { answer } of batch) answer(why);
}

/** Whether this is what the run waits for. A wait that belongs to no task is wanted until the run is over. */
function isDue(state: RunState, id: string, task: number | null): boolean {
  return !isOver(state) && (task === null || effectIdOfTask(state, task) === id);
}
