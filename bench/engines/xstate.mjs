// XState: one actor for each run that counts what its tasks need; its whole snapshot is kept after every event, as its
// documentation shows.
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { assign, createActor, createMachine } from "xstate";

function machineOf(plan) {
  const dependents = new Map(plan.map(({ id }) => [id, []]));
  for (const { id, needs } of plan) for (const need of needs) dependents.get(need).push(id);
  return createMachine({
    initial: "working",
    context: {
      left: plan.length,
      waiting: Object.fromEntries(plan.map(({ id, needs }) => [id, needs.length])),
      ready: plan.filter(({ needs }) => needs.length === 0).map(({ id }) => id),
    },
    states: {
      working: {
        on: {
          DONE: {
            actions: assign(({ context, event }) => {
              const waiting = { ...context.waiting };
              const freed = dependents.get(event.id).filter((id) => --waiting[id] === 0);
              return { left: context.left - 1, waiting, ready: freed };
            }),
          },
        },
        always: { guard: ({ context }) => context.left === 0, target: "done" },
      },
      done: { type: "final" },
    },
  });
}

export async function open(folder) {
  const database = new DatabaseSync(join(folder, "xstate.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE snapshots (run TEXT PRIMARY KEY, snapshot TEXT NOT NULL) STRICT");
  const put = database.prepare(
    "INSERT INTO snapshots VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET snapshot = excluded.snapshot",
  );
  let queue = [];
  function flush() {
    const batch = queue;
    queue = [];
    database.exec("BEGIN IMMEDIATE");
    for (const { run, actor } of batch) put.run(run, JSON.stringify(actor.getPersistedSnapshot()));
    database.exec("COMMIT");
    for (const { resolve } of batch) resolve();
  }
  const keep = (run, actor) =>
    new Promise((resolve) => {
      if (queue.length === 0) setImmediate(flush);
      queue.push({ run, actor, resolve });
    });

  async function one(run, plan) {
    const actor = createActor(machineOf(plan));
    actor.start();
    await keep(run, actor);
    const task = async (id) => {
      await Promise.resolve();
      actor.send({ type: "DONE", id });
      const { ready } = actor.getSnapshot().context;
      await keep(run, actor);
      await Promise.all(ready.map(task));
    };
    await Promise.all(actor.getSnapshot().context.ready.map(task));
    const { status, context } = actor.getSnapshot();
    if (status !== "done") throw new Error(`${context.left} tasks left`);
  }
  return {
    durability: "SQLite, WAL, synchronous=FULL, group commit",
    run: one,
    close: async () => database.close(),
  };
}
