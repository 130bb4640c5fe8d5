import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import type { Step } from "../../src/hands/agents/scripted/script.js";
import { AttemptOrder } from "../../src/hands/attempts/attempt-order.js";
import type { LoggedEvent } from "../../src/model/event.js";
import { readRuns } from "../../src/app/project/open-runs.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { expectExplained } from "../explained.js";
import { addOwnSettings } from "../own-settings.js";
import { PROGRAM } from "./project.js";

/* A repository somebody asks something of, in words or by a decision record, with agents that follow a script. */

const AGENT = fileURLToPath(new URL("../../dist/hands/agents/scripted/scripted-agent.mjs", import.meta.url));
const ARM = pathToFileURL(fileURLToPath(new URL("./arm.mjs", import.meta.url))).href;

/**
 * The check of these repositories: every test file in one process. `node --test` starts one more for each file, and a run is
 * checked so often that most of its time would go into them.
 */
const FIND = String.raw`f => /(^|\/)test\/.+js$|[.]test[.]m?js$/.test(f)`;
const LOAD = `require("fs").readdirSync(".", { recursive: true }).filter(${FIND}).sort().forEach(f => import(process.cwd() + "/" + f))`;
export const TESTS = { name: "test", kind: "test", run: `node -e '${LOAD}'` };

export interface Said {
  /** The title of the task whose prompt it is. */
  readonly title: string;
  readonly writes?: Readonly<Record<string, string>>;
  /** In this attempt only. */
  readonly attempt?: number;
  /** What is done instead of writing and ending well. */
  readonly steps?: readonly Step[];
}

export interface Asked {
  readonly cwd: string;
  /** What every call is given; more may be put into it. */
  readonly env: Record<string, string>;
  /** What starts the agent that follows the script. */
  readonly agent: readonly string[];
  readonly git: (...args: string[]) => string;
  readonly call: (...args: string[]) => { code: number | null; stdout: string; stderr: string };
  readonly json: (...args: string[]) => Record<string, unknown>;
  /** The next process that reaches this point kills itself. */
  readonly dieAt: (point: string) => void;
  /** The log of the newest run. */
  readonly log: () => Promise<LoggedEvent[]>;
  readonly runs: () => Promise<string[]>;
  /** What was ordered of the last attempt at each task of a run. */
  readonly orders: (run: string) => Record<string, AttemptOrder>;
}

/** The intent of a plan that lies in a folder, with what it was planned from: arguments after `--intent`. */
export const inputsOf = (folder: string): string[] => [
  `${folder}/inputs/intent.json`,
  "--facts",
  `${folder}/inputs/facts.json`,
  "--memory",
  `${folder}/inputs/memory.json`,
];

/** `files: null` is an empty folder that is not a repository. */
export function asked(
  files: Readonly<Record<string, string>> | null,
  script: readonly Said[],
  more: {
    readonly agent?: object;
    readonly settings?: object;
    readonly name?: string;
    /** Says when it is removed; at the end of the test when absent. */
    readonly atEnd?: (act: () => void) => void;
  } = {},
): Asked {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-asked-"));
  const cwd = join(folder, more.name ?? "desk");
  (more.atEnd ?? onTestFinished)(() => {
    endProcessesOf(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  const env: Record<string, string> & { TMPDIR: string } = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    TMPDIR: join(folder, "tmp"),
    LANG: "C.UTF-8",
    NODE_OPTIONS: `--import=${ARM}`,
  };
  mkdirSync(env.TMPDIR);
  mkdirSync(cwd);
  const tasks = script.map(({ title, writes = {}, attempt, steps }) => ({
    prompt_has: `Your task: ${title}\n`,
    ...(attempt === undefined ? {} : { attempt }),
    steps: steps ?? [
      ...Object.entries(writes).map(([write, text]) => ({ write, text })),
      { usage: { in: 100, out: 20, cost_usd: 0.001 } },
      { say: "DONE" },
    ],
  }));
  writeFileSync(join(folder, "script.json"), JSON.stringify({ tasks, otherwise: [{ ask: "What am I to do?" }] }));
  const command = [process.execPath, AGENT, "--script", join(folder, "script.json")];
  addOwnSettings(folder, {
    agents: { scripted: { preset: "scripted", command, ...more.agent } },
    workspace: { tools: [join(folder, "script.json")] },
  });
  const settings = {
    ...(files === null ? {} : { checks: [TESTS] }),
    ...more.settings,
  };
  for (const [path, text] of Object.entries({ ...files, "coordinator.yaml": JSON.stringify(settings) })) {
    mkdirSync(join(cwd, path, ".."), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const git = (...args: string[]) => execFileSync("git", args, { cwd, env, encoding: "utf8" }).trimEnd();
  if (files !== null) {
    git("init", "-q", "-b", "main");
    git("config", "user.name", "ada");
    git("config", "user.email", "ada@example.org");
    git("add", ".");
    git("commit", "-qm", "Begin");
  }
  const call = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { cwd, env, encoding: "utf8" });
    return { code: status, stdout, stderr };
  };
  const withStore = async <T>(
    act: (reader: NonNullable<Awaited<ReturnType<typeof readRuns>>>) => Promise<T>,
    none: T,
  ) => {
    const reader = await readRuns(stateFolder(cwd));
    if (reader === null) return none;
    try {
      return await act(reader);
    } finally {
      await reader.close();
    }
  };
  return {
    cwd,
    env,
    agent: command,
    git,
    call,
    json: (...args) => JSON.parse(call(...args, "--json").stdout) as Record<string, unknown>,
    dieAt: (point) => writeFileSync(join(env.TMPDIR, "crash"), point),
    orders: (run) => {
      const attempts = join(cwd, ".coordinator/attempts", run);
      const found = readdirSync(attempts)
        .filter((name) => name.startsWith("attempt_"))
        .map((name) => {
          const { input } = JSON.parse(readFileSync(join(attempts, name, "1/order.json"), "utf8")) as {
            input: unknown;
          };
          return AttemptOrder.parse(input);
        })
        .toSorted((a, b) => Number(a.name.attemptId) - Number(b.name.attemptId));
      return Object.fromEntries(found.map((order) => [order.name.taskId, order]));
    },
    runs: () => withStore(async (reader) => (await reader.runs()).map(({ run_id }) => run_id), []),
    log: () =>
      withStore(async (reader) => {
        const newest = (await reader.runs()).at(-1)?.run_id ?? "";
        const events: LoggedEvent[] = [];
        for await (const logged of reader.read(newest, {})) events.push(logged);
        expectExplained(events);
        return events;
      }, []),
  };
}

/**
 * Ends every process that was started with this folder in its environment: work that was handed over and attempts that outlive
 * a killed server would write while the folder is removed. Without /proc, removing is tried again for a while instead.
 */
function endProcessesOf(folder: string): void {
  const processes = existsSync("/proc/self/environ") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of processes.map(Number)) {
    if (pid === process.pid || !readEnvironment(pid).includes(folder)) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

function readEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    // It has ended, or it belongs to somebody else.
    return "";
  }
}
