// The time to answer a request: the first answer to a hundred requests at once, the last answer to a run, the
// success criteria over many runs, and ten projects that are active side by side. Prints one JSON document.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { carryOut } from "../dist/hands/engine/carry-out.js";
import { respond } from "../dist/mind/report/respond.js";
import { readNotes } from "../dist/mind/report/project-state/project-notes.js";
import { stats } from "../dist/mind/report/stats.js";
import { NEW_RUN } from "../dist/mind/run/state.js";
import { fold, step } from "../dist/mind/run/transition.js";
import { figuresOfRuns } from "../dist/app/inspect/all-figures.js";
import { openRuns } from "../dist/app/project/open-runs.js";
import { stateFolder } from "../dist/app/project/state-folder.js";
import { medianMs } from "./measure.mjs";
import { amounts, opening } from "./opening.mjs";

const ROUNDS = 5;
const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-"));

const ms = (work) => medianMs(work, ROUNDS);

/** Measured in CPU time, for pure code: a busy neighbour shows less. */
function cpuMs(work) {
  const times = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return times.slice(1).sort((a, b) => a - b)[ROUNDS >> 1];
}

const outcome = ({ kind, task_id, attempt }) =>
  ({
    start_attempt: {
      type: "attempt_finished",
      task_id,
      attempt,
      outcome: { kind: "completed", output_ref: "x" },
      usage: { amounts, source: "reported" },
    },
    verify: { type: "verification_finished", task_id, attempt, verdict: "PASS", evidence: "" },
    integrate: { type: "integration_finished", task_id, attempt, integrated: true, ref: "c0ffee" },
    review_level: { type: "review_finished", task_id, attempt, accepted: true, summary: "" },
  })[kind];

/** The whole log of a run, as the transition function makes it. */
function logOf(count) {
  const log = [];
  const due = [];
  let state = NEW_RUN;
  const take = (event) => {
    const taken = step(state, event, log.length);
    state = taken.state;
    for (const each of taken.events)
      log.push({ event: each, clock_ms: log.length, at: "2026-01-01T00:00:00.000Z", sequence: log.length + 1 });
    due.push(...taken.effects);
  };
  opening(count).forEach(take);
  for (let effect = due.shift(); effect !== undefined; effect = due.shift()) take(outcome(effect));
  if (state.status !== "completed") throw new Error(state.status);
  return log;
}

async function responseMs(count) {
  const log = logOf(count);
  return cpuMs(() => {
    const answer = respond(fold(log), readNotes(log), { run_id: "run_x", code: null, open: [] });
    if (answer?.status !== "completed") throw new Error("no answer");
  });
}

async function hundredRequests() {
  const texts = readFileSync(new URL("../test/eval-fixtures/routing.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const lines = Array.from({ length: 100 }, (_, i) =>
    JSON.stringify({
      request_id: `550e8400-e29b-41d4-a716-${String(i).padStart(12, "0")}`,
      timestamp: "2026-01-01T00:00:00Z",
      user_request: JSON.parse(texts[i % texts.length]).text,
    }),
  );
  return ms(() => {
    const out = execFileSync(process.execPath, [program, "intake", "-", "--batch"], {
      input: `${lines.join("\n")}\n`,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const ids = new Set(
      out
        .toString()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).request_id),
    );
    if (ids.size !== 100) throw new Error(`${ids.size} of 100 requests answered`);
  });
}

const clock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  wait: () => new Promise(() => {}),
};
const megabytes = () => {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1e6;
};

/** Ten projects, each with a store of its own and a run of two hundred tasks of which all that may are under way. */
async function tenProjects() {
  const before = megabytes();
  const open = [];
  for (let i = 0; i < 10; i++) {
    const root = join(folder, `project-${i}`);
    mkdirSync(root);
    const store = await openRuns(stateFolder(root));
    const run = await carryOut("run_active", { store, clock, runner: { run: () => new Promise(() => {}) } });
    for (const event of opening(200)) await run.signal(event);
    if (run.state().running !== 10) throw new Error("nothing is under way");
    open.push({ run, store });
  }
  const each_mb = (megabytes() - before) / 10;
  for (const { run, store } of open) {
    await run.stop();
    await store.close();
  }
  return { each_mb, peak_mb: megabytes() };
}

async function statsOver(runs, tasks) {
  const root = join(folder, "many");
  mkdirSync(root);
  const store = await openRuns(stateFolder(root));
  const log = logOf(tasks);
  for (let i = 0; i < runs; i++) await store.append(`run_${String(i).padStart(4, "0")}`, 0, log);
  const stats_ms = await ms(async () => {
    const { figures } = await figuresOfRuns(store);
    if (stats(figures).runs !== runs) throw new Error("runs are missing");
  });
  await store.close();
  const response_program_ms = await ms(() =>
    execFileSync(process.execPath, [program, "response", "last", "--json", "--cwd", root]),
  );
  return { runs, tasks, stats_ms, response_program_ms };
}

try {
  // First: what other measurements leave behind is not theirs.
  const projects = await tenProjects();
  console.log(
    JSON.stringify({
      hundred_requests_ms: await hundredRequests(),
      response_200_ms: await responseMs(200),
      response_10000_ms: await responseMs(10_000),
      projects,
      many: await statsOver(100, 50),
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
