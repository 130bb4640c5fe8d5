import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SHIM_CRASH_POINTS } from "../../src/foundation/processes/crash-points.js";
import { type AdoptOptions, adoptOrVoid } from "../../src/hands/attempts/shim/adopt.js";
import {
  effectFolder,
  type Holder,
  instanceFolder,
  isActive,
  makeInstance,
  type NewShimOrder,
  orderStop,
  readClaim,
  readResult,
  voidInstance,
  writeOrder,
} from "../../src/hands/attempts/shim/instance-folder.js";
import { type ShimProgram, shimSpawner, type SpawnShim } from "../../src/hands/attempts/shim/spawn-shim.js";
import { stopStrays } from "../../src/hands/attempts/shim/stop.js";
import { sweep } from "../../src/hands/attempts/shim/sweep.js";
import { statOf } from "../../src/foundation/processes/proc.js";
import { ensureBuilt } from "../build.js";
import { here, marksIn, newFolder, timesOf } from "./lives.js";

/* Real shims, asked for by this process, and killed, stopped and held up in every way there is. */

const PROGRAM: ShimProgram = {
  argv: [process.execPath, here("./shim-bodies.mjs")],
  env: { PATH: process.env["PATH"] ?? "" },
};
const clock = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  wait: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
};

/** A clock by which whoever waits has waited for long, while something is so. */
function hastyWhile(isSo: () => boolean) {
  let ahead = 0;
  const wait = async (ms: number, signal: AbortSignal) => {
    await sleep(Math.min(ms, 20), undefined, { signal });
    if (isSo()) ahead += ms;
  };
  return { ...clock, elapsedMs: () => performance.now() + ahead, wait, ahead: () => ahead };
}

let folder: string;
let base: string;
let log: string;

beforeAll(ensureBuilt);
beforeEach(() => {
  folder = newFolder();
  base = effectFolder(join(folder, "effects"), "attempt:A#1");
  log = join(folder, "effects.log");
});

const order = (body: string, input: unknown = { log }, difference: Partial<NewShimOrder> = {}): NewShimOrder => ({
  body,
  input,
  limit_ms: 60_000,
  grace_ms: 200,
  ...difference,
});
const work = (work_ms: number) => order("work", { log, id: "A", work_ms });

function ask(wanted: NewShimOrder, difference: Partial<AdoptOptions> = {}) {
  const signal = new AbortController().signal;
  return adoptOrVoid(base, { order: wanted, spawnShim: shimSpawner(PROGRAM), limit: 3, signal, clock, ...difference });
}

/** The first instance is started otherwise than those after it. */
function firstOtherwise(other: SpawnShim): SpawnShim {
  const usual = shimSpawner(PROGRAM);
  return (place) => (place.endsWith("/1") ? other(place) : usual(place));
}

/** A shim that gets a signal at one of its crash points. */
function at(point: string, signal: NodeJS.Signals = "SIGKILL"): SpawnShim {
  return shimSpawner({
    argv: [process.execPath, "--import", pathToFileURL(here("./at-crash-point.mjs")).href, here("./shim-bodies.mjs")],
    env: { ...PROGRAM.env, TEST_CRASH_AT: point, TEST_CRASH_SIGNAL: signal },
  });
}

/** An instance somebody began who is gone. */
function begun(effectId: string, wanted: NewShimOrder): string {
  const place = effectFolder(join(folder, "effects"), effectId);
  makeInstance(place, 1);
  writeOrder(instanceFolder(place, 1), wanted);
  shimSpawner(PROGRAM)(instanceFolder(place, 1));
  return instanceFolder(place, 1);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10);
}

/** Who acts in the first instance. */
function holder(): Holder {
  const held = readClaim(instanceFolder(base, 1));
  if (held === null || held === "void") throw new Error("nobody holds it");
  return held;
}

const started = () => until(() => marksIn(folder).some(({ what }) => what === "start"));
const starts = () => marksIn(folder).filter(({ what }) => what === "start").length;

describe("an effect", () => {
  it.each([0, false, null, "", { deep: [1, "ä\u2028"] }])(
    "gives its value, %j, however often it is asked for",
    async (value) => {
      expect(await ask(order("value", value))).toEqual({ status: "done", value, adopted: false, crashed: 0 });
      expect(await ask(order("value", "another"))).toEqual({ status: "done", value, adopted: true, crashed: 0 });
    },
  );

  it("that throws, or is ordered from a body nobody registered, counts as crashed with its reason", async () => {
    expect(await ask(order("throws"), { limit: 2 })).toEqual({
      status: "crashed",
      crashed: 2,
      message: "a body that fails",
    });
    for (const body of ["../../evil.mjs", "constructor", "__proto__"]) {
      base = effectFolder(join(folder, "effects"), body);
      const end = await ask(order(body), { limit: 1 });
      expect(end).toMatchObject({ status: "crashed", message: expect.stringContaining(body) });
    }
  });

  it("whose shim dies is tried anew up to the limit, and stays crashed for whoever asks again", async () => {
    expect(await ask(order("dies"), { limit: 2 })).toMatchObject({ status: "crashed", crashed: 2 });
    expect(await ask(order("dies"), { limit: 2 })).toMatchObject({ status: "crashed", crashed: 2 });
    expect(starts()).toBe(2);
  });

  it("tells its notes in order while it goes on, and after the last that was kept nothing twice", async () => {
    const told: { note: unknown; position: number }[] = [];
    const chatty = order("chatty", { count: 300, size: 500 });
    await ask(chatty, { onNote: (note, { position }) => told.push({ note, position }) });
    expect(told.map(({ note }) => (note as { n: number }).n)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    const rest: unknown[] = [];
    const notesFrom = { instance: 1, position: told[249]?.position ?? 0 };
    await ask(chatty, { onNote: (note) => rest.push(note), notesFrom });
    expect(rest).toEqual(told.slice(250).map(({ note }) => note));
  });

  it("writes no more notes than it may, and goes on", async () => {
    const chatty = order("chatty", { count: 300, size: 500 }, { notes_limit_bytes: 10_000 });
    let told = 0;
    expect(await ask(chatty, { onNote: () => told++ })).toMatchObject({ status: "done", value: 300 });
    expect(told).toBeGreaterThan(10);
    expect(readFileSync(join(instanceFolder(base, 1), "events.jsonl")).length).toBeLessThanOrEqual(10_000);
  });
});

describe("a shim that is killed", () => {
  const EXPECTED: Readonly<Record<(typeof SHIM_CRASH_POINTS)[number], { crashed: number; starts: number }>> = {
    "shim.before_claim": { crashed: 0, starts: 1 },
    "shim.claimed": { crashed: 1, starts: 1 },
    "shim.body_ended": { crashed: 1, starts: 2 },
    "shim.result_drafted": { crashed: 1, starts: 2 },
    "shim.result_written": { crashed: 0, starts: 1 },
  };

  it.each(SHIM_CRASH_POINTS)("at %s leaves an effect that is done once more or adopted", async (point) => {
    const end = await ask(work(10), { spawnShim: firstOtherwise(at(point)) });
    expect(end).toEqual({ status: "done", value: { did: "A" }, adopted: false, crashed: EXPECTED[point].crashed });
    expect(starts()).toBe(EXPECTED[point].starts);
  });

  it("takes with it everything its body started, before the next instance begins", async () => {
    const asked = ask(order("litter"), { limit: 1 });
    await started();
    process.kill(holder().pid, "SIGKILL");
    expect(await asked).toMatchObject({ status: "crashed", crashed: 1 });
    await expectSilence();
  });

  it("takes them with it too when it ends well", async () => {
    expect(await ask(order("litter", { log, then: "return" }))).toMatchObject({ status: "done", value: "littered" });
    await expectSilence();
  });

  /** Whoever was left would still write. */
  async function expectSilence(): Promise<void> {
    const before = timesOf(marksIn(folder), "tick").get("litter") ?? 0;
    expect(before).toBeGreaterThan(2);
    await sleep(250);
    expect(timesOf(marksIn(folder), "tick").get("litter")).toBe(before);
  }
});

describe("a shim that is late", () => {
  it("to write its result, on a slow disk, is waited for", async () => {
    const first = instanceFolder(base, 1);
    const isHeldUp = () => existsSync(join(first, "result.tmp")) && statOf(holder().pid)?.state === "T";
    const hasty = hastyWhile(isHeldUp);
    const asked = ask(work(10), { spawnShim: at("shim.result_drafted", "SIGSTOP"), clock: hasty });
    await Promise.race([asked, until(() => isHeldUp() && hasty.ahead() > 20_000)]);
    process.kill(holder().pid, "SIGCONT");
    expect(await asked).toEqual({ status: "done", value: { did: "A" }, adopted: false, crashed: 0 });
  });

  it("finds its instance void and does nothing; the next one does the effect", async () => {
    expect(makeInstance(base, 1)).toBe(true);
    expect(await ask(work(10))).toMatchObject({ status: "done", adopted: false, crashed: 0 });
    await shimSpawner(PROGRAM)(instanceFolder(base, 1)).exited;
    expect(starts()).toBe(1);
    expect(readClaim(instanceFolder(base, 1))).toBe("void");
  });

  it("that does not claim in time is voided", async () => {
    const never: SpawnShim = () => ({ exited: new Promise(() => undefined) });
    const first = instanceFolder(base, 1);
    const end = await ask(work(10), {
      spawnShim: firstOtherwise(never),
      clock: hastyWhile(() => existsSync(first) && readClaim(first) === null),
    });
    expect(readClaim(first)).toBe("void");
    expect(end).toMatchObject({ status: "done", crashed: 0 });
  });

  it("and a program that never starts is said to be at fault, instead of being tried for ever", async () => {
    const spawnShim = shimSpawner({ argv: ["/nonexistent/program"], env: {} });
    await expect(ask(work(10), { spawnShim })).rejects.toMatchObject({
      code: "SHIM_FAILED",
      message: expect.stringContaining("does not start"),
    });
  });

  it("and one that is stopped in mid-work (SIGSTOP) has one result when it goes on, whoever asks meanwhile", async () => {
    const until = join(folder, "until");
    const held = order("held", { log, id: "A", until });
    begun("attempt:A#1", held);
    await started();
    const { pid } = holder();
    process.kill(pid, "SIGSTOP");
    const second = ask(held);
    writeFileSync(until, "");
    await sleep(600);
    expect(starts()).toBe(1);
    process.kill(pid, "SIGCONT");
    expect(await second).toEqual({ status: "done", value: { did: "A" }, adopted: true, crashed: 0 });
    expect(timesOf(marksIn(folder), "end").get("A")).toBe(1);
  });
});

describe("stopping", () => {
  it.each(["work", "deaf", "stuck"])("an effect that is aborted ends, also when its body is %s", async (body) => {
    const controller = new AbortController();
    const asked = ask(order(body, { log, id: "A", work_ms: 600_000 }), { signal: controller.signal });
    await started();
    controller.abort();
    expect(await asked).toEqual({ status: "stopped", crashed: 0 });
    expect(isActive(instanceFolder(base, 1))).toBe(false);
    // Asked for again it begins anew, and being stopped was not a crash.
    expect(await ask(order("value", 1))).toEqual({ status: "done", value: 1, adopted: false, crashed: 0 });
  });

  it("before it has begun it never begins", async () => {
    const signal = AbortSignal.abort();
    expect(await ask(work(10), { signal })).toEqual({ status: "stopped", crashed: 0 });
    expect(makeInstance(base, 1)).toBe(true);
    expect(await ask(work(10), { signal })).toEqual({ status: "stopped", crashed: 0 });
    expect(voidInstance(instanceFolder(base, 1))).toBe(false);
  });

  it.each(["work", "deaf"])("out of time its body is stopped, also when it is %s", async (body) => {
    const wanted = order(body, { log, id: "A", work_ms: 600_000 }, { limit_ms: 150 });
    expect(await ask(wanted)).toEqual({ status: "timed_out", crashed: 0 });
    expect(await ask(wanted)).toEqual({ status: "timed_out", crashed: 0 });
    expect(timesOf(marksIn(folder), "end").size).toBe(0);
  });

  it("ends after a crash what runs for effects that are not due any more, and nothing else", async () => {
    const effects = join(folder, "effects");
    const due = begun("attempt:A#1", work(400));
    const stray = begun("attempt:B#1", order("deaf"));
    await until(() => starts() === 2);
    expect(await stopStrays(effects, ["attempt:A#1"])).toEqual([stray]);
    expect(isActive(stray)).toBe(false);
    await until(() => readResult(due) !== null);
    expect(readResult(due)).toEqual({ kind: "value", value: { did: "A" } });
  });

  it("a shim that got no signal sees the order in its folder", async () => {
    const place = begun("attempt:A#1", work(600_000));
    await started();
    orderStop(place);
    await until(() => readResult(place) !== null);
    expect(readResult(place)).toEqual({ kind: "stopped" });
  });
});

describe("sweeping", () => {
  it("removes what is recorded, and keeps what is not, and what still runs", async () => {
    const effects = join(folder, "effects");
    await ask(order("value", 1));
    const unrecorded = (base = effectFolder(effects, "verify:A#1"));
    await ask(order("value", 2));
    const running = dirname(begun("attempt:B#1", order("deaf")));
    await started();
    mkdirSync(join(effects, ".swept-half", "1"), { recursive: true });
    const swept = sweep(effects, ["attempt:A#1", "attempt:B#1"]);
    expect(swept.removed.toSorted()).toEqual(
      [join(effects, ".swept-half"), effectFolder(effects, "attempt:A#1")].toSorted(),
    );
    expect(swept.kept.toSorted((a, b) => (a.why < b.why ? -1 : 1))).toEqual([
      { folder: unrecorded, why: "no outcome of this effect is recorded" },
      { folder: running, why: "something still runs for this effect" },
    ]);
    expect(existsSync(effectFolder(effects, "attempt:A#1"))).toBe(false);
  });

  it("gives every effect a folder of its own inside of the run's, whatever its id is", () => {
    const ids = [
      "a:../../b#1",
      "a:..#1",
      "a:b/c#1",
      "a:b_c#1",
      "A:b_c#1",
      `a:${"ä".repeat(80)}#1`,
      `a:${"ä".repeat(79)}#11`,
    ];
    const places = ids.map((id) => effectFolder("/runs/1", id));
    expect(new Set(places.map((place) => place.toLowerCase())).size).toBe(ids.length);
    for (const place of places) expect(place).toMatch(/^\/runs\/1\/[\w-]{1,100}$/);
  });
});
