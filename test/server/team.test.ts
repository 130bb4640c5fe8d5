import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { writeStoreSetting } from "../../src/app/store/store-setting.js";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../src/testing/postgres-server.js";
import { ensureBuilt } from "../build.js";
import { PROGRAM } from "../e2e/project.js";
import { startWorker } from "../e2e/workers.js";
import { approve, desk, projectOf, standing, submitted } from "./desk.js";
import { send, serve, until } from "./served.js";

/* A server of one clone, with the runs in the store of a team; people decide in another clone, where no server is. */

interface Listed {
  readonly workers: readonly { readonly doing: readonly object[] }[];
}

const missing = whyNoPostgres();
let server: PostgresServer;

describe.skipIf(missing !== null)(
  `a server with the store of a team${missing === null ? "" : ` (skipped: ${missing})`}`,
  () => {
    beforeAll(async () => {
      ensureBuilt();
      server = await startPostgres();
    }, 300_000);
    afterAll(() => server?.remove());

    it("goes on with a run when it was approved in another clone, through a restart of the database", async () => {
      const url = server.url("served");
      const here = desk();
      expect(here.call("migrate", "--to", url).code).toBe(0);
      const there = join(here.cwd, "..", "other");
      here.git("clone", "-q", here.cwd, there);
      mkdirSync(join(there, ".coordinator"));
      writeStoreSetting(stateFolder(there), url);
      const callThere = (...args: string[]) => {
        const ran = spawnSync(process.execPath, [PROGRAM, ...args, "--json"], {
          cwd: there,
          env: here.env,
          encoding: "utf8",
        });
        return { code: ran.status, json: JSON.parse(ran.stdout) as Record<string, unknown> };
      };

      const served = await serve(here);
      const asked = await submitted(served);
      expect(existsSync(join(here.cwd, ".coordinator", "runs.db"))).toBe(false);
      await server.kill();
      await server.start();
      const { code, json } = callThere("approve", asked.entry, "--run", asked.run, "--by", "grace");
      expect([code, json["status"], json["by"]]).toEqual([0, "taken", "grace"]);
      await standing(served, asked.project, asked.run, "completed");
      const late = callThere("reject", asked.entry, "--run", asked.run, "--reason", "no", "--by", "bob");
      expect([late.code, late.json["reason"]]).toEqual([4, expect.stringContaining("decided by grace already")]);
      expect(callThere("status", asked.run).json).toMatchObject({ run_id: asked.run, status: "completed" });

      const secret = here.json("token", "add", "watcher", "--role", "admin")["secret"] as string;
      const metrics = async () =>
        (await send(`${served.url}/metrics`, { headers: { authorization: `Bearer ${secret}` } })).text;
      const ended = await until(async () =>
        /coordinator_runs_total\{[^}]*status="completed"[^}]*\} 1/.test(await metrics()),
      );
      expect(ended).toBe(true);
      await served.kill("SIGTERM");
      expect(served.said()).not.toContain("not logged any more");
    }, 240_000);

    it("lists the workers of the store, and says when the store does not answer", async () => {
      const store = server.url("listed");
      const here = desk();
      const folder = join(here.cwd, "..");
      const remote = join(folder, "remote.git");
      here.git("init", "-q", "--bare", remote);
      expect(here.call("migrate", "--to", store, "--engine", "dbos", "--remote", remote).code).toBe(0);
      const served = await serve(here);
      const project = await projectOf(served);
      const stores = async () => (await served.ask("/workers")).json.stores as Listed[];
      expect(await stores()).toMatchObject([{ projects: [project], workers: [], waiting: [], problem: null }]);

      const worker = startWorker(
        { folder, environment: here.env },
        { store, remote, name: "one", more: ["--labels", "large"] },
      );
      await worker.hasSaid("works for");
      const asked = await submitted(served);
      await approve(served, asked.project, asked.run, asked.entry);
      const doing = await until(async () => {
        const [found] = (await stores())[0]?.workers ?? [];
        return found !== undefined && found.doing.length > 0 ? found : null;
      });
      expect(doing).toMatchObject({ abilities: { labels: ["large"] }, doing: [{ run_id: asked.run }] });
      await standing(served, asked.project, asked.run, "completed");

      await server.kill();
      const [away] = await stores();
      expect(away).toMatchObject({ projects: [project], workers: [], problem: { code: "STORE_UNREACHABLE" } });
      await server.start();
      await served.kill("SIGTERM");
    }, 240_000);
  },
);
