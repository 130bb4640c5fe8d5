// The shim of the tests: bodies that leave marks outside of everything the product keeps, so that a test can count what
// was done, and how often.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runShim } from "../../dist/hands/attempts/shim/run-shim.js";

const mark = (log, what, id) => appendFileSync(log, `${what} ${id} ${process.pid}\n`, { flag: "a" });

await runShim(process.argv[2], {
  /** Begins, works, ends. */
  work: async ({ log, id, work_ms }, { signal, note }) => {
    mark(log, "start", id);
    note({ at: "start", id });
    await sleep(work_ms, undefined, { signal });
    mark(log, "end", id);
    note({ at: "end", id });
    return { did: id };
  },
  /** Begins, and ends when it is let. */
  held: async ({ log, id, until }, { signal }) => {
    mark(log, "start", id);
    while (!existsSync(until)) await sleep(10, undefined, { signal });
    mark(log, "end", id);
    return { did: id };
  },
  value: async (value) => value,
  throws: async () => {
    throw new Error("a body that fails");
  },
  dies: async ({ log }) => {
    mark(log, "start", "dies");
    process.kill(process.pid, "SIGKILL");
    await sleep(60_000);
  },
  attempt: async () => {
    process.kill(process.pid, "SIGKILL");
    await sleep(60_000);
  },
  /** Does not listen to anybody. */
  deaf: async ({ log }) => {
    mark(log, "start", "deaf");
    await sleep(600_000);
  },
  /** Does not even give the event loop its turn. */
  stuck: async ({ log }) => {
    mark(log, "start", "stuck");
    for (;;);
  },
  /** Leaves children behind that do all they can to get away: one in a group of its own, one with no parent. */
  litter: async ({ log, then }, { folder, signal }) => {
    const loop = `while :; do echo "tick litter $$" >> ${log}; sleep 0.05; done`;
    spawn("sh", ["-c", loop], { stdio: "ignore", detached: true }).unref();
    spawn("sh", ["-c", `(setsid sh -c '${loop}' </dev/null >/dev/null 2>&1 &)`], { stdio: "ignore" });
    spawn("sh", ["-c", loop], { stdio: "ignore", env: {} }).unref();
    appendFileSync(join(folder, "littered"), "");
    // Each of them is there when its shim is killed, or ends.
    const ticking = () =>
      new Set(
        readFileSync(log, "utf8")
          .split("\n")
          .filter((line) => line.startsWith("tick")),
      ).size;
    while (!existsSync(log) || ticking() < 3) await sleep(10);
    mark(log, "start", "litter");
    if (then === "return") return "littered";
    await sleep(600_000, undefined, { signal });
  },
  chatty: async ({ count, size }, { note }) => {
    for (let n = 1; n <= count; n++) note({ n, text: "x".repeat(size) });
    return count;
  },
});
