import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { ExecuteOptions } from "../../src/app/run/execute-options.js";
import { openProject } from "../../src/app/project/project.js";
import { executeRun } from "../../src/app/run/execute-run.js";
import { openRecords, type RunRecords } from "../../src/hands/attempts/run-records.js";
import { Configuration } from "../../src/model/settings/configuration.js";
import type { EventOf, LoggedEvent, RunEvent } from "../../src/model/event.js";
import type { RoutingBounds } from "../../src/model/routing.js";
import type { RunPolicy, RunTask } from "../../src/model/run.js";
import type { Scope } from "../../src/model/scope.js";
import { foldRun } from "../../src/app/inspect/fold-run.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { amounts, planRef, runTask } from "../../src/testing/run-fixtures.js";
import { ensureBuilt } from "../build.js";
import { expectExplained } from "../explained.js";
import { addOwnSettings } from "../own-settings.js";
import { AUTO, Log, storeIn } from "../cli/run-logs.js";

/*
 * Whole runs with real parts: git, the sandbox, shims and the scripted agent. The plan is made by hand, because planning
 * keeps tasks apart that write the same file, and these are to meet.
 */

const agent = fileURLToPath(new URL("../../dist/hands/agents/scripted/scripted-agent.mjs", import.meta.url));
export const RUN = "run_of_conflicts";
export const FILE = "src/list.txt";

/** A check that has nothing to say about what these runs are about: the list is there. */
export const THERE = [{ name: "there", run: "test -s src/list.txt" }];

export interface Steps {
  readonly prompt_has: string;
  /** In this attempt only. */
  readonly attempt?: number;
  readonly steps: readonly Readonly<Record<string, unknown>>[];
}

export interface RealProject {
  readonly root: string;
  readonly env: Record<string, string>;
  readonly git: (...args: string[]) => string;
  readonly records: RunRecords;
}

/** A repository with one file, one check, and an agent that follows these steps; more agents by their names. */
export function realProject(
  tasks: readonly Steps[],
  settings: Record<string, unknown> = {},
  others: Readonly<Record<string, readonly Steps[]>> = {},
): RealProject {
  ensureBuilt();
  const place = mkdtempSync(join(tmpdir(), "coordinator-run-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));
  const root = join(place, "project");
  const script = join(place, "script.json");
  writeFileSync(script, JSON.stringify({ tasks }));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: place,
    XDG_STATE_HOME: join(place, "state"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "ada",
    GIT_AUTHOR_EMAIL: "ada@localhost",
    GIT_COMMITTER_NAME: "ada",
    GIT_COMMITTER_EMAIL: "ada@localhost",
  };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, env, encoding: "utf8" }).trim();
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  put(FILE, "alpha\nomega\n");
  put("src/other.txt", "one\ntwo\n");
  put(".gitignore", ".coordinator/\n");
  const scripts = { scripted: script, ...scriptsOf(others, place) };
  const agents = Object.entries(scripts).map(([name, file]) => [
    name,
    { preset: "scripted", command: [process.execPath, agent, "--script", file] },
  ]);
  addOwnSettings(place, {
    agents: Object.fromEntries(agents) as Record<string, unknown>,
    workspace: { tools: Object.values(scripts) },
  });
  const configuration = {
    checks: [{ name: "sound", run: "! grep -q broken src/list.txt" }],
    ...settings,
  };
  put("coordinator.yaml", JSON.stringify(configuration));
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "start");
  return { root, env, git, records: openRecords(join(root, ".coordinator", "records", RUN)) };
}

/** Agents beside the usual one, each with a script of its own. */
function scriptsOf(others: Readonly<Record<string, readonly Steps[]>>, place: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(others).map(([name, tasks]) => {
      const file = join(place, `${name}.json`);
      writeFileSync(file, JSON.stringify({ tasks }));
      return [name, file];
    }),
  );
}

export function realTask(id: string, title: string, difference: Partial<RunTask> = {}): RunTask {
  return runTask(id, {
    title,
    description: `${title}, each on a line of its own.`,
    agent: "scripted",
    estimate: { ...amounts(10_000), minutes: 10, files: 3, commits: 1, api_calls: 100 },
    scope: scopeOf(FILE),
    ...difference,
  });
}

export function scopeOf(...write: string[]): Scope {
  return {
    tools: ["read", "edit", "delete", "search", "execute", "think"],
    commands: ["git diff *"],
    read: ["**"],
    write,
    network: [],
    minutes: 5,
    output_bytes: 10_000_000,
    files: 3,
  };
}

export interface Ended {
  readonly status: string;
  readonly log: readonly LoggedEvent[];
  readonly events: readonly RunEvent[];
  readonly of: <T extends RunEvent["type"]>(type: T) => EventOf<T>[];
}

/** Begin a run of these tasks and do nothing yet. */
export async function openRun(
  { root }: RealProject,
  tasks: readonly RunTask[],
  policy: Partial<RunPolicy> = {},
  bounds?: RoutingBounds,
): Promise<void> {
  const store = await storeIn(root);
  const log = new Log(new Date().toISOString());
  const within = bounds === undefined ? {} : { bounds };
  await log.open(planRef(tasks, { budget: amounts(1_000_000), ...within }), { ...AUTO, ...policy }).writeTo(store, RUN);
  await store.close();
}

/** What each session of coordination of the run was ordered to be, by the start of its effect's name. */
export function sessionScopes({ root }: RealProject, kind: "resolve" | "review"): Scope[] {
  const attempts = join(root, ".coordinator", "attempts", RUN);
  return readdirSync(attempts)
    .filter((name) => name.startsWith(`${kind}_`))
    .map((name) => {
      const order = readFileSync(join(attempts, name, "1", "order.json"), "utf8");
      return (JSON.parse(order) as { input: { scope: Scope } }).input.scope;
    });
}

/** Begin a run of these tasks, or go on with it, until it is over or waits on a person. */
export async function carryOutRun(
  project: RealProject,
  tasks: readonly RunTask[],
  policy: Partial<RunPolicy> = {},
  more: Partial<Pick<ExecuteOptions, "guardrails" | "mostAtOnce">> = {},
): Promise<Ended> {
  const at = stateFolder(project.root);
  if (!existsSync(at.database)) await openRun(project, tasks, policy);
  const store = await storeIn(project.root);
  try {
    const { state } = await foldRun(store, RUN);
    const { configuration } = await load(project);
    const execution = await executeRun({
      runId: RUN,
      state,
      project: openProject({ cwd: project.root, environment: project.env }),
      store,
      configuration,
      builders: [],
      guardrails: [],
      models: [],
      unsafeNoSandbox: false,
      guard: (hands) => hands,
      ...more,
    });
    const settled = await execution.run.settled().finally(() => execution.stop());
    const log: LoggedEvent[] = [];
    for await (const logged of store.read(RUN)) log.push(logged);
    expectExplained(log);
    const events = log.map(({ event }) => event);
    return {
      status: settled.status,
      log,
      events,
      of: <T extends RunEvent["type"]>(type: T) => events.filter((event): event is EventOf<T> => event.type === type),
    };
  } finally {
    await store.close();
  }
}

async function load({ root, env }: RealProject) {
  const { loadConfiguration } = await import("../../src/hands/settings/load-configuration.js");
  const loaded = await loadConfiguration(root, env);
  return { configuration: Configuration.parse(loaded.configuration) };
}
