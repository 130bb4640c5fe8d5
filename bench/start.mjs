// The cost of starting the program for something short, beside starting Node.js for nothing: CPU time of the process and
// of all it starts, in a project with a run of twenty tasks. Prints one JSON document.
//   node bench/start.mjs [rounds]
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { carryOut } from "../dist/hands/engine/carry-out.js";
import { openRuns } from "../dist/app/project/open-runs.js";
import { stateFolder } from "../dist/app/project/state-folder.js";
import { opening } from "./opening.mjs";

const rounds = Number(process.argv[2] ?? 7);
const STARTS = 5;
const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-"));
const NOTHING = ["-e", "0"];
const COMMANDS = { "--help": [program, "--help"], status: [program, "status"], inbox: [program, "inbox"] };

async function beginRun() {
  const store = await openRuns(stateFolder(folder));
  const clock = { now: () => new Date().toISOString(), elapsedMs: () => 0, wait: () => new Promise(() => {}) };
  const run = await carryOut("run_active", { store, clock, runner: { run: () => new Promise(() => {}) } });
  for (const event of opening(20)) await run.signal(event);
  await run.stop();
  await store.close();
}

/** The shell adds up what its children took, and theirs. */
function cpuMs(args) {
  const script = `for i in ${"x ".repeat(STARTS)}; do "$@" >/dev/null 2>&1; done; times`;
  const told = execFileSync("sh", ["-c", script, "sh", process.execPath, ...args], { cwd: folder, encoding: "utf8" });
  const [, children = ""] = told.trim().split("\n");
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, rest]) => 60 * minutes + Number(rest));
  return (1000 * seconds.reduce((sum, each) => sum + each, 0)) / STARTS;
}

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

try {
  execFileSync("git", ["init", "--quiet", folder]);
  await beginRun();
  const times = Object.fromEntries(["nothing", ...Object.keys(COMMANDS)].map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    times.nothing.push(cpuMs(NOTHING));
    for (const [name, args] of Object.entries(COMMANDS)) times[name].push(cpuMs(args));
  }
  const nothing_ms = median(times.nothing);
  // Each against what was measured beside it: a machine is not equally fast from one minute to the next.
  const rows = Object.keys(COMMANDS).map((name) => ({
    name,
    ms: median(times[name]),
    times: median(times[name].map((each, round) => each / times.nothing[round])),
  }));
  console.log(JSON.stringify({ nothing_ms, rows }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
