import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { PERSON, planRef, runTask } from "../../src/testing/run-fixtures.js";
import { ensureBuilt } from "../build.js";
import { workFolder } from "../cli/program.js";
import { ended, Log, storeIn } from "../cli/run-logs.js";
import { boardIn, shippedContract } from "./boards.js";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const REFRESHER = fileURLToPath(new URL("./refresher.mjs", import.meta.url));
const RUN = "run_20260203-040506-c0ffee";

it("several processes, one of them killed on its way, do not collide, and what a person wrote stays [S3-042]", async () => {
  ensureBuilt();
  const cwd = workFolder();
  const store = await storeIn(cwd);
  const tasks = Array.from({ length: 12 }, (_, i) => runTask(`T${i}`));
  await new Log()
    .open(planRef(tasks), { plan_needs_approval: true, max_concurrent_tasks: 12 })
    .take({ type: "plan_approved", decider: PERSON })
    .writeTo(store, RUN);
  writeFileSync(join(cwd, "PROJECT_HQ.md"), "mine: 0\n");
  const contract = JSON.stringify(await shippedContract());
  const start = () =>
    spawn(process.execPath, [REFRESHER, DIST, cwd, contract], { stdio: ["ignore", "pipe", "inherit"] });
  const children = [start(), start(), start()];
  const ends = Promise.all(children.map((child) => new Promise((resolve) => child.on("close", resolve))));
  let told = "";
  for (const { stdout } of children) stdout.on("data", (chunk: Buffer) => (told += chunk.toString()));
  const read = () => readFileSync(join(cwd, "PROJECT_HQ.md"), "utf8");
  while (!read().includes("coordinator:end session-history")) await new Promise((resolve) => setTimeout(resolve, 20));
  for (const [i, { task_id }] of tasks.entries()) {
    const sequence = (await store.head(RUN))?.sequence ?? 0;
    const event = ended(task_id, 1, { kind: "quality", message: `trouble ${i}` });
    await store.append(RUN, sequence, [{ event, at: new Date().toISOString(), clock_ms: 60_000 + i }]);
    const { board } = await boardIn(cwd, store);
    await board.refresh();
    if (i === 5) children[2]?.kill("SIGKILL");
    const text = read();
    expect(text.startsWith("mine: 0\n")).toBe(true);
    expect(text.split("coordinator:begin ")).toHaveLength(7);
    expect(() => JSON.parse(readFileSync(join(cwd, "tasks/work_queue.json"), "utf8")) as unknown).not.toThrow();
    expect(text).toContain(`trouble ${i}`);
  }
  writeFileSync(join(cwd, "stop"), "");
  await ends;
  for (const [i] of tasks.entries()) expect(read()).toContain(`trouble ${i}`);
  expect(told).toBe("");
  await store.close();
});
