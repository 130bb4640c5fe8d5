import { spawn } from "node:child_process";
import { OUTSIDE } from "../git/nothing-of-clone.js";
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

const GITHUB = "github.com";
const TIMEOUT_MS = 10_000;

/** Null when nobody is logged in to this server. */
export async function findToken(
  server: string,
  named: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<FoundToken | null> {
  // A token of github.com is not sent to another server, as gh itself holds it.
  const variables = [
    ...(named === undefined ? [] : [named]),
    "COORDINATOR_GITHUB_TOKEN",
    server === GITHUB ? "GH_TOKEN" : "GH_ENTERPRISE_TOKEN",
  ];
  for (const name of variables) {
    const token = clean(environment[name]);
    if (token !== null) return { token, source: name };
  }
  const program = await askGh(server, environment);
  if (program !== null) return { token: program, source: "gh auth token" };
  const kept = await askGit(server, environment);
  return kept === null ? null : { token: kept, source: "git credential fill" };
}

function clean(said: string | undefined): string | null {
  const token = said?.trim() ?? "";
  return /^[\x21-\x7e]{8,1000}$/.test(token) ? token : null;
}

async function askGh(server: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  const child = spawn("gh", ["auth", "token", "--hostname", server], {
    cwd: OUTSIDE,
    env: { ...environment, GH_PROMPT_DISABLED: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  return clean((await collect(child)) ?? undefined);
}

async function askGit(server: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  const env = { ...environment, GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS: "" };
  const child = startGit(["credential", "fill"], { cwd: OUTSIDE, env });
  child.stdin.on("error", () => undefined).end(`protocol=https\nhost=${server}\n\n`);
  child.stderr.resume();
  const said = await collect(child);
  return clean(/^password=(.*)$/m.exec(said ?? "")?.[1]);
}

/** What a program printed; null when it failed, is not there, or took too long. */
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
