// The cost of a durable task with workers: beside DBOS' own queued children that do nothing, and beside the local engine; how much
// 1, 2 and 4 workers do; and how long it takes until the work of a worker that was killed begins again. Prints JSON.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once, setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { carryOut } from "../dist/hands/engine/carry-out.js";
import { parseAddress } from "../dist/hands/store/postgres/address.js";
import { openConnections } from "../dist/hands/store/postgres/connection.js";
import { openPostgresStore } from "../dist/hands/store/postgres/open-postgres-store.js";
import { openDistributor } from "../dist/hands/workers/distributor.js";
import { Configuration } from "../dist/model/settings/configuration.js";
import { startPostgres as startTestServer } from "../dist/testing/postgres-server.js";
import { amounts, opening, planRef, runTask } from "../dist/testing/run-fixtures.js";
import { WORKLOADS } from "./plans.mjs";
import { startPostgres } from "./postgres.mjs";

const ROUNDS = 3;
const AT_ONCE = 64;
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const NEEDS = { labels: [], data: "internal", sandbox: true, programs: [] };
const never = new AbortController().signal;
// Each piece of work that is under way listens to it.
setMaxListeners(0, never);
const clock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
};
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** A piece of work in the form that workers know; `ms` is how long it takes. */
const workOf = (ms) => ({
  kind: "proof",
  run_id: "run_bench",
  attempt: 1,
  task: runTask("T", { title: String(ms) }),
  result: {
    outcome: { kind: "completed", output_ref: "r" },
    usage: { amounts: amounts(1), source: "reported" },
    output: "",
    session_id: null,
    home: null,
    grade: "strong",
    base: "0".repeat(40),
    commit: null,
    ref: null,
    changes: [],
    gate: null,
    reported: [],
    salvage: null,
    notices: [],
  },
  waivers: [],
  configuration: Configuration.parse({}),
  pristine: "0".repeat(40),
  nothing_due: false,
  unsafe_no_sandbox: false,
});

async function startWorker(store, id, capacity) {
  const child = spawn(process.execPath, [here("./distributed-worker.mjs"), JSON.stringify({ store, id, capacity })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  while (!said.includes("ready")) await sleep(20);
  return {
    said: () => said,
    kill: async (signal) => {
      const gone = once(child, "close");
      child.kill(signal);
      await gone;
    },
  };
}

/** One run of the plan: attempts by workers, everything else here and at once. */
async function carryOutPlan(store, name, ms) {
  const options = { address: parseAddress(store), password: () => "" };
  const log = await openPostgresStore({ ...options, sha256 });
  const connections = await openConnections(options);
  const distributor = await openDistributor(name, connections, options);
  const runner = {
    repeatable: new Set(["verify", "review_level"]),
    run: async (_run, { kind, id, task_id, attempt }) => {
      if (kind === "verify") return { type: "verification_finished", task_id, attempt, verdict: "PASS", evidence: "" };
      if (kind === "integrate") return { type: "integration_finished", task_id, attempt, integrated: true, ref: "r" };
      if (kind === "review_level") return { type: "review_finished", task_id, attempt, accepted: true, summary: "" };
      const nothing = () => undefined;
      const told = { signal: never, onNote: nothing, waits: nothing };
      await distributor.request({ effect: { id }, needs: NEEDS, priority: 1, work: async () => workOf(ms), ...told });
      const usage = { amounts: amounts(1), source: "reported" };
      return { type: "attempt_finished", task_id, attempt, outcome: { kind: "completed", output_ref: "r" }, usage };
    },
  };
  const tasks = WORKLOADS["layered-300"].plan.map(({ id, needs }) => runTask(id, { dependencies: needs }));
  const began = performance.now();
  const run = await carryOut(name, { store: log, runner, clock });
  const plan = planRef(tasks, { budget: amounts(1e9) });
  for (const event of opening(plan, { plan_needs_approval: false, max_concurrent_tasks: AT_ONCE }))
    await run.signal(event);
  const { status } = await run.settled();
  const took = performance.now() - began;
  if (status !== "completed") throw new Error(`the run ended as ${status}`);
  await distributor.forget();
  await distributor.close();
  await connections.close();
  await log.close();
  return took / tasks.length;
}

/** The median over some rounds, in milliseconds a task, with as many workers. */
async function measureWorkers(server, workers, ms, capacity) {
  const store = server.url(`bench_${workers}_${ms}`);
  const options = { address: parseAddress(store), password: () => "" };
  await (await openPostgresStore({ ...options, sha256 })).close();
  const team = [];
  for (let i = 0; i < workers; i++) team.push(await startWorker(store, `w${i}`, capacity));
  const times = [];
  for (let round = 0; round <= ROUNDS; round++) times.push(await carryOutPlan(store, `run_${round}`, ms));
  for (const worker of team) await worker.kill("SIGKILL");
  // The first round is not counted.
  return { median: median(times.slice(1)), min: Math.min(...times.slice(1)), max: Math.max(...times.slice(1)) };
}

/** From SIGKILL of the worker that had something to its beginning on the other one. */
async function measureTakeOver(server) {
  const store = server.url("bench_deaths");
  const options = { address: parseAddress(store), password: () => "" };
  await (await openPostgresStore({ ...options, sha256 })).close();
  const connections = await openConnections(options);
  const distributor = await openDistributor("run_deaths", connections, options);
  const times = [];
  let heir = await startWorker(store, "d0", 2);
  for (let n = 1; n <= 5; n++) {
    const victim = heir;
    const id = `attempt:T${n}#1`;
    const nothing = () => undefined;
    const told = { signal: never, onNote: nothing, waits: nothing };
    const asked = distributor.request({
      effect: { id },
      needs: NEEDS,
      priority: 1,
      work: async () => workOf(1_000),
      ...told,
    });
    while (!victim.said().includes(`begins run_deaths:${id}`)) await sleep(5);
    heir = await startWorker(store, `d${n}`, 2);
    // Killed in the middle, so that it must be done again.
    const before = performance.now();
    await victim.kill("SIGKILL");
    while (!heir.said().includes(`begins run_deaths:${id}`)) {
      await sleep(5);
      if (performance.now() - before > 60_000) throw new Error("nobody took it over");
    }
    times.push(performance.now() - before);
    await asked;
  }
  await heir.kill("SIGKILL");
  await distributor.close();
  await connections.close();
  return { median: median(times), min: Math.min(...times), max: Math.max(...times) };
}

/** That plan by another engine, in a process of its own: milliseconds a task. */
function measureOther(engine, postgres) {
  const env = {
    ...process.env,
    NODE_NO_WARNINGS: "1",
    ...(postgres === null ? {} : { BENCH_DATABASE_URL: postgres.freshUrl() }),
  };
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (postgres !== null) env.BENCH_DATABASE_URL = postgres.freshUrl();
    const words = [here("./durable.mjs"), engine, "layered-300"];
    const said = execFileSync(process.execPath, words, {
      env,
      encoding: "utf8",
      timeout: 240_000,
      stdio: ["ignore", "pipe", "pipe"],
    });
    times.push(JSON.parse(said).wall_us / 1000);
  }
  return { median: median(times), min: Math.min(...times), max: Math.max(...times) };
}

const server = await startTestServer({
  settings: () => ["fsync = on", "full_page_writes = on", "max_connections = 200"],
});
const bare = await startPostgres();
if (bare.reason !== undefined) throw new Error(bare.reason);
try {
  const dbos = measureOther("DBOS 5.3, queued, Postgres", bare);
  const local = measureOther("ours", null);
  const task = await measureWorkers(server, 1, 0, AT_ONCE);
  const workers = {};
  for (const count of [1, 2, 4]) workers[count] = await measureWorkers(server, count, 200, 4);
  const takeOver = await measureTakeOver(server);
  console.log(JSON.stringify({ dbos, local, task, workers, takeOver }));
} finally {
  bare.stop();
  await server.remove();
}
process.exit(0);
