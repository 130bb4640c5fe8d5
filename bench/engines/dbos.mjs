// DBOS on Postgres: one workflow a run, one queued child workflow with one step a task, as its documentation has it for
// work with a limit of its own. Poll intervals as short as they make sense; by default a queue is polled once a second.
import { DBOS } from "@dbos-inc/dbos-sdk";

const POLL_MS = 50;

export async function open(_folder, { databaseUrl }) {
  const task = DBOS.registerWorkflow(async (id) => DBOS.runStep(async () => id, { name: "attempt" }), { name: "task" });
  const carryOut = DBOS.registerWorkflow(
    /** @type {(name: string, plan: { id: string, needs: string[] }[]) => Promise<number>} */
    async (name, plan) => {
      const waiting = new Map(plan.map(({ id, needs }) => [id, needs.length]));
      const dependents = new Map(plan.map(({ id }) => [id, []]));
      for (const { id, needs } of plan) for (const need of needs) dependents.get(need).push(id);
      const live = new Map();
      const start = async (id) =>
        live.set(
          `${name}:${id}`,
          await DBOS.startWorkflow(task, { workflowID: `${name}:${id}`, queueName: "tasks" })(id),
        );
      for (const { id, needs } of plan) if (needs.length === 0) await start(id);
      let done = 0;
      while (live.size > 0) {
        const handle = await DBOS.waitFirst([...live.values()], { pollingIntervalMs: POLL_MS });
        const id = String(await handle.getResult({ pollingIntervalMs: POLL_MS }));
        live.delete(`${name}:${id}`);
        done++;
        for (const next of dependents.get(id)) {
          waiting.set(next, waiting.get(next) - 1);
          if (waiting.get(next) === 0) await start(next);
        }
      }
      return done;
    },
    { name: "run" },
  );
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: databaseUrl,
    applicationVersion: "1",
    logLevel: "error",
    runAdminServer: false,
  });
  await DBOS.launch();
  await DBOS.registerQueue("tasks", {
    workerConcurrency: 64,
    minPollingIntervalMs: POLL_MS,
    onConflict: "always_update",
  });
  async function one(name, plan) {
    const handle = await DBOS.startWorkflow(carryOut, { workflowID: name })(name, plan);
    const done = await handle.getResult({ pollingIntervalMs: POLL_MS });
    if (done !== plan.length) throw new Error(`${done} tasks done`);
  }
  return {
    durability: "Postgres 15, fsync on, synchronous_commit on",
    run: one,
    close: () => DBOS.shutdown(),
  };
}
