import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { stopStrays } from "../../src/hands/attempts/shim/stop.js";
import { ensureBuilt } from "../build.js";
import {
  expectCompleted,
  expectEachOnce,
  type Life,
  live,
  marksIn,
  newFolder,
  type RunShape,
  timesOf,
} from "./lives.js";
import { canRun, pathsOf, traceable, traced } from "./traced.js";

/* A whole run on a disk that is full, fails or is slow, and under a clock that is set: a clear error and nothing lost. */

const RUN: RunShape = { tasks: 4, width: 2, work_ms: 60, adopt: true };

beforeAll(ensureBuilt);

/** Where somebody was stopped in mid-work it was begun again; but nothing was brought to its end twice, or never. */
function expectEndsOnce(folder: string, { tasks }: RunShape): void {
  const ends = timesOf(marksIn(folder), "end");
  const ids = Array.from({ length: tasks }, (_, i) => [`attempt:T${i}#1`, `integrate:T${i}#1`]).flat();
  expect(Object.fromEntries(ends)).toEqual(Object.fromEntries(ids.map((id) => [id, 1])));
}

const FAILURES = /^(STORE_FAILED|SHIM_FAILED): .+\n$/;

function expectClearError({ code, stderr }: Life): void {
  expect(code).toBe(3);
  expect(stderr).toMatch(FAILURES);
}

const mountable = (() => {
  if (process.platform !== "linux") return false;
  const at = mkdtempSync(join(tmpdir(), "coordinator-mount-"));
  const can = canRun("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", at], "no small file system can be mounted");
  if (can) execFileSync("umount", [at]);
  rmSync(at, { recursive: true });
  return can;
})();

describe.skipIf(!mountable)("a disk that gets full", () => {
  it.each([8, 120, 240, 300])("after %d KiB: a clear error, nothing lost, and with room it goes on", async (kib) => {
    const effects = newFolder();
    const disk = join(effects, "disk");
    const shape = { ...RUN, effects };
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", disk]);
    onTestFinished(async () => {
      await stopStrays(join(disk, "effects"), []);
      execFileSync("umount", ["--lazy", disk]);
    });
    expectClearError(await live(disk, shape));
    // What was under way had something to say and no room for it: it waits.
    await sleep(300);
    execFileSync("mount", ["-o", "remount,size=16m", disk]);
    expect(await live(disk, shape)).toMatchObject({ code: 0, stderr: "" });
    await expectCompleted(disk, shape);
    expectEndsOnce(effects, shape);
  });
});

describe.skipIf(!traceable)("a disk that fails or is slow", () => {
  it.each([
    ["EIO at a sync of the store", "fsync", "error=EIO:when=12+", ["runs.db", "runs.db-wal"]],
    ["EIO at a sync of an effect's folder", "fsync", "error=EIO:when=7+", null],
    ["ENOSPC at a write of the store", "pwrite64", "error=ENOSPC:when=60+", ["runs.db", "runs.db-wal"]],
    ["ENOSPC at a new folder", "mkdir", "error=ENOSPC:when=9+", null],
  ])("%s: a clear error, nothing lost, and it goes on", async (_, call, inject, names) => {
    const folder = newFolder();
    const all = pathsOf(folder, RUN);
    const paths =
      names === null ? all.filter((path) => path.includes("/effects")) : names.map((name) => join(folder, name));
    expectClearError(await live(folder, RUN, { through: traced(call, paths, { inject }) }));
    expect(await live(folder, RUN)).toMatchObject({ code: 0, stderr: "" });
    await expectCompleted(folder, RUN);
    expectEndsOnce(folder, RUN);
  });

  it("50 ms for every sync: it takes longer, and that is all", async () => {
    const folder = newFolder();
    const through = traced("fsync,fdatasync", pathsOf(folder, RUN), { inject: "delay_exit=50000" });
    expect(await live(folder, RUN, { through })).toMatchObject({ code: 0, stderr: "" });
    await expectCompleted(folder, RUN);
    expectEachOnce(folder, RUN);
  });
});

const faketime = process.platform === "linux" ? installedFaketime() : undefined;
if (faketime === undefined) console.log("skipped: the clock cannot be set: libfaketime is not installed");

function installedFaketime(): string | undefined {
  const places = readdirSync("/usr/lib").map((name) => join("/usr/lib", name, "faketime", "libfaketimeMT.so.1"));
  return places.find((place) => existsSync(place));
}

describe.skipIf(faketime === undefined)("a clock that is set", () => {
  it("an hour forward and two back in mid-run, and once more between two lives: nothing is lost or done twice", async () => {
    const folder = newFolder();
    const time = join(folder, "time");
    const env = {
      LD_PRELOAD: faketime ?? "",
      FAKETIME_TIMESTAMP_FILE: time,
      FAKETIME_NO_CACHE: "1",
      DONT_FAKE_MONOTONIC: "1",
    };
    const set = (offset: string) => writeFileSync(time, `${offset}\n`);
    const shape = { ...RUN, tasks: 8 };
    /** One life, and how the clock is set in it whenever so much more has been done. */
    const lifeUnder = async (offsets: readonly string[], afterMs: number) => {
      const life = live(folder, shape, { env, afterMs });
      const over = new AbortController();
      void life.then(() => over.abort());
      for (const offset of offsets) {
        const before = marksIn(folder).length;
        while (!over.signal.aborted && marksIn(folder).length < before + 3) await sleep(5);
        set(offset);
      }
      return life;
    };
    set("+0");
    await lifeUnder(["+1h", "-1h"], 900);
    set("+1h");
    await lifeUnder(["-1h"], 400);
    const last = await live(folder, shape, { env });
    expect(last).toMatchObject({ code: 0, stderr: "" });
    expectEachOnce(folder, shape);
    await expectCompleted(folder, shape);
  });
});
