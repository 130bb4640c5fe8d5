// Ours: `carryOut` on the SQLite store, with a runner that does nothing. Each task is attempted, verified, integrated and
// reviewed. An attempt begins, and a change is integrated, when all that led to it is durable; verifying and reviewing,
// as with the product's runner, do not wait for that, and what they say is durable before anything comes of it.
import { hash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { carryOut } from "../../dist/hands/engine/carry-out.js";
import { redactorFor } from "../../dist/app/project/secrets.js";
import { loadSigningKey } from "../../dist/hands/store/chain/signing-key.js";
import { openSqliteStore } from "../../dist/hands/store/sqlite/open-sqlite-store.js";
import { RunPolicy } from "../../dist/model/run.js";

const sha256 = (text) => hash("sha256", text);
const NOTHING = { tokens: 0, cost_usd: 0, minutes: 0, files: 0, commits: 0, api_calls: 0 };
const ESTIMATE = { tokens: 1000, cost_usd: 0.01, minutes: 1, files: 1, commits: 1, api_calls: 1 };
const DONE = { kind: "completed", output_ref: "refs/coord/result" };
const USED = { amounts: ESTIMATE, source: "reported" };
const policy = RunPolicy.parse({ plan_needs_approval: false, max_concurrent_tasks: 1000 });
const BUDGET = Object.fromEntries(Object.keys(NOTHING).map((name) => [name, 1e9]));

const runner = {
  repeatable: new Set(["verify", "review_level"]),
  run: async (_run, { kind, task_id, attempt }) => {
    switch (kind) {
      case "start_attempt":
        return { type: "attempt_finished", task_id, attempt, outcome: DONE, usage: USED };
      case "verify":
        return { type: "verification_finished", task_id, attempt, verdict: "PASS", evidence: "" };
      case "integrate":
        return { type: "integration_finished", task_id, attempt, integrated: true, ref: "refs/coord/run" };
      case "review_level":
        return { type: "review_finished", task_id, attempt, accepted: true, summary: "" };
    }
  },
};
const clock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
};

function opening(plan) {
  const tasks = plan.map(({ id, needs }) => ({
    task_id: id,
    title: `Task ${id}`,
    agent: "builder",
    phase: "implementation",
    priority: "P2",
    dependencies: needs,
    estimate: ESTIMATE,
    gates: [],
  }));
  return [
    { type: "request_received", request_id: "request", request: "Do it", seed: 1, policy },
    { type: "intake_decided", decision: "approved", reason: "clear", unsafe: false },
    {
      type: "plan_frozen",
      plan: { plan_id: "plan", plan_checksum: "0".repeat(64), tasks, gates: [], budget: BUDGET },
      verified: true,
    },
  ];
}

export async function open(folder) {
  // As the product opens it.
  const parts = { sha256, signer: loadSigningKey(folder), redact: redactorFor(folder) };
  const store = await openSqliteStore(join(folder, "store.db"), parts);
  let events = 0;

  async function one(runId, plan) {
    const run = await carryOut(runId, { store, runner, clock });
    for (const why of await Promise.all(opening(plan).map(run.signal))) if (why !== null) throw new Error(why);
    const { status, completed } = await run.settled();
    if (status !== "completed" || completed !== plan.length) throw new Error(`${status}: ${completed} tasks done`);
    const { sequence } = await store.head(runId);
    events += sequence;
  }

  return {
    durability: "SQLite, WAL, synchronous=FULL, group commit; hash-chained and signed",
    run: (name, plan) => one(`run_${name}`, plan),
    counts: () => ({ events }),
    close: () => store.close(),
  };
}
