import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../../testing/postgres-server.js";
import { pauseEvent, readAll, sha256 } from "../../../testing/store-suite.js";
import { parseAddress } from "./address.js";
import { type ConnectionOptions, openConnections } from "./connection.js";
import { openPostgresStore, type OpenOptions } from "./open-postgres-store.js";

/* A query that takes too long is ended, and a clock that is off is refused. The limits are short here, and nothing depends on how long it took. */

const missing = whyNoPostgres();
let server: PostgresServer;
let schemas = 0;
const newSchema = () => `limits${++schemas}`;
const NEVER = 600_000;

async function opened(schema: string, parts: Partial<OpenOptions> = {}) {
  const store = await openPostgresStore({
    sha256,
    address: parseAddress(server.url(schema)),
    password: () => "",
    ...parts,
  });
  onTestFinished(() => store.close());
  return store;
}

async function connections(parts: Partial<ConnectionOptions> = {}) {
  const open = await openConnections({ address: parseAddress(server.url("public")), password: () => "", ...parts });
  onTestFinished(() => open.close());
  return open;
}

/** Somebody else who has the row of a run, until `release` is called. */
async function holdRun(schema: string, runId: string) {
  const client = new Client({ host: "127.0.0.1", port: server.port, user: "postgres", database: "postgres" });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`BEGIN; SELECT 1 FROM ${schema}.runs WHERE run_id = '${runId}' FOR UPDATE`);
  return { release: () => client.query("COMMIT") };
}

const waitsForLock = () =>
  server.sql(
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'coordinator' AND wait_event_type = 'Lock'",
  );

describe.skipIf(missing !== null)(`limits of the store${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 90_000);
  afterAll(() => server?.remove());

  it("are asked for at every connection, with a commit that waits for the disk", async () => {
    const { ask } = await connections();
    const [row] = await ask<Record<string, string>>(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
         current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('synchronous_commit') AS sync`,
    );
    expect(row).toEqual({ statement: "20s", lock: "10s", idle: "30s", sync: "on" });
  });

  it("end a statement that takes too long, which is said and can be tried again", async () => {
    const { ask } = await connections({ patienceMs: 0, limits: { statementMs: 100 } });
    await expect(ask("SELECT pg_sleep(600)")).rejects.toMatchObject({
      code: "STORE_FAILED",
      retryable: true,
      message: expect.stringMatching(/was busy for too long.*statement timeout/),
      fix: expect.stringContaining("coordinator doctor"),
    });
    expect(await ask("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("end a wait for a run that somebody else has; the append is tried again and written once", async () => {
    const schema = newSchema();
    const store = await opened(schema, { limits: { lockMs: 500 }, patienceMs: NEVER });
    await store.append("run_busy", 0, [pauseEvent("a")]);
    const other = await holdRun(schema, "run_busy");
    const appending = store.append("run_busy", 1, [pauseEvent("b")]);
    await expect.poll(waitsForLock, { timeout: 30_000 }).toBe("1");
    // It has been ended at least once when nobody waits.
    await expect.poll(waitsForLock, { timeout: 30_000, interval: 5 }).toBe("0");
    await other.release();
    expect((await appending).status).toBe("appended");
    expect((await readAll(store, "run_busy")).length).toBe(2);
  }, 60_000);

  it("end with an error where nobody lets go, and nothing is written", async () => {
    const schema = newSchema();
    const store = await opened(schema, { limits: { lockMs: 50 }, patienceMs: 0 });
    await store.append("run_stuck", 0, [pauseEvent("a")]);
    const other = await holdRun(schema, "run_stuck");
    await expect(store.append("run_stuck", 1, [pauseEvent("b")])).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringMatching(/was busy for too long.*lock timeout/),
    });
    await other.release();
    expect(server.sql(`SELECT count(*) FROM ${schema}.events`)).toBe("1");
  });

  it("take its locks from a process that stopped in the middle of a transaction", async () => {
    const schema = newSchema();
    const store = await opened(schema, { patienceMs: NEVER });
    await store.append("run_shared", 0, [pauseEvent("a")]);
    const stopped = await connections({ address: parseAddress(server.url(schema)), limits: { idleMs: 200 } });
    let tries = 0;
    const goingOn = stopped.patiently((attempt) =>
      stopped.lend(async (client) => {
        await client.query("BEGIN; SELECT 1 FROM runs FOR UPDATE");
        tries = attempt;
        // The others can only go on when the server has ended this one.
        if (attempt === 1) expect((await store.append("run_shared", 1, [pauseEvent("b")])).status).toBe("appended");
        await client.query("COMMIT");
      }),
    );
    await goingOn;
    expect(tries).toBe(2);
    expect((await readAll(store, "run_shared")).length).toBe(2);
  }, 60_000);

  it("give up a connection on which no answer comes, and write once on another", async () => {
    const schema = newSchema();
    await (await opened(schema)).append("run_mute", 0, [pauseEvent("a")]);
    const way = await muteOnCommit(server.port);
    const address = { ...parseAddress(server.url(schema)), port: way.port };
    const store = await opened(schema, { address, limits: { answerMs: 300 }, patienceMs: NEVER });
    way.arm();
    expect((await store.append("run_mute", 1, [pauseEvent("b")])).status).toBe("appended");
    expect(way.isMute()).toBe(true);
    expect((await readAll(store, "run_mute")).length).toBe(2);
  }, 60_000);

  it.each([
    ["ahead of", 180_000],
    ["behind", -180_000],
  ])("refuse a clock that is minutes %s the server's; nothing is made", async (side, offMs) => {
    const schema = newSchema();
    const real = Date.now.bind(Date);
    const clock = vi.spyOn(Date, "now").mockImplementation(() => real() + offMs);
    onTestFinished(() => clock.mockRestore());
    await expect(opened(schema)).rejects.toMatchObject({
      code: "STORE_CLOCK",
      message: expect.stringMatching(new RegExp(`is 1[78]\\d seconds ${side} that of the store`)),
      fix: expect.stringContaining("timedatectl set-ntp true"),
    });
    expect(server.sql(`SELECT count(*) FROM pg_namespace WHERE nspname = '${schema}'`)).toBe("0");
    clock.mockImplementation(() => real() + offMs / 6);
    expect((await (await opened(schema)).append("run_a", 0, [pauseEvent("a")])).status).toBe("appended");
  });
});

/** A way to the server that, once armed, carries a commit there and nothing back. */
async function muteOnCommit(port: number) {
  let [isArmed, isMute] = [false, false];
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let isDead = false;
    client.on("data", (chunk) => {
      if (isArmed && chunk.includes("COMMIT\0")) [isArmed, isMute, isDead] = [false, true, true];
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (!isDead) client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (proxy.address() as { port: number }).port, arm: () => void (isArmed = true), isMute: () => isMute };
}
