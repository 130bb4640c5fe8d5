// A worker for the work of the engines' tests: the loop of `coordinator worker` without agents, sandbox and git.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseAddress } from "../../dist/hands/store/postgres/address.js";
import { openConnections } from "../../dist/hands/store/postgres/connection.js";
import { workLoop } from "../../dist/hands/workers/work-loop.js";
import { ENGINE_PROTOCOL } from "../../dist/hands/workers/work-order.js";
import { act } from "./bodies.mjs";

const {
  store,
  folder,
  id,
  labels = [],
  accepts = ["public", "internal"],
  capacity = 2,
  protocol = ENGINE_PROTOCOL,
} = JSON.parse(process.argv[2]);
const options = { address: parseAddress(store), password: () => "" };
const connections = await openConnections(options);
const drain = new AbortController();
process.on("SIGTERM", () => drain.abort());
const say = (line) => void process.stdout.write(`${line}\n`);
/** Stands in for a disk without room: it is found in the middle of the work, and before more is taken. */
const isFull = () => existsSync(join(folder, `full-${id}`));
await workLoop(
  {
    connections,
    options,
    self: { id, host: "test", pid: process.pid, version: "0", protocol, capacity },
    abilities: { labels, accepts, sandbox: "strong", without_sandbox: false, agents: [] },
    hasProgram: (program) => program === "node",
    findTrouble: async () =>
      isFull() && existsSync(join(folder, `seen-${id}`)) ? "takes nothing: the disk is full" : null,
    perform: async ({ task }, { signal, onNote }) => {
      if (isFull())
        throw new Error("the workspace cannot be made", {
          cause: Object.assign(new Error("write"), { code: "ENOSPC" }),
        });
      return { status: "value", value: await act(JSON.parse(task.title), { signal, note: onNote }) };
    },
    say,
  },
  drain.signal,
  new AbortController().signal,
);
await connections.close();
say("ended");
