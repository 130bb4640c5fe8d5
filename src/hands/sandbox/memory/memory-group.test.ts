import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeMemoryGroup, describeMemoryLimit } from "./memory-group.js";

/** Control groups as files: what a process of `own` sees when `divided` shares its memory out. */
function groups(own: string, divided: string | null) {
  const mounted = mkdtempSync(join(tmpdir(), "coordinator-groups-"));
  onTestFinished(() => rmSync(mounted, { recursive: true, force: true }));
  mkdirSync(join(mounted, own), { recursive: true });
  writeFileSync(join(mounted, "cgroup.controllers"), "cpu memory pids\n");
  if (divided !== null) writeFileSync(join(mounted, divided, "cgroup.subtree_control"), "memory pids\n");
  return { mounted, own: `0::/${own}\n` };
}

it("makes a group beside the one this process is in, where that is divided, and limits it as a whole", () => {
  const places = groups("user.slice/app.slice/shell.scope", "user.slice/app.slice");
  const group = makeMemoryGroup("coord-sandbox-1", 1000, places);
  const folder = join(places.mounted, "user.slice/app.slice/coord-sandbox-1");
  expect(readFileSync(join(folder, "memory.max"), "utf8")).toBe("1000");
  expect(group?.add(42)).toBe(true);
  expect(readFileSync(join(folder, "cgroup.procs"), "utf8")).toBe("42");
  expect(group?.wasReached()).toBe(false);
  writeFileSync(join(folder, "memory.events"), "oom 1\noom_kill 2\n");
  expect(group?.wasReached()).toBe(true);
  expect(describeMemoryLimit(places)).toContain("by a control group");
});

it.each([
  ["nothing near is divided", "user.slice/session.scope", null],
  ["only one far above is", "a/b/c", ""],
])("makes none where %s, and says how memory is limited then", (_, own, divided) => {
  const places = groups(own, divided);
  expect(makeMemoryGroup("coord-sandbox-1", 1000, places)).toBeNull();
  expect(existsSync(join(places.mounted, own, "coord-sandbox-1"))).toBe(false);
  expect(describeMemoryLimit(places)).toContain("is watched ten times a second");
});

it("makes none where control groups are of the first version", () => {
  expect(makeMemoryGroup("x", 1, { mounted: "/nowhere", own: "4:memory:/a\n0::/\n" })).toBeNull();
});

/** A machine that lets this process make one; in a container there is seldom one. */
const trial = makeMemoryGroup(`coordinator-trial-${process.pid}`, 64 * 1024 ** 2);
trial?.remove();

it.skipIf(trial === null)("has the kernel end what uses more, on a machine where one can be made", async () => {
  const group = makeMemoryGroup(`coordinator-test-${process.pid}`, 128 * 1024 ** 2);
  onTestFinished(() => group?.remove());
  const greedy =
    "process.stdin.once('data', () => { const held = []; while (held.length < 64) held.push(Buffer.alloc(16 << 20, 1)); })";
  const child = spawn(process.execPath, ["-e", greedy], { stdio: ["pipe", "ignore", "ignore"] });
  expect(group?.add(child.pid ?? 0)).toBe(true);
  child.stdin.end("go");
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
  expect(group?.wasReached()).toBe(true);
});
