import { setTimeout as sleep } from "node:timers/promises";
import { CoordinatorError } from "../../model/errors.js";
import type { RunnableEffect } from "../engine/effect-runner.js";
import type { ConnectionOptions, Connections } from "../store/postgres/connection.js";
import { openEngineClient } from "./engine-database.js";
import { cancelOffer, notesOf, offer, findOffer, type Pace, removeOffers } from "./offers.js";
import { ENGINE_PROTOCOL, listLacking, type Needs, needsText, type Work, type WorkEnd } from "./work-order.js";
import { liveWorkers } from "./worker-rows.js";

/*
 * The side of the process that carries out a run: it offers work under the ids of effects, hears what is told of it, and waits until
 * DBOS has recorded how it ended. It can die at any moment: who folds the log next asks again under the same ids.
 */

interface Request {
  readonly effect: Pick<RunnableEffect, "id">;
  readonly needs: Needs;
  readonly priority: number;
  /** How often work of its agent may begin; absent where there is no limit. */
  readonly pace?: Pace | null;
  /** Made when a worker is there that it may be offered to. */
  readonly work: () => Promise<Work>;
  readonly signal: AbortSignal;
  readonly onNote: (note: unknown) => void;
  /** Told why it waits, in words, once for each reason. */
  readonly waits: (reason: string) => void;
}

export interface Distributor {
  /** Contract: idempotent by the effect's id. Rejects when it cannot tell how the work ended. */
  readonly request: (request: Request) => Promise<WorkEnd>;
  /** Contract: when it resolves, whatever is left of this effect counts for nothing. */
  readonly cancel: (effectId: string) => Promise<void>;
  /** Whether this effect was asked for before and goes on. */
  readonly goesOn: (effectId: string) => Promise<boolean>;
  /** Forget what was offered for this run: it is over. */
  readonly forget: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Live {
  lastNote: number;
  readonly onNote: (note: unknown) => void;
  readonly done: (end: WorkEnd) => void;
  readonly fail: (error: unknown) => void;
}

const LOOK_MS = 100;
const LOOK_FOR_WORKER_MS = 1_000;

export async function openDistributor(
  runId: string,
  connections: Connections,
  options: ConnectionOptions,
): Promise<Distributor> {
  const engine = await openEngineClient(options);
  const live = new Map<string, Live>();
  const closed = new AbortController();
  let looking: Promise<void> | null = null;

  /** One question for everything that is under way. */
  async function look(): Promise<void> {
    while (live.size > 0 && !closed.signal.aborted) {
      try {
        await hear();
        for (const key of await listDoneOffers(connections, [...live.keys()])) await settle(key);
      } catch (error) {
        for (const { fail } of live.values()) fail(error);
        live.clear();
      }
      await sleep(LOOK_MS, undefined, { signal: closed.signal }).catch(() => undefined);
    }
    looking = null;
  }

  async function hear(): Promise<void> {
    const seen = new Map([...live].map(([key, { lastNote }]) => [key, lastNote]));
    for (const { key, number, note } of await notesOf(connections, seen)) {
      const one = live.get(key);
      if (one === undefined) continue;
      one.lastNote = number;
      one.onNote(note);
    }
  }

  async function settle(key: string): Promise<void> {
    const one = live.get(key);
    if (one === undefined) return;
    // Notes from before its end are read before its end.
    await hear();
    live.delete(key);
    try {
      one.done(await engine.client.retrieveWorkflow<WorkEnd>(key).getResult({ pollingIntervalMs: LOOK_MS }));
    } catch (error) {
      one.fail(error);
    }
  }

  /** Contract: resolves when a worker is there that may have it; before that nothing of the work leaves this machine. */
  async function untilFits({ needs, signal, waits }: Request): Promise<void> {
    let told = "";
    while (!signal.aborted) {
      const reason = whyNobody(needs, await liveWorkers(connections));
      if (reason === null) return;
      if (reason !== told) waits(reason);
      told = reason;
      await sleep(LOOK_FOR_WORKER_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async function request(asked: Request): Promise<WorkEnd> {
    for (;;) {
      const key = await openOffer(asked);
      if (key === null) return { status: "stopped" };
      const end = await untilDone(key, asked);
      if (end.status === "on_ref" || end.status === "value" || asked.signal.aborted) return end;
      if (end.status === "stopped" && (await findOffer(connections, runId, asked.effect.id)) !== key) return end;
      // Asked for again, it is another round: nothing was done in this one that counts.
      await cancelOffer(connections, key);
      if (end.status === "failed") return end;
      // Given back, or stopped by nobody who may: its worker was taken for dead, and nobody else had taken it over.
      if (end.status === "given_back") asked.waits(`waits for another worker: ${end.message}`);
    }
  }

  /** The offer of this effect: the one that is there, or a new one as soon as somebody may have it. Null when told to stop. */
  async function openOffer(asked: Request): Promise<string | null> {
    const { effect, signal, priority, pace = null } = asked;
    const before = await findOffer(connections, runId, effect.id);
    if (before !== null) return before;
    await untilFits(asked);
    if (signal.aborted) return null;
    const needs = needsText(asked.needs);
    const work = await asked.work();
    return offer(connections, { runId, effectId: effect.id, needs, priority, pace, work });
  }

  function untilDone(found: string, { signal, onNote }: Request): Promise<WorkEnd> {
    return new Promise((done, fail) => {
      live.set(found, { lastNote: 0, onNote, done, fail });
      looking ??= look();
      const stop = () => {
        live.delete(found);
        // Another process may have the run by now, and ask for this very work.
        if (signal.reason instanceof CoordinatorError) return done({ status: "stopped" });
        cancel(found).then(() => done({ status: "stopped" }), fail);
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
  }

  async function cancel(key: string): Promise<void> {
    await cancelOffer(connections, key);
    // There is no workflow of what nobody has taken; its worker looks at the offer, too.
    await engine.client.cancelWorkflow(key).catch(() => undefined);
  }

  return {
    request,
    async cancel(effectId) {
      const key = await findOffer(connections, runId, effectId);
      if (key !== null) await cancel(key);
    },
    goesOn: async (effectId) => (await findOffer(connections, runId, effectId)) !== null,
    async forget() {
      const keys = await removeOffers(connections, runId);
      if (keys.length > 0) await engine.client.deleteWorkflows(keys).catch(() => undefined);
    },
    async close() {
      closed.abort();
      await looking;
      await engine.close();
    },
  };
}

async function listDoneOffers({ ask }: Connections, keys: readonly string[]): Promise<string[]> {
  const rows = await ask<{ key: string }>("SELECT key FROM offers WHERE key = ANY($1) AND done_at IS NOT NULL", [
    [...keys],
  ]);
  return rows.map(({ key }) => key);
}

/** Why no worker may have this work; null where one may. */
function whyNobody(needs: Needs, workers: Awaited<ReturnType<typeof liveWorkers>>): string | null {
  const live = workers.filter(({ draining }) => !draining);
  const ready = live.filter(({ protocol }) => protocol === ENGINE_PROTOCOL);
  if (ready.length === 0 && live.length > 0)
    return `waits: the workers that are there have another version of this program: ${live.map(({ id, version }) => `${id} has ${version}`).join(", ")}`;
  if (ready.length === 0) return "waits: no worker is there (coordinator worker starts one)";
  const lacks = ready.map(({ abilities }) => listLacking(needs, abilities));
  if (lacks.some((each) => each.length === 0)) return null;
  const least = lacks.reduce((best, each) => (each.length < best.length ? each : best));
  return `waits: no worker fits; the nearest lacks ${least.join(", ")} (coordinator workers)`;
}

/** Contract: the value of work that ended with one; throws for work that failed on its worker. */
export function valueOf(end: WorkEnd): unknown {
  if (end.status === "value") return end.value;
  throw new CoordinatorError(
    "WORKSPACE_FAILED",
    `The work failed on its worker: ${"message" in end ? end.message : end.status}`,
    {
      retryable: true,
      fix: "coordinator workers shows what its workers lack; mend it there, then coordinator run --resume RUN.",
    },
  );
}
