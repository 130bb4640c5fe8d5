import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openRecords } from "../../src/hands/attempts/run-records.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { opening, planRef, PROOF, runTask } from "../../src/testing/run-fixtures.js";
import { coordinatorJson, root, workFolder } from "../cli/program.js";
import { AUTO, Log, storeIn } from "../cli/run-logs.js";
import { githubApi, type HostApi } from "../../src/testing/hosts/github-api.js";
import type { World } from "../../src/testing/hosts/world.js";
import { type Seen, type StandIn, startStandIn } from "../../src/testing/hosts/stand-in.js";

/* A project of a person whose remote is the stand-in, with a finished run in it. */

export const RUN = "run_to_publish";
const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"];

export interface Hosted {
  readonly host: StandIn;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly git: (...args: string[]) => string;
  readonly base: string;
  /** The commits of the run's tasks, in order. */
  readonly heads: readonly string[];
  /** `more`: settings of the person beside those of hosts. */
  readonly settings: (codeHost: Readonly<Record<string, unknown>>, more?: Readonly<Record<string, unknown>>) => void;
  readonly coordinator: (...args: string[]) => ReturnType<typeof coordinatorJson>;
}

export async function hosted(
  changes: Readonly<Record<string, string>>[] = [{ "a.txt": "one\ntwo, as the run says\n" }],
  /** What people and agents say in the run: its request, the titles of its tasks, and what was let pass. */
  said?: string,
  makeApi: (world: World) => HostApi = githubApi,
): Promise<Hosted> {
  const host = await startStandIn(workFolder(), makeApi);
  onTestFinished(() => host.close());
  const home = workFolder();
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const env = {
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    [`COORDINATOR_${host.kind.toUpperCase()}_TOKEN`]: host.token,
  };
  const git = (...args: string[]) =>
    execFileSync("git", [...identity, ...args], {
      cwd,
      env: { PATH: process.env["PATH"], ...env },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  writeFileSync(
    join(home, ".gitconfig"),
    `[credential]\n\thelper = "!f() { echo username=ada; echo password=${host.token}; }; f"\n`,
  );
  const put = (path: string, text: string) => {
    mkdirSync(join(cwd, path, ".."), { recursive: true });
    writeFileSync(join(cwd, path), text);
  };
  git("init", "-q", "-b", "main");
  put(".gitignore", ".coordinator/\n");
  put(
    "coordinator.yaml",
    JSON.stringify({
      checks: [{ name: "there", run: "test -s a.txt" }],
      default_agent: "scripted",
      agents: { scripted: { preset: "scripted" } },
    }),
  );
  put("a.txt", "one\ntwo\n");
  git("add", ".");
  git("commit", "-q", "-m", "start");
  const base = git("rev-parse", "HEAD");
  git("remote", "add", "origin", `${host.url}/${host.repository}.git`);
  // By its path: the server cannot answer while this process waits for git.
  git("push", "-q", host.folder, "main");
  const settings: Hosted["settings"] = (codeHost, more = {}) => {
    const folder = join(home, ".config", "coordinator");
    mkdirSync(folder, { recursive: true });
    const servers = { [host.server]: { kind: host.kind, api: host.api, pause_ms: 0 } };
    writeFileSync(join(folder, "config.yaml"), JSON.stringify({ ...more, code_host: { servers, ...codeHost } }));
  };
  settings({});
  git("checkout", "-q", "-b", "elsewhere");
  const heads = changes.map((files, i) => {
    for (const [path, text] of Object.entries(files)) put(path, text);
    git("add", ".");
    git("commit", "-q", "-m", `task ${i}`);
    return git("rev-parse", "HEAD");
  });
  git("checkout", "-q", "main");
  git("branch", "-q", "-D", "elsewhere");
  if (heads.length > 0) {
    git("update-ref", `refs/coord/${RUN}/head`, heads.at(-1) ?? "");
    await writeRun(cwd, base, heads, said);
  }
  const coordinator = (...args: string[]) => coordinatorJson(args, { cwd, env });
  return { host, cwd, env, git, base, heads, settings, coordinator };
}

/** A finished run whose tasks made these commits. The last of them stands on its ref. */
export async function writeRun(
  cwd: string,
  base: string,
  heads: readonly string[],
  said: string | undefined,
  branch = "main",
): Promise<void> {
  const names = heads.map((_, i) => "ABCDEFG"[i] ?? "X");
  const titled = said === undefined ? {} : { title: said };
  const tasks = names.map((name, i) =>
    runTask(name, { ...titled, ...(i === 0 ? {} : { dependencies: [names[i - 1] ?? ""] }) }),
  );
  const log = new Log().take(
    ...opening(planRef(tasks), AUTO).map((event) =>
      event.type === "request_received" && said !== undefined ? { ...event, request: said } : event,
    ),
  );
  const accepted =
    said === undefined ? [] : [{ kind: "untested" as const, id: "1", message: said, by: "Ada", not_applicable: false }];
  names.forEach((name, i) => log.finish(name, 1, heads[i], { ...PROOF, accepted }));
  const store = await storeIn(cwd);
  await log.writeTo(store, RUN);
  await store.close();
  await openRecords(join(stateFolder(cwd).folder, "records", RUN)).write("base", { commit: base, branch });
}

/** Let the time go by until which the host limits the login. Says whether there was a limit. */
export function passLimits({ env }: Hosted): boolean {
  const folder = join(env["XDG_STATE_HOME"] ?? "", "coordinator", "hosts");
  const names = existsSync(folder) ? readdirSync(folder).filter((one) => one.endsWith("-limit.json")) : [];
  for (const name of names) {
    const limit = JSON.parse(readFileSync(join(folder, name), "utf8")) as object;
    writeFileSync(join(folder, name), JSON.stringify({ ...limit, until: "2026-01-01T00:00:00.000Z" }));
  }
  return names.length > 0;
}

/** Something that changes the host, and not only asks it. */
export const isWrite = ({ method, path }: Seen) => method !== "GET" && !path.endsWith("/git-upload-pack");

/**
 * The moments at which a process can die with a difference: a write was sent and not done, was done and not answered, or
 * was answered and the next request is sent. Between two reads nothing changes, here or on the host.
 */
export function momentsToDie(seen: readonly Seen[]): (readonly [step: number, when: "before" | "after"])[] {
  return seen.flatMap((one, step) => {
    const [before, after] = [[step, "before"] as const, [step, "after"] as const];
    if (isWrite(one)) return [before, after];
    const last = seen[step - 1];
    return last !== undefined && isWrite(last) ? [before] : [];
  });
}

/** Start the program and kill it with its `step`th request. Contract: resolves when it is dead. */
export async function killAt(
  at: Hosted,
  [step, when]: readonly [number, "before" | "after"],
  args: readonly string[],
): Promise<void> {
  const child = startCoordinator(at, args);
  at.host.watch = ({ index }, moment) => {
    if (index === step && moment === when) child.kill();
  };
  const code = await child.ended;
  at.host.watch = () => undefined;
  if (code !== null) throw new Error(`it ended with ${code} and was to be killed ${when} request ${step}`);
}

/** The program, to be killed by SIGKILL. */
function startCoordinator(
  at: Hosted,
  args: readonly string[],
): { readonly kill: () => void; readonly ended: Promise<number | null> } {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), ...args], {
    cwd: at.cwd,
    env: { PATH, TZ: "UTC", ...at.env },
    stdio: "ignore",
  });
  return {
    kill: () => void child.kill("SIGKILL"),
    ended: new Promise((resolve) => child.on("close", (code) => resolve(code))),
  };
}
