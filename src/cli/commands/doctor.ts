import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { findAgents, type FoundAgent } from "../../agents/find-agents.js";
import type { AgentSettings } from "../../model/agent-config.js";
import { EXIT } from "../exit-codes.js";
import { type Examination, finished, type Finished } from "../report.js";

export interface DoctorArguments {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly node: string;
  /** Looks at the sandbox of this machine. Absent: nobody looked, and that is said. */
  readonly sandbox?: () => Promise<Examination>;
  readonly agents?: Readonly<Record<string, AgentSettings>>;
}

const OLDEST_GIT = [2, 38] as const;
const OLDEST_NODE = [20, 19] as const;

/** Ready means that a run can be started here: everything that is needed, and one agent besides the scripted one. */
export async function examine(args: DoctorArguments): Promise<Finished> {
  const machine = {
    path: args.env["PATH"] ?? "",
    home: args.env["HOME"] ?? homedir(),
    hasVariable: (name: string) => (args.env[name] ?? "") !== "",
  };
  const [git, store, sandbox, agents] = await Promise.all([
    examineGit(machine.path),
    examineStore(args.cwd),
    (args.sandbox ?? nobodyLooked)(),
    findAgents(machine, args.agents),
  ]);
  const checks = [examineNode(args.node), git, store, sandbox, examineAgents(agents)];
  const ready = checks.every(({ status }) => status !== "bad");
  return finished(ready ? EXIT.done : EXIT.failed, { type: "doctor", ready, checks, agents });
}

const nobodyLooked = async (): Promise<Examination> => ({
  name: "sandbox",
  status: "unknown",
  detail: "not looked at",
  fix: null,
});

function examineNode(version: string): Examination {
  const good = atLeast(version, OLDEST_NODE);
  return {
    name: "node",
    status: good ? "good" : "bad",
    detail: version,
    fix: good ? null : `Install Node.js ${OLDEST_NODE.join(".")} or newer.`,
  };
}

function examineGit(path: string): Promise<Examination> {
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

/** The store is made when the first run starts: what must be writable is the nearest folder that is there. */
async function examineStore(cwd: string): Promise<Examination> {
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

function examineAgents(agents: readonly FoundAgent[]): Examination {
  const ready = agents.filter((agent) => agent.ready && agent.preset !== "scripted");
  const names = [...new Set(ready.map(({ name }) => name))];
  if (names.length > 0) return { name: "agents", status: "good", detail: `ready: ${names.join(", ")}`, fix: null };
  const fix = "Install one agent and log in to it; the list below says how for each.";
  return { name: "agents", status: "weak", detail: "only the scripted agent, which needs a script", fix };
}

function atLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [a = 0, b = 0] = version.split(".").map(Number);
  return a > major || (a === major && b >= minor);
}
