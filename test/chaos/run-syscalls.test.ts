import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { adoptOrVoid } from "../../src/hands/attempts/shim/adopt.js";
import { effectFolder, instanceFolder } from "../../src/hands/attempts/shim/instance-folder.js";
import { shimSpawner } from "../../src/hands/attempts/shim/spawn-shim.js";
import { ensureBuilt } from "../build.js";
import { expectCompleted, expectEachOnce, here, live, marksIn, newFolder, type RunShape } from "./lives.js";
import { DURABLE, pathsOf, traceable, traced } from "./traced.js";

/*
 * A whole small run, killed at its durable system calls: each place is one run that is killed there and goes on. strace
 * counts each call by itself, so every call has its own places. `npm run chaos` takes them all, a test run an even share.
 */

const RUN: RunShape = { tasks: 3, width: 2, work_ms: 10, adopt: true };
const { CHAOS_KILLS = "40" } = process.env;

interface Place {
  readonly call: string;
  readonly when: number;
}

beforeAll(ensureBuilt);

/** Where a traced program may be killed, by what it did when it was not. */
function placesIn(trace: string): Place[] {
  const times = new Map<string, number>();
  return readFileSync(trace, "utf8")
    .split("\n")
    .flatMap((line) => /^\d+ +(\w+)\(/.exec(line)?.[1] ?? [])
    .map((call) => {
      const when = (times.get(call) ?? 0) + 1;
      times.set(call, when);
      return { call, when };
    });
}

function evenly<T>(all: readonly T[], share: string): T[] {
  const count = share === "all" ? all.length : Math.min(all.length, Number(share));
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)] as T);
}

/** Two at a time: there are two cores. */
async function eachOf<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all];
  const lane = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await act(next);
  };
  await Promise.all([lane(), lane()]);
}

describe.skipIf(!traceable)("kill -9 at the durable system calls of a whole run", () => {
  it("of its coordinator: nothing is lost, nothing is done twice", { timeout: 1_800_000 }, async () => {
    const whole = newFolder();
    const out = join(newFolder(), "trace");
    await live(whole, RUN, { through: traced(DURABLE.join(","), pathsOf(whole, RUN), { out }) });
    const places = placesIn(out);
    const chosen = evenly(places, CHAOS_KILLS);
    const adoptions: number[] = [];
    let kills = 0;
    await eachOf(chosen, async ({ call, when }) => {
      const folder = newFolder();
      const through = traced(call, pathsOf(folder, RUN), { inject: `signal=KILL:when=${when}` });
      const first = await live(folder, RUN, { through });
      if (first.lines.at(-1) !== "completed") kills++;
      const second = await live(folder, RUN);
      expect({ call, when, ...second }).toMatchObject({ code: 0, stderr: "" });
      for (const line of second.lines)
        adoptions.push(...(/^adopted after (\d+) ms/.exec(line)?.slice(1).map(Number) ?? []));
      expectEachOnce(folder, RUN);
      await expectCompleted(folder, RUN);
    });
    adoptions.sort((a, b) => a - b);
    console.log(
      `${kills} kills at ${chosen.length} of ${places.length} places; ${adoptions.length} restarts adopted something,`,
      `the first after ${adoptions[adoptions.length >> 1]} ms (median), ${adoptions.at(-1)} ms (longest)`,
    );
    expect(places.length).toBeGreaterThan(150);
    expect(kills).toBeGreaterThan(chosen.length * 0.8);
    expect(adoptions.length).toBeGreaterThan(0);
  });

  it("of a shim: its effect is adopted, or done by the next one", { timeout: 600_000 }, async () => {
    // Where a shim may be killed that is told its folder: all of its durable calls but the writes to its own log.
    const calls = DURABLE.join(",");
    const pathsOfShim = (folder: string) => {
      const place = instanceFolder(effectFolder(join(folder, "effects"), "A"), 1);
      const names = ["claim", "result.tmp", "result", "events.jsonl", "working"].map((name) => join(place, name));
      // Names are used below the handle of their folder, whatever number that has.
      const held = Array.from({ length: 40 }, (_, fd) =>
        ["claim", "result", "working"].map((name) => `/proc/self/fd/${fd}/${name}`),
      );
      return [place, ...names, ...held.flat(), join(folder, "effects.log")];
    };
    const ask = async (folder: string, through: readonly string[]) => {
      const program = (before: readonly string[]) =>
        shimSpawner({
          argv: [...before, process.execPath, here("./shim-bodies.mjs")] as unknown as [string],
          env: { PATH: process.env["PATH"] ?? "" },
        });
      const [killed, usual] = [program(through), program([])];
      return adoptOrVoid(effectFolder(join(folder, "effects"), "A"), {
        order: { body: "work", input: { log: join(folder, "effects.log"), id: "A", work_ms: 5 }, limit_ms: 60_000 },
        spawnShim: (place) => (place.endsWith("/1") ? killed(place) : usual(place)),
        limit: 2,
        signal: new AbortController().signal,
        clock: {
          now: () => new Date().toISOString(),
          elapsedMs: () => performance.now(),
          wait: (ms, signal) => sleep(ms, undefined, { signal }),
        },
      });
    };
    const out = join(newFolder(), "trace");
    const whole = newFolder();
    await ask(whole, traced(calls, pathsOfShim(whole), { out }));
    const places = placesIn(out);
    expect(places.length).toBeGreaterThan(8);
    let again = 0;
    await eachOf(places, async ({ call, when }) => {
      const folder = newFolder();
      const end = await ask(folder, traced(call, pathsOfShim(folder), { inject: `signal=KILL:when=${when}` }));
      expect({ call, when, ...end }).toMatchObject({ status: "done", value: { did: "A" } });
      const marks = marksIn(folder);
      const last = marks.at(-1)?.pid;
      // Whoever gave the result began once and ended once, and nobody wrote anything after it had begun.
      expect(marks.filter(({ pid }) => pid === last).map(({ what }) => what)).toEqual(["start", "end"]);
      expect(new Set(marks.map(({ pid }) => pid)).size).toBeLessThanOrEqual(2);
      expect(marks.slice(-2).every(({ pid }) => pid === last)).toBe(true);
      if (new Set(marks.map(({ pid }) => pid)).size === 2) again++;
    });
    console.log(`${places.length} kills of a shim; ${again} times the next one did the effect again`);
  });
});
