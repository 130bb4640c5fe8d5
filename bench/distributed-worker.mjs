// A worker whose work takes as long as its title says, and does nothing.
import { setTimeout as sleep } from "node:timers/promises";
import { parseAddress } from "../dist/hands/store/postgres/address.js";
import { openConnections } from "../dist/hands/store/postgres/connection.js";
import { workLoop } from "../dist/hands/workers/work-loop.js";
import { ENGINE_PROTOCOL } from "../dist/hands/workers/work-order.js";

const { store, id, capacity } = JSON.parse(process.argv[2]);
const options = { address: parseAddress(store), password: () => "" };
const connections = await openConnections(options);
const never = new AbortController().signal;
const say = (line) => void process.stdout.write(`${line}\n`);
const parts = {
  connections,
  options,
  self: { id, host: "bench", pid: process.pid, version: "0", protocol: ENGINE_PROTOCOL, capacity },
  abilities: { labels: [], accepts: ["internal"], sandbox: "strong", without_sandbox: false, agents: [] },
  hasProgram: () => true,
  findTrouble: async () => null,
  perform: async ({ task }, { key, signal }) => {
    say(`begins ${key}`);
    const ms = Number(task.title);
    if (ms > 0) await sleep(ms, undefined, { signal });
    return { status: "value", value: null };
  },
  say: () => undefined,
};
// It is ready when its row stands; the loop takes things from then on.
void (async () => {
  for (;;) {
    const [row] = await connections.ask("SELECT 1 AS there FROM workers WHERE id = $1", [id]);
    if (row !== undefined) return say("ready");
    await sleep(50);
  }
})();
await workLoop(parts, never, never);
