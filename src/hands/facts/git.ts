import { gitWords } from "../git/nothing-of-clone.js";
import { startGit } from "../git/start-git.js";

/** Runs git and returns its answer, or null when it failed: no git, no repository, no such thing in it. */
export type Git = (...args: readonly string[]) => Promise<string | null>;

const MOST_OUTPUT = 64 * 1024 * 1024;
const LONGEST_MS = 30_000;

/**
 * How git is asked about a repository that is not trusted: programs its configuration may name are switched off, and
 * variables that would lead git elsewhere are not passed on.
 */
export function gitCommand(
  repo: string,
  environment: NodeJS.ProcessEnv,
): {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
} {
  const { PATH, HOME, XDG_CONFIG_HOME, SystemRoot, USERPROFILE } = environment;
  const env = {
    ...definedVariables({ PATH, HOME, XDG_CONFIG_HOME, SystemRoot, USERPROFILE }),
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
  };
  return { ...gitWords(repo), env };
}

/** Contract: nothing of the repository is run, and no shell. */
export function gitIn(repo: string, environment: NodeJS.ProcessEnv): Git {
  const { words, cwd, env } = gitCommand(repo, environment);
  return (...args) =>
    new Promise((resolve) => {
      const child = startGit([...words, ...args], { cwd, env });
      child.stdin.on("error", () => undefined).end();
      child.stderr.resume();
      const chunks: Buffer[] = [];
      let size = 0;
      const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
      child.stdout.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > MOST_OUTPUT) child.kill("SIGKILL");
        else chunks.push(chunk);
      });
      child.on("error", () => finish(null));
      child.on("close", (code) =>
        finish(code === 0 && size <= MOST_OUTPUT ? Buffer.concat(chunks).toString("utf8") : null),
      );
      function finish(output: string | null): void {
        clearTimeout(timer);
        resolve(output);
      }
    });
}

function definedVariables(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
