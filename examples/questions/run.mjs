// A plan that has to ask: it waits on disk, and goes on when the answers come.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "coordinator-example-"));
const out = join(folder, "plan");

const coordinator = (...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "--cwd", here, ...args], {
    encoding: "utf8",
  });
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  return status;
};

try {
  const inputs = ["--facts", "facts.json", "--memory", "memory.json"];
  assert.equal(coordinator("plan", "--intent", "intent.yaml", ...inputs, "--out", out), 3, "the plan waits");
  assert.equal(coordinator("plan", "--resume", out, "--answers", "answers.json"), 0, "the answers finish it");
  assert.equal(coordinator("verify", out), 0, "the plan follows from its inputs and answers");
} finally {
  rmSync(folder, { recursive: true });
}
