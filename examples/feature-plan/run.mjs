// Plans a feature, proves the plan and asks why one of its actions stands where it does.
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
  process.stderr.write(stderr);
  return { status, stdout };
};

try {
  const inputs = ["--policy", "policy.yaml", "--facts", "facts.json", "--memory", "memory.json"];
  const planned = coordinator("plan", "--intent", "intent.json", ...inputs, "--out", out);
  process.stdout.write(planned.stdout);
  assert.equal(planned.status, 0, "the intent gives a plan");
  assert.match(planned.stdout, /\nPlan [0-9a-f]{12}, 10 tasks in 7 levels, 2 reviews, 1 question, risk medium\n$/);

  const verified = coordinator("verify", out, "--json");
  assert.equal(JSON.parse(verified.stdout).passed, true, "the plan follows from its inputs");

  const explained = JSON.parse(coordinator("explain", "export-endpoint", "--plan", out, "--json").stdout);
  assert.match(explained.why.join("\n"), /review_public_contracts/, "the published interface is reviewed first");
} finally {
  rmSync(folder, { recursive: true });
}
