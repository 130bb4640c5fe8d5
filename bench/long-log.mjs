// A log of a million events and what it costs to open its store, to look at its run and to follow it, each as a command of
// its own. Most of its events are uses of tools, as in a run of many hours. Prints one JSON document.
//   node bench/long-log.mjs [events] [rounds]
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openRuns } from "../dist/app/project/open-runs.js";
import { stateFolder } from "../dist/app/project/state-folder.js";
import { amounts, opening } from "./opening.mjs";

const EVENTS = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 5);
const TASKS = 1000;
/** Where in the run its log ends: most tasks are done, ten are at work. */
const DONE = TASKS - 20;
const RUN = "run_long";
const AT_ONCE = 1000;
/** So many events stand behind the last snapshot, which is nearly as many as there may be. */
const BEHIND = 4500;
const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

function* eventsOfRun() {
  yield* opening(TASKS);
  const uses = Math.floor((EVENTS - 3 - DONE * 5) / (DONE + 10));
  for (let i = 0; i < DONE; i++) {
    yield* attempt(i, uses);
    yield { type: "attempt_finished", ...ids(i), outcome: { kind: "completed", output_ref: "refs/coord/x" }, usage };
    yield { type: "verification_finished", ...ids(i), verdict: "PASS", evidence: "" };
    yield { type: "integration_finished", ...ids(i), integrated: true, ref: "refs/coord/run" };
    yield { type: "review_finished", ...ids(i), accepted: true, summary: "" };
  }
  for (let i = DONE; i < DONE + 10; i++) yield* attempt(i, uses);
}

const usage = { amounts, source: "reported" };
const ids = (i) => ({ task_id: `T${i}`, attempt: 1 });

function* attempt(i, uses) {
  yield { type: "attempt_started", ...ids(i), agent: "builder", reserved: amounts };
  for (let use = 0; use < uses; use++)
    yield {
      type: "tool_judged",
      ...ids(i),
      use: {
        tool_call_id: `call-${i}-${use}`,
        stage: "deed",
        kind: "edit",
        title: `Edit src/part-${i}/file-${use}.ts`,
        paths: [{ path: `src/part-${i}/file-${use}.ts`, access: "write" }],
        command: null,
        hosts: [],
      },
      judgement: { decision: "allow", rule_id: "scope_write", reason: "in the scope of the task" },
    };
}

/** Appends the next events to the log, up to one. */
async function write(folder, events, from, to) {
  const store = await openRuns(stateFolder(folder));
  let sequence = from;
  let batch = [];
  const append = async () => {
    const result = await store.append(RUN, sequence, batch);
    if (result.status !== "appended") throw new Error(result.status);
    sequence += batch.length;
    batch = [];
  };
  while (sequence + batch.length < to) {
    const { value: event, done } = events.next();
    if (done) break;
    const clock_ms = sequence + batch.length;
    batch.push({ event, at: new Date(Date.parse("2026-01-01T00:00:00Z") + clock_ms).toISOString(), clock_ms });
    if (batch.length === AT_ONCE) await append();
  }
  if (batch.length > 0) await append();
  await store.close();
  return sequence;
}

/** Wall and CPU milliseconds of a command and of all it starts; the least wall of the rounds, and the CPU of that round. */
function cost(folder, args, rounds = ROUNDS) {
  const script = `"$@" >/dev/null 2>&1; times`;
  let least = { wall_ms: Infinity, cpu_ms: Infinity };
  for (let round = 0; round < rounds; round++) {
    const before = performance.now();
    const told = execFileSync("sh", ["-c", script, "sh", process.execPath, ...args], { cwd: folder, encoding: "utf8" });
    const wall_ms = performance.now() - before;
    const [, children = ""] = told.trim().split("\n");
    const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, rest]) => 60 * minutes + Number(rest));
    const cpu_ms = 1000 * seconds.reduce((sum, each) => sum + each, 0);
    if (wall_ms < least.wall_ms) least = { wall_ms, cpu_ms };
  }
  return least;
}

const OPEN = `
  const { openRuns } = await import(${JSON.stringify(new URL("../dist/app/project/open-runs.js", import.meta.url))});
  const { stateFolder } = await import(${JSON.stringify(new URL("../dist/app/project/state-folder.js", import.meta.url))});
  const store = await openRuns(stateFolder(process.cwd()));
  if ((await store.claim("${RUN}")).status !== "claimed") throw new Error("the run is held");
  await store.close();`;

const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-"));
try {
  execFileSync("git", ["init", "--quiet", folder]);
  const all = eventsOfRun();
  const before = await write(folder, all, 0, EVENTS - BEHIND);
  const status = [program, "status", RUN];
  const first = cost(folder, status, 1);
  const events = await write(folder, all, before, EVENTS);
  const follow = [program, "watch", RUN, "--from", String(events), "--idle", "0"];
  const rows = [
    { name: "the store opened to write, and the run claimed", ...cost(folder, ["--input-type=module", "-e", OPEN]) },
    { name: "`status`", ...cost(folder, [program, "status"]) },
    { name: "`status RUN`", ...cost(folder, status) },
    { name: "`inbox`", ...cost(folder, [program, "inbox"]) },
    { name: "`watch RUN`, from the end", ...cost(folder, follow) },
  ];
  const megabytes = statSync(stateFolder(folder).database).size / 1e6;
  console.log(JSON.stringify({ events, megabytes, first, rows }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
