import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { STORE_CRASH_POINTS } from "../../src/foundation/processes/crash-points.js";
import { loadSigningKey } from "../../src/hands/store/chain/signing-key.js";
import { verifyRun } from "../../src/hands/store/chain/verify-run.js";
import type { EventReader } from "../../src/hands/store/event-store.js";
import { openSqliteReader, openSqliteStore } from "../../src/hands/store/sqlite/open-sqlite-store.js";
import { pauseEvent, readAll, sha256 } from "../../src/testing/store-suite.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The writer as plain JavaScript. It stands below the project, so that it finds the same packages. */
const bundle = join(root, "node_modules", ".cache", `store-writer-${process.pid}`);
const writer = join(bundle, "store-writer.mjs");
let folder: string;
let path: string;

beforeAll(async () => {
  await build({
    root,
    configFile: false,
    logLevel: "silent",
    build: {
      ssr: fileURLToPath(new URL("./store-writer.ts", import.meta.url)),
      outDir: bundle,
      rollupOptions: { output: { entryFileNames: "store-writer.mjs" } },
    },
  });
  cpSync(join(root, "src", "hands", "store", "sqlite", "migrations"), join(bundle, "migrations"), { recursive: true });
});

afterAll(() => rmSync(bundle, { recursive: true, force: true }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "coordinator-chaos-"));
  path = join(folder, "runs.db");
  const made = folder;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
});

interface Written {
  readonly signal: NodeJS.Signals | null;
  /** Every hash that was acknowledged, by run and number. */
  readonly acks: ReadonlyMap<string, string>;
  readonly lines: readonly string[];
}

interface WriterOptions {
  readonly width?: number;
  readonly count?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly through?: readonly string[];
  readonly onLine?: (line: string, child: ChildProcess) => void;
}

function startWriter({
  width = 4,
  count = 1000,
  env = {},
  through = [],
  onLine,
}: WriterOptions = {}): Promise<Written> {
  const [program, ...args] = [...through, process.execPath, writer, path, String(width), String(count)];
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  let rest = "";
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stdout.on("data", (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      lines.push(line);
      onLine?.(line, child);
    }
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code !== null && code !== 0 && code < 128) reject(new Error(`the writer failed: ${said}`));
      else resolve({ signal, lines, acks: acksOf(lines) });
    });
  });
}

function acksOf(lines: readonly string[]): Map<string, string> {
  return new Map(
    lines
      .filter((line) => line.startsWith("ACK "))
      .map((line) => line.split(" "))
      .map(([, runId, sequence, hash]) => [`${runId} ${sequence}`, hash ?? ""]),
  );
}

/** The store has every acknowledged event, its chains are whole, and nothing is there twice. Says how many there are. */
async function holdsItsWord(acks: ReadonlyMap<string, string>): Promise<number> {
  const store = await openSqliteStore(path, { sha256 });
  try {
    const found = new Map<string, string>();
    for (const { run_id } of await store.runs()) {
      const tasks = new Set<string>();
      for (const { sequence, hash, event } of await readAll(store, run_id)) {
        found.set(`${run_id} ${sequence}`, hash);
        if (event.type === "attempt_started") expect(tasks.has(event.task_id)).toBe(false);
        if (event.type === "attempt_started") tasks.add(event.task_id);
      }
      expect(await verdict(store, run_id)).toEqual([]);
    }
    expect([...acks].filter(([place, hash]) => found.get(place) !== hash)).toEqual([]);
    return found.size;
  } finally {
    await store.close();
  }
}

async function verdict(store: EventReader, runId: string) {
  const { publicKeyPem } = loadSigningKey(join(folder, "keys"));
  return (await verifyRun(store, runId, { sha256, publicKeyPems: [publicKeyPem] })).findings;
}

describe("kill -9", () => {
  it.each([1, 16])("at any moment, with %i appends at once: nothing acknowledged is lost", async (width) => {
    const all = new Map<string, string>();
    for (let round = 0; round < 5; round++) {
      const after = 1 + Math.floor(Math.random() * 60 * width);
      let seen = 0;
      const { signal, acks } = await startWriter({
        width,
        onLine: (line, child) => {
          if (line.startsWith("ACK") && ++seen === after) child.kill("SIGKILL");
        },
      });
      expect(signal).toBe("SIGKILL");
      for (const [place, hash] of acks) all.set(place, hash);
      expect(await holdsItsWord(all)).toBeGreaterThanOrEqual(all.size);
    }
  });

  it.each(STORE_CRASH_POINTS)("at %s", async (point) => {
    const all = new Map<string, string>();
    let stored = 0;
    for (const after of ["1", "2", "7"]) {
      const { signal, acks } = await startWriter({ env: { TEST_CRASH_AT: point, TEST_CRASH_AFTER: after } });
      expect(signal).toBe("SIGKILL");
      for (const [place, hash] of acks) all.set(place, hash);
      const now = await holdsItsWord(all);
      // Before the commit nothing of it is there; after it, all of it, although nobody was told.
      if (point === "store.before_commit") expect(now - stored).toBe(acks.size);
      else expect(now - stored).toBe(after === "1" ? 0 : acks.size + 4);
      stored = now;
    }
  });
});

describe("two processes", () => {
  it("the second is told who has the runs; when the first is killed, it may write to them", async () => {
    let resolveOpened: (child: ChildProcess) => void = () => undefined;
    const opened = new Promise<ChildProcess>((resolve) => (resolveOpened = resolve));
    const first = startWriter({
      count: 1_000_000,
      onLine: (line, child) => {
        // All of its runs are claimed by then.
        if (line.startsWith("ACK run_lane_3 ")) resolveOpened(child);
      },
    });
    const child = await opened;
    const second = await startWriter();
    expect(second.lines).toEqual(["OPENED", ...[0, 1, 2, 3].map((i) => `HELD run_lane_${i} ${child.pid}`), "CLOSED"]);
    const reader = await openSqliteReader(path);
    expect((await reader.runs()).length).toBeLessThanOrEqual(4);
    await reader.close();
    child.kill("SIGKILL");
    const { acks } = await first;
    await holdsItsWord(acks);
    const { lines } = await startWriter({ count: 3 });
    expect(lines.at(-1)).toBe("CLOSED");
  });

  it("that start at the same time: each run is written to by one at a time", async () => {
    const both = await Promise.all([
      startWriter({ count: 300 }),
      startWriter({ count: 300 }),
      startWriter({ count: 300 }),
    ]);
    const starts = both.map(({ lines }) => lines[0]?.split(" ")[0]);
    expect(starts).toContain("OPENED");
    expect(both.flatMap(({ lines }) => lines).filter((line) => /REFUSED|FAILED/.test(line))).toEqual([]);
    await holdsItsWord(new Map(both.flatMap(({ acks }) => [...acks])));
  });
});

/** Whether a program does what is needed here; says why a test is skipped. */
function canRun(program: string, args: readonly string[], what: string): boolean {
  const { status, error, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return true;
  console.log(`skipped: ${what}: ${error?.message ?? stderr.trim()}`);
  return false;
}

const mountable = (() => {
  if (process.platform !== "linux") return false;
  const at = mkdtempSync(join(tmpdir(), "coordinator-mount-"));
  const can = canRun("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", at], "no small file system can be mounted");
  if (can) execFileSync("umount", [at]);
  rmSync(at, { recursive: true });
  return can;
})();

describe.skipIf(!mountable)("a full disk", () => {
  it("fails the append with a clear error, loses nothing, and goes on when there is room", async () => {
    const disk = join(folder, "disk");
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]);
    onTestFinished(() => void execFileSync("umount", ["--lazy", disk]));
    path = join(disk, "runs.db");
    const store = await openSqliteStore(path, { sha256 });
    let sequence = 0;
    const text = "x".repeat(5_000);
    const failure = await (async () => {
      for (;;)
        try {
          await store.append("run_full", sequence, [pauseEvent(text)]);
          sequence++;
        } catch (error) {
          return error;
        }
    })();
    expect(failure).toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("full"),
      fix: expect.stringContaining("room"),
    });
    expect(sequence).toBeGreaterThan(20);
    await expect(store.append("run_full", sequence, [pauseEvent("small")])).rejects.toMatchObject({
      code: "STORE_FAILED",
    });
    expect(await readAll(store, "run_full")).toHaveLength(sequence);
    await store.close();
    execFileSync("mount", ["-o", "remount,size=8m", disk]);
    const again = await openSqliteStore(path, { sha256 });
    expect(await readAll(again, "run_full")).toHaveLength(sequence);
    expect(await again.append("run_full", sequence, [pauseEvent("small")])).toMatchObject({ status: "appended" });
    expect((await verifyRun(again, "run_full", { sha256 })).findings).toEqual([]);
    await again.close();
  });
});

const traceable =
  process.platform === "linux" && canRun("strace", ["-e", "trace=none", "true"], "system calls cannot be traced");

describe.skipIf(!traceable)("system calls that fail", () => {
  const injected = (calls: string, what: string) => [
    ..."strace -f -qq -o /dev/null".split(" "),
    "-P",
    path,
    "-P",
    `${path}-wal`,
    "-e",
    `trace=${calls}`,
    "-e",
    `inject=${calls}:${what}`,
  ];

  it.each([
    ["EIO at a sync", "fsync,fdatasync", "error=EIO:when=12+"],
    ["ENOSPC at a write", "pwrite64", "error=ENOSPC:when=25+"],
    ["EIO at a write", "pwrite64", "error=EIO:when=30+"],
  ])("%s: a clear error, and every acknowledged event is there", async (_, calls, what) => {
    await startWriter({ count: 2 });
    const { lines, acks } = await startWriter({ count: 200, through: injected(calls, what) });
    const failures = lines.filter((line) => line.startsWith("FAILED"));
    expect(failures).toHaveLength(4);
    for (const line of failures) expect(line).toMatch(/STORE_FAILED .*could not be written or read/);
    expect(acks.size).toBeGreaterThan(0);
    expect(await holdsItsWord(acks)).toBeGreaterThanOrEqual(acks.size + 8);
    expect((await startWriter({ count: 2 })).lines.at(-1)).toBe("CLOSED");
  });

  it.each(["pwrite64", "write", "fsync", "fdatasync", "ftruncate", "unlink"])(
    "kill -9 at every %s of a small run, its first opening included",
    async (call) => {
      for (let when = 1; ; when++) {
        expect(when).toBeLessThan(200);
        path = join(folder, `${when}.db`);
        const { acks, lines } = await startWriter({
          width: 2,
          count: 4,
          through: injected(call, `signal=KILL:when=${when}`),
        });
        const stored = await holdsItsWord(acks);
        expect(stored).toBeGreaterThanOrEqual(acks.size);
        // At most the one commit that was under way is there without having been acknowledged.
        expect(stored).toBeLessThanOrEqual(acks.size + 2);
        if (lines.at(-1) === "CLOSED") break;
      }
    },
  );
});
