import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { RunEvent } from "../../../model/event.js";
import { endEvent, pauseEvent, readAll, newEvent, sha256, startEvent } from "../../../testing/store-suite.js";
import { loadSigningKey } from "../chain/signing-key.js";
import { verifyRun } from "../chain/verify-run.js";
import type { EventStore } from "../event-store.js";
import { type Database, loadDriver } from "./driver.js";
import type { Migration } from "../numbered-migrations.js";
import { APPLICATION_ID, migrate, pragma, readMigrations } from "./migrate.js";
import { type OpenOptions, openSqliteReader, openSqliteStore } from "./open-sqlite-store.js";
import { ownIdentity } from "../../../foundation/processes/process-identity.js";

const RUN = "run_sqlite";
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "coordinator-sqlite-"));
  path = join(folder, "runs.db");
  const made = folder;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
});

async function opened(options: Partial<OpenOptions> = {}): Promise<EventStore> {
  const store = await openSqliteStore(path, { sha256, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Closing leaves the database; a driver may keep its two helping files until it collects garbage. */
const leftOver = () => readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name));

/** A second connection, as somebody has who is not this program. */
async function tampering<T>(act: (database: Database) => T): Promise<T> {
  const database = (await loadDriver()).open(path);
  try {
    return act(database);
  } finally {
    database.close();
  }
}

describe("the file", () => {
  it("is its owner's only, marked as ours, and set to be durable", async () => {
    const store = await opened();
    await store.append(RUN, 0, [pauseEvent("a")]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
    await tampering((database) => {
      expect(pragma(database, "application_id")).toBe(APPLICATION_ID);
      expect(pragma(database, "user_version")).toBe(readMigrations().length);
      expect(pragma(database, "journal_mode")).toBe("wal");
      expect(pragma(database, "integrity_check")).toBe("ok");
    });
    await store.close();
    expect(leftOver()).toEqual(["runs.db"]);
  });

  it("of another program is refused and left alone", async () => {
    await tampering((database) => database.exec("CREATE TABLE theirs (a)"));
    const before = readFileSync(path);
    await expect(opened()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await expect(openSqliteReader(path)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(leftOver()).toEqual(["runs.db"]);
  });

  it("that is not a database is refused and left alone", async () => {
    writeFileSync(path, "a thesis, years of work\n".repeat(100));
    await expect(opened()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(readFileSync(path, "utf8")).toBe("a thesis, years of work\n".repeat(100));
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it("that is damaged is refused", async () => {
    const store = await opened();
    for (let i = 0; i < 20; i++)
      await store.append(
        RUN,
        i * 50,
        Array.from({ length: 50 }, (_, n) => pauseEvent(`${i} ${n}`)),
      );
    await store.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4096 * 5, 4096 * 12);
    writeFileSync(path, bytes);
    await expect(opened()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it("cannot be made where a folder is", async () => {
    path = folder;
    await expect(opened()).rejects.toMatchObject({ code: "STORE_FAILED" });
  });

  it("that is not there has nothing to read", async () => {
    await expect(openSqliteReader(path)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(existsSync(path)).toBe(false);
  });

  it("that was begun on a full disk and never got a table has nothing to read, and is made when there is room", async () => {
    await tampering((database) => database.exec("PRAGMA journal_mode = WAL"));
    await expect(openSqliteReader(path)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const store = await opened();
    expect(await store.runs()).toEqual([]);
    await store.close();
  });

  it("tells what failed where SQLite has rolled back by itself", async () => {
    const [first] = readMigrations();
    const sql = "ROLLBACK; CREATE TABLE of_nothing_at_all";
    const migrations = [{ ...(first as Migration), sql }];
    const failing = openSqliteStore(path, { sha256, migrations });
    await expect(failing).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.not.stringContaining("rollback") as unknown,
    });
  });
});

describe("its shape", () => {
  const next = (breaking: boolean): Migration => ({
    number: readMigrations().length + 1,
    name: "9999_next.sql",
    breaking,
    sql: "CREATE TABLE later (a TEXT) STRICT; ALTER TABLE events ADD COLUMN extra TEXT",
  });

  it("every migration is numbered and says whether it is breaking", () => {
    expect(readMigrations().map(({ number, name, breaking }) => ({ number, name, breaking }))).toEqual([
      { number: 1, name: "0001_event_log.sql", breaking: true },
      { number: 2, name: "0002_one_writer_per_run.sql", breaking: true },
    ]);
    for (const [name, text] of [
      ["0003_gap.sql", "-- breaking: no\n"],
      ["0001_silent.sql", "SELECT 1;\n"],
    ] as const) {
      writeFileSync(join(mkdtempSync(join(folder, "m-")), name), text);
    }
    for (const made of readdirSync(folder)) expect(() => readMigrations(join(folder, made))).toThrow(TypeError);
  });

  it("grows by what is new, and keeps what is there", async () => {
    const old = await opened();
    await old.append(RUN, 0, [pauseEvent("a")]);
    await old.close();
    const store = await opened({ migrations: [...readMigrations(), next(true)] });
    await store.append(RUN, 1, [pauseEvent("b")]);
    expect(await readAll(store, RUN)).toHaveLength(2);
  });

  it("that is newer and breaking is refused by an older program, to write and to read", async () => {
    await (await opened({ migrations: [...readMigrations(), next(true)] })).close();
    await expect(opened()).rejects.toMatchObject({
      code: "STORE_TOO_NEW",
      message: expect.stringContaining("9999_next.sql"),
    });
    await expect(openSqliteReader(path)).rejects.toMatchObject({ code: "STORE_TOO_NEW" });
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it("that is newer and not breaking is used by an older program, and stays newer", async () => {
    await (await opened({ migrations: [...readMigrations(), next(false)] })).close();
    const store = await opened();
    expect(await store.append(RUN, 0, [pauseEvent("a")])).toMatchObject({ status: "appended" });
    const reader = await openSqliteReader(path);
    expect(await readAll(reader, RUN)).toHaveLength(1);
    await reader.close();
    await tampering((database) => expect(pragma(database, "user_version")).toBe(readMigrations().length + 1));
  });

  it("a migration that fails leaves the shape before it", async () => {
    await (await opened()).close();
    const broken = { ...next(false), sql: "CREATE TABLE half (a TEXT) STRICT; SELECT nonsense" };
    await expect(opened({ migrations: [...readMigrations(), broken] })).rejects.toMatchObject({ code: "STORE_FAILED" });
    await tampering((database) => {
      expect(pragma(database, "user_version")).toBe(readMigrations().length);
      expect(database.prepare("SELECT * FROM sqlite_schema WHERE name = 'half'").all()).toEqual([]);
    });
  });
});

describe("more runs than a writer remembers", () => {
  it("goes on with one it has forgotten where its log ends, and signs what is due", async () => {
    const signer = loadSigningKey(folder);
    const store = await opened({ signer });
    const many = Array.from({ length: 120 }, (_, i) => pauseEvent(`${i}`));
    await store.append(RUN, 0, many.slice(0, 80));
    await Promise.all(Array.from({ length: 1500 }, (_, i) => store.append(`run_other-${i}`, 0, [pauseEvent("x")])));
    expect(await store.append(RUN, 79, [pauseEvent("late")])).toMatchObject({ status: "conflict", actual: 80 });
    expect(await store.append(RUN, 80, many.slice(80))).toMatchObject({ status: "appended" });
    const verdict = await verifyRun(store, RUN, { sha256, publicKeyPems: [signer.publicKeyPem] });
    expect(verdict).toMatchObject({ intact: true, events: 120, proven: { sequence: 100 } });
  });
});

/** A claim as another process leaves it in the file. */
const claimedBy = (holder: { pid: number; start_time: string; boot_id: string }) =>
  tampering((database) =>
    database
      .prepare(
        `INSERT INTO leases SELECT number, 'another', ?, ?, ?, '2026-02-03T04:05:06Z' FROM runs WHERE run_id = '${RUN}'
         ON CONFLICT (run) DO UPDATE SET holder = 'another'`,
      )
      .run(holder.pid, holder.start_time, holder.boot_id),
  );

describe("several writers", () => {
  it("write to runs of their own, and each sees what the others wrote", async () => {
    const [one, two] = [await opened(), await opened()];
    await one.append("run_one", 0, [pauseEvent("a")]);
    await two.append("run_two", 0, [pauseEvent("b")]);
    await one.append("run_one", 1, [pauseEvent("c")]);
    expect((await two.runs()).map(({ run_id, sequence }) => [run_id, sequence])).toEqual([
      ["run_one", 2],
      ["run_two", 1],
    ]);
    expect(await two.append("run_one", 1, [pauseEvent("late")])).toEqual({
      status: "conflict",
      expected: 1,
      actual: 2,
    });
    // The end it remembers is not where the run ends any more.
    await two.append("run_one", 2, [pauseEvent("d")]);
    expect(await one.append("run_one", 3, [pauseEvent("e")])).toMatchObject({ status: "appended" });
    expect((await verifyRun(one, "run_one", { sha256 })).findings).toEqual([]);
  });

  it("sign the same checkpoints as one would", async () => {
    const signer = loadSigningKey(folder);
    const stores = [await opened({ signer }), await opened({ signer })];
    for (let i = 0; i < 130; i++) await stores[i % 2]?.append(RUN, i, [pauseEvent(`${i}`)]);
    const verdict = await verifyRun(stores[0] as EventStore, RUN, { sha256, publicKeyPems: [signer.publicKeyPem] });
    expect(verdict).toMatchObject({ intact: true, events: 130, proven: { sequence: 100 } });
  });

  it("that make the store at the same time make it once", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => opened()));
    await Promise.all(all.map((store, i) => store.append(`run_${i}`, 0, [pauseEvent("x")])));
    expect(await all[0]?.runs()).toHaveLength(8);
    for (const store of all) await store.close();
    expect(leftOver()).toEqual(["runs.db"]);
  });

  it("wait for one of an older version, which shares the store with nobody", async () => {
    writeFileSync(`${path}.lock`, JSON.stringify({ holder: "older", ...ownIdentity() }));
    await expect(opened()).rejects.toMatchObject({
      code: "STORE_LOCKED",
      message: expect.stringContaining(`Process ${process.pid}`),
    });
    writeFileSync(`${path}.lock`, JSON.stringify({ holder: "older", ...ownIdentity(), pid: 4_194_303 }));
    await opened();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it("take over a store that an older version has written, which then refuses it", async () => {
    const first = readMigrations().slice(0, 1);
    await tampering((database) => migrate(database, first));
    const reader = await openSqliteReader(path);
    expect(await reader.holders?.()).toEqual([]);
    await reader.close();
    const store = await opened();
    await store.append(RUN, 0, [pauseEvent("a")]);
    await expect(openSqliteReader(path, { migrations: first })).rejects.toMatchObject({ code: "STORE_TOO_NEW" });
  });
});

describe("a run has one writer", () => {
  it("the second is told who carries it out, and can read it and write to others", async () => {
    const [first, second] = [await opened(), await opened()];
    expect(await first.claim(RUN)).toMatchObject({ status: "claimed", head: { sequence: 0 } });
    await first.append(RUN, 0, [pauseEvent("a")]);
    const held = { status: "held", holder: { run_id: RUN, pid: process.pid } };
    expect(await second.claim(RUN)).toMatchObject(held);
    await expect(second.append(RUN, 1, [pauseEvent("b")])).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await expect(second.open(RUN)).rejects.toMatchObject({ code: "STORE_LOCKED" });
    expect(await readAll(second, RUN)).toHaveLength(1);
    expect(await second.append("run_other", 0, [pauseEvent("x")])).toMatchObject({ status: "appended" });
    expect(await first.claim(RUN)).toMatchObject({ status: "claimed", head: { sequence: 1 } });
    const reader = await openSqliteReader(path);
    expect(await reader.holders?.()).toMatchObject([{ run_id: RUN, pid: process.pid }]);
    await reader.close();
  });

  it("gives it back, by word or by closing", async () => {
    const [first, second] = [await opened(), await opened()];
    await first.claim(RUN);
    await first.release(RUN);
    expect(await second.claim(RUN)).toMatchObject({ status: "claimed" });
    await second.close();
    expect(await first.holders?.()).toEqual([]);
    expect(await first.append(RUN, 0, [pauseEvent("a")])).toMatchObject({ status: "appended" });
  });

  it.each([
    ["has ended", { ...ownIdentity(), pid: 4_194_303 }],
    ["has a number that is another one's now", { ...ownIdentity(), start_time: "1" }],
    ["ran before the computer was started", { ...ownIdentity(), boot_id: "earlier" }],
  ])("takes it from a process that %s", async (_, holder) => {
    if (process.platform !== "linux") return;
    const store = await opened();
    await store.open(RUN);
    await claimedBy(holder);
    expect(await store.holders?.()).toEqual([]);
    expect(await store.claim(RUN)).toMatchObject({ status: "claimed" });
    expect(await store.holders?.()).toMatchObject([{ pid: process.pid }]);
  });

  it("that lost it although it lives writes no more and overwrites nothing", async () => {
    const first = await opened();
    await first.claim(RUN);
    await first.append(RUN, 0, [pauseEvent("a")]);
    await claimedBy(ownIdentity());
    await expect(first.append(RUN, 1, [pauseEvent("stale")])).rejects.toMatchObject({ code: "STORE_LOCKED" });
    expect(await first.append("run_other", 0, [pauseEvent("x")])).toMatchObject({ status: "appended" });
    await first.close();
    const second = await opened();
    expect(await readAll(second, RUN)).toHaveLength(1);
    expect(await second.holders?.()).toHaveLength(1);
  });

  it("many at once: one wins", async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => opened()));
    const all = await Promise.all(stores.map((store) => store.claim(RUN)));
    expect(all.filter(({ status }) => status === "claimed")).toHaveLength(1);
  });

  it("an event somebody else wrote past it is a conflict, and it goes on", async () => {
    const store = await opened();
    await store.append(RUN, 0, [pauseEvent("a")]);
    await tampering((database) =>
      database.exec(
        `INSERT INTO events SELECT id + 1, run, 2, at, clock_ms, type, task_id, attempt, event, previous_hash, hash FROM events`,
      ),
    );
    expect(await store.append(RUN, 1, [pauseEvent("b")])).toEqual({ status: "conflict", expected: 1, actual: 2 });
    expect(await store.append(RUN, 2, [pauseEvent("b")])).toMatchObject({ status: "appended" });
  });
});

describe("a write that fails", () => {
  it("fails with a clear error, and nothing is written until it is opened again", async () => {
    const store = await opened();
    await store.append(RUN, 0, [pauseEvent("kept")]);
    await tampering((database) => database.exec("ALTER TABLE events RENAME TO hidden"));
    const asked = [store.append(RUN, 1, [pauseEvent("a")]), store.append(RUN, 2, [pauseEvent("b")])];
    for (const each of await Promise.allSettled(asked))
      expect(each).toMatchObject({ reason: { code: "STORE_FAILED", retryable: false } });
    await tampering((database) => database.exec("ALTER TABLE hidden RENAME TO events"));
    await expect(store.append(RUN, 1, [pauseEvent("c")])).rejects.toMatchObject({ code: "STORE_FAILED" });
    await store.close();
    const again = await opened();
    expect(await readAll(again, RUN)).toHaveLength(1);
    expect(await again.append(RUN, 1, [pauseEvent("d")])).toMatchObject({ status: "appended" });
  });
});

describe("tampering with the rows", () => {
  const long = (i: number): RunEvent => ({ type: "dispatch_paused", reason: `control \u001f and ä ${i}` });

  async function filled(): Promise<string> {
    const key = loadSigningKey(join(folder, "keys"));
    const store = await opened({ signer: key });
    for (let i = 0; i < 120; i += 20)
      await store.append(
        RUN,
        i,
        Array.from({ length: 20 }, (_, n) => (n === 5 ? startEvent(`t${i}`, 1) : newEvent(long(i + n), i + n))),
      );
    await store.append(RUN, 120, [endEvent()]);
    await store.close();
    return key.publicKeyPem;
  }

  const verdict = async (publicKeyPem: string) => {
    const reader = await openSqliteReader(path);
    try {
      return await verifyRun(reader, RUN, { sha256, publicKeyPems: [publicKeyPem] });
    } finally {
      await reader.close();
    }
  };

  it.each([
    ["the content", "UPDATE events SET event = replace(event, 'control', 'Control') WHERE sequence = 7", "changed"],
    [
      "how the content is written",
      "UPDATE events SET event = replace(event, '\\u001f', '\\u001F') WHERE sequence = 7",
      "changed",
    ],
    ["content that is not JSON", "UPDATE events SET event = substr(event, 2) WHERE sequence = 7", "changed"],
    ["the time", "UPDATE events SET at = '2020-01-01T00:00:00Z' WHERE sequence = 7", "changed"],
    ["the clock", "UPDATE events SET clock_ms = clock_ms + 1 WHERE sequence = 7", "changed"],
    ["a hash", "UPDATE events SET hash = zeroblob(32) WHERE sequence = 7", "changed"],
    ["the columns for the guard", "UPDATE events SET attempt = 2 WHERE sequence = 6", "changed"],
    ["the type beside the content", "UPDATE events SET type = 'wait_ended' WHERE sequence = 7", "changed"],
    ["a row removed", "DELETE FROM events WHERE sequence = 7", "removed"],
    ["the end removed", "DELETE FROM events WHERE sequence > 90", "truncated"],
    ["a checkpoint removed", "DELETE FROM notes", "unsigned"],
    ["a checkpoint changed", "UPDATE notes SET value = replace(value, '100', '101')", "replaced"],
  ])("%s is found", async (_, sql, kind) => {
    const key = await filled();
    expect(await verdict(key)).toMatchObject({ intact: true, events: 121, proven: { sequence: 121 } });
    await tampering((database) => database.exec(sql));
    const { intact, findings } = await verdict(key);
    expect(intact).toBe(false);
    expect(findings.map((finding) => finding.kind)).toContain(kind);
  });

  it("any bit of any column of any row", async () => {
    const key = await filled();
    copyFileSync(path, `${path}.good`);
    const columns = ["event", "at", "type", "task_id", "hash", "previous_hash"] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 121 }),
        fc.constantFrom(...columns),
        fc.nat(),
        fc.nat(7),
        async (sequence, column, where, bit) => {
          for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
          copyFileSync(`${path}.good`, path);
          const changed = await tampering((database) => {
            const row = database
              .prepare(`SELECT CAST(${column} AS BLOB) AS value FROM events WHERE sequence = ?`)
              .get(sequence) as { value: Uint8Array | null };
            if (row.value === null || row.value.length === 0) return false;
            const bytes = Uint8Array.from(row.value);
            const at = where % bytes.length;
            bytes[at] = (bytes[at] as number) ^ (1 << bit);
            const isBlob = column.endsWith("hash");
            database
              .prepare(`UPDATE events SET ${column} = ${isBlob ? "?" : "CAST(? AS TEXT)"} WHERE sequence = ?`)
              .run(bytes, sequence);
            return true;
          });
          if (changed) expect((await verdict(key)).intact).toBe(false);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("any byte of the file: refused, found, or of no consequence", async () => {
    const key = await filled();
    const good = readFileSync(path);
    const reader = await openSqliteReader(path);
    const wanted = sha256(JSON.stringify(await readAll(reader, RUN)));
    await reader.close();
    const seen = { found: 0, refused: 0, harmless: 0 };
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), async (where, flip) => {
        const bytes = Buffer.from(good);
        bytes[where] = (bytes[where] as number) ^ flip;
        for (const file of [`${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
        writeFileSync(path, bytes);
        try {
          if (!(await verdict(key)).intact) return void seen.found++;
          const again = await openSqliteReader(path);
          try {
            // Whole by every measure: then it must be the log that was written.
            expect(sha256(JSON.stringify(await readAll(again, RUN)))).toBe(wanted);
            seen.harmless++;
          } finally {
            await again.close();
          }
        } catch (error) {
          if ((error as { code?: string }).code === undefined) throw error;
          seen.refused++;
        }
      }),
      { numRuns: 300 },
    );
    expect(seen.found).toBeGreaterThan(50);
  });

  it("a row that cannot be read is said to be so", async () => {
    await filled();
    await tampering((database) => database.exec("UPDATE events SET event = '{' WHERE sequence = 3"));
    const reader = await openSqliteReader(path);
    await expect(readAll(reader, RUN)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await reader.close();
  });
});

describe("a folder that cannot be written to", () => {
  it("is said to be so", async () => {
    if (process.getuid?.() === 0) return; // Root may write everywhere.
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
    await expect(opened()).rejects.toMatchObject({ code: "STORE_FAILED" });
  });
});
