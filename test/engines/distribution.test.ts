import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CoordinatorError } from "../../src/model/errors.js";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../src/testing/postgres-server.js";
import { ensureBuilt } from "../build.js";
import { bodiesIn, makeTeam, marksIn, startTestWorker, until } from "./team.js";

/* What only an engine of several machines has to do: who gets which work, and what becomes of it when a machine fails. */

const missing = whyNoPostgres();
let server: PostgresServer;
let stores = 0;

async function newTeam() {
  const schema = `team_${++stores}`;
  const store = server.url(schema);
  const team = await makeTeam(store);
  return {
    ...team,
    ...bodiesIn(team.folder),
    schema,
    worker: (words: Parameters<typeof startTestWorker>[2]) => startTestWorker(store, team.folder, words),
  };
}

/** Longer than a lease. */
const LONG_MS = 6_500;

describe.skipIf(missing !== null)(
  `work that is given to workers${missing === null ? "" : ` (skipped: ${missing})`}`,
  () => {
    beforeAll(async () => {
      ensureBuilt();
      server = await startPostgres();
    }, 300_000);
    afterAll(() => server?.remove());

    it("waits when it is confidential until a worker accepts that, says so, and stays where it is until then", async () => {
      const { ask, worker, schema } = await newTeam();
      const [reasons, left] = [[] as string[], [] as string[]];
      await worker({ id: "usual" });
      const asked = ask(
        "attempt:secret#1",
        { does: "value", value: 1 },
        {
          needs: { data: "confidential" },
          waits: (reason) => void reasons.push(reason),
          leaves: () => void left.push(server.sql(`SELECT count(*) FROM ${schema}.workers WHERE id = 'trusted'`)),
        },
      );
      await until(() => reasons.some((reason) => reason.includes("leave to work on confidential data")));
      expect([left, server.sql(`SELECT count(*) FROM ${schema}.offers`)]).toEqual([[], "0"]);
      await worker({ id: "trusted", accepts: ["confidential"] });
      expect(await asked).toEqual({ status: "value", value: 1 });
      expect(left).toEqual(["1"]);
      expect(server.sql(`SELECT DISTINCT taken_by FROM ${schema}.offers`)).toBe("trusted");
    }, 120_000);

    it("waits for labels and programs, and says what the nearest worker lacks", async () => {
      const { ask, worker } = await newTeam();
      const reasons: string[] = [];
      const needs = { labels: ["gpu"], programs: ["node"] };
      const asked = ask(
        "attempt:large#1",
        { does: "value", value: 1 },
        { needs, waits: (reason) => void reasons.push(reason) },
      );
      await until(() => reasons.some((reason) => reason.includes("no worker is there")));
      await worker({ id: "small" });
      await until(() => reasons.some((reason) => reason.includes("lacks the label gpu")));
      const other = new AbortController();
      const never = ask(
        "attempt:other#1",
        { does: "value", value: 1 },
        { needs: { programs: ["cobol"] }, signal: other.signal },
      );
      await worker({ id: "large", labels: ["gpu"] });
      expect(await asked).toMatchObject({ status: "value" });
      other.abort();
      expect(await never).toEqual({ status: "stopped" });
    }, 120_000);

    it("is taken as far as there is room, the most urgent first", async () => {
      const { ask, worker, folder, count, letGo } = await newTeam();
      await worker({ id: "one", capacity: 1 });
      const first = ask("attempt:first#1", { does: "held" });
      await until(() => count("start", "attempt:first#1") === 1);
      const rest = [9, 2, 5].map((priority) =>
        ask(`attempt:p${priority}#1`, { does: "value", value: priority }, { priority }),
      );
      await sleep(1_000);
      expect(marksIn(folder)).toHaveLength(1);
      letGo("attempt:first#1");
      await Promise.all([first, ...rest]);
      const begun = marksIn(folder).filter((mark) => mark.startsWith("start"));
      expect(begun.map((mark) => mark.split(" ")[1])).toEqual(
        ["first", "p2", "p5", "p9"].map((id) => `attempt:${id}#1`),
      );
    }, 120_000);

    it("is done by another worker when the one that had it was killed", async () => {
      const { ask, worker, count, letGo } = await newTeam();
      const victim = await worker({ id: "victim" });
      const asked = ask("attempt:taken#1", { does: "held" });
      await until(() => count("start", "attempt:taken#1") === 1);
      const heir = await worker({ id: "heir" });
      victim.process.kill("SIGKILL");
      await until(() => count("start", "attempt:taken#1") === 2);
      letGo("attempt:taken#1");
      expect(await asked).toEqual({ status: "value", value: "attempt:taken#1" });
      expect([count("end", "attempt:taken#1"), heir.said()]).toEqual([
        1,
        expect.stringContaining("which another worker had before"),
      ]);
    }, 120_000);

    it("goes on when its worker was stopped past its lease and nobody else had room: it is neither lost nor cancelled", async () => {
      const { ask, worker, count, letGo } = await newTeam();
      const stopped = await worker({ id: "stopped", labels: ["gpu"] });
      // Sees that the other one is gone, and may not have its work.
      await worker({ id: "other" });
      const id = "attempt:zombie#1";
      const asked = ask(id, { does: "held" }, { needs: { labels: ["gpu"] } });
      await until(() => count("start", id) === 1);
      stopped.process.kill("SIGSTOP");
      await sleep(LONG_MS);
      stopped.process.kill("SIGCONT");
      await until(() => count("start", id) === 2);
      letGo(id);
      expect([await asked, count("end", id)]).toEqual([{ status: "value", value: id }, 1]);
    }, 120_000);

    it.each([
      ["its workflow ended while the worker took it", "UPDATE W SET status = 'SUCCESS', output = END"],
      ["its workflow was removed with its run", "DELETE FROM W"],
    ])(
      "takes up no room of a worker in which it never began: %s",
      async (how, act) => {
        const { ask, worker, schema } = await newTeam();
        const small = await worker({ id: "small", capacity: 1 });
        await until(() => server.sql(`SELECT count(*) FROM ${schema}.workers`) === "1");
        const end = `'{"json":{"status":"stopped"},"__dbos_serializer":"superjson"}'`;
        const change = act.replace("W", `${schema}_engine.workflow_status`).replace("END", end);
        // At the commit that takes it, so that no worker can be quicker.
        server.sql(`
        CREATE FUNCTION ${schema}.strike() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN ${change} WHERE workflow_uuid = NEW.key; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER strike AFTER UPDATE OF taken_by ON ${schema}.offers DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW WHEN (NEW.key LIKE '%lost#1') EXECUTE FUNCTION ${schema}.strike()`);
        const given = new AbortController();
        const lost = ask("attempt:lost#1", { does: "value", value: 1 }, { signal: given.signal });
        await until(() => small.said().includes("takes run_engines:attempt:lost#1\n"));
        if (how.includes("removed")) given.abort();
        expect(await lost).toMatchObject({ status: given.signal.aborted ? "stopped" : "value" });
        expect(await ask("attempt:next#1", { does: "value", value: 2 })).toMatchObject({ value: 2 });
        small.process.kill("SIGTERM");
        expect(await small.ended).toBe(0);
      },
      120_000,
    );

    it("is not cancelled by a process that has lost the run to another one, which waits for it", async () => {
      const { ask, worker, count, letGo, replaceAsker, schema } = await newTeam();
      await worker({ id: "one" });
      const id = "attempt:kept#1";
      const lost = new AbortController();
      const before = ask(id, { does: "held" }, { signal: lost.signal });
      await until(() => count("start", id) === 1);
      lost.abort(new CoordinatorError("STORE_LOCKED", "another process carries out the run"));
      expect(await before).toEqual({ status: "stopped" });
      await replaceAsker();
      const after = ask(id, { does: "held" });
      expect(server.sql(`SELECT count(*) FROM ${schema}.offers WHERE cancelled_at IS NOT NULL`)).toBe("0");
      letGo(id);
      expect([await after, count("start", id), count("end", id)]).toEqual([{ status: "value", value: id }, 1, 1]);
    }, 120_000);

    it("begins with an agent as often as it may in a minute, over all workers, and no longer holds up others", async () => {
      const { ask, worker, schema, count } = await newTeam();
      await worker({ id: "one" });
      await worker({ id: "two" });
      const pace = { agent: "claude", perMinute: 2 };
      const all = [1, 2, 3, 4].map((n) => ask(`attempt:paced${n}#1`, { does: "value", value: n }, { pace }));
      const begun = () => [1, 2, 3, 4].filter((n) => count("start", `attempt:paced${n}#1`) > 0).length;
      await until(() => begun() === 2);
      // Of another agent, and behind them in the queue.
      await ask("attempt:free#1", { does: "value", value: 0 }, { priority: 9 });
      await ask("attempt:slow#1", { does: "value", value: 0 }, { priority: 9, pace: { agent: "codex", perMinute: 1 } });
      expect(begun()).toBe(2);
      // A minute later by the clock of the server.
      server.sql(`UPDATE ${schema}.agent_starts SET at = at - interval '61 s'`);
      await Promise.all(all);
      expect(server.sql(`SELECT agent, count(*) FROM ${schema}.agent_starts GROUP BY 1 ORDER BY 1`)).toBe(
        "claude|2\ncodex|1",
      );
    }, 120_000);

    it("is given back by a worker whose disk is full, and no failure of the work; it takes no more, and says why", async () => {
      const { ask, worker, folder, count, schema } = await newTeam();
      const reasons: string[] = [];
      writeFileSync(join(folder, "full-full"), "");
      const full = await worker({ id: "full" });
      const asked = ask(
        "attempt:moved#1",
        { does: "value", value: 1 },
        { waits: (reason) => void reasons.push(reason) },
      );
      await until(() => full.said().includes("gives"));
      writeFileSync(join(folder, "seen-full"), "");
      await until(() =>
        reasons.some((reason) => reason.includes("waits for another worker: the workspace cannot be made")),
      );
      await expect
        .poll(() => server.sql(`SELECT problem FROM ${schema}.workers`), { timeout: 30_000 })
        .toContain("the workspace cannot be made");
      await worker({ id: "roomy" });
      expect(await asked).toEqual({ status: "value", value: 1 });
      expect(count("start", "attempt:moved#1")).toBe(1);
      expect(await ask("attempt:next#1", { does: "value", value: 2 })).toEqual({ status: "value", value: 2 });
      expect(full.said()).not.toContain("attempt:next");
    }, 120_000);

    it("is finished by a worker that is told to end, which takes no more", async () => {
      const { ask, worker, count, letGo, schema } = await newTeam();
      const ending = await worker({ id: "ending" });
      const asked = ask("attempt:last#1", { does: "held" });
      await until(() => count("start", "attempt:last#1") === 1);
      ending.process.kill("SIGTERM");
      await expect.poll(() => server.sql(`SELECT draining FROM ${schema}.workers`), { timeout: 30_000 }).toBe("t");
      const reasons: string[] = [];
      const more = new AbortController();
      const next = ask(
        "attempt:after#1",
        { does: "value", value: 1 },
        { signal: more.signal, waits: (reason) => void reasons.push(reason) },
      );
      await until(() => reasons.some((reason) => reason.includes("no worker is there")));
      letGo("attempt:last#1");
      expect([await asked, await ending.ended]).toEqual([{ status: "value", value: "attempt:last#1" }, 0]);
      more.abort();
      expect([await next, count("start", "attempt:after#1")]).toEqual([{ status: "stopped" }, 0]);
    }, 120_000);

    it("of another version of the protocol is left to workers of that version", async () => {
      const { ask, worker, schema, count } = await newTeam();
      server.sql(`INSERT INTO ${schema}.workers (id, host, pid, version, protocol, abilities, capacity, valid_until)
        VALUES ('old', 'elsewhere', 1, '0.0.1', '0',
          '{"labels": [], "accepts": ["internal"], "sandbox": "strong", "without_sandbox": false, "agents": [], "lacks": []}', 1,
          clock_timestamp() + interval '1 hour')`);
      const reasons: string[] = [];
      const early = ask(
        "attempt:early#1",
        { does: "value", value: 0 },
        { waits: (reason) => void reasons.push(reason) },
      );
      await until(() => reasons.length > 0);
      expect(reasons).toEqual([expect.stringContaining("another version of this program: old has 0.0.1")]);
      expect(server.sql(`SELECT count(*) FROM ${schema}.offers`)).toBe("0");
      await worker({ id: "ours" });
      expect(await early).toEqual({ status: "value", value: 0 });
      server.sql(`INSERT INTO ${schema}.offers (key, run_id, effect_id, round, protocol, needs, priority, work)
      VALUES ('other', 'run_other', 'e', 1, '0', '{"data":"internal","labels":[],"programs":[],"sandbox":true}', 0, '{}')`);
      expect(await ask("attempt:ours#1", { does: "value", value: 1 })).toEqual({ status: "value", value: 1 });
      expect([
        server.sql(`SELECT taken_by IS NULL FROM ${schema}.offers WHERE key = 'other'`),
        count("end", "attempt:ours#1"),
      ]).toEqual(["t", 1]);
      // DBOS knows the work by that version, and not by a hash of this build.
      expect(server.sql(`SELECT DISTINCT application_version FROM ${schema}_engine.workflow_status`)).toBe("1");
    }, 120_000);
  },
);
