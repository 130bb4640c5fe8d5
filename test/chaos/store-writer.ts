import { writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { armCrashPoints } from "../../src/foundation/processes/crash-points.js";
import { loadSigningKey } from "../../src/hands/store/chain/signing-key.js";
import type { EventStore } from "../../src/hands/store/event-store.js";
import { openSqliteStore } from "../../src/hands/store/sqlite/open-sqlite-store.js";
import { sha256, startEvent } from "../../src/testing/store-suite.js";

/*
 * A process that writes to a store and says on stdout what was acknowledged, so that a test can kill it and hold the
 * store to its word. Arguments: the database, how many runs to write at once, how many events to add to each.
 */

const [path = "", width = "1", count = "1"] = process.argv.slice(2);
const { TEST_CRASH_AT: crashAt, TEST_CRASH_AFTER: crashAfter = "1" } = process.env;
// At once, and not when the pipe has time: what was acknowledged must have been said before the process dies.
const say = (line: string) => writeSync(1, `${line}\n`);

let passed = 0;
armCrashPoints((point) => {
  if (point === crashAt && ++passed === Number(crashAfter)) process.kill(process.pid, "SIGKILL");
});

const opened = await openSqliteStore(path, { sha256, signer: loadSigningKey(join(dirname(path), "keys")) });
say("OPENED");
await Promise.all(Array.from({ length: Number(width) }, (_, i) => addTo(opened, `run_lane_${i}`)));
await opened.close();
say("CLOSED");

/** Goes on where the run's log ends, and never starts the same attempt twice. */
async function addTo(store: EventStore, runId: string): Promise<void> {
  const claim = await store.claim(runId);
  if (claim.status === "held") return void say(`HELD ${runId} ${claim.holder.pid}`);
  let { sequence } = claim.head;
  for (let n = 0; n < Number(count); n++) {
    try {
      const result = await store.append(runId, sequence, [startEvent(`task ${sequence + 1}`, 1)]);
      if (result.status !== "appended") return void say(`REFUSED ${runId} ${result.status}`);
      sequence++;
      say(`ACK ${runId} ${sequence} ${result.events[0]?.hash}`);
    } catch (error) {
      return void say(`FAILED ${runId} ${(error as { code?: string }).code} ${(error as Error).message}`);
    }
  }
}
