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
import type { RunEvent } from "../../model/event.js";
import { ended, paused, readAll, said, sha256, started } from "../../testing/store-suite.js";
import { loadSigningKey } from "../chain/signing-key.js";
import { verifyRun } from "../chain/verify-run.js";
import type { EventStore } from "../event-store.js";
import { type Database, loadDriver } from "./driver.js";
import { readLock } from "./lock-file.js";
import { APPLICATION_ID, type Migration, pragma, readMigrations } from "./migrate.js";
import { type OpenOptions, openSqliteReader, openSqliteStore } from "./open-sqlite-store.js";
import { ownIdentity } from "../../processes/process-identity.js";

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
  const outcome = await openSqliteStore(path, { sha256, ...options });
  if (outcome.status !== "opened") throw new Error("locked");
  onTestFinished(() => outcome.store.close());
  return outcome.store;
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
    await store.append(RUN, 0, [paused("a")]);
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

  it("that is no database is refused and left alone", async () => {
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
        Array.from({ length: 50 }, (_, n) => paused(`${i} ${n}`)),
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
    ]);
    for (const [name, text] of [
      ["0002_gap.sql", "-- breaking: no\n"],
      ["0001_silent.sql", "SELECT 1;\n"],
    ] as const) {
      writeFileSync(join(mkdtempSync(join(folder, "m-")), name), text);
    }
    for (const made of readdirSync(folder)) expect(() => readMigrations(join(folder, made))).toThrow(TypeError);
  });

  it("grows by what is new, and keeps what is there", async () => {
    const old = await opened();
    await old.append(RUN, 0, [paused("a")]);
    await old.close();
    const store = await opened({ migrations: [...readMigrations(), next(true)] });
    await store.append(RUN, 1, [paused("b")]);
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
    expect(await store.append(RUN, 0, [paused("a")])).toMatchObject({ status: "appended" });
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
    const many = Array.from({ length: 120 }, (_, i) => paused(`${i}`));
    await store.append(RUN, 0, many.slice(0, 80));
    await Promise.all(Array.from({ length: 1500 }, (_, i) => store.append(`run_other-${i}`, 0, [paused("x")])));
    expect(await store.append(RUN, 79, [paused("late")])).toMatchObject({ status: "conflict", actual: 80 });
    expect(await store.append(RUN, 80, many.slice(80))).toMatchObject({ status: "appended" });
    const verdict = await verifyRun(store, RUN, { sha256, publicKeyPem: signer.publicKeyPem });
    expect(verdict).toMatchObject({ intact: true, events: 120, proven: { sequence: 100 } });
  });
});

describe("one writer", () => {
  it("the second is told who writes, and can read", async () => {
    const store = await opened();
    await store.append(RUN, 0, [paused("a")]);
    const second = await openSqliteStore(path, { sha256 });
    expect(second).toMatchObject({ status: "locked", holder: { pid: process.pid } });
    const reader = await openSqliteReader(path);
    expect(await readAll(reader, RUN)).toHaveLength(1);
    await store.append(RUN, 1, [paused("b")]);
    expect(await readAll(reader, RUN)).toHaveLength(2);
    expect("append" in reader).toBe(false);
    await reader.close();
    await expect(reader.head(RUN)).rejects.toMatchObject({ code: "STORE_FAILED" });
    await store.close();
    expect(await (await opened()).head(RUN)).toMatchObject({ sequence: 2 });
  });

  it.each([
    ["whose process has ended", { ...ownIdentity(), pid: 4_194_303 }],
    ["whose number is somebody else's now", { ...ownIdentity(), start_time: "1" }],
    ["of before the computer was started", { ...ownIdentity(), boot_id: "earlier" }],
  ])("a lock %s is taken", async (_, holder) => {
    if (process.platform !== "linux") return;
    writeFileSync(`${path}.lock`, JSON.stringify({ holder: "gone", ...holder }));
    await opened();
    expect(readLock(`${path}.lock`)).toMatchObject({ pid: process.pid });
  });

  it("a lock that says nothing is taken", async () => {
    writeFileSync(`${path}.lock`, "");
    await opened();
    expect(readLock(`${path}.lock`)).toMatchObject({ pid: process.pid });
  });

  it("that lost its lock although it lives writes no more and overwrites nothing", async () => {
    const first = await opened();
    await first.append(RUN, 0, [paused("a")]);
    rmSync(`${path}.lock`);
    const second = await opened();
    await second.append(RUN, 1, [paused("b")]);
    await expect(first.append(RUN, 1, [paused("stale")])).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await expect(first.append(RUN, 2, [paused("stale")])).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await first.close();
    expect(readLock(`${path}.lock`)).not.toBeNull();
    expect(await second.append(RUN, 2, [paused("c")])).toMatchObject({ status: "appended" });
    expect(await readAll(second, RUN)).toHaveLength(3);
  });

  it("many at once: one wins", async () => {
    writeFileSync(`${path}.lock`, JSON.stringify({ holder: "gone", ...ownIdentity(), start_time: "1" }));
    const all = await Promise.all(Array.from({ length: 8 }, () => openSqliteStore(path, { sha256 })));
    const won = all.filter(({ status }) => status === "opened");
    expect(won).toHaveLength(process.platform === "linux" ? 1 : 0);
    for (const outcome of won) if (outcome.status === "opened") await outcome.store.close();
    expect(leftOver()).toEqual(["runs.db"]);
  });

  it("an event somebody else wrote past it is a conflict, and it goes on", async () => {
    const store = await opened();
    await store.append(RUN, 0, [paused("a")]);
    await tampering((database) =>
      database.exec(
        `INSERT INTO events SELECT id + 1, run, 2, at, clock_ms, type, task_id, attempt, event, previous_hash, hash FROM events`,
      ),
    );
    expect(await store.append(RUN, 1, [paused("b")])).toEqual({ status: "conflict", expected: 1, actual: 2 });
    expect(await store.append(RUN, 2, [paused("b")])).toMatchObject({ status: "appended" });
  });
});

describe("a write that fails", () => {
  it("fails with a clear error, and nothing is written until it is opened again", async () => {
    const store = await opened();
    await store.append(RUN, 0, [paused("kept")]);
    await tampering((database) => database.exec("ALTER TABLE events RENAME TO hidden"));
    const asked = [store.append(RUN, 1, [paused("a")]), store.append(RUN, 2, [paused("b")])];
    for (const each of await Promise.allSettled(asked))
      expect(each).toMatchObject({ reason: { code: "STORE_FAILED", retryable: false } });
    await tampering((database) => database.exec("ALTER TABLE hidden RENAME TO events"));
    await expect(store.append(RUN, 1, [paused("c")])).rejects.toMatchObject({ code: "STORE_FAILED" });
    await store.close();
    const again = await opened();
    expect(await readAll(again, RUN)).toHaveLength(1);
    expect(await again.append(RUN, 1, [paused("d")])).toMatchObject({ status: "appended" });
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
        Array.from({ length: 20 }, (_, n) => (n === 5 ? started(`t${i}`, 1) : said(long(i + n), i + n))),
      );
    await store.append(RUN, 120, [ended()]);
    await store.close();
    return key.publicKeyPem;
  }

  const verdict = async (publicKeyPem: string) => {
    const reader = await openSqliteReader(path);
    try {
      return await verifyRun(reader, RUN, { sha256, publicKeyPem });
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
    ["content that is no JSON", "UPDATE events SET event = substr(event, 2) WHERE sequence = 7", "changed"],
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
