import { AsyncResource } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connections } from "../store/postgres/connection.js";
import { BEAT_MS, LEASE_MS } from "../store/postgres/leases.js";
import type { ConnectionOptions } from "../store/postgres/connection.js";
import { APPLICATION, launchExecutor, openEngineClient, queueOf, WORKFLOW } from "./engine-database.js";
import { isOfMachine, restAfter } from "./machine-trouble.js";
import { findLostOffers, markDone, needsOfOpen, sweep, take, workOf, writeNotes } from "./offers.js";
import { beat, leave, type WorkerSelf } from "./worker-rows.js";
import { type Abilities, ENGINE_PROTOCOL, listLacking, type Needs, type Work, type WorkEnd } from "./work-order.js";

/*
 * The loop of a worker: it extends its row, takes offers that it fits as long as it has room, and does each as a workflow on a queue
 * of its own. Each offer it takes becomes a row of DBOS in the same transaction, so taken work is done, by this process or another one.
 */

export interface WorkLoopParts {
  readonly connections: Connections;
  readonly options: ConnectionOptions;
  readonly self: WorkerSelf;
  /** The worker's abilities, apart from programs, which are looked for when they are asked for. */
  readonly abilities: Omit<Abilities, "lacks">;
  readonly hasProgram: (program: string) => boolean;
  readonly perform: (
    work: Work,
    options: {
      readonly key: string;
      readonly signal: AbortSignal;
      readonly onNote: (note: unknown) => void;
      readonly told: (message: string) => void;
    },
  ) => Promise<WorkEnd>;
  /** Reasons that keep this machine from taking anything now, in words; null when nothing does. */
  readonly findTrouble: () => Promise<string | null>;
  /** Told what it does, for a person who watches. */
  readonly say: (line: string) => void;
}

/** How often it looks for work while it has room. */
const LOOK_MS = 150;
const NOTES_MS = 150;

/**
 * Work until `drain` is aborted and everything taken is done, or until `end` is aborted. Contract: the row of the worker stands
 * before anything is taken. Throws when the store is gone for longer than its patience.
 */
export async function workLoop(parts: WorkLoopParts, drain: AbortSignal, end: AbortSignal): Promise<void> {
  const loop = new WorkLoop(parts);
  await loop.run(drain, end);
}

class WorkLoop {
  readonly #parts: WorkLoopParts;
  /** The work under way, each piece with its way to stop it. */
  readonly #doing = new Map<string, AbortController>();
  /** The part of it whose workflow has begun in this process. */
  readonly #begun = new Set<string>();
  readonly #lacks = new Set<string>();
  readonly #found = new Map<string, boolean>();
  /** Work that has ended and is not marked as done yet. */
  readonly #recording = new Set<Promise<void>>();
  #executor: Awaited<ReturnType<typeof launchExecutor>> | null = null;
  /** INVARIANT: outside of the step that has just ended. A call of DBOS inside of the step would be a part of it. */
  readonly #recordOutside = AsyncResource.bind((key: string) => {
    const recording = this.#record(key).finally(() => this.#recording.delete(recording));
    this.#recording.add(recording);
  });
  #problem: string | null = null;
  /** Trouble of this machine, for which it takes nothing. */
  #trouble: string | null = null;
  /** So many pieces of work in a row it could not do for a reason of its own, and until when it rests therefore. */
  #givenBack = 0;
  #restsUntil = 0;
  /** No sweep before: after a time without the store the others had no way to extend their rows either. */
  #sweepFrom = 0;

  constructor(parts: WorkLoopParts) {
    this.#parts = parts;
  }

  async run(drain: AbortSignal, end: AbortSignal): Promise<void> {
    const { connections, options, self, say } = this.#parts;
    await this.#beat(false);
    this.#sweepFrom = performance.now() + LEASE_MS;
    const executor = await launchExecutor(options, {
      id: self.id,
      capacity: self.capacity,
      perform: (key, signal) => this.#perform(key, signal),
    });
    this.#executor = executor;
    const engine = await openEngineClient(options);
    const beating = new AbortController();
    const beats = this.#keepBeating(drain, beating.signal);
    beats.catch(() => undefined);
    try {
      while (!end.aborted && !(drain.aborted && this.#doing.size === 0)) {
        const room = drain.aborted || !(await this.#isWell()) ? 0 : self.capacity - this.#doing.size;
        const taken = await take(
          connections,
          self.id,
          { fits: room > 0 ? await this.#fitting() : [], most: room, not: [...this.#doing.keys()] },
          async (client, key, priority) => {
            await engine.client.enqueueInTransaction<(key: string) => Promise<WorkEnd>>(
              client,
              {
                queueName: queueOf(self.id),
                workflowName: WORKFLOW,
                workflowID: key,
                appVersion: ENGINE_PROTOCOL,
                applicationName: APPLICATION,
                priority,
              },
              key,
            );
          },
        );
        for (const { key, again } of taken) {
          // Its workflow may have begun before the answer of the transaction was here.
          if (!this.#doing.has(key)) this.#doing.set(key, new AbortController());
          say(`takes ${key}${again ? ", which another worker had before" : ""}`);
          if (again) await this.#takeOver(executor, key);
        }
        await Promise.race([sleep(LOOK_MS), beats]);
      }
    } finally {
      beating.abort();
      for (const stop of this.#doing.values()) stop.abort();
      // One that another worker has by now may take as long as that one needs.
      await Promise.race([Promise.all(this.#recording), sleep(LEASE_MS)]);
      await beats.catch(() => undefined);
      await executor.shutdown();
      await engine.close();
      await leave(connections, self.id).catch(() => undefined);
    }
  }

  /** Work of another worker is put on this one's queue; work it had finished is only marked as done. */
  async #takeOver(executor: Awaited<ReturnType<typeof launchExecutor>>, key: string): Promise<void> {
    if (!(await this.#hasEnded(executor, key))) await executor.resume(key);
  }

  async #hasEnded(executor: Awaited<ReturnType<typeof launchExecutor>>, key: string): Promise<boolean> {
    const status = await executor.statusOf(key);
    if (status === null || !ENDED.has(status)) return false;
    await markDone(this.#parts.connections, key, this.#parts.self.id);
    this.#doing.delete(key);
    return true;
  }

  /**
   * Let go of what this worker has no more. Work that it took can end without having begun here: the one who had it before wrote its end
   * while it was taken over, or its run ended. It would take up room for ever.
   */
  async #letGo(): Promise<void> {
    const { connections, self } = this.#parts;
    const waiting = [...this.#doing.keys()].filter((key) => !this.#begun.has(key));
    for (const key of await findLostOffers(connections, self.id, [...this.#doing.keys()])) {
      this.#doing.get(key)?.abort();
      if (!this.#begun.has(key)) this.#doing.delete(key);
    }
    const executor = this.#executor;
    if (executor === null) return;
    for (const key of waiting) if (this.#doing.has(key) && !this.#begun.has(key)) await this.#hasEnded(executor, key);
  }

  /** Whether its machine can work now. One that could not do what it had rests first, the longer the oftener that was so. */
  async #isWell(): Promise<boolean> {
    if (performance.now() < this.#restsUntil) return false;
    const trouble = await this.#parts.findTrouble();
    if (trouble !== null && trouble !== this.#trouble) this.#parts.say(trouble);
    this.#trouble = trouble;
    return trouble === null;
  }

  async #fitting(): Promise<string[]> {
    const fits: string[] = [];
    for (const { text, needs } of await needsOfOpen(this.#parts.connections)) if (this.#isFit(needs)) fits.push(text);
    return fits;
  }

  #isFit(needs: Needs): boolean {
    for (const program of needs.programs) {
      const has = this.#found.get(program) ?? this.#parts.hasProgram(program);
      this.#found.set(program, has);
      if (!has) this.#lacks.add(program);
    }
    return listLacking(needs, this.#abilities()).length === 0;
  }

  #abilities(): Abilities {
    return { ...this.#parts.abilities, lacks: [...this.#lacks] };
  }

  async #beat(draining: boolean): Promise<void> {
    const { connections, self } = this.#parts;
    const problem = this.#trouble ?? this.#problem;
    await beat(connections, self, { abilities: this.#abilities(), draining, problem });
  }

  async #keepBeating(drain: AbortSignal, stopped: AbortSignal): Promise<void> {
    const { connections } = this.#parts;
    for (let before = performance.now(); !stopped.aborted;) {
      await this.#beat(drain.aborted);
      const now = performance.now();
      // It was stopped, or the store was away: others may have been as long without it.
      if (now - before > LEASE_MS - BEAT_MS) this.#sweepFrom = now + LEASE_MS;
      before = now;
      // Programs are installed while a worker runs.
      this.#found.clear();
      this.#lacks.clear();
      await this.#letGo();
      if (now > this.#sweepFrom) await sweep(connections);
      await sleep(BEAT_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
  }

  /** Contract: never throws; every way it ends is a value. */
  async #perform(key: string, cancelled: AbortSignal): Promise<WorkEnd> {
    const { connections, perform, say } = this.#parts;
    const stop = this.#doing.get(key) ?? new AbortController();
    this.#doing.set(key, stop);
    this.#begun.add(key);
    const signal = AbortSignal.any([stop.signal, cancelled]);
    const notes: unknown[] = [];
    const flush = async () => {
      if (notes.length > 0) await writeNotes(connections, key, notes.splice(0));
    };
    const flushing = setInterval(() => void flush().catch(() => undefined), NOTES_MS);
    let end: WorkEnd;
    try {
      const work = await workOf(connections, key);
      end =
        work === null
          ? { status: "stopped" }
          : await perform(work, {
              key,
              signal,
              onNote: (note) => {
                if (isForDriver(note)) notes.push(note);
              },
              told: (message) => {
                this.#problem = message;
                say(message);
              },
            });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      end = signal.aborted ? { status: "stopped" } : { status: isOfMachine(error) ? "given_back" : "failed", message };
    }
    clearInterval(flushing);
    this.#problem = null;
    if (end.status === "given_back") this.#rest(end.message);
    else this.#givenBack = 0;
    await flush().catch(() => undefined);
    say(describeEnd(key, end));
    this.#doing.delete(key);
    this.#begun.delete(key);
    this.#recordOutside(key);
    return end;
  }

  #rest(message: string): void {
    this.#trouble = message;
    this.#restsUntil = performance.now() + restAfter(++this.#givenBack);
  }

  /** INVARIANT: an offer is done when DBOS has recorded how it ended, never before: from then on nobody takes it again. */
  async #record(key: string): Promise<void> {
    const { connections, self } = this.#parts;
    try {
      await this.#executor?.ended(key);
      await markDone(connections, key, self.id);
    } catch {
      // It stays taken, and the process that sweeps after this worker finds that it has ended.
    }
  }
}

/** The states of a workflow of DBOS from which it does not go on. */
const ENDED: ReadonlySet<string> = new Set(["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]);

function describeEnd(key: string, end: WorkEnd): string {
  if (end.status === "failed") return `failed at ${key}: ${end.message}`;
  if (end.status === "given_back") return `gives ${key} back: ${end.message}`;
  return `has done ${key} (${end.status})`;
}

const TOLD = new Set(["usage", "tool"]);

/** The notes of an attempt that the log of its run holds. An agent's words stay on the machine it says it on. */
function isForDriver(note: unknown): boolean {
  const { type, event } = (note ?? {}) as { type?: unknown; event?: { type?: unknown } };
  return type === "busy" || type === "iteration" || (type === "agent" && TOLD.has(String(event?.type)));
}
