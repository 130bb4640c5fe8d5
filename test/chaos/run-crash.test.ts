import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STORE_CRASH_POINTS } from "../../src/crash-points.js";
import { seeded } from "../../src/run/seeded.js";
import { fold } from "../../src/run/transition.js";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.js";
import { verifyRun } from "../../src/store/chain/verify-run.js";
import { ensureBuilt } from "../build.js";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const folders: string[] = [];

interface Life {
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One life of the process: until it ends, or is killed after so long or at a crash point. */
function live(folder: string, death: { afterMs?: number; at?: string }): Promise<Life> {
  const preload = death.at === undefined ? [] : ["--import", pathToFileURL(here("./at-crash-point.mjs")).href];
  const child = spawn(process.execPath, [...preload, here("./carry-out-run.mjs"), folder, "20"], {
    env: { PATH: process.env["PATH"], TEST_CRASH_AT: death.at },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (text: Buffer) => (stdout += text.toString()));
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  const timer = death.afterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), death.afterMs);
  return new Promise((resolve) => {
    child.on("close", (_code, signal) => {
      clearTimeout(timer);
      resolve({ signal, stdout, stderr });
    });
  });
}

/** What must be so when the run is over, whatever happened on the way. */
async function expectNothingLostNothingTwice(folder: string): Promise<void> {
  const deeds = readFileSync(join(folder, "deeds.log"), "utf8").trimEnd().split("\n");
  expect(deeds.filter((id, i) => deeds.indexOf(id) !== i)).toEqual([]);
  for (let i = 0; i < 24; i++) expect(deeds.filter((id) => id.startsWith(`integrate:T${i}#`))).toHaveLength(1);
  const opened = await openSqliteStore(join(folder, "runs.db"), { sha256 });
  if (opened.status !== "opened") throw new Error("the store must be free again");
  const events = [];
  for await (const logged of opened.store.read("run_under_fire")) events.push(logged);
  expect(fold(events)).toMatchObject({ status: "completed", completed: 24 });
  expect((await verifyRun(opened.store, "run_under_fire", { sha256 })).findings).toEqual([]);
  await opened.store.close();
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-crash-"));
  folders.push(folder);
  return folder;
}

describe("a run whose process is killed with SIGKILL", () => {
  beforeAll(ensureBuilt, 300_000);
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

  it.each([1, 2, 3])("at random, again and again, goes on where it was (seed %d)", async (seed) => {
    const folder = newFolder();
    const chance = seeded(seed, "kills");
    let kills = 0;
    for (;;) {
      const { signal, stdout, stderr } = await live(
        folder,
        kills < 8 ? { afterMs: 180 + Math.floor(chance() * 250) } : {},
      );
      expect(stderr).toBe("");
      if (signal === null) {
        expect(stdout.trim()).toBe("completed");
        break;
      }
      kills++;
    }
    expect(kills).toBeGreaterThanOrEqual(3);
    await expectNothingLostNothingTwice(folder);
  });

  it.each(STORE_CRASH_POINTS)("at every commit, at %s, goes on where it was", async (at) => {
    const folder = newFolder();
    for (let lives = 0; lives < 6; lives++) expect((await live(folder, { at })).signal).toBe("SIGKILL");
    const last = await live(folder, {});
    expect(last).toEqual({ signal: null, stdout: "completed\n", stderr: "" });
    await expectNothingLostNothingTwice(folder);
  });
});
