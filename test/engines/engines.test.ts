import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, it } from "vitest";
import { adoptOrVoid } from "../../src/hands/attempts/shim/adopt.js";
import { effectFolder, instancesOf } from "../../src/hands/attempts/shim/instance-folder.js";
import { shimSpawner } from "../../src/hands/attempts/shim/spawn-shim.js";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../src/testing/postgres-server.js";
import { WORK_CASES, type WorkUnderTest } from "../../src/testing/work-suite.js";
import { ensureBuilt } from "../build.js";
import { bodiesIn, here, makeTeam, newFolder, startTestWorker, until } from "./team.js";

/* Both engines hold to the same demands: shims of this machine, and workers that DBOS gives the work to. */

const clock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  wait: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
};

let server: PostgresServer;
let stores = 0;

const ENGINES: readonly {
  readonly name: string;
  readonly missing: string | null;
  readonly make: () => Promise<WorkUnderTest>;
}[] = [
  {
    name: "local",
    missing: null,
    async make() {
      const folder = newFolder();
      const place = (id: string) => effectFolder(join(folder, "effects"), id);
      const spawnShim = shimSpawner({
        argv: [process.execPath, here("./shim.mjs")],
        env: { PATH: process.env["PATH"] ?? "" },
      });
      const order = (input: unknown) => ({ body: "act", input, limit_ms: 60_000, grace_ms: 200 });
      const shims = { spawnShim, limit: 1, clock };
      return {
        ...bodiesIn(folder),
        until,
        ask: (id, body, { signal = new AbortController().signal, ...told } = {}) =>
          adoptOrVoid(place(id), { order: order({ id, folder, body }), ...shims, signal, ...told }),
        stop: async (id) =>
          void (await adoptOrVoid(place(id), { order: order(null), ...shims, signal: AbortSignal.abort() })),
        goesOn: async (id) => instancesOf(place(id)).length > 0,
        // What is known of an effect is in its folder and nowhere else.
        replaceAsker: async () => undefined,
      };
    },
  },
  {
    name: "dbos",
    missing: whyNoPostgres(),
    async make() {
      const store = server.url(`engines_${++stores}`);
      const team = await makeTeam(store);
      await startTestWorker(store, team.folder, { id: "one", capacity: 4 });
      return {
        ...bodiesIn(team.folder),
        until,
        async ask(id, body, told) {
          const end = await team.ask(id, body, told);
          if (end.status === "value") return { status: "done", value: end.value };
          if (end.status === "failed") return { status: "crashed", message: end.message };
          return { status: "stopped" };
        },
        stop: (id) => team.distributor().cancel(id),
        goesOn: (id) => team.distributor().goesOn(id),
        replaceAsker: team.replaceAsker,
      };
    },
  },
];

beforeAll(async () => {
  ensureBuilt();
  if (whyNoPostgres() === null) server = await startPostgres();
}, 300_000);
afterAll(() => server?.remove());

describe.each(ENGINES)("the engine $name", ({ missing, make }) => {
  for (const { name, run } of WORK_CASES)
    it.skipIf(missing !== null)(
      `${name}${missing === null ? "" : ` (skipped: ${missing})`}`,
      async () => run(await make()),
      120_000,
    );
});
