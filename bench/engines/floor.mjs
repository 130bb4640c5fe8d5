// The floor: plain promises and bare inserts, one transaction for whatever is asked for in one turn of the event loop.
// No hash, no check, no state, no recovery. An anchor for what the disk and the driver cost, not an engine.
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";

const AMOUNTS = { tokens: 1000, cost_usd: 0.01, minutes: 1, files: 1, commits: 1, api_calls: 1 };
const STARTED = { type: "attempt_started", agent: "builder", reserved: AMOUNTS };
const FINISHED = {
  type: "attempt_finished",
  outcome: { kind: "completed", output_ref: "refs/coord/result" },
  usage: { amounts: AMOUNTS, source: "reported" },
};

/** Writes for a task, commit by commit: the least that says it is done, or what ours writes. */
export const ONE_EVENT = [[FINISHED]];
export const AS_OURS = [
  [STARTED, FINISHED, { type: "verification_finished", verdict: "PASS", evidence: "" }],
  [
    { type: "integration_finished", integrated: true, ref: "refs/coord/run" },
    { type: "review_finished", accepted: true, summary: "" },
  ],
];

export const open = (commits) => async (folder) => {
  const database = new DatabaseSync(join(folder, "floor.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  const level = database.prepare("PRAGMA synchronous").get();
  if (level.synchronous !== 2) throw new Error("not FULL");
  database.exec("CREATE TABLE events (id INTEGER PRIMARY KEY, run TEXT NOT NULL, event TEXT NOT NULL) STRICT");
  const insert = database.prepare("INSERT INTO events (run, event) VALUES (?, ?)");
  let queue = [];
  let events = 0;

  function flush() {
    const batch = queue;
    queue = [];
    database.exec("BEGIN IMMEDIATE");
    for (const { run, event } of batch) insert.run(run, event);
    database.exec("COMMIT");
    events += batch.length;
    for (const { resolve } of batch) resolve();
  }
  const append = (run, event) =>
    new Promise((resolve) => {
      if (queue.length === 0) setImmediate(flush);
      queue.push({ run, event: JSON.stringify(event), resolve });
    });

  async function one(run, plan) {
    const done = new Map();
    for (const { id, needs } of plan)
      done.set(
        id,
        (async () => {
          await Promise.all(needs.map((need) => done.get(need)));
          for (const events of commits)
            await Promise.all(events.map((event) => append(run, { ...event, task_id: id, attempt: 1 })));
        })(),
      );
    await Promise.all(done.values());
  }

  return {
    durability: "SQLite, WAL, synchronous=FULL, group commit",
    run: one,
    counts: () => ({ events }),
    close: async () => database.close(),
  };
};
