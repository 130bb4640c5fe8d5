import type { Readable } from "node:stream";
import { CoordinatorError } from "../../model/errors.js";
import { gitWords, RUNS_NOTHING } from "./nothing-of-clone.js";
import { startGit } from "./start-git.js";

/*
 * Every call of git that the Coordinator makes. Repositories and workspaces are not trusted: nothing they configure is
 * run, nothing of the caller's environment is passed on, and git may take neither for ever nor all memory.
 */

export interface GitCall {
  readonly args: readonly string[];
  /** INVARIANT: never the repository inside of a workspace once an agent has run there. */
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  /** INVARIANT: never a workspace; the folder of the quarantine when absent. */
  readonly cwd?: string;
  readonly input?: string | Buffer | Readable;
  readonly config?: readonly string[];
  /** Allows the file protocol: for transfers with the quarantine and nothing else. */
  readonly transfer?: boolean;
  readonly author?: { readonly name: string; readonly email: string };
  readonly timeoutMs?: number;
  readonly mostOutput?: number;
  /** Takes the output as it comes instead of gathering it; false stops git. */
  readonly onOutput?: (chunk: Buffer) => boolean;
}

interface GitResult {
  /** Null when git was stopped or could not be started. */
  readonly code: number | null;
  readonly stopped: "timeout" | "output" | "reader" | "signal" | "unavailable" | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Cgit {
  /** Contract: never rejects; every way git can end is a value. */
  readonly call: (call: GitCall) => Promise<GitResult>;
  /** Contract: the output of a call that exited with 0; throws WORKSPACE_FAILED, with what git said, for all others. */
  readonly must: (what: string, call: GitCall) => Promise<Buffer>;
}

const SETTINGS = [
  ...RUNS_NOTHING,
  "core.untrackedCache=false",
  "core.excludesFile=/dev/null",
  "core.attributesFile=/dev/null",
  "core.autocrlf=false",
  "core.logAllRefUpdates=false",
  "core.quotePath=false",
  "protocol.allow=never",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "fetch.writeCommitGraph=false",
  "fetch.prune=false",
  "diff.ignoreSubmodules=all",
  "transfer.fsckObjects=true",
  "fetch.fsckObjects=true",
  "core.protectNTFS=true",
  "core.protectHFS=true",
  "core.fsync=committed,reference",
  "commit.gpgSign=false",
  "tag.gpgSign=false",
] as const;

const LONGEST_MS = 120_000;
const MOST_OUTPUT = 64 * 1024 * 1024;
const MOST_COMPLAINT = 16 * 1024;
const COORDINATOR = { name: "coordinator", email: "coordinator@localhost" };

/** Who makes the commits of the Coordinator, as git writes it. */
export const COMMITTER = `${COORDINATOR.name} <${COORDINATOR.email}>`;

export interface CgitOptions {
  /** Where git is looked for; nothing else of the environment is used. */
  readonly path: string;
  readonly cwd: string;
  /** Git looks for no repository in these directories or above them. */
  readonly ceilings: readonly string[];
}

export function createCgit({ path, cwd, ceilings }: CgitOptions): Cgit {
  const call = (request: GitCall) => run(request, environmentOf(request, path, ceilings), request.cwd ?? cwd);
  return {
    call,
    async must(what, request) {
      const { code, stopped, stdout, stderr } = await call(request);
      if (code === 0) return stdout;
      const said = stderr.trim().split("\n").slice(-5).join(" ");
      const reason = stopped === null ? `git ${request.args[0] ?? ""} ended with ${code}` : REASONS[stopped];
      throw new CoordinatorError("WORKSPACE_FAILED", `${what} failed: ${reason}${said === "" ? "" : `: ${said}`}`, {
        retryable: stopped === "timeout" || stopped === "signal",
        fix: FIXES[stopped ?? "code"],
      });
    },
  };
}

const REASONS = {
  timeout: "git took too long and was stopped",
  output: "git said more than is read and was stopped",
  reader: "what git said was refused",
  signal: "git was killed",
  unavailable: "git could not be started",
};
const FIXES = {
  timeout: "Try again when the machine is less busy; a repository this large may need a narrower read scope.",
  output: "Narrow the read scope of the task.",
  reader: "Narrow the read scope of the task.",
  signal: "Try again; look for a lack of memory.",
  unavailable: "Install git and see that it is in PATH.",
  code: "Check that the disk has room, that the repository can be written to, and that it is whole (git fsck).",
};

function environmentOf(call: GitCall, path: string, ceilings: readonly string[]): NodeJS.ProcessEnv {
  const author = call.author ?? COORDINATOR;
  return {
    PATH: path,
    HOME: "/nonexistent",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_CEILING_DIRECTORIES: ceilings.join(":"),
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: COORDINATOR.name,
    GIT_COMMITTER_EMAIL: COORDINATOR.email,
    ...(call.gitDir === undefined ? {} : { GIT_DIR: call.gitDir }),
    ...(call.workTree === undefined ? {} : { GIT_WORK_TREE: call.workTree }),
    ...(call.indexFile === undefined ? {} : { GIT_INDEX_FILE: call.indexFile }),
  };
}

function run(call: GitCall, env: NodeJS.ProcessEnv, cwd: string): Promise<GitResult> {
  const settings = [
    ...SETTINGS,
    ...(call.transfer === true ? ["protocol.file.allow=always"] : []),
    ...(call.config ?? []),
  ];
  const { words, cwd: outside } = gitWords(cwd, settings);
  const mostOutput = call.mostOutput ?? MOST_OUTPUT;
  return new Promise((resolve) => {
    const child = startGit([...words, ...call.args], { cwd: outside, env });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let stopped: GitResult["stopped"] = null;
    let outSize = 0;
    let errSize = 0;
    const stop = (why: NonNullable<GitResult["stopped"]>) => {
      stopped ??= why;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => stop("timeout"), call.timeoutMs ?? LONGEST_MS);
    const finish = (code: number | null) => {
      clearTimeout(timer);
      const stderr = Buffer.concat(err).toString("utf8");
      const why = stopped ?? (code === null ? "signal" : null);
      resolve({ code: why === null ? code : null, stopped: why, stdout: Buffer.concat(out), stderr });
    };
    child.stdout.on("data", (chunk: Buffer) => {
      if (stopped !== null) return;
      if (call.onOutput !== undefined) {
        if (!call.onOutput(chunk)) stop("reader");
        return;
      }
      outSize += chunk.length;
      if (outSize > mostOutput) stop("output");
      else out.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      // The last words count; what is beyond is dropped and git goes on.
      errSize += chunk.length;
      if (errSize <= MOST_COMPLAINT) err.push(chunk);
    });
    // Git may end before it has read everything; its exit code tells the rest.
    child.stdin.on("error", () => undefined);
    child.on("error", ({ message }) => {
      stopped ??= "unavailable";
      err.push(Buffer.from(message));
      finish(null);
    });
    child.on("close", finish);
    feed(child.stdin, call.input, () => stop("signal"));
  });
}

function feed(stdin: NodeJS.WritableStream, input: GitCall["input"], failed: () => void): void {
  if (input === undefined || typeof input === "string" || Buffer.isBuffer(input)) {
    stdin.end(input ?? "");
    return;
  }
  // INVARIANT: an input that breaks off must not pass for a whole one.
  input.on("error", failed);
  input.pipe(stdin);
}
