import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { stateFolder } from "../project/state-folder.js";
import { readBackground, startInBackground } from "./background.js";

beforeAll(ensureBuilt);

/** Keeps a process busy for a while after it has started. */
const BUSY = "--import=data:text/javascript,await%20new%20Promise((r)=>setTimeout(r,4000))";

const fieldsOf = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");

it.skipIf(process.platform !== "linux")("does not descend from the process that started it", () => {
  const root = mkdtempSync(join(tmpdir(), "coordinator-background-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));
  const at = stateFolder(root);
  startInBackground(at, "work_1", ["status"], { ...process.env, NODE_OPTIONS: BUSY });
  const { pid } = JSON.parse(readFileSync(join(at.folder, "handed/work_1/process.json"), "utf8")) as { pid: number };
  onTestFinished(() => {
    if (readBackground(at, "work_1")?.alive === true) process.kill(pid, "SIGKILL");
  });
  expect(readBackground(at, "work_1")?.alive).toBe(true);
  const [, parent, , session] = fieldsOf(pid).map(Number);
  // Neither its parent nor in its session: a client that ends all that descends from its server does not find it.
  expect(parent).not.toBe(process.pid);
  expect(fieldsOf(Number(parent))[1]).not.toBe(String(process.pid));
  expect(session).toBe(pid);
});
