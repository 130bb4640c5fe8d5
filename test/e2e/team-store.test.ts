import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../src/testing/postgres-server.js";
import { ensureBuilt } from "../build.js";
import { makeProject, PROGRAM, type Project, promptOf, type Steps } from "./project.js";

/* The same plan carried out on either store: the same tree, the same log, and every command works. */

const missing = whyNoPostgres();
const PASSWORD = "canary-password-of-the-team";
const TASKS = [
  { id: "one", dependencies: [] },
  { id: "two", dependencies: [] },
  { id: "three", dependencies: ["one", "two"] },
];

function newProject(before: Steps = []): Project {
  return makeProject({
    files: {
      "docs/book.txt": "A book.\n",
      "check.sh": 'grep -q book docs/book.txt && echo "ok 1 - a book"; echo "1..1"\n',
    },
    tasks: TASKS,
    script: TASKS.map(({ id }) => ({
      prompt_has: promptOf(id),
      steps: [...before, { write: `docs/${id}.txt`, text: `${id}\n` }, { say: "DOCS_COMPLETE" }],
    })),
    configuration: { checks: [{ name: "test", kind: "test", run: "sh check.sh", report: { format: "tap" } }] },
  });
}

interface Logged {
  readonly event: { readonly type: string; readonly task_id?: string };
}

describe.skipIf(missing !== null)(
  `a run in the store of a team${missing === null ? "" : ` (skipped: ${missing})`}`,
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      ensureBuilt();
      server = await startPostgres();
      server.sql(`CREATE ROLE team LOGIN PASSWORD '${PASSWORD}'; CREATE SCHEMA handbook AUTHORIZATION team`);
      const file = join(server.folder, "data", "pg_hba.conf");
      writeFileSync(file, `host all team 127.0.0.1/32 scram-sha-256\n${readFileSync(file, "utf8")}`);
      server.sql("SELECT pg_reload_conf()");
    }, 600_000);
    afterAll(() => server?.remove());

    it("ends in the identical tree with an equal log, and every command works as on SQLite", () => {
      const outputs: string[] = [];
      const caller =
        ({ project, environment }: Project, more: Record<string, string> = {}) =>
        (code: number, ...args: string[]) => {
          const ran = spawnSync(process.execPath, [PROGRAM, ...args], {
            cwd: project,
            env: { ...environment, ...more },
            encoding: "utf8",
            timeout: 240_000,
          });
          outputs.push(ran.stdout, ran.stderr);
          expect([args, ran.status, ran.stdout + ran.stderr]).toEqual([args, code, expect.anything()]);
          return ran.stdout;
        };
      const json = (text: string) => JSON.parse(text) as Record<string, unknown>;
      const here = newProject();
      const team = newProject();
      const alone = caller(here);
      const call = caller(team, { COORDINATOR_STORE_PASSWORD: PASSWORD });

      // Before anything is begun: a wrong password, then the right one.
      const address = server.url("handbook", "team");
      const refused = caller(team, { COORDINATOR_STORE_PASSWORD: "canary-that-is-wrong" });
      refused(4, "migrate", "--to", address);
      expect(existsSync(join(team.project, ".coordinator", "store.json"))).toBe(false);
      call(0, "migrate", "--to", address);

      for (const act of [alone, call]) {
        act(0, "status");
        act(0, "run", "--plan", "plan", "--yes");
        act(0, "verify", "last");
        act(0, "inbox");
      }
      const runOf = (act: typeof alone) => String(json(act(0, "status", "last", "--json"))["run_id"]);
      const treeOf = (project: Project, runId: string) => project.git("rev-parse", `refs/coord/${runId}/head^{tree}`);
      const [first, second] = [runOf(alone), runOf(call)];
      expect(treeOf(team, second)).toBe(treeOf(here, first));
      call(0, "explain", "three", "--run", second);
      call(0, "export", second, "--out", join(team.folder, "tape.jsonl"));
      alone(0, "export", first, "--out", join(here.folder, "tape.jsonl"));
      expect(typesIn(join(team.folder, "tape.jsonl"))).toEqual(typesIn(join(here.folder, "tape.jsonl")));
      expect(existsSync(join(team.project, ".coordinator", "runs.db"))).toBe(false);

      // Another clone sees the run, and its records are those that the log names.
      const other = newProject();
      const there = caller(other, { COORDINATOR_STORE_PASSWORD: PASSWORD });
      there(0, "migrate", "--to", address);
      expect(runOf(there)).toBe(second);
      expect(there(5, "verify", second)).not.toMatch(/record ".*is missing/);

      const verdict = call(0, "verify", second, "--json");
      call(0, "migrate", "--to", "sqlite");
      expect(caller(team)(0, "verify", second, "--json")).toBe(verdict);

      expect(outputs.join("\n")).not.toContain("canary");
      const kept = readdirSync(join(team.project, ".coordinator"), { recursive: true, withFileTypes: true });
      for (const entry of kept.filter((each) => each.isFile()))
        expect([entry.name, readFileSync(join(entry.parentPath, entry.name), "latin1").includes("canary")]).toEqual([
          entry.name,
          false,
        ]);
      expect(server.sql("SELECT count(*) FROM handbook.events WHERE event LIKE '%canary%'")).toBe("0");
    }, 600_000);

    it("is resumed when its coordinator was killed, while another clone watches it to its end", async () => {
      const [team, other] = [newProject([{ sleep: 1500 }]), newProject([{ sleep: 1500 }])];
      const url = server.url("resumed");
      const started = ({ project, environment }: Project, ...args: string[]) => {
        const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: project, env: environment });
        onTestFinished(() => void child.kill("SIGKILL"));
        let said = "";
        for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += String(text)));
        return { child, said: () => said, ended: once(child, "close").then(([code]) => code as number | null) };
      };
      for (const project of [team, other]) expect(await started(project, "migrate", "--to", url).ended).toBe(0);
      const run = started(team, "run", "--plan", "plan", "--yes");
      const attempts = () => server.sql("SELECT count(*) FROM resumed.events WHERE type = 'attempt_started'");
      await expect.poll(attempts, { timeout: 120_000 }).not.toBe("0");
      const watching = started(other, "watch", "last", "--json");
      await expect.poll(watching.said, { timeout: 60_000 }).toContain("attempt_started");
      run.child.kill("SIGKILL");
      await run.ended;
      const resumed = started(team, "run", "--last");
      expect([await resumed.ended, resumed.said()]).toEqual([0, expect.anything()]);
      expect([await watching.ended, watching.said()]).toEqual([0, expect.stringContaining('"status":"completed"')]);
      const integrated = "SELECT count(*), count(DISTINCT event::json->>'task_id') FROM resumed.events";
      expect(server.sql(`${integrated} WHERE type = 'integration_finished'`)).toBe("3|3");
      expect(await started(team, "verify", "last").ended).toBe(0);
      const [runId] = server.sql("SELECT run_id FROM resumed.runs").split("\n");
      expect(team.git("ls-tree", "--name-only", `refs/coord/${runId}/head`, "docs/").split("\n")).toEqual(
        ["book", "one", "three", "two"].map((name) => `docs/${name}.txt`),
      );
    }, 300_000);
  },
);

/** What happened to which task; tasks that run side by side may end in either order. */
function typesIn(tape: string): string[] {
  return readFileSync(tape, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Partial<Logged>)
    .flatMap(({ event }) => (event === undefined ? [] : [`${event.type} ${event.task_id ?? ""}`]))
    .sort();
}
