import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../../testing/postgres-server.js";
import { pauseEvent, readAll, sha256, startEvent, STORE_CASES } from "../../../testing/store-suite.js";
import { createRedactor } from "../chain/redact.js";
import { loadSigningKey } from "../chain/signing-key.js";
import { verifyRun } from "../chain/verify-run.js";
import type { EventStore, StoreParts } from "../event-store.js";
import { createMemoryStore } from "../memory-store.js";
import { parseAddress } from "./address.js";
import { readMigrations } from "./migrate.js";
import { LARGEST_RECORD_BYTES } from "./records.js";
import { openPostgresReader, openPostgresStore, type OpenOptions } from "./open-postgres-store.js";

const missing = whyNoPostgres();
let server: PostgresServer;
let schemas = 0;
const newSchema = () => `s${++schemas}`;

async function opened(schema: string, parts: Partial<OpenOptions> = {}): Promise<EventStore> {
  const address = parseAddress(server.url(schema));
  const store = await openPostgresStore({ sha256, address, password: () => "", ...parts });
  onTestFinished(() => store.close());
  return store;
}

async function readerOf(schema: string, parts: Partial<OpenOptions> = {}) {
  const reader = await openPostgresReader({ address: parseAddress(server.url(schema)), password: () => "", ...parts });
  onTestFinished(() => reader.close());
  return reader;
}

function signingKey() {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return loadSigningKey(folder);
}

/** A way to the server that, once armed, cuts the connection when a commit was carried out, before its answer arrives. */
async function cutAfterCommit(port: number) {
  let [isArmed, cuts] = [false, 0];
  const proxy = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let isCommitting = false;
    client.on("data", (chunk) => {
      if (isArmed && chunk.includes("COMMIT\0")) [isArmed, isCommitting] = [false, true];
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (!isCommitting) return void client.write(chunk);
      cuts++;
      client.destroy();
      upstream.destroy();
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  return { port: (proxy.address() as { port: number }).port, arm: () => void (isArmed = true), cuts: () => cuts };
}

describe.skipIf(missing !== null)(`the Postgres store${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 90_000);
  afterAll(() => server?.remove());

  describe.each([
    ["as every store", () => ({})],
    ["that signs", () => ({ signer: signingKey() })],
  ])("%s", (_, make) => {
    for (const { name, run } of STORE_CASES)
      it(name, async () => {
        const schema = newSchema();
        const parts = make();
        const store = await opened(schema, parts);
        await run({
          store,
          reopen: async () => {
            await store.close();
            return opened(schema, parts);
          },
        });
      });
  });

  it("writes the chain and the checkpoints that every other store writes, byte for byte", async () => {
    const parts: StoreParts = { sha256, signer: signingKey() };
    const stores = [createMemoryStore(parts), await opened(newSchema(), parts)];
    const logs = [];
    for (const store of stores) {
      await store.append("run_same", 0, [startEvent("t1", 1), pauseEvent("ä \u0000 😀", 0.1)]);
      for (let n = 2; n < 230; n += 19)
        await store.append(
          "run_same",
          n,
          Array.from({ length: 19 }, (_, i) => pauseEvent(`e${n + i}`, (n + i) * 100)),
        );
      logs.push({ events: await readAll(store, "run_same"), notes: await store.list("run_same", "") });
    }
    expect(logs[1]).toEqual(logs[0]);
    expect(logs[0]?.notes.length).toBeGreaterThan(2);
  });

  it("keeps secrets out of what it writes", async () => {
    const redact = createRedactor(["s3cret-canary-0001"], "salt", sha256);
    const schema = newSchema();
    const store = await opened(schema, { redact });
    await store.append("run_secret", 0, [pauseEvent("the key s3cret-canary-0001 was printed")]);
    expect(server.sql(`SELECT event FROM ${schema}.events`)).toMatch(/redacted:[0-9a-f]{16} was printed/);
  });

  describe("many writers", () => {
    it("one of two stores gets each place of a log, and positions leave none out", async () => {
      const schema = newSchema();
      const stores = await Promise.all([opened(schema), opened(schema), opened(schema)]);
      const reader = await readerOf(schema);
      const seen: number[] = [];
      const over = new AbortController();
      const looking = (async () => {
        while (!over.signal.aborted || seen.length < 80) {
          const page = (await reader.appendedSince?.(seen.at(-1) ?? 0, 100)) ?? [];
          for (const { position } of page) seen.push(position);
        }
      })();
      const won = await Promise.all(
        stores.map(async (store, s) => {
          let own = 0;
          for (let n = 0; n < 20; n++) {
            const result = await store.append("run_shared", n, [pauseEvent(`s${s} n${n}`)]);
            if (result.status === "appended") own++;
            await store.append(`run_own_${s}`, n, [pauseEvent("mine")]);
          }
          return own;
        }),
      );
      over.abort();
      await looking;
      expect(won.reduce((a, b) => a + b)).toBe(20);
      expect(seen).toEqual(Array.from({ length: 80 }, (_, i) => i + 1));
      expect((await verifyRun(reader, "run_shared", { sha256 })).intact).toBe(true);
    });

    it("a run belongs to the store that claimed it, until that is closed", async () => {
      const schema = newSchema();
      const [first, second] = [await opened(schema), await opened(schema)];
      expect((await first.claim("run_mine")).status).toBe("claimed");
      await first.append("run_mine", 0, [pauseEvent("a")]);
      expect(await second.claim("run_mine")).toMatchObject({ status: "held", holder: { pid: process.pid } });
      await expect(second.append("run_mine", 1, [pauseEvent("b")])).rejects.toMatchObject({ code: "STORE_LOCKED" });
      await expect(second.put("run_mine", "k", "v")).rejects.toMatchObject({ code: "STORE_LOCKED" });
      expect((await second.append("run_free", 0, [pauseEvent("c")])).status).toBe("appended");
      expect((await second.holders?.())?.map(({ run_id }) => run_id)).toEqual(["run_mine"]);
      await first.close();
      expect(await second.holders?.()).toEqual([]);
      expect(await second.claim("run_mine")).toMatchObject({ status: "claimed", head: { sequence: 1 } });
    });

    it("a claim of another machine counts until its term is over; a process that ended here counts for nothing", async () => {
      const schema = newSchema();
      const [first, second] = [await opened(schema), await opened(schema)];
      await first.claim("run_far");
      // The row as another machine would have left it: beats extend those of their own holder only.
      server.sql(
        `UPDATE ${schema}.leases SET holder = 'far', place = 'elsewhere', host = 'far.example', valid_until = clock_timestamp() + interval '1 h'`,
      );
      expect(await second.claim("run_far")).toMatchObject({ status: "held", holder: { host: "far.example" } });
      await expect(first.append("run_far", 0, [pauseEvent("stale")])).rejects.toMatchObject({
        code: "STORE_LOCKED",
        message: expect.stringContaining("on far.example"),
      });
      server.sql(
        `UPDATE ${schema}.leases SET place = (SELECT place FROM ${schema}.leases LIMIT 1), valid_until = clock_timestamp() - interval '1 s'`,
      );
      // For one term after its start a server counts every lease as valid.
      await expect.poll(async () => (await second.claim("run_far")).status, { timeout: 15_000 }).toBe("claimed");
      await expect(first.append("run_far", 0, [pauseEvent("stale")])).rejects.toMatchObject({ code: "STORE_LOCKED" });

      const [place] = server.sql(`SELECT place FROM ${schema}.leases`).split("\n");
      server.sql(
        `UPDATE ${schema}.leases SET holder = 'ended', place = '${place}', pid = 999999999, valid_until = clock_timestamp() + interval '1 h'`,
      );
      expect((await first.claim("run_far")).status).toBe("claimed");
    });
  });

  it("wakes who follows it", async () => {
    const schema = newSchema();
    const store = await opened(schema);
    const reader = await readerOf(schema);
    let woken = 0;
    const stop = await reader.follow?.(() => void woken++);
    await expect.poll(() => woken, { timeout: 10_000 }).toBe(1);
    await store.append("run_news", 0, [pauseEvent("a")]);
    await expect.poll(() => woken, { timeout: 10_000 }).toBe(2);
    await stop?.();
  });

  it("keeps records by their names, whole or, where they are too large, not at all", async () => {
    const schema = newSchema();
    const { records } = await opened(schema);
    const content = Buffer.from('{"said":"ä \\u0000 😀"}\n');
    await records?.put("run_r", "verdict#1", Buffer.from("first"));
    await records?.put("run_r", "verdict#1", content);
    await records?.put("run_r", "huge", Buffer.alloc(LARGEST_RECORD_BYTES + 1, "x"));
    const reader = await readerOf(schema);
    expect(await reader.records?.get("run_r", "verdict#1")).toEqual(content);
    expect(await reader.records?.get("run_r", "huge")).toBeNull();
    expect(await reader.records?.get("run_other", "verdict#1")).toBeNull();
    expect(await reader.records?.names("run_r")).toEqual(["huge", "verdict#1"]);
    await expect(reader.records?.put("run_r", "x", content)).rejects.toMatchObject({ code: "STORE_FAILED" });
    // A run is known by its log and not by its records.
    expect(await reader.head("run_r")).toBeNull();
    expect(() => server.sql(`UPDATE ${schema}.records SET content = 'changed'`)).toThrow("records_check");
  });

  it("takes no record of a process whose run another one has taken over, and leaves the other one's", async () => {
    const schema = newSchema();
    const [lost, other] = [await opened(schema), await opened(schema)];
    await lost.claim("run_r");
    await lost.records?.put("run_r", "integration one", Buffer.from("of the first"));
    // As when the first one is stopped for longer than its lease.
    const takeOver = () => {
      server.sql(
        `UPDATE ${schema}.leases SET valid_until = clock_timestamp() - interval '1 minute', place = 'elsewhere'`,
      );
      return other.claim("run_r");
    };
    await expect.poll(takeOver, { timeout: 60_000 }).toMatchObject({ status: "claimed" });
    await other.records?.put("run_r", "integration one", Buffer.from("of the second"));
    const late = lost.records?.put("run_r", "integration one", Buffer.from("too late"));
    await expect(late).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await other.release("run_r");
    await expect(lost.records?.put("run_r", "new", Buffer.from("too late"))).rejects.toMatchObject({
      code: "STORE_LOCKED",
    });
    expect(String(await other.records?.get("run_r", "integration one"))).toBe("of the second");
    expect(await other.records?.names("run_r")).toEqual(["integration one"]);
  });

  it("opened to read changes nothing, and is not there before somebody wrote", async () => {
    const schema = newSchema();
    await expect(readerOf(schema)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(server.sql(`SELECT count(*) FROM pg_namespace WHERE nspname = '${schema}'`)).toBe("0");
  });

  describe("a schema", () => {
    it("of a newer program is refused when it breaks this one, and used when it does not", async () => {
      const schema = newSchema();
      const known = readMigrations();
      const harmless = { number: known.length + 1, name: "more", breaking: false, sql: "CREATE TABLE more (a int)" };
      const breaking = {
        number: known.length + 2,
        name: "0009_other",
        breaking: true,
        sql: "ALTER TABLE notes RENAME TO texts",
      };
      await (await opened(schema, { migrations: [...known, harmless] })).close();
      expect((await (await opened(schema)).append("run_a", 0, [pauseEvent("a")])).status).toBe("appended");
      await (await opened(schema, { migrations: [...known, harmless, breaking] })).close();
      for (const open of [opened, readerOf])
        await expect(open(schema)).rejects.toMatchObject({
          code: "STORE_TOO_NEW",
          message: expect.stringContaining("0009_other"),
        });
      expect(server.sql(`SELECT count(*) FROM ${schema}.events`)).toBe("1");
    });

    it("is migrated once, however many begin at once", async () => {
      const schema = newSchema();
      await Promise.all(Array.from({ length: 5 }, () => opened(schema)));
      expect(server.sql(`SELECT number FROM ${schema}.migrations`)).toBe(
        readMigrations()
          .map(({ number }) => number)
          .join("\n"),
      );
    });

    it("of some other program is left alone", async () => {
      const schema = newSchema();
      server.sql(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.theirs (a int)`);
      await expect(opened(schema)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
      expect(server.sql(`SELECT count(*) FROM pg_tables WHERE schemaname = '${schema}'`)).toBe("1");
    });

    it("that somebody changed is said to be so", async () => {
      const schema = newSchema();
      const store = await opened(schema);
      await store.append("run_a", 0, [pauseEvent("a")]);
      expect(await store.audit?.("run_a")).toEqual([]);
      server.sql(`CREATE FUNCTION ${schema}.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER swallow BEFORE INSERT ON ${schema}.events FOR EACH ROW EXECUTE FUNCTION ${schema}.f();
        DROP INDEX ${schema}.one_end_per_attempt`);
      expect(await store.audit?.("run_a")).toEqual([
        expect.stringContaining("lost its index one_end_per_attempt"),
        "The store has a foreign trigger swallow on table events",
      ]);
      await expect(opened(schema)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    });

    it("with a changed, a moved or a removed row does not verify", async () => {
      const changes = [
        "UPDATE events SET event = replace(event, 'r3', 'x3') WHERE sequence = 3",
        "UPDATE events SET at = '2026-02-03T04:05:07Z' WHERE sequence = 3",
        "UPDATE events SET clock_ms = 9 WHERE sequence = 3",
        "UPDATE events SET type = 'run_finished' WHERE sequence = 3",
        "DELETE FROM events WHERE sequence = 3",
        "DELETE FROM events WHERE sequence > 3",
        "UPDATE events SET sequence = 9 WHERE sequence = 4",
        "UPDATE events SET event = 'no event' WHERE sequence = 3",
      ];
      const key = signingKey();
      for (const change of changes) {
        const schema = newSchema();
        const store = await opened(schema, { signer: key });
        const events = Array.from({ length: 4 }, (_, i) => pauseEvent(`r${i + 1}`, i));
        await store.append("run_t", 0, [...events, pauseEvent("late", 9_000)]);
        const verify = () => verifyRun(store, "run_t", { sha256, publicKeyPems: [key.publicKeyPem] });
        expect((await verify()).intact).toBe(true);
        server.sql(`SET search_path = ${schema}; ${change}`);
        expect([change, (await verify()).intact]).toEqual([change, false]);
      }
    });
  });

  describe("a server", () => {
    it("that is killed and started again while a store writes loses nothing and takes nothing twice", async () => {
      const schema = newSchema();
      const store = await opened(schema);
      await store.claim("run_long");
      const over = new AbortController();
      const writing = (async () => {
        const results: string[] = [];
        for (let n = 0; !over.signal.aborted || n < 50; n++)
          results.push((await store.append("run_long", n, [pauseEvent(`n${n}`)])).status);
        return results;
      })();
      for (let kills = 0; kills < 3; kills++) {
        const before = (await store.head("run_long"))?.sequence ?? 0;
        await expect
          .poll(async () => (await store.head("run_long"))?.sequence ?? 0, { timeout: 15_000 })
          .toBeGreaterThan(before);
        await server.kill();
        await server.start();
      }
      over.abort();
      const results = await writing;
      expect(new Set(results)).toEqual(new Set(["appended"]));
      const events = await readAll(store, "run_long");
      expect(events.map(({ event }) => (event as { reason: string }).reason)).toEqual(results.map((_, n) => `n${n}`));
      // The claim outlived the server: nobody could extend it while that was down.
      const other = await opened(schema);
      expect((await other.claim("run_long")).status).toBe("held");
    }, 60_000);

    it("that ends the connections of a store is asked again on new ones", async () => {
      const store = await opened(newSchema());
      for (let n = 0; n < 5; n++) {
        expect((await store.append("run_cut", n, [pauseEvent("a")])).status).toBe("appended");
        server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'coordinator'");
      }
      expect((await readAll(store, "run_cut")).length).toBe(5);
    });

    it("whose answer to a commit was lost is not given the same events twice", async () => {
      const schema = newSchema();
      await (await opened(schema)).append("run_once", 0, [pauseEvent("a")]);
      const proxy = await cutAfterCommit(server.port);
      const address = { ...parseAddress(server.url(schema)), port: proxy.port };
      const store = await openPostgresStore({ sha256, address, password: () => "" });
      onTestFinished(() => store.close());
      proxy.arm();
      const result = await store.append("run_once", 1, [pauseEvent("b"), startEvent("t1", 1)]);
      expect(proxy.cuts()).toBe(1);
      expect(result.status).toBe("appended");
      expect(await readAll(store, "run_once")).toMatchObject([{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }]);
    });

    it("that is not there is said to be so, and nothing is waited for without end", async () => {
      const url = "postgres://nobody@127.0.0.1:9/none";
      await expect(
        openPostgresStore({ sha256, address: parseAddress(url), password: () => "", patienceMs: 100 }),
      ).rejects.toMatchObject({ code: "STORE_UNREACHABLE", retryable: true });
    });

    it("that refuses a password, a database or a privilege is said to do so, without the password", async () => {
      server.sql(`CREATE ROLE locked LOGIN PASSWORD 'right-canary'; CREATE ROLE poor LOGIN`);
      server.sql("REVOKE CREATE ON DATABASE postgres FROM PUBLIC");
      const file = join(server.folder, "data", "pg_hba.conf");
      const before = readFileSync(file, "utf8");
      onTestFinished(() => {
        writeFileSync(file, before);
        server.sql("SELECT pg_reload_conf()");
      });
      writeFileSync(file, `host all locked 127.0.0.1/32 scram-sha-256\n${before}`);
      server.sql("SELECT pg_reload_conf()");
      const open = (url: string, password = "wrong-canary") =>
        openPostgresStore({ sha256, address: parseAddress(url), password: () => password });
      const refused = await open(server.url(newSchema(), "locked")).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        code: "STORE_REFUSED",
        fix: expect.stringContaining("COORDINATOR_STORE_PASSWORD"),
      });
      expect((refused as Error).message).not.toContain("canary");
      await expect(open(server.url(newSchema(), "poor"))).rejects.toMatchObject({
        code: "STORE_REFUSED",
        fix: expect.stringContaining("GRANT CREATE"),
      });
      await expect(open(server.url("x").replace("/postgres?", "/nowhere?"))).rejects.toMatchObject({
        code: "STORE_ADDRESS",
      });
      const schema = newSchema();
      server.sql(`CREATE SCHEMA ${schema} AUTHORIZATION locked`);
      const store = await open(server.url(schema, "locked"), "right-canary");
      expect((await store.append("run_a", 0, [pauseEvent("a")])).status).toBe("appended");
      await store.close();
    });
  });
});
