import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../src/testing/postgres-server.js";
import { ensureBuilt } from "../build.js";
import { makeProject, PROGRAM, type Project, promptOf } from "./project.js";
import { startWorker } from "./workers.js";

/* The same plan carried out on this machine and by workers: the same tree, the same log. */

const missing = whyNoPostgres();
const TASKS = [
  { id: "one", dependencies: [] },
  { id: "two", dependencies: [] },
  { id: "three", dependencies: ["one", "two"] },
];

function newProject(): Project {
  return makeProject({
    files: {
      "docs/book.txt": "A book.\n",
      "check.sh": 'grep -q book docs/book.txt && echo "ok 1 - a book"; echo "1..1"\n',
    },
    tasks: TASKS,
    script: TASKS.map(({ id }) => ({
      prompt_has: promptOf(id),
      steps: [{ write: `docs/${id}.txt`, text: `${id}\n` }, { say: "DOCS_COMPLETE" }],
    })),
    configuration: { checks: [{ name: "test", kind: "test", run: "sh check.sh", report: { format: "tap" } }] },
  });
}

function remoteOf({ folder, environment }: Project): string {
  const remote = join(folder, "remote.git");
  spawnSync("git", ["init", "-q", "--bare", remote], { env: environment });
  return remote;
}

function caller({ project, environment }: Project) {
  return (code: number, ...args: string[]): string => {
    const ran = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: project,
      env: environment,
      encoding: "utf8",
      timeout: 240_000,
    });
    if (ran.status !== code)
      throw new Error(`coordinator ${args.join(" ")} ended with ${ran.status}:\n${ran.stdout}${ran.stderr}`);
    return ran.stdout + ran.stderr;
  };
}

describe.skipIf(missing !== null)(
  `a run that workers carry out${missing === null ? "" : ` (skipped: ${missing})`}`,
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      ensureBuilt();
      server = await startPostgres();
    }, 600_000);
    afterAll(() => server?.remove());

    it("ends in the identical tree with an equal log as one on this machine", async () => {
      const here = newProject();
      const team = newProject();
      const [alone, call] = [caller(here), caller(team)];
      const remote = remoteOf(team);
      const store = server.url("story");
      call(0, "migrate", "--to", store, "--engine", "dbos", "--remote", remote);
      const workers = ["first", "second"].map((name) => startWorker(team, { store, remote, name }));
      await Promise.all(workers.map(({ hasSaid }) => hasSaid("works for")));
      expect(call(0, "workers")).toContain("0 of 2");

      for (const act of [alone, call]) {
        act(0, "run", "--plan", "plan", "--yes");
        act(0, "verify", "last");
      }
      const runOf = (act: typeof alone) =>
        (JSON.parse(act(0, "status", "last", "--json")) as { run_id: string }).run_id;
      const [first, second] = [runOf(alone), runOf(call)];
      const treeOf = ({ git }: Project, runId: string) => git("rev-parse", `refs/coord/${runId}/head^{tree}`);
      expect(treeOf(team, second)).toBe(treeOf(here, first));
      call(0, "export", second, "--out", join(team.folder, "tape.jsonl"));
      alone(0, "export", first, "--out", join(here.folder, "tape.jsonl"));
      expect(eventsIn(join(team.folder, "tape.jsonl"))).toEqual(eventsIn(join(here.folder, "tape.jsonl")));

      // The branch is on the remote, and nothing but refs of the Coordinator.
      const refs = team
        .git("ls-remote", remote)
        .split("\n")
        .map((line) => line.split("\t").at(-1) ?? "");
      expect(refs).toContain(`refs/coord/${second}/head`);
      expect(refs.filter((ref) => !ref.startsWith("refs/coord/"))).toEqual([]);
      expect(server.sql("SELECT count(*) FROM story.offers")).toBe("0");

      for (const { process: worker } of workers) worker.kill("SIGTERM");
      expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0]);
      const said = workers.map((worker) => worker.said()).join("\n");
      expect(said.match(/has done run_\S+:attempt:/g)).toHaveLength(3);
      expect(said.match(/has done run_\S+:verify:/g)).toHaveLength(3);
      expect(server.sql("SELECT count(*) FROM story.workers")).toBe("0");
    }, 600_000);

    it("goes on when a worker and the coordinator are killed, and takes every task once", async () => {
      const team = newProject();
      const call = caller(team);
      const remote = remoteOf(team);
      const store = server.url("deaths");
      call(0, "migrate", "--to", store, "--engine", "dbos", "--remote", remote);
      const first = startWorker(team, { store, remote, name: "first" });
      await first.hasSaid("works for");
      const coordinator = spawn(process.execPath, [PROGRAM, "run", "--plan", "plan", "--yes"], {
        cwd: team.project,
        env: team.environment,
        stdio: "ignore",
      });
      const ended = once(coordinator, "close");
      await first.hasSaid(/takes run_\S+:attempt:/);
      first.process.kill("SIGKILL");
      const second = startWorker(team, { store, remote, name: "second" });
      await second.hasSaid(/takes run_\S+, which another worker had before/);
      coordinator.kill("SIGKILL");
      await ended;

      call(0, "run", "--resume", "last", "--yes");
      expect(call(0, "verify", "last")).toContain("Verified");
      const runId = (JSON.parse(call(0, "status", "last", "--json")) as { run_id: string }).run_id;
      // Counted in git, outside of the engine: each task's file came onto the branch once.
      for (const { id } of TASKS)
        expect([id, team.git("log", "--format=%s", `refs/coord/${runId}/head`, "--", `docs/${id}.txt`)]).toEqual([
          id,
          `Write ${id}`,
        ]);
      second.process.kill("SIGTERM");
      expect(await second.ended).toBe(0);
    }, 600_000);
  },
);

/** What happened, without when, where and under which ids; tasks that run side by side may end in either order. */
function eventsIn(tape: string): string[] {
  return readFileSync(tape, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { event?: { type: string; task_id?: string } })
    .flatMap(({ event }) => (event === undefined ? [] : [`${event.type} ${event.task_id ?? ""}`]))
    .sort();
}
