// A process that carries out one run on a real SQLite store until it is over. Tests kill it, again and again, and then
// read the log of deeds its hands keep outside of the store: what was done, and how often.
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { carryOut } from "../../dist/engine/carry-out.js";
import { openSqliteStore } from "../../dist/store/sqlite/open-sqlite-store.js";
import { amounts, opening, planRef, runTask } from "../../dist/testing/run-fixtures.js";

const [folder, workMs] = [process.argv[2], Number(process.argv[3])];
const deeds = join(folder, "deeds.log");
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

const hands = {
  /** Idempotent by id: a claim says that it began, a line in the log that it was done, a result how it ended. */
  act: async (_run, deed, signal) => {
    const place = join(folder, "deeds", deed.id.replaceAll(/[:#]/g, "_"));
    const result = join(place, "result.json");
    if (existsSync(result)) return JSON.parse(readFileSync(result, "utf8"));
    const began = existsSync(place);
    mkdirSync(place, { recursive: true });
    const done = existsSync(deeds) && readFileSync(deeds, "utf8").split("\n").includes(deed.id);
    if (began && !done && deed.kind === "start_attempt")
      return outcome(deed, { kind: "structural", error: "crash", message: "found dead" });
    if (!done) {
      await sleep(workMs, undefined, { signal });
      appendFileSync(deeds, `${deed.id}\n`, { flush: true });
    }
    const event = outcome(deed, { kind: "completed", output_ref: deed.id });
    writeFileSync(`${result}.next`, JSON.stringify(event));
    const file = openSync(`${result}.next`, "r");
    fsyncSync(file);
    closeSync(file);
    renameSync(`${result}.next`, result);
    return event;
  },
};

function outcome({ kind, task_id, attempt }, ended) {
  switch (kind) {
    case "start_attempt":
      return {
        type: "attempt_finished",
        task_id,
        attempt,
        outcome: ended,
        usage: { amounts: amounts(1), source: "reported" },
      };
    case "verify":
      return { type: "verification_finished", task_id, attempt, verdict: "PASS", evidence: "" };
    case "integrate":
      return { type: "integration_finished", task_id, attempt, integrated: true, ref: "r" };
    default:
      return { type: "review_finished", task_id, attempt, accepted: true, summary: "" };
  }
}

const clock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  wait: async (ms, signal) => void (await sleep(Math.min(ms, 20), undefined, { signal })),
};

const plan = planRef(
  Array.from({ length: 24 }, (_, i) =>
    runTask(`T${i}`, { dependencies: i < 4 ? [] : [`T${i - 4}`, `T${i - 3}`].slice(0, 1 + (i % 2)) }),
  ),
  { budget: amounts(1e6) },
);
const opened = await openSqliteStore(join(folder, "runs.db"), { sha256 });
if (opened.status !== "opened") {
  console.error(`locked by ${JSON.stringify(opened.holder)}`);
  process.exit(4);
}
const { store } = opened;
const run = await carryOut("run_under_fire", { store, hands, clock });
// Retries are few and crashes here are many: the policy allows for that.
const policy = {
  plan_needs_approval: false,
  failure: { max_retries: 10, breaker_failures: 1000, same_signature_tasks: 1000 },
};
for (const event of opening(plan, policy)) await run.signal(event);
const { status } = await run.settled();
await store.close();
console.log(status);
