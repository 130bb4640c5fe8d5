import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { ASKER_CRASH_POINTS, STORE_CRASH_POINTS } from "../../src/foundation/processes/crash-points.js";
import {
  effectFolders,
  instancesOf,
  isActive,
  readClaim,
  readResult,
} from "../../src/hands/attempts/shim/instance-folder.js";
import { seededRandom } from "../../src/mind/run/seeded.js";
import { ensureBuilt } from "../build.js";
import {
  adoptedIn,
  expectCompleted,
  expectEachOnce,
  live,
  type Life,
  marksIn,
  newFolder,
  type RunShape,
  timesOf,
} from "./lives.js";

const RUN: RunShape = { tasks: 10, width: 5, work_ms: 250, adopt: true };

beforeAll(ensureBuilt);

/** Life after life, each but the last killed at a random moment after its first sign of work. */
async function livesOf(folder: string, shape: RunShape, seed: number, deaths: number): Promise<Life[]> {
  const chance = seededRandom(seed, "kills");
  const lives: Life[] = [];
  for (;;) {
    const life = await live(folder, shape, lives.length < deaths ? { afterMs: Math.floor(chance() * 400) } : {});
    expect(life.stderr).toBe("");
    lives.push(life);
    if (life.signal === null) return lives;
  }
}

/** The folders of all instances there are. */
function instances(effects: string): string[] {
  return effectFolders(effects).flatMap((effect) =>
    instancesOf(join(effects, effect)).map((n) => join(effects, effect, String(n))),
  );
}

async function nothingRuns(folder: string): Promise<void> {
  const all = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith("effects"))
      .flatMap((name) => instances(join(folder, name)));
  while (all().some(isActive)) await sleep(20);
}

describe("a coordinator that is killed with SIGKILL again and again", () => {
  it.each([1, 2])("adopts what its shims did meanwhile: every effect once (seed %d)", async (seed) => {
    const folder = newFolder();
    const lives = await livesOf(folder, RUN, seed, 8);
    expect(lives.at(-1)?.lines.at(-1)).toBe("completed");
    expect(lives.length).toBeGreaterThan(3);
    await expectCompleted(folder, RUN);
    expectEachOnce(folder, RUN);
    const times = lives
      .flatMap(({ lines }) => lines)
      .flatMap((line) => /^adopted after (\d+) ms$/.exec(line)?.[1] ?? []);
    console.log(`seed ${seed}: ${lives.length - 1} kills; first adoption ${times.join(", ")} ms after the start`);
    expect(times.length).toBeGreaterThan(0);
  });

  it("the same without adoption does effects twice: the counting above can fail", async () => {
    const folder = newFolder();
    const lives = await livesOf(folder, { ...RUN, adopt: false }, 1, 8);
    expect(lives.at(-1)?.lines.at(-1)).toBe("completed");
    await nothingRuns(folder);
    const ends = timesOf(marksIn(folder), "end");
    expect([...ends.values()].filter((times) => times > 1).length).toBeGreaterThan(0);
  });

  it.each([...STORE_CRASH_POINTS, ...ASKER_CRASH_POINTS])(
    "at %s, life after life, goes on where it was",
    async (at) => {
      const shape = { ...RUN, tasks: 4, width: 2, work_ms: 30 };
      const folder = newFolder();
      for (let lives = 0; lives < 4; lives++) expect((await live(folder, shape, { at })).signal).toBe("SIGKILL");
      const last = await live(folder, shape);
      expect(last).toMatchObject({ signal: null, stderr: "" });
      expect(last.lines.at(-1)).toBe("completed");
      await expectCompleted(folder, shape);
      expectEachOnce(folder, shape);
    },
  );
});

describe("shims that are killed with SIGKILL", () => {
  it.each([1, 2])(
    "count as crashed, one instance at a time acts, and the run goes on [S0-048] (seed %d)",
    async (seed) => {
      const folder = newFolder();
      const effects = join(folder, "effects");
      const chance = seededRandom(seed, "shims");
      const killed = new Set<string>();
      const life = live(folder, RUN);
      const over = new AbortController();
      void life.then(() => over.abort());
      while (!over.signal.aborted && killed.size < 10) {
        await sleep(60 + chance() * 120);
        const alive = instances(effects).filter((place) => isActive(place) && readResult(place) === null);
        const place = alive[Math.floor(chance() * alive.length)];
        const held = place === undefined ? null : readClaim(place);
        if (place === undefined || held === null || held === "void") continue;
        if (wasKilled(held.pid)) killed.add(String(held.pid));
      }
      const { stderr, lines } = await life;
      expect(stderr).toBe("");
      expect(lines.at(-1)).toBe("completed");
      expect(killed.size).toBeGreaterThan(2);
      await expectCompleted(folder, RUN);
      expectOneAtATime(folder, killed);
      expect(adoptedIn({ lines } as Life)).toBe(0);
    },
  );

  /** Contract: false for one that ended by itself since it was looked at. */
  function wasKilled(pid: number): boolean {
    try {
      return process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
      throw error;
    }
  }

  /** Of an effect's instances each begins after the one before was killed, and only those that were not have a result. */
  function expectOneAtATime(folder: string, killed: ReadonlySet<string>): void {
    const last = new Map<string, string>();
    for (const { id, pid } of marksIn(folder)) {
      const task = id.replace(/#\d+$/, "");
      const before = last.get(task);
      if (before !== undefined && before !== pid) expect(killed).toContain(before);
      last.set(task, pid);
    }
    // An instance killed between its last effect and its result did it all; whoever is not killed ends once.
    const unkilled = marksIn(folder).filter(({ pid }) => !killed.has(pid));
    expect([...timesOf(unkilled, "end").values()].every((times) => times === 1)).toBe(true);
  }
});
