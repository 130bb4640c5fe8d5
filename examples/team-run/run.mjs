// The story of the first run, told by a team: the log is in a Postgres server of its own, two workers do the attempts and checks, and
// one of them is killed in the middle. Nothing is lost and nothing is done twice. No key and no network; everything goes at the end.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { carriedOut } from "../story.mjs";
import { expectEnding } from "../first-run/ending.mjs";
import { prepareFirstRun, SENTENCE } from "../first-run/prepare.mjs";
import { startPostgres } from "../../dist/testing/postgres-server.js";

const told = prepareFirstRun();
const { tell, show, git, coordinator, asked, start, folder } = told;
const TASKS = ["csv-export", "export-page", "file-names", "json-export", "release-note"];

tell("1. A Postgres server on a spare port, a bare git remote, and the project set to use both.");
const server = await startPostgres();
const workers = [];
try {
  const store = server.url("reports");
  const remote = join(folder, "remote.git");
  git("init", "-q", "--bare", remote);
  const moved = coordinator("migrate", "--to", store, "--engine", "dbos", "--remote", remote);
  assert.equal(moved.status, 0, moved.stdout + moved.stderr);
  show(moved.stdout);

  tell("2. One sentence becomes a plan, and a person approves it.");
  const planned = carriedOut(told, "run", SENTENCE, "--type", "technical");
  assert.equal(planned.status, 3, planned.stdout + planned.stderr);
  const [approve = ""] = planned.stdout.match(/coordinator approve \S+/) ?? [];
  const approved = coordinator(...approve.split(" ").slice(1));
  assert.equal(approved.status, 0, approved.stdout + approved.stderr);
  show(approved.stdout);

  tell("3. Two workers, each in a folder of its own.");
  for (const name of ["worker-1", "worker-2"]) {
    const place = join(folder, name);
    mkdirSync(place);
    const more = ["--folder", place, "--capacity", "2", ...planned.unsafe];
    workers.push({ name, ...start("worker", "--postgres", store, "--git", remote, ...more) });
  }
  await Promise.all(workers.map(({ hasSaid }) => hasSaid(/works for/)));
  show(coordinator("workers").stdout);

  tell("4. The run goes on. The first worker that has an attempt is killed with SIGKILL in the middle of it.");
  const running = start("run", "--last", ...planned.unsafe);
  const victim = await Promise.any(
    workers.map(async (worker) => {
      await worker.hasSaid(/takes run_\S*attempt/);
      return worker;
    }),
  );
  victim.kill("SIGKILL");
  await victim.ended;
  const [had] = /takes (\S+)/.exec(victim.said())?.slice(1) ?? [];
  show(`${victim.name} is dead; it had ${had}.`);
  assert.equal(await running.ended, 3, `the run waits on a person: ${running.said()}`);
  const survivor = workers.find((worker) => worker !== victim);
  assert.match(survivor.said(), new RegExp(`takes ${had.replaceAll(/[^\w-]/g, ".")}, which another worker had before`));
  show(`${survivor.name} took it over.`);

  tell("5. A person answers what the checks found, and the other worker does the rest.");
  const { entries } = asked("inbox");
  assert.equal(entries.length, 1);
  const answered = coordinator("answer", entries[0].id, "--order", "retry", "--note", "keep the trimming");
  assert.equal(answered.status, 0, answered.stdout + answered.stderr);
  const rest = coordinator("run", "--last", ...planned.unsafe);
  assert.equal(rest.status, 0, rest.stdout + rest.stderr);

  tell("6. Counted outside of the engine: in git, and in the tables of the store.");
  const { run_id } = asked("status", "last");
  const trailer = "--format=%(trailers:key=Coordinator-Task,valueonly,separator=%x20)";
  const merged = git("log", "--first-parent", trailer, `refs/coord/${run_id}/head`).split("\n").filter(Boolean).sort();
  assert.deepEqual(merged, TASKS, "every task is merged, and once");
  const count = (type) => Number(server.sql(`SELECT count(*) FROM reports.events WHERE type = '${type}'`));
  assert.equal(count("attempt_started"), count("attempt_finished"));
  show(
    [
      `workers killed:      1 of 2`,
      `tasks of the plan:   ${TASKS.length}`,
      `merged in git:       ${merged.length}, each once`,
      `lost:                ${TASKS.length - new Set(merged).size}`,
      `attempts in the log: ${count("attempt_started")} begun, ${count("attempt_finished")} ended`,
      `events in the store: ${server.sql("SELECT count(*) FROM reports.events")}`,
    ].join("\n"),
  );
  const verified = coordinator("verify", "last");
  assert.equal(verified.status, 0, verified.stdout + verified.stderr);
  show(verified.stdout);

  tell("7. The same files and the same events as when one machine does it alone (examples/first-run).");
  expectEnding(told, run_id);

  survivor.kill("SIGTERM");
  assert.equal(await survivor.ended, 0, survivor.said());
  console.log("\nNothing was lost.");
} finally {
  for (const { kill, ended } of workers) {
    kill("SIGKILL");
    await ended;
  }
  await server.remove();
}
