// A process that works on one run of a project and takes what people decide about it, until the run is over. It says
// "ready" when it has the run, and its runner ends every effect well and at once.
import { setTimeout as sleep } from "node:timers/promises";
import { carryOut } from "../../dist/hands/engine/carry-out.js";
import { openRuns } from "../../dist/app/project/open-runs.js";
import { serveSignals } from "../../dist/app/decide/serve-signals.js";
import { stateFolder } from "../../dist/app/project/state-folder.js";
import { amounts } from "../../dist/testing/run-fixtures.js";

const [root, runId] = process.argv.slice(2);
const at = stateFolder(root);
const store = await openRuns(at);

const runner = {
  run: async (_run, { kind, task_id, attempt }) => {
    switch (kind) {
      case "start_attempt": {
        const usage = { amounts: amounts(1), source: "reported" };
        return { type: "attempt_finished", task_id, attempt, outcome: { kind: "completed", output_ref: "x" }, usage };
      }
      case "verify":
        return { type: "verification_finished", task_id, attempt, verdict: "PASS", evidence: "" };
      case "integrate":
        return { type: "integration_finished", task_id, attempt, integrated: true, ref: "r" };
      default:
        return { type: "review_finished", task_id, attempt, accepted: true, summary: "" };
    }
  },
};
const now = () => new Date().toISOString();
const clock = {
  now,
  elapsedMs: () => performance.now(),
  wait: async (ms, signal) => {
    await sleep(Math.min(ms, 20), undefined, { signal });
  },
};

const run = await carryOut(runId, { store, runner, clock }).catch((error) => {
  console.log(error.message);
  process.exit(4);
});
const served = serveSignals(run, { runId, at, store, now, everyMs: 20 });
console.log("ready");
for (;;) {
  const { status } = await run.settled();
  if (status === "completed" || status === "failed") {
    await served.stop();
    await run.stop();
    await store.close();
    console.log(status);
    break;
  }
  await sleep(20);
}
