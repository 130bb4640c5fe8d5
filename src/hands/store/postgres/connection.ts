import { setTimeout as sleep } from "node:timers/promises";
import type { ClientConfig, Pool, PoolClient } from "pg";
import { nameOfStore, type PostgresAddress } from "./address.js";
import { failureKind, storeFailure } from "./failure.js";

/*
 * Connections to the server. They may end at any time: the server is restarted, a network is cut. Who asks something waits
 * for a while and asks again, on a new connection.
 */

export interface ConnectionOptions {
  readonly address: PostgresAddress;
  /** Contract: asked at every connection, so that a password may change while this program runs. */
  readonly password: () => string;
  /** How long to go on trying when the server is not there. */
  readonly patienceMs?: number;
  readonly isReader?: boolean;
  /** For tests: other limits than the usual ones. */
  readonly limits?: Partial<Limits>;
}

/** How long the server lets something of ours take, and we the server. */
interface Limits {
  readonly statementMs: number;
  /** A wait for a lock that somebody else has. */
  readonly lockMs: number;
  /** A transaction in which nothing happens: its process was stopped, and others wait for its locks. */
  readonly idleMs: number;
  /** An answer: a server that answers no more keeps to no limit of its own. */
  readonly answerMs: number;
}

const LIMITS: Limits = { statementMs: 20_000, lockMs: 10_000, idleMs: 30_000, answerMs: 25_000 };

export interface Connections {
  /** The store as messages name it. */
  readonly store: string;
  /** Contract: one statement; asked again for as long as the server is not there. Throws a CoordinatorError. */
  readonly ask: <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;
  /** Contract: lends a connection; one whose connection failed is not used again. Throws what was thrown, untranslated. */
  readonly lend: <T>(act: (client: PoolClient) => Promise<T>) => Promise<T>;
  /** Contract: does it again, after a pause, for as long as it fails for want of the server. */
  readonly patiently: <T>(act: (attempt: number) => Promise<T>) => Promise<T>;
  close(): Promise<void>;
}

const CONNECT_MS = 5_000;
const PATIENCE_MS = 30_000;
const PAUSES_MS = [50, 100, 200, 400, 800];
const MOST_CONNECTIONS = 4;

export function clientConfig({ address, password, isReader = false, limits }: ConnectionOptions): ClientConfig {
  const { statementMs, lockMs, idleMs, answerMs } = { ...LIMITS, ...limits };
  const { host, port, user, database, schema, encryption } = address;
  const settings = [
    // Whatever temporary tables there are, they come last.
    `search_path=${schema},pg_temp`,
    // INVARIANT: a commit that was answered is on the server's disk, whatever its default is.
    "synchronous_commit=on",
    ...(isReader ? ["default_transaction_read_only=on"] : []),
  ];
  return {
    host,
    port,
    user,
    database,
    // A function, since the driver would else look for a password by itself where it is given none.
    password,
    ssl: encryption === "none" ? false : { rejectUnauthorized: encryption === "verified" },
    options: settings.map((setting) => `-c ${setting}`).join(" "),
    application_name: "coordinator",
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleMs,
    query_timeout: answerMs,
    keepAlive: true,
  };
}

export async function openConnections(options: ConnectionOptions): Promise<Connections> {
  const { Pool: PoolClass } = await import("pg");
  const pool: Pool = new PoolClass({ ...clientConfig(options), max: MOST_CONNECTIONS, allowExitOnIdle: true });
  // A connection that ends while nobody uses it is replaced at the next use.
  pool.on("error", () => undefined);
  const store = nameOfStore(options.address);
  const { patienceMs = PATIENCE_MS } = options;
  let closing: Promise<void> | null = null;

  async function lend<T>(act: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken = false;
    const onError = () => void (broken = true);
    client.on("error", onError);
    try {
      return await act(client);
    } catch (error) {
      // After any error of a transaction the connection's state is not known to us: it is not used again.
      broken = true;
      throw error;
    } finally {
      client.off("error", onError);
      client.release(broken);
    }
  }

  async function patiently<T>(act: (attempt: number) => Promise<T>): Promise<T> {
    const until = performance.now() + patienceMs;
    for (let attempt = 1; ; attempt++) {
      try {
        return await act(attempt);
      } catch (error) {
        const kind = failureKind(error);
        if ((kind !== "gone" && kind !== "busy") || performance.now() >= until || closing !== null)
          throw storeFailure(store, error);
        await sleep(PAUSES_MS[Math.min(attempt, PAUSES_MS.length) - 1]);
      }
    }
  }

  return {
    store,
    lend,
    patiently,
    ask: <Row>(sql: string, values: readonly unknown[] = []) =>
      patiently(() => lend(async (client) => (await client.query(sql, [...values])).rows as Row[])),
    close: () => (closing ??= pool.end()),
  };
}
