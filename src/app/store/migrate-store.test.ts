import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readStorePassword } from "../../hands/store/postgres/store-password.js";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../testing/postgres-server.js";
import { opening, PERSON, planRef, runTask } from "../../testing/run-fixtures.js";
import { leaveSignal, leftSignals, newSignalId } from "../decide/signal-box.js";
import { pauseEvent, readAll, startEvent } from "../../testing/store-suite.js";
import { openRecords, sharedRecords } from "../../hands/attempts/run-records.js";
import { withoutKeys } from "../../foundation/files/known-secrets.js";
import { openRuns, readRuns } from "../project/open-runs.js";
import { type StateFolder, stateFolder } from "../project/state-folder.js";
import { quietContext } from "../quiet-context.js";
import { migrateStore } from "./migrate-store.js";

const missing = whyNoPostgres();
let server: PostgresServer;

function newProject(): { at: StateFolder; migrate: (to: string) => ReturnType<typeof migrateStore> } {
  const root = mkdtempSync(join(tmpdir(), "coordinator-migrate-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const environment = { PATH: process.env["PATH"] ?? "", HOME: root };
  return {
    at: stateFolder(root),
    migrate: async (to) => migrateStore({ to }, await quietContext({ cwd: root, environment, approved: true })),
  };
}

async function fill(at: StateFolder, events = 230): Promise<void> {
  const store = await openRuns(at);
  await store.append("run_long", 0, [startEvent("t1", 1), pauseEvent("ä \u0000 😀", 0.25)]);
  for (let n = 2; n < events; n++) await store.append("run_long", n, [pauseEvent(`e${n}`, n * 90)]);
  await store.append("run_short", 0, [pauseEvent("only")]);
  await store.put("run_short", "note", "kept");
  await store.close();
}

async function everythingIn(at: StateFolder) {
  const reader = await readRuns(at);
  if (reader === null) return null;
  try {
    return await Promise.all(
      (await reader.runs()).map(async (run) => ({
        run,
        events: await readAll(reader, run.run_id),
        notes: await reader.list(run.run_id, ""),
      })),
    );
  } finally {
    await reader.close();
  }
}

describe.skipIf(missing !== null)(
  `moving runs to another store${missing === null ? "" : ` (skipped: ${missing})`}`,
  () => {
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server?.remove());

    it("and back leaves every event, hash and checkpoint as it was", async () => {
      const { at, migrate } = newProject();
      await fill(at);
      const before = await everythingIn(at);
      expect(before?.[0]?.notes.length).toBeGreaterThan(2);
      const there = await migrate(server.url("both_ways"));
      expect(there).toMatchObject({ exitCode: 0, report: { from: "sqlite", runs: [{ events: 230 }, { events: 1 }] } });
      expect(existsSync(at.database)).toBe(false);
      expect(await everythingIn(at)).toEqual(before);
      expect(server.sql("SELECT count(*) FROM both_ways.events")).toBe("231");

      const store = await openRuns(at);
      expect((await store.append("run_short", 1, [pauseEvent("on the server")])).status).toBe("appended");
      await store.close();
      const longer = await everythingIn(at);
      expect(await migrate("sqlite")).toMatchObject({ exitCode: 0 });
      expect(existsSync(at.database)).toBe(true);
      expect(await everythingIn(at)).toEqual(longer);
      // Nothing that holds a log was removed.
      expect(readdirSync(at.folder).filter((name) => name.startsWith("runs.db.moved"))).not.toEqual([]);
      expect(server.sql("SELECT count(*) FROM both_ways.events")).toBe("232");
    });

    it("is done again where it was interrupted, with part of the runs there, or with both in place", async () => {
      const { at, migrate } = newProject();
      await fill(at, 20);
      const before = await everythingIn(at);
      await migrate(server.url("again"));
      server.sql("DELETE FROM again.events WHERE sequence > 7; DELETE FROM again.notes");
      rmSync(join(at.folder, "store.json"));
      renameSync(`${at.database}.moved`, at.database);
      await migrate(server.url("again"));
      expect(await everythingIn(at)).toEqual(before);

      renameSync(`${at.database}.moved`, at.database);
      await expect(readRuns(at)).rejects.toMatchObject({
        code: "STORE_ADDRESS",
        fix: expect.stringContaining("coordinator migrate"),
      });
      await expect(openRuns(at)).rejects.toMatchObject({ code: "STORE_ADDRESS" });
      await migrate(server.url("again"));
      expect(await everythingIn(at)).toEqual(before);
    });

    it("takes decisions that nobody has taken yet into the log first", async () => {
      const { at, migrate } = newProject();
      await fill(at, 3);
      const event = { type: "plan_approved", decider: PERSON } as const;
      const sent_at = "2026-02-03T04:06:06Z";
      leaveSignal(at.signals, {
        signal_id: newSignalId(1),
        run_id: "run_asked",
        event,
        roles: ["ada"],
        after: 3,
        sent_at,
      });
      const store = await openRuns(at);
      const events = opening(planRef([runTask("A")]));
      await store.append(
        "run_asked",
        0,
        events.map((each) => ({ event: each, at: sent_at, clock_ms: 1 })),
      );
      await store.close();
      await migrate(server.url("asked"));
      expect(leftSignals(at.signals)).toEqual([]);
      expect(server.sql("SELECT count(*) FROM asked.events WHERE type = 'plan_approved'")).toBe("1");
    });

    it("takes records along", async () => {
      const [first, second] = [newProject(), newProject()];
      await fill(first.at, 5);
      const written = openRecords(join(first.at.folder, "records", "run_short"));
      const { ref } = await written.write("verdict/one#1", { said: "ä" });
      await first.migrate(server.url("records"));
      await second.migrate(server.url("records"));
      const reader = await readRuns(second.at);
      const folder = join(second.at.folder, "records", "run_short");
      if (reader === null) throw new Error("there is no store");
      const shared = openRecords(folder, sharedRecords(reader, "run_short"));
      expect(await shared.refNow("verdict/one#1")).toBe(ref);
      expect(await shared.read("verdict/one#1", ref)).toEqual({ said: "ä" });
      expect(await shared.read("verdict/one#1", "sha256:00")).toBeNull();
      expect(existsSync(folder)).toBe(false);
      // A file from before another machine took the run over: the shared record counts, and stands here after the move back.
      await openRecords(folder).write("verdict/one#1", { said: "before" });
      expect(await shared.refNow("verdict/one#1")).toBe(ref);
      expect(await shared.read("verdict/one#1")).toEqual({ said: "ä" });
      expect(await shared.read("verdict/one#1", ref)).toEqual({ said: "ä" });
      await reader.close();
      await second.migrate("sqlite");
      expect(await openRecords(folder).refNow("verdict/one#1")).toBe(ref);
    });

    it("lets a project without runs use a store that has some", async () => {
      const [first, second] = [newProject(), newProject()];
      await fill(first.at, 5);
      await first.migrate(server.url("team"));
      expect(await second.migrate(server.url("team"))).toMatchObject({ exitCode: 0, report: { runs: [] } });
      expect(await everythingIn(second.at)).toEqual(await everythingIn(first.at));
    });

    it("is refused for a run that is carried out, another log of the same name, and a damaged one; nothing changes then", async () => {
      const [{ at, migrate }, other] = [newProject(), newProject()];
      await fill(at, 5);
      const working = await openRuns(at);
      await working.claim("run_short");
      await expect(migrate(server.url("refused"))).rejects.toMatchObject({ code: "STORE_LOCKED" });
      await working.close();

      await fill(other.at, 5);
      await other.migrate(server.url("refused"));
      server.sql("UPDATE refused.events SET event = replace(event, 'only', 'other')");
      const store = await openRuns(other.at);
      await store.close();
      server.sql("DELETE FROM refused.events WHERE run = (SELECT number FROM refused.runs WHERE run_id = 'run_short')");
      const changed = await openRuns(other.at);
      await changed.append("run_short", 0, [pauseEvent("another")]);
      await changed.close();
      await expect(migrate(server.url("refused"))).rejects.toMatchObject({ code: "STORE_CORRUPT" });

      server.sql("UPDATE refused.events SET event = replace(event, 'another', 'changed')");
      await expect(other.migrate("sqlite")).rejects.toMatchObject({
        code: "STORE_CORRUPT",
        message: expect.stringContaining("does not verify"),
      });
      expect(existsSync(at.database)).toBe(true);
      expect(existsSync(join(at.folder, "store.json"))).toBe(false);
      expect(existsSync(other.at.database)).toBe(false);
    });

    it.each([
      ["mysql://ada@db/t", "STORE_ADDRESS"],
      ["postgres://ada:canary-password@127.0.0.1/t", "STORE_ADDRESS"],
      ["postgres://ada@127.0.0.1:9/t", "STORE_UNREACHABLE"],
      ["sqlite", "USAGE"],
    ])("to %s is refused with %s", async (to, code) => {
      const { at, migrate } = newProject();
      const error = await migrate(to).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code });
      expect(JSON.stringify([(error as Error).message, (error as { fix?: string }).fix])).not.toContain("canary");
      expect(existsSync(join(at.folder, "store.json"))).toBe(false);
    });

    it("a setting that nobody can read is said to be so", async () => {
      const { at, migrate } = newProject();
      await migrate(server.url("wrong"));
      for (const text of ["", "{", "[]", '{"store":1}', '{"store":"sqlite","more":1}', '{"store":"mysql://x"}']) {
        writeFileSync(join(at.folder, "store.json"), text);
        await expect(readRuns(at)).rejects.toMatchObject({ code: "STORE_ADDRESS" });
      }
    });
  },
);

describe("the password of a store", () => {
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), "coordinator-password-"));
    onTestFinished(() => rmSync(made, { recursive: true, force: true }));
    return made;
  };

  it("is a variable or a file of its own, and is in nothing that is written afterwards", () => {
    expect(readStorePassword({})).toBe("");
    expect(readStorePassword({ COORDINATOR_STORE_PASSWORD: "canary-variable-1" })).toBe("canary-variable-1");
    const file = join(folder(), "password");
    writeFileSync(file, "canary-in-a-file-2\n", { mode: 0o600 });
    expect(readStorePassword({ COORDINATOR_STORE_PASSWORD_FILE: file })).toBe("canary-in-a-file-2");
    const written = withoutKeys({ a: "said canary-variable-1", b: ["and canary-in-a-file-2."] });
    expect(JSON.stringify(written)).not.toContain("canary");
  });

  it("is refused from a file that others can read, from none, and from two places at once", () => {
    const file = join(folder(), "password");
    writeFileSync(file, "canary-in-a-file-3");
    chmodSync(file, 0o644);
    const refused = (environment: NodeJS.ProcessEnv, message: string) =>
      expect(() => readStorePassword(environment)).toThrow(
        expect.objectContaining({ code: "STORE_ADDRESS", message: expect.stringContaining(message) }),
      );
    refused({ COORDINATOR_STORE_PASSWORD_FILE: file }, "can be read by others");
    refused({ COORDINATOR_STORE_PASSWORD_FILE: join(folder(), "none") }, "is not there");
    refused({ COORDINATOR_STORE_PASSWORD_FILE: "password" }, "is not written from the root");
    refused({ COORDINATOR_STORE_PASSWORD_FILE: file, COORDINATOR_STORE_PASSWORD: "x" }, "Both");
  });
});
