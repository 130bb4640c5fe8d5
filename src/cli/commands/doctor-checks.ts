import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { gitIn } from "../../facts/git.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import { sandboxReport } from "../../workspace/sandbox/grade.js";
import type { Examination } from "../report.js";

/* What doctor looks at, one thing each. */

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

export function examineGit(path: string): Promise<Examination> {
  return new Promise((done) => {
    execFile("git", ["--version"], { env: { PATH: path }, timeout: 10_000 }, (error, stdout) => {
      const [version] = /\d+\.\d+(?:\.\d+)?/.exec(error === null ? stdout : "") ?? [];
      const good = version !== undefined && atLeast(version, OLDEST_GIT);
      done({
        name: "git",
        status: good ? "good" : "bad",
        detail: version ?? "not found",
        fix: good ? null : `Install git ${OLDEST_GIT.join(".")} or newer.`,
      });
    });
  });
}

/** Planning needs none; carrying out a plan needs a repository with a commit. */
export async function examineRepository(cwd: string, env: NodeJS.ProcessEnv): Promise<Examination> {
  const git = gitIn(cwd, env);
  const root = (await git("rev-parse", "--show-toplevel"))?.trim();
  const weak = (detail: string, fix: string): Examination => ({ name: "repository", status: "weak", detail, fix });
  if (root === undefined)
    return weak(`${resolve(cwd)} is in no git repository`, "git init, then commit what is there.");
  if ((await git("rev-parse", "--verify", "--quiet", "HEAD")) === null)
    return weak(`${root} has no commit yet`, "Commit what is there; a run starts from a commit.");
  return { name: "repository", status: "good", detail: root, fix: null };
}

/** The store is made when the first run starts: what must be writable is the nearest folder that is there. */
export async function examineStore(cwd: string): Promise<Examination> {
  const store = resolve(cwd, ".coordinator");
  for (let place = store; ; place = dirname(place)) {
    const state = await writable(place);
    if (state === "absent" && place !== dirname(place)) continue;
    const good = state === "writable";
    const detail = good ? `${store} can be written` : `${place} cannot be written`;
    return { name: "store", status: good ? "good" : "bad", detail, fix: good ? null : `Make ${place} writable.` };
  }
}

async function writable(place: string): Promise<"writable" | "read_only" | "absent"> {
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

/** What cages of this machine can do, found by opening one. */
export async function examineSandbox(): Promise<Examination> {
  const { grade, reasons, fix } = sandboxReport();
  const status = { strong: "good", reduced: "weak", none: "bad" } as const;
  return {
    name: "sandbox",
    status: status[grade],
    detail: [grade, ...reasons].join("; "),
    fix: fix.length === 0 ? null : fix.join("; "),
  };
}

function atLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [a = 0, b = 0] = version.split(".").map(Number);
  return a > major || (a === major && b >= minor);
}
