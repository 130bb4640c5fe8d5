import { spawn } from "node:child_process";
import { OUTSIDE } from "../git/nothing-of-clone.js";
import type { HostKind } from "./code-host.js";
import { startGit } from "../git/start-git.js";

/*
 * Where the token for a host's API comes from. Programs are asked outside of the clone, whose settings could name another
 * helper. The token is given to none of them: not in arguments, not in their environment.
 */

export interface FoundToken {
  readonly token: string;
  /** Where it was found, for people. */
  readonly source: string;
}

/** The variable that is asked first, by the kind of host. */
export const TOKEN_VARIABLE: Readonly<Record<HostKind, string>> = {
  github: "COORDINATOR_GITHUB_TOKEN",
  gitlab: "COORDINATOR_GITLAB_TOKEN",
  gitea: "COORDINATOR_GITEA_TOKEN",
};
const TIMEOUT_MS = 10_000;

/** Null when nobody is logged in to this server. */
export async function findToken(
  server: string,
  named: string | undefined,
  environment: NodeJS.ProcessEnv,
  kind: HostKind = "github",
): Promise<FoundToken | null> {
  const variables = [...(named === undefined ? [] : [named]), TOKEN_VARIABLE[kind], ...ofProgram(kind, server)];
  for (const name of variables) {
    const token = clean(environment[name]);
    if (token !== null) return { token, source: name };
  }
  const program = await askProgram(kind, server, environment);
  if (program !== null) return program;
  const kept = await askGit(server, environment);
  return kept === null ? null : { token: kept, source: "git credential fill" };
}

function clean(said: string | undefined): string | null {
  const token = said?.trim() ?? "";
  return /^[\x21-\x7e]{8,1000}$/.test(token) ? token : null;
}

/** The variables of gh and glab. A token of the public server is not sent to another one, as they themselves hold it. */
function ofProgram(kind: HostKind, server: string): string[] {
  if (kind === "github") return [server === "github.com" ? "GH_TOKEN" : "GH_ENTERPRISE_TOKEN"];
  return kind === "gitlab" && server === "gitlab.com" ? ["GITLAB_TOKEN"] : [];
}

const PROGRAMS: Readonly<Partial<Record<HostKind, (server: string) => readonly [string, ...string[]]>>> = {
  github: (server) => ["gh", "auth", "token", "--hostname", server],
  gitlab: (server) => ["glab", "config", "get", "token", "--host", server],
};

async function askProgram(kind: HostKind, server: string, environment: NodeJS.ProcessEnv): Promise<FoundToken | null> {
  const command = PROGRAMS[kind]?.(server);
  if (command === undefined) return null;
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: OUTSIDE,
    env: { ...environment, GH_PROMPT_DISABLED: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const token = clean((await collect(child)) ?? undefined);
  return token === null ? null : { token, source: kind === "github" ? "gh auth token" : "glab config get token" };
}

async function askGit(server: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  const env = { ...environment, GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS: "" };
  const child = startGit(["credential", "fill"], { cwd: OUTSIDE, env });
  child.stdin.on("error", () => undefined).end(`protocol=https\nhost=${server}\n\n`);
  child.stderr.resume();
  const said = await collect(child);
  return clean(/^password=(.*)$/m.exec(said ?? "")?.[1]);
}

/** The output of a program; null when it failed, is not there, or took too long. */
function collect(child: ReturnType<typeof spawn>): Promise<string | null> {
  return new Promise((resolve) => {
    const out: Buffer[] = [];
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
    child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
    child.on("error", () => {
      clearTimeout(timer);
      resolve(null);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? Buffer.concat(out).toString("utf8") : null);
    });
  });
}
