import { oneLine } from "../../foundation/text/one-line.js";
import { CoordinatorError } from "../../model/errors.js";
import { type UsersGit, usersGit } from "./users-git.js";

/*
 * Copies of commits that the person's own git signs: same tree, message, author and dates, with their signature. The commits
 * themselves stay what the log proves.
 */

export interface SignRequest {
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly base: string;
  readonly head: string;
  /** Copies by their originals that were made before: they stay as they are. */
  readonly known: ReadonlyMap<string, string>;
  /** Commits that others have already: they are not copied. */
  readonly published: ReadonlySet<string>;
}

/** Whether the person's git signs commits by itself. */
async function signsCommits(git: UsersGit): Promise<boolean> {
  const { code, stdout } = await git.run(["config", "--type=bool", "--get", "commit.gpgSign"]);
  return code === 0 && stdout.trim() === "true";
}

/**
 * The copies of all commits from `base` to `head`, by their originals. A commit on a copy is copied too, also where the
 * person's git does not sign any more.
 *
 * Contract: throws PUBLISH_REFUSED where git cannot sign. Nothing but objects is written.
 */
export async function signCommits(request: SignRequest): Promise<ReadonlyMap<string, string>> {
  const { root, environment, base, head, known, published } = request;
  const git = usersGit(root, environment);
  const signs = await signsCommits(git);
  const copies = new Map(known);
  if (!signs && copies.size === 0) return copies;
  for (const commit of await linesOf(git, ["rev-list", "--reverse", "--topo-order", `${base}..${head}`])) {
    if (copies.has(commit) || published.has(commit)) continue;
    const parents = (await linesOf(git, ["rev-list", "--parents", "-n", "1", commit])).flatMap((line) =>
      line.split(" ").slice(1),
    );
    if (!signs && !parents.some((parent) => copies.has(parent))) continue;
    const onto = parents.map((parent) => copies.get(parent) ?? parent);
    copies.set(commit, await copyCommit(commit, onto, signs, request));
  }
  return copies;
}

const FIELDS = ["%an", "%ae", "%ad", "%cd"] as const;

async function copyCommit(
  commit: string,
  parents: readonly string[],
  signs: boolean,
  { root, environment }: SignRequest,
): Promise<string> {
  const git = usersGit(root, environment);
  const format = `--format=${FIELDS.join("%x00")}%x00%B`;
  const shown = await git.run(["show", "-s", "--no-show-signature", "--no-notes", "--date=raw", format, commit]);
  const [name, email, date, at, ...rest] = shown.stdout.split("\0");
  if (shown.code !== 0 || name === undefined || email === undefined || date === undefined || at === undefined)
    throw new CoordinatorError("NOT_FOUND", `The repository does not have the commit ${commit}`, {
      fix: `Fetch it from where the run was carried out: git fetch REPOSITORY ${commit}`,
    });
  // The committer is the person who signs, as their git names them.
  const dates = { GIT_AUTHOR_DATE: `@${date}`, GIT_COMMITTER_DATE: `@${at}` };
  const env = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, ...dates };
  const message = rest.join("\0").replace(/\n+$/, "\n");
  const args = ["commit-tree", ...(signs ? ["-S"] : []), ...parents.flatMap((parent) => ["-p", parent])];
  const made = await usersGit(root, { ...environment, ...env }).run([...args, "-m", message, `${commit}^{tree}`]);
  const copy = made.stdout.trim();
  if (made.code === 0 && /^[0-9a-f]{40,64}$/.test(copy)) return copy;
  throw new CoordinatorError(
    "PUBLISH_REFUSED",
    `git could not sign ${commit.slice(0, 12)}: ${oneLine(made.stderr).slice(0, 400)}`,
    {
      fix: "Your settings of git sign commits (commit.gpgSign): see that git commit -S works here, unlock the key, and publish again. Nothing was sent.",
    },
  );
}

async function linesOf(git: UsersGit, args: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await git.run(args);
  if (code === 0) return stdout.split("\n").filter(Boolean);
  throw new CoordinatorError(
    "NOT_FOUND",
    `git could not list the commits of the run: ${oneLine(stderr).slice(0, 300)}`,
  );
}
