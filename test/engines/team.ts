import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { parseAddress } from "../../src/hands/store/postgres/address.js";
import { openConnections } from "../../src/hands/store/postgres/connection.js";
import { openPostgresStore } from "../../src/hands/store/postgres/open-postgres-store.js";
import { type Distributor, openDistributor } from "../../src/hands/workers/distributor.js";
import type { Needs, Work, WorkEnd } from "../../src/hands/workers/work-order.js";
import { Configuration } from "../../src/model/settings/configuration.js";
import { amounts, runTask } from "../../src/testing/run-fixtures.js";
import { sha256 } from "../../src/testing/store-suite.js";
import type { Body } from "../../src/testing/work-suite.js";

/* A team whose work does next to nothing: real workers in processes of their own, and this process as the one who asks. */

export const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const RUN = "run_engines";

/** What the bodies of a folder wrote down, and the way to let them go. */
export function bodiesIn(folder: string) {
  const count = (what: string, id: string) =>
    marksIn(folder).filter((mark) => mark.startsWith(`${what} ${id} `)).length;
  return {
    count: (what: "start" | "end", id: string) => count(what, id),
    letGo: (id: string) => writeFileSync(join(folder, id.replaceAll(/\W/g, "_")), ""),
  };
}

export function marksIn(folder: string): string[] {
  const path = join(folder, "marks");
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20);
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-engines-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface TestWorker {
  readonly process: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

export interface WorkerWords {
  readonly id: string;
  readonly labels?: readonly string[];
  readonly accepts?: readonly string[];
  readonly capacity?: number;
}

/** Contract: resolves when it stands in the store; it ends with the test. */
export async function startTestWorker(store: string, folder: string, words: WorkerWords): Promise<TestWorker> {
  const child = spawn(process.execPath, [here("./worker.mjs"), JSON.stringify({ store, folder, ...words })], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  return { process: child, said: () => said, ended };
}

const NEEDS: Needs = { labels: [], data: "internal", sandbox: true, programs: [] };

interface Asked {
  readonly needs?: Partial<Needs>;
  readonly priority?: number;
  readonly pace?: { readonly agent: string; readonly perMinute: number };
  readonly signal?: AbortSignal;
  readonly onNote?: (note: unknown) => void;
  readonly waits?: (reason: string) => void;
  /** Called when the work leaves the one who asks. */
  readonly leaves?: () => void;
}

export interface Team {
  readonly folder: string;
  readonly ask: (id: string, body: Body, asked?: Asked) => Promise<WorkEnd>;
  readonly distributor: () => Distributor;
  readonly replaceAsker: () => Promise<void>;
}

/** A team with a store of its own. */
export async function makeTeam(store: string, folder = newFolder()): Promise<Team> {
  const options = { address: parseAddress(store), password: () => "" };
  await (await openPostgresStore({ ...options, sha256 })).close();
  const connections = await openConnections(options);
  let distributor = await openDistributor(RUN, connections, options);
  onTestFinished(async () => {
    await distributor.close();
    await connections.close();
  });
  return {
    folder,
    distributor: () => distributor,
    ask: (id, body, { needs, priority = 1, pace, signal, onNote, waits, leaves } = {}) =>
      distributor.request({
        effect: { id },
        needs: { ...NEEDS, ...needs },
        priority,
        pace: pace ?? null,
        signal: signal ?? new AbortController().signal,
        onNote: onNote ?? (() => undefined),
        waits: waits ?? (() => undefined),
        work: async () => {
          leaves?.();
          return workOf(folder, id, body);
        },
      }),
    async replaceAsker() {
      await distributor.close();
      distributor = await openDistributor(RUN, connections, options);
    },
  };
}

/** A piece of work in the form that workers know, with the body where a title would be. */
function workOf(folder: string, id: string, body: Body): Work {
  return {
    kind: "proof",
    run_id: RUN,
    attempt: 1,
    task: runTask("T", { title: JSON.stringify({ id, folder, body }) }),
    result: {
      outcome: { kind: "completed", output_ref: "r" },
      usage: { amounts: amounts(1), source: "reported" },
      output: "",
      session_id: null,
      home: null,
      grade: "strong",
      base: "0".repeat(40),
      commit: null,
      ref: null,
      changes: [],
      gate: null,
      reported: [],
      unmade: [],
      refused: [],
      refusals: [],
      salvage: null,
      notices: [],
      iterations: [],
    },
    waivers: [],
    configuration: Configuration.parse({}),
    pristine: "0".repeat(40),
    nothing_due: false,
    unsafe_no_sandbox: false,
  };
}
