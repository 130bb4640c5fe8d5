import { readGitSync } from "../../hands/git/start-git.js";
import { constants, existsSync } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { OUTSIDE } from "../../hands/git/nothing-of-clone.js";
import { gitIn } from "../../hands/facts/git.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import { CoordinatorError } from "../../model/errors.js";
import { readRuns } from "../project/open-runs.js";
import { memoryFolder } from "../project/remembered.js";
import { readEngineSetting, readStoreSetting, SQLITE } from "../store/store-setting.js";
import type { Project } from "../project/project.js";
import type { StateFolder } from "../project/state-folder.js";
import { checkoutAt } from "../../hands/workspace/checkout.js";
import { WORKSPACE_LIMITS } from "../../hands/workspace/limits.js";
import { stateDirectory, temporaryDirectory } from "../../hands/workspace/state-places.js";
import { repositoryNotices } from "../../hands/workspace/repository-notices.js";
import { sandboxReport } from "../../hands/sandbox/grade.js";
import { describeMemoryLimit } from "../../hands/sandbox/memory/memory-group.js";
import type { Examination } from "../setup-reports.js";
import { CONTRACT_FILE } from "../../hands/settings/contract/find-contract.js";
import { howToList, unlistedActions } from "../../mind/contract/permit.js";

/* Examinations of doctor, one subject each. */

const OLDEST_GIT = [2, 38] as const;
const OLDEST_NODE = [20, 19] as const;

export function examineNode(version: string): Examination {
  const good = atLeast(version, OLDEST_NODE);
  return {
    name: "node",
    status: good ? "good" : "bad",
    detail: version,
    fix: good ? null : `Install Node.js ${OLDEST_NODE.join(".")} or newer.`,
  };
}

export function examineGit(path: string): Examination {
  const said = readGitSync(["--version"], { cwd: OUTSIDE, env: { PATH: path }, timeoutMs: 10_000 }) ?? "";
  const [version] = /\d+\.\d+(?:\.\d+)?/.exec(said) ?? [];
  const good = version !== undefined && atLeast(version, OLDEST_GIT);
  return {
    name: "git",
    status: good ? "good" : "bad",
    detail: version ?? "not found",
    fix: good ? null : `Install git ${OLDEST_GIT.join(".")} or newer.`,
  };
}

/** Planning needs none; carrying out a plan needs a repository with a commit. */
export async function examineRepository(cwd: string, env: NodeJS.ProcessEnv): Promise<Examination> {
  const found = await checkoutAt(cwd, env["PATH"] ?? "");
  if (found.kind !== "checkout") {
    const status = found.kind === "none" ? "weak" : "bad";
    return { name: "repository", status, detail: found.error.message, fix: found.error.fix ?? null };
  }
  const about = { name: "repository", detail: found.top } as const;
  if ((await gitIn(cwd, env)("rev-parse", "--verify", "--quiet", "HEAD")) !== null)
    return { ...about, status: "good", fix: null };
  const fix = "Commit what is there; a run starts from a commit.";
  return { ...about, status: "weak", detail: `${found.top} has no commit yet`, fix };
}

/** Examines parts of the checkout that differ in workspaces: submodules, files of Git LFS, a sparse checkout. */
export async function examineNotices(root: string, path: string): Promise<Examination[]> {
  const notices = await repositoryNotices(root, path);
  return notices.map((detail) => ({ name: "files", status: "weak", detail, fix: null }));
}

/** The store is made when the first run starts: what must be writable is the nearest folder that is there. */
export async function examineStore({ cwd, at, environment: env }: Project): Promise<Examination> {
  const store = resolve(cwd, ".coordinator");
  const { path, state } = await nearest(store);
  const bad = (detail: string, fix: string): Examination => ({ name: "store", status: "bad", detail, fix });
  if (state !== "writable") return bad(`${path} cannot be written`, `Make ${path} writable.`);
  try {
    const foreign = await findForeignRuns(at, env);
    if (foreign > 0) return cameFromElsewhere(foreign, store);
    const setting = readStoreSetting(at);
    if (setting !== SQLITE) return await (await import("./examine-team-store.js")).examineTeamStore(setting, env);
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    return bad(error.message, error.fix ?? "");
  }
  return { name: "store", status: "good", detail: `${store} can be written`, fix: null };
}

/** Where workers do the work of runs: the git remote, and the workers. Contract: to be asked where the store is not bad. */
export async function examineEngine(project: Project): Promise<Examination[]> {
  const engine = readEngineSetting(project.at);
  if (engine.engine === "local") return [];
  const { examineWorkers } = await import("./examine-workers.js");
  return examineWorkers(readStoreSetting(project.at), engine.remote, project);
}

/** How many runs a state folder holds of which this machine remembers none: 0 when it remembers any, or can remember nothing. */
async function findForeignRuns(at: StateFolder, env: NodeJS.ProcessEnv): Promise<number> {
  // The runs of a team are begun on many machines.
  if (readStoreSetting(at) !== SQLITE) return 0;
  const reader = await readRuns(at);
  if (reader === null) return 0;
  try {
    const memory = memoryFolder(at, stateDirectory(env));
    if (memory === null || existsSync(memory)) return 0;
    return (await reader.runs()).filter(({ run_id }) => run_id.startsWith("run_")).length;
  } finally {
    await reader.close();
  }
}

function cameFromElsewhere(runs: number, store: string): Examination {
  return {
    name: "store",
    status: "weak",
    detail: `${store} holds ${runs === 1 ? "a run" : `${runs} runs`}, and this machine remembers none: it came from elsewhere`,
    fix: `Logs, results and keys in it are believed. If you did not copy or move it here yourself, remove it: rm -r ${store}`,
  };
}

/** Examines the state outside of the repository: without it no workspace is made and no sandbox opened. */
export async function examineState(env: NodeJS.ProcessEnv): Promise<Examination> {
  const bad = (detail: string, fix: string): Examination => ({ name: "state", status: "bad", detail, fix });
  const state = stateDirectory(env);
  if (state === null) return bad("there is no home directory to keep state in", "Set HOME or XDG_STATE_HOME.");
  const place = await nearest(state);
  if (place.state !== "writable")
    return bad(`${place.path} cannot be written`, "Make it writable, or set XDG_STATE_HOME to a folder that is.");
  try {
    const detail = `${state} and ${temporaryDirectory()} can be written`;
    return { name: "state", status: "good", detail, fix: null };
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    return bad(error.message, error.fix ?? "");
  }
}

/** Room for workspaces. Contract: the folder they are made in need not be there yet. */
export async function examineDisk(env: NodeJS.ProcessEnv, folder: string | undefined): Promise<Examination[]> {
  const named = folder?.startsWith("~/") === true ? resolve(env["HOME"] ?? homedir(), folder.slice(2)) : folder;
  const place = named ?? stateDirectory(env);
  if (place === null) return [];
  const { path } = await nearest(place);
  const { bavail, bsize } = await statfs(path);
  const free = bavail * bsize;
  const least = WORKSPACE_LIMITS.freeBytes;
  const detail = `${gigabytes(free)} free for workspaces in ${place}`;
  if (free >= 4 * least) return [{ name: "disk", status: "good", detail, fix: null }];
  const fix = `Make room, run coordinator clean, or name another place (workspace.folder); ${gigabytes(least)} must stay free.`;
  return [{ name: "disk", status: free < least ? "bad" : "weak", detail, fix }];
}

function gigabytes(bytes: number): string {
  return bytes < 1024 ** 3 ? `${Math.floor(bytes / 1024 ** 2)} MB` : `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}

/** Finds the nearest existing folder of a place that may not be made yet. */
async function nearest(place: string): Promise<{ path: string; state: "writable" | "read_only" | "absent" }> {
  const state = await checkWritable(place);
  return state === "absent" && place !== dirname(place) ? nearest(dirname(place)) : { path: place, state };
}

async function checkWritable(place: string): Promise<"writable" | "read_only" | "absent"> {
  try {
    await access(place, constants.W_OK);
    return "writable";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "absent" : "read_only";
  }
}

export function examineSettings(problems: readonly Diagnostic[]): Examination {
  const [first] = problems;
  if (first === undefined)
    return { name: "settings", status: "good", detail: "coordinator.yaml has no problem", fix: null };
  const at = `${first.file ?? ""}${first.line === undefined ? "" : `:${first.line}`}`;
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
  return {
    name: "settings",
    status: "bad",
    detail: `${at} ${first.path ?? ""}: ${first.message}${more}`,
    fix: "Mend it.",
  };
}

/**
 * Examines the sandbox of this machine by opening one.
 *
 * Contract: looks once for each process, and says the same afterwards.
 */
export async function examineSandbox(): Promise<Examination> {
  const { grade, reasons, fix } = sandboxReport();
  const status = { strong: "good", reduced: "weak", none: "bad" } as const;
  return {
    name: "sandbox",
    status: status[grade],
    detail: [grade, ...reasons, ...(grade === "none" ? [] : [describeMemoryLimit()])].join("; "),
    fix: fix.length === 0 ? null : fix.join("; "),
  };
}

function atLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [a = 0, b = 0] = version.split(".").map(Number);
  return a > major || (a === major && b >= minor);
}

/** A contract that an older version wrote says nothing of what a newer one can do: each of that needs approval. */
export async function examineContract(project: Project): Promise<Examination> {
  const name = "contract";
  const loaded = await project.contract();
  if (!loaded.ok) {
    const [first] = loaded.problems;
    const detail = `${first?.path ?? ""} ${first?.message ?? "cannot be read"}`.trim();
    return {
      name,
      status: "bad",
      detail,
      fix: `Mend ${CONTRACT_FILE}, or remove it to use the shipped one.`,
    };
  }
  const { contract, file } = loaded;
  if (file === null) return { name, status: "good", detail: "the one that is shipped", fix: null };
  const unlisted = unlistedActions(contract);
  if (unlisted.length === 0)
    return { name, status: "good", detail: `${CONTRACT_FILE} names everything that is done here`, fix: null };
  return {
    name,
    status: "weak",
    detail: `in none of its lists, so each needs approval (--yes): ${unlisted.join(", ")}`,
    fix: `To have them done without being asked, ${howToList(unlisted, CONTRACT_FILE)}`,
  };
}
