// A process that carries out one run on a real SQLite store, with a shim for each effect, until the run is over. Tests kill
// it and its shims, and then read the log of effects that the bodies keep outside of everything.
import { createHash } from "node:crypto";
import { appendFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { carryOut } from "../../dist/hands/engine/carry-out.js";
import { adoptOrVoid } from "../../dist/hands/attempts/shim/adopt.js";
import { effectFolder } from "../../dist/hands/attempts/shim/instance-folder.js";
import { shimSpawner } from "../../dist/hands/attempts/shim/spawn-shim.js";
import { openSqliteStore } from "../../dist/hands/store/sqlite/open-sqlite-store.js";
import { amounts, opening, planRef, runTask } from "../../dist/testing/run-fixtures.js";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const folder = process.argv[2];
const { tasks, width, work_ms, adopt, effects = folder, shim_crash_at } = JSON.parse(process.argv[3]);
const log = join(effects, "effects.log");
const say = (line) => writeSync(1, `${line}\n`);
const born = performance.now();

// With adoption off every life begins each effect anew, and knows nothing of what the last one began.
const shims = join(folder, adopt ? "effects" : `effects-of-${process.pid}`);
const preload = shim_crash_at === undefined ? [] : ["--import", pathToFileURL(here("./at-crash-point.mjs")).href];
const spawnShim = shimSpawner({
  argv: [process.execPath, ...preload, here("./shim-bodies.mjs")],
  env: { PATH: process.env.PATH, ...(shim_crash_at !== undefined && { TEST_CRASH_AT: shim_crash_at }) },
});

const clock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  wait: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};

let adopted = 0;
let acting = 0;
// What only says something needs no shim: asked again it says the same.
const repeatable = new Set(["verify", "review_level"]);
const runner = {
  repeatable,
  run: async (_run, effect, { signal }) => {
    if (repeatable.has(effect.kind)) return eventOf(effect, null);
    if (acting++ === 0) say("acting");
    const end = await adoptOrVoid(effectFolder(shims, effect.id), {
      order: { body: "work", input: { log, id: effect.id, work_ms }, limit_ms: 60_000, grace_ms: 200 },
      spawnShim,
      limit: effect.kind === "start_attempt" ? 1 : 1000,
      signal,
      clock,
    });
    if (end.status === "done" && end.adopted && adopted++ === 0)
      say(`adopted after ${Math.round(performance.now() - born)} ms`);
    return eventOf(effect, end);
  },
};

function eventOf({ kind, task_id, attempt }, end) {
  switch (kind) {
    case "start_attempt": {
      const outcome =
        end.status === "done"
          ? { kind: "completed", output_ref: end.value.did }
          : { kind: "structural", error: "crash", message: `${end.status} ${end.message ?? ""}` };
      return {
        type: "attempt_finished",
        task_id,
        attempt,
        outcome,
        usage: { amounts: amounts(1), source: "reported" },
      };
    }
    case "verify":
      return { type: "verification_finished", task_id, attempt, verdict: "PASS", evidence: "" };
    case "integrate":
      if (end.status !== "done") throw new Error(`an integration ended as ${end.status}`);
      return { type: "integration_finished", task_id, attempt, integrated: true, ref: "r" };
    default:
      return { type: "review_finished", task_id, attempt, accepted: true, summary: "" };
  }
}

const plan = planRef(
  Array.from({ length: tasks }, (_, i) => runTask(`T${i}`, { dependencies: i < width ? [] : [`T${i - width}`] })),
  { budget: amounts(1e6) },
);

async function main() {
  const store = await openSqliteStore(join(folder, "runs.db"), {
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
  });
  const run = await carryOut("run_under_fire", { store, runner, clock });
  // Retries are few and crashes here are many: the policy allows for that.
  const policy = {
    plan_needs_approval: false,
    max_concurrent_tasks: width,
    failure: {
      max_retries: 10,
      base_delay_ms: 10,
      max_delay_ms: 20,
      breaker_failures: 1000,
      same_signature_tasks: 1000,
    },
  };
  for (const event of opening(plan, policy)) await run.signal(event);
  const { status } = await run.settled();
  await store.close();
  if (adopted > 0) say(`adopted ${adopted}`);
  say(status);
}

await main().catch((error) => {
  appendFileSync(2, `${error.code ?? "INTERNAL"}: ${error.message}\n`);
  process.exit(3);
});
