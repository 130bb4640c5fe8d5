import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { whyNoPostgres } from "../../src/testing/postgres-server.js";
import { ensureBuilt } from "../build.js";
import { root, workFolder } from "./program.js";

const missing = whyNoPostgres();

it.skipIf(missing !== null)(
  `the quickstart of a team loses nothing when a worker is killed, and leaves nothing behind${missing === null ? "" : ` (skipped: ${missing})`}`,
  () => {
    ensureBuilt();
    const folder = workFolder();
    // As root the server is another user's, who has to come through.
    chmodSync(folder, 0o711);
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "examples/team-run/run.mjs")], {
      env: { ...process.env, TMPDIR: folder },
      encoding: "utf8",
    });
    expect([status, stdout, stderr]).toEqual([0, expect.stringContaining("merged in git:       5, each once"), ""]);
    expect(stdout).toContain("Nothing was lost.");
    expect(readdirSync(folder).filter((name) => /^coordinator-(?:story|pg)-/.test(name))).toEqual([]);
  },
  900_000,
);
