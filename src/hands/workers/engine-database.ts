import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { clientConfig, type ConnectionOptions } from "../store/postgres/connection.js";
import type { PostgresAddress } from "../store/postgres/address.js";
import { engineSchema } from "./engine-schema.js";
import { ENGINE_PROTOCOL, type WorkEnd } from "./work-order.js";

/*
 * DBOS beside the store: its tables are in a schema of their own in the same database. It is loaded only where the setting
 * asks for it.
 */

export const APPLICATION = "coordinator";
export const WORKFLOW = "work";
/** Rows that other processes wait for are looked at this often: DBOS itself looks once a second. */
const POLL_MS = 50;
const MOST_CONNECTIONS = 8;

/** Connections for DBOS, which asks again by itself when they end. */
async function openPool(options: ConnectionOptions): Promise<Pool> {
  const { Pool: PoolClass } = await import("pg");
  const pool: Pool = new PoolClass({ ...clientConfig(options), max: MOST_CONNECTIONS, allowExitOnIdle: true });
  pool.on("error", () => undefined);
  return pool;
}

/** INVARIANT: without the password. DBOS takes the database's name from it and connects through the pool. */
function urlOf({ host, port, user, database }: PostgresAddress): string {
  const place = host.startsWith("/") ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `postgresql://${encodeURIComponent(user)}@${place}:${port}/${encodeURIComponent(database)}`;
}

const QUIET = { info: discard, debug: discard, warn: discard, error: discard };
function discard(): void {
  // Messages of DBOS are not for the person: anything that matters ends in an error or in a worker's row.
}

async function placeOf(options: ConnectionOptions) {
  const systemDatabasePool = await openPool(options);
  return {
    systemDatabaseUrl: urlOf(options.address),
    systemDatabasePool,
    systemDatabaseSchemaName: engineSchema(options.address),
    logger: QUIET,
  };
}

/** Any number; the same for every program that launches DBOS here. */
const LAUNCH_LOCK = 7_290_302;

/**
 * DBOS makes and migrates its tables when it is launched, and does it without a lock: of two workers that start at once on a new
 * store, one would fail. Contract: the lock of a process that dies is free at once.
 */
async function inTurn(pool: Pool, act: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    const isOurs = async () =>
      ((await client.query("SELECT pg_try_advisory_lock($1) AS held", [LAUNCH_LOCK])).rows[0] as { held: boolean })
        .held;
    while (!(await isOurs())) await sleep(100);
    await act();
  } finally {
    // Ending the connection gives the lock back.
    client.release(true);
  }
}

/** The part of DBOS that a coordinator needs: to ask how workflows ended, and to cancel them. It executes none. */
export async function openEngineClient(options: ConnectionOptions) {
  const { DBOSClient } = await import("@dbos-inc/dbos-sdk");
  const place = await placeOf(options);
  const client = await DBOSClient.create({ ...place, applicationName: APPLICATION });
  return {
    client,
    close: async () => {
      await client.destroy();
      await place.systemDatabasePool.end();
    },
  };
}

export interface WorkflowExecutor {
  readonly id: string;
  readonly capacity: number;
  readonly perform: (key: string, signal: AbortSignal) => Promise<WorkEnd>;
}

/** The queue of one worker: what it has taken, and nothing else, is on it. */
export const queueOf = (worker: string) => `worker-${worker}`;

/**
 * Be an executor of DBOS for the workflows on this worker's own queue. Contract: makes and migrates DBOS's tables; is called
 * once in a process. Settings of queues live in the database, so each worker has a queue of its own with its own capacity.
 */
export async function launchExecutor(options: ConnectionOptions, { id, capacity, perform }: WorkflowExecutor) {
  const { DBOS } = await import("@dbos-inc/dbos-sdk");
  const place = await placeOf(options);
  DBOS.registerWorkflow(
    // INVARIANT: one step and nothing else, so there is nothing that a replay could do otherwise.
    (key: string) =>
      DBOS.runStep(() => perform(key, DBOS.stepStatus?.cancelSignal ?? new AbortController().signal), {
        name: "perform",
      }),
    // How often a piece of work may die is a matter of the run's failure policy.
    { name: WORKFLOW, maxRecoveryAttempts: 1000 },
  );
  DBOS.setConfig({
    ...place,
    name: APPLICATION,
    executorID: id,
    // By default a hash of the source, and every release would strand the work of the one before it.
    applicationVersion: ENGINE_PROTOCOL,
    listenQueues: [queueOf(id)],
    useListenNotify: false,
  });
  await inTurn(place.systemDatabasePool, () => DBOS.launch());
  await DBOS.registerQueue(queueOf(id), {
    workerConcurrency: capacity,
    minPollingIntervalMs: POLL_MS,
    onConflict: "always_update",
  });
  return {
    resume: (key: string) => DBOS.resumeWorkflow(key, { queueName: queueOf(id) }),
    statusOf: async (key: string) => (await DBOS.getWorkflowStatus(key))?.status ?? null,
    /** Contract: resolves when it is recorded how a workflow ended, whatever that is. */
    ended: async (key: string) => {
      await DBOS.retrieveWorkflow(key)
        .getResult({ pollingIntervalMs: POLL_MS })
        .catch(() => undefined);
    },
    shutdown: async () => {
      await DBOS.shutdown();
      await place.systemDatabasePool.end().catch(() => undefined);
    },
  };
}
