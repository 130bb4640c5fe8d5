import { startGit } from "../../git/start-git.js";
import { CoordinatorError } from "../../../model/errors.js";
import { gitWords } from "../../git/nothing-of-clone.js";
import type { Anchor } from "./anchor.js";

const ANCHORS = "refs/coord/anchors";

/**
 * Anchors in a git repository, under `refs/coord/anchors/RUN` or another prefix. A ref can be moved by anyone who may write to the
 * repository: it proves something once it was pushed or somebody else has fetched it.
 *
 * Contract: nothing of the repository is run and none of its settings matter: no shell, no hooks, no file-system
 * monitor, no configuration but git's own and the repository's.
 */
export function gitAnchor(repository: string, environment: NodeJS.ProcessEnv, prefix = ANCHORS): Anchor {
  const git = (args: readonly string[], input = "") => runGit(repository, environment, args, input);
  return {
    keeps: "last",
    async write(runId, note) {
      const ref = refOf(prefix, runId);
      const stored = await git(["hash-object", "-w", "--stdin"], note);
      const before = await git(["rev-parse", "--verify", "--quiet", ref]);
      // The old value is part of the order: a note that somebody put there meanwhile is not replaced by an older one.
      const old = before.ok ? before.output.trim() : "0".repeat(stored.output.trim().length);
      const updated = stored.ok ? await git(["update-ref", ref, stored.output.trim(), old]) : stored;
      if (updated.ok) return;
      throw new CoordinatorError("FILE_WRITE_FAILED", `No anchor could be written to git: ${updated.output}`, {
        fix: `Check that ${repository} is a git repository that can be written to.`,
      });
    },
    async read(runId) {
      const found = await git(["cat-file", "blob", refOf(prefix, runId)]);
      return found.ok ? [found.output] : [];
    },
  };
}

function refOf(prefix: string, runId: string): string {
  // INVARIANT: only what is a run's id becomes part of a ref's name, and only refs of the Coordinator are written.
  if (!/^(?:run|req)_[a-z0-9_-]{4,80}$/.test(runId)) throw new TypeError(`${runId} is not an id of a run`);
  if (!prefix.startsWith("refs/coord/")) throw new TypeError(`${prefix} is not a place for anchors`);
  return `${prefix}/${runId}`;
}

const LONGEST_MS = 30_000;
const MOST_OUTPUT = 64 * 1024;

function runGit(
  repository: string,
  { PATH = "", SystemRoot }: NodeJS.ProcessEnv,
  args: readonly string[],
  input: string,
): Promise<{ readonly ok: boolean; readonly output: string }> {
  const env = {
    PATH,
    ...(SystemRoot === undefined ? {} : { SystemRoot }),
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_COMMITTER_NAME: "coordinator",
    GIT_COMMITTER_EMAIL: "coordinator@localhost",
  };
  return new Promise((resolve) => {
    const { words, cwd } = gitWords(repository);
    const child = startGit([...words, ...args], { cwd, env });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
    const keep = (into: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_OUTPUT) child.kill("SIGKILL");
      else into.push(chunk);
    };
    const finish = (ok: boolean, output: string) => {
      clearTimeout(timer);
      resolve({ ok, output });
    };
    child.stdout.on("data", keep(out));
    child.stderr.on("data", keep(err));
    child.stdin.on("error", () => undefined);
    child.on("error", ({ message }) => finish(false, message));
    child.on("close", (code) => {
      const ok = code === 0 && size <= MOST_OUTPUT;
      finish(ok, Buffer.concat(ok ? out : err).toString("utf8"));
    });
    child.stdin.end(input);
  });
}
