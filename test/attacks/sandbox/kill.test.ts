import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxedProcess } from "../../../src/hands/sandbox/sandbox.js";
import { sandboxReport } from "../../../src/hands/sandbox/grade.js";
import { keepRecord, sweepOrphans } from "../../../src/hands/sandbox/kill.js";
import { type OpenSandbox, openSandbox } from "../../../src/hands/sandbox/open-sandbox.js";
import { identityOf } from "../../../src/foundation/processes/process-identity.js";
import { COORDINATORS, ownFolder, prepare, processesWith, startCoordinator, STRONG } from "./coordinators.js";

/* Programs that do not want to die: double-forked, in sessions of their own, without a descriptor to be known by. */

const TRIALS = Number(process.env["COORDINATOR_KILL_TRIALS"] ?? 200);
let place: Awaited<ReturnType<typeof prepare>>;
let next = 0;

beforeAll(async () => {
  place = await prepare();
});
afterAll(() => place.remove());

/** Leaves children behind in three ways, says so, and stays. The mark is found on every command line. */
function stubborn(mark: string): readonly [string, ...string[]] {
  const quiet = "</dev/null >/dev/null 2>&1";
  const script = `setsid -f sh -c 'sleep ${mark}' ${quiet}; (setsid sleep ${mark} ${quiet} &); nohup sleep ${mark} ${quiet} & echo up; sleep ${mark}`;
  return ["sh", "-c", script];
}

const newMark = () => `98765.${process.pid}${String(++next).padStart(5, "0")}`;

function openIn(name: string, more: object = {}): Promise<OpenSandbox> {
  const workspace = ownFolder(null, join(place.folder, name));
  return openSandbox({ workspace, writable: "whole", records: join(place.folder, "records"), ...more });
}

async function isUp({ stdout }: SandboxedProcess | ChildProcess): Promise<void> {
  if (stdout !== null) await once(stdout, "data");
}

/** Waits until nobody with the mark is left, within reason. */
async function nobodyLeft(mark: string): Promise<void> {
  for (let i = 0; i < 1000 && processesWith(mark).length > 0; i++) await pause(5);
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!STRONG)("killing", () => {
  it(`leaves nobody in ${TRIALS} trials, from the first millisecond of a start on [S0-053, S0-056]`, async () => {
    const sandbox = await openIn("trials");
    const survivors: number[] = [];
    let livedFully = 0;
    const trial = async (i: number) => {
      const mark = newMark();
      const started = sandbox.spawn({ argv: stubborn(mark) });
      // Every other one lives fully; the rest die somewhere on the way to it.
      if (i % 2 === 0) {
        await isUp(started);
        livedFully += processesWith(mark).length >= 2 ? 1 : 0;
      } else await pause((i * 7) % 45);
      started.kill();
      started.kill();
      await started.exited;
      survivors.push(...processesWith(mark));
    };
    for (let i = 0; i < TRIALS; i += 4) await Promise.all([0, 1, 2, 3].map((k) => trial(i + k)));
    await sandbox.close();
    expect(survivors).toEqual([]);
    expect(livedFully).toBeGreaterThan(TRIALS / 4);
  }, 600_000);

  it("would leave them without a sandbox: the same program and kill(pid) alone", async () => {
    const mark = newMark();
    const [program, ...args] = stubborn(mark);
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"] });
    await isUp(child);
    child.kill("SIGKILL");
    await once(child, "exit");
    const left = processesWith(mark);
    expect(left.length).toBeGreaterThan(0);
    // Some of them may still be on their way to becoming what they will be.
    for (let quiet = 0; quiet < 20; quiet++) {
      for (const pid of processesWith(mark)) {
        process.kill(pid, "SIGKILL");
        quiet = 0;
      }
      await pause(5);
    }
  });

  it("ends everything when the program inside ends by itself", async () => {
    const sandbox = await openIn("ends");
    const mark = newMark();
    const [, , script] = stubborn(mark) as [string, string, string];
    const started = sandbox.spawn({ argv: ["sh", "-c", script.replace(/; sleep [^;]*$/, "; exit 7")] });
    started.stdout.resume();
    expect(await started.exited).toEqual({ code: 7, signal: null });
    expect(processesWith(mark)).toEqual([]);
    await sandbox.close();
  });

  it("ends a fork bomb, which the limit on processes has bounded", async () => {
    const sandbox = await openIn("bomb", { limits: { processes: 60 } });
    const mark = newMark();
    // A shell that may not fork any more ends, and leaves the others to what it made. The first one must not: they wait
    // until it has no more to start.
    const bomb = `mkfifo go; for i in 1 2 3; do (: <go; while :; do sleep ${mark} & done) 2>/dev/null & done; echo up; exec sleep ${mark} >go`;
    const started = sandbox.spawn({ argv: ["sh", "-c", bomb] });
    await isUp(started);
    while (processesWith(mark).length < 50) await pause(5);
    let most = 0;
    for (let i = 0; i < 20; i++) {
      most = Math.max(most, processesWith(mark).length);
      await pause(10);
    }
    started.kill();
    await started.exited;
    expect(processesWith(mark)).toEqual([]);
    // Besides those inside, the parts of the sandbox itself carry the command.
    expect(most).toBeLessThanOrEqual(60 + 6);
    await sandbox.close();
  });

  it("close ends what still runs and removes what the sandbox made", async () => {
    const sandbox = await openIn("close");
    const mark = newMark();
    await isUp(sandbox.spawn({ argv: stubborn(mark) }));
    await sandbox.close();
    expect(processesWith(mark)).toEqual([]);
    expect(readdirSync(join(place.folder, "records"))).toEqual([]);
  });

  it.each(COORDINATORS)(
    "nobody outlives a Coordinator ($name) that is killed with -9, at any moment",
    async ({ name, uid }) => {
      const root = ownFolder(uid, join(place.folder, `killed-${name}`));
      const workspace = ownFolder(uid, join(root, "workspace"));
      const records = join(root, "records");
      for (let i = 0; i < 8; i++) {
        const mark = newMark();
        const order = {
          options: { workspace, writable: "whole" as const, records },
          commands: [{ argv: stubborn(mark) }],
          hold: true,
        };
        const coordinator = startCoordinator(place.program, uid, order);
        const exited = once(coordinator, "exit");
        if (i % 2 === 0) await isUp(coordinator);
        else {
          // As soon as there is a trace of the sandbox, and a little later each time.
          while (processesWith(mark).length < 2) await pause(1);
          await pause(i);
        }
        coordinator.kill("SIGKILL");
        await exited;
        await nobodyLeft(mark);
        expect(processesWith(mark)).toEqual([]);
        await sweepOrphans(records);
        expect(existsSync(records) ? readdirSync(records) : []).toEqual([]);
      }
    },
  );
});

describe("sweeping orphans", () => {
  it("ends what a Coordinator that is no more left behind, and nothing else", async () => {
    const records = join(place.folder, "sweep");
    const state = join(place.folder, "coord-sandbox-0123456789abcdef");
    mkdirSync(state);
    const orphan = spawn("sleep", ["98765"], { stdio: "ignore" });
    const bystander = spawn("sleep", ["98765"], { stdio: "ignore" });
    const named = identityOf(orphan.pid as number);
    const other = identityOf(bystander.pid as number);
    if (named === null || other === null) throw new Error("both must run");
    keepRecord(records, "coord-sandbox-living", join(place.folder, "coord-sandbox-living")).note([other]);
    const dead = { ...named, pid: 2 ** 22 - 1, start_time: "1" };
    // The bystander got the number of somebody who died: the start time tells them apart.
    const processes = [named, { ...other, start_time: "2" }];
    const covered = ["empty", "grown"].map((name) => join(place.folder, name));
    covered.forEach((path, i) => writeFileSync(path, "x".repeat(i)));
    writeFileSync(
      join(records, "coord-sandbox-0123456789abcdef.json"),
      JSON.stringify({ id: "coord-sandbox-0123456789abcdef", owner: dead, state, processes, covered }),
    );
    writeFileSync(join(records, "notes.txt"), "no record");
    const exited = once(orphan, "exit");
    expect(await sweepOrphans(records)).toEqual([{ id: "coord-sandbox-0123456789abcdef", killed: 1 }]);
    expect((await exited)[1]).toBe("SIGKILL");
    expect(bystander.exitCode).toBeNull();
    bystander.kill("SIGKILL");
    expect(existsSync(state)).toBe(false);
    expect(covered.map((path) => existsSync(path))).toEqual([false, true]);
    expect(readdirSync(records).sort()).toEqual(["coord-sandbox-living.json", "notes.txt"]);
    expect(await sweepOrphans(join(place.folder, "nowhere"))).toEqual([]);
  });
});

describe("without a sandbox", () => {
  const none = { grade: "none", reasons: ["bwrap is not installed"], fix: ["install it"], bubblewrap: null } as const;

  it("is refused, with what is missing and how to mend it", async () => {
    const workspace = ownFolder(null, join(place.folder, "none"));
    const opened = openSandbox({ workspace, writable: "whole", records: join(place.folder, "r") }, none);
    await expect(opened).rejects.toMatchObject({ code: "SANDBOX_MISSING", fix: "install it" });
  });

  it("by explicit order: no environment is passed, and what was started is found again", async () => {
    process.env["CANARY_OF_TEST"] = "seen";
    const workspace = ownFolder(null, join(place.folder, "none"));
    const options = { workspace, writable: "whole", records: join(place.folder, "r"), unsafeNoSandbox: true } as const;
    const sandbox = await openSandbox(options, none);
    expect(sandbox.grade).toBe("none");
    const mark = newMark();
    const started = sandbox.spawn({ argv: ["sh", "-c", `env; ${stubborn(mark)[2]}`] });
    let said = "";
    started.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    while (!said.includes("up\n")) await pause(5);
    await sandbox.close();
    expect(said).not.toContain("CANARY_OF_TEST");
    expect(processesWith(mark)).toEqual([]);
    delete process.env["CANARY_OF_TEST"];
  });
});

describe("the grade of this machine", () => {
  it("says what is missing when it is not strong", () => {
    const { grade, reasons, fix } = sandboxReport();
    expect(reasons.length > 0).toBe(grade !== "strong");
    if (grade === "none") expect(fix.length).toBeGreaterThan(0);
  });
});
