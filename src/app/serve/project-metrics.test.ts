import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { opening, planRef, runTask } from "../../testing/run-fixtures.js";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../testing/postgres-server.js";
import { step } from "../../mind/run/transition.js";
import { NEW_RUN } from "../../mind/run/state.js";
import { openRuns } from "../project/open-runs.js";
import { stateFolder } from "../project/state-folder.js";
import { writeStoreSetting } from "../store/store-setting.js";
import { createProjectMetrics } from "./project-metrics.js";

const missing = whyNoPostgres();

describe.skipIf(missing !== null)(
  `figures of a team's store${missing === null ? "" : ` (skipped: ${missing})`}`,
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    }, 90_000);
    afterAll(() => server?.remove());

    it("say how deep the queue is, how long the oldest waits, how old leases are, and which open runs nobody carries out", async () => {
      const root = mkdtempSync(join(tmpdir(), "coordinator-figures-"));
      onTestFinished(() => rmSync(root, { recursive: true, force: true }));
      const at = stateFolder(root);
      writeStoreSetting(at, server.url("figures"));
      const store = await openRuns(at);
      onTestFinished(() => store.close());
      let nowMs = Date.parse("2026-02-03T04:05:06Z");
      const metrics = createProjectMetrics(at, () => new Date(nowMs).toISOString());
      const figures = async () => {
        const { now } = await metrics.collect();
        return Object.fromEntries(now.map(({ instrument, value }) => [instrument.name, value]));
      };
      // Three tasks and one place.
      const plan = planRef([runTask("A"), runTask("B"), runTask("C")]);
      let state = NEW_RUN;
      const events = opening(plan, { plan_needs_approval: false, max_concurrent_tasks: 1 }).flatMap((event) => {
        const taken = step(state, event, 1);
        state = taken.state;
        return taken.events;
      });
      const rows = events.map((event) => ({ event, at: "2026-02-03T04:05:06Z", clock_ms: 1 }));
      for (const run of ["run_open", "run_lost"]) {
        await store.claim(run);
        await store.append(run, 0, rows);
      }
      expect(await figures()).toMatchObject({
        "coordinator.tasks.queued": 4,
        "coordinator.tasks.oldest": 0,
        "coordinator.leases.lost": 0,
      });
      nowMs += 60_000;
      server.sql(`UPDATE figures.leases SET holder = 'another', place = 'elsewhere', valid_until = clock_timestamp() - interval '55 s'
      WHERE run = (SELECT number FROM figures.runs WHERE run_id = 'run_lost')`);
      // For one term after its start a server counts every lease as valid.
      await expect.poll(async () => (await figures())["coordinator.leases.lost"], { timeout: 20_000 }).toBe(1);
      const later = await figures();
      expect(later["coordinator.tasks.oldest"]).toBe(60);
      expect(later["coordinator.lease.age"]).toBeGreaterThanOrEqual(60);
      // A piece of work that has waited for a minute, one that a worker has, and two workers of which one is gone.
      expect(later).toMatchObject({
        "coordinator.work.waiting": 0,
        "coordinator.work.oldest": 0,
        "coordinator.workers": 0,
      });
      server.sql(`INSERT INTO figures.offers (key, run_id, effect_id, round, protocol, needs, priority, work, asked_at, taken_by) VALUES
        ('a', 'run_open', 'a', 1, '1', '{}', 1, '{}', clock_timestamp() - interval '60 s', NULL),
        ('b', 'run_open', 'b', 1, '1', '{}', 1, '{}', clock_timestamp() - interval '90 s', 'one')`);
      server.sql(`INSERT INTO figures.workers (id, host, pid, version, protocol, abilities, capacity, valid_until) VALUES
        ('one', 'h', 1, '1', '1', '{}', 2, clock_timestamp() + interval '60 s'),
        ('two', 'h', 2, '1', '1', '{}', 2, clock_timestamp() - interval '60 s')`);
      const worked = await figures();
      expect(worked).toMatchObject({ "coordinator.work.waiting": 1, "coordinator.workers": 1 });
      expect(Math.round((worked["coordinator.work.oldest"] ?? 0) / 10)).toBe(6);
      await store.release("run_open");
      server.sql("DELETE FROM figures.leases");
      expect(await figures()).toMatchObject({ "coordinator.lease.age": 0, "coordinator.leases.lost": 0 });
    }, 60_000);
  },
);
