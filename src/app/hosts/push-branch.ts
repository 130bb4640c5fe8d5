import { HostUnavailable } from "../../hands/hosts/host-errors.js";
import type { UsersGit } from "../../hands/git/users-git.js";
import { withoutKeys } from "../../foundation/files/known-secrets.js";
import { oneLine } from "../../foundation/text/one-line.js";
import { CoordinatorError } from "../../model/errors.js";

/* The branch of a pull request, pushed with the person's own git, login and hooks. It only ever goes forward. */

/** Contract: throws BRANCH_INVALID for a name that git does not take, or that could be another thing than a branch. */
export async function requireBranchName(git: UsersGit, name: string, template: string): Promise<void> {
  const { code } = await git.run(["check-ref-format", `refs/heads/${name}`]);
  if (code === 0 && !name.startsWith("-") && !/[{}]/.test(name)) return;
  throw new CoordinatorError("BRANCH_INVALID", `${JSON.stringify(name)} is not a valid branch name`, {
    fix: `Change code_host.branch in your own settings, which is ${JSON.stringify(template)}, or name one with --branch.`,
  });
}

/** The commit a branch has on the remote; null when it is not there. Contract: throws CODE_HOST_UNAVAILABLE, PUBLISH_REFUSED. */
async function readRemoteBranch(git: UsersGit, remote: string, branch: string): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  const { code, stdout, stderr } = await git.run(["ls-remote", "--quiet", remote, ref]);
  if (code !== 0) throw pushFailure(stderr, branch);
  const line = stdout.split("\n").find((each) => each.endsWith(`\t${ref}`));
  return line?.split("\t")[0] ?? null;
}

export interface Push {
  readonly remote: string;
  readonly branch: string;
  readonly head: string;
  /** Commits of ours that may stand there: those the run made, and what was pushed before. */
  readonly ours: ReadonlySet<string>;
}

export type PushState = "there" | "absent" | "behind";

/** Where the branch stands. Contract: throws PUBLISH_REFUSED where somebody else put something on it. */
export async function examineBranch(git: UsersGit, { remote, branch, head, ours }: Push): Promise<PushState> {
  const found = await readRemoteBranch(git, remote, branch);
  if (found === null) return "absent";
  if (found === head) return "there";
  const isBehind = ours.has(found) && (await git.run(["merge-base", "--is-ancestor", found, head])).code === 0;
  if (isBehind) return "behind";
  throw new CoordinatorError(
    "PUBLISH_REFUSED",
    `${branch} stands on ${found.slice(0, 12)} on ${remote}, which the run did not make: somebody pushed to it`,
    { fix: "Nothing was changed there. Go on by hand on that branch, or publish to another one: --branch NAME" },
  );
}

export async function pushBranch(git: UsersGit, { remote, branch, head }: Push): Promise<void> {
  const { code, stderr } = await git.run(["push", "--quiet", remote, `${head}:refs/heads/${branch}`]);
  if (code !== 0) throw pushFailure(stderr, branch);
}

/** Messages of git, by what a person can do about them. */
function pushFailure(stderr: string, branch: string): CoordinatorError {
  const said = withoutKeys(oneLine(stderr).slice(0, 400));
  const refuse = (fix: string) =>
    new CoordinatorError("PUBLISH_REFUSED", `git did not push ${branch}: ${said}`, { fix });
  if (/GH006|GH013|protected branch|repository rule/i.test(stderr))
    return refuse("The branch is protected: choose another name with --branch NAME or code_host.branch.");
  if (/without .workflows?. (?:scope|permission)/i.test(stderr))
    return refuse("The change touches workflows, for which this login has no right: push it by hand after reading it.");
  if (/non-fast-forward|fetch first|stale info/i.test(stderr))
    return refuse("Somebody pushed to the branch meanwhile: go on by hand there, or publish with --branch NAME.");
  if (/Authentication failed|could not read (?:Username|Password)|Permission .*denied|\b40[13]\b/i.test(stderr))
    return refuse("Log in with your own git (git push must work by hand), or ask for the right to push.");
  if (/hook declined|declined|remote rejected/i.test(stderr)) return refuse("A hook said no: see what it wants.");
  if (/not found|does not (?:exist|appear)/i.test(stderr))
    return refuse("The repository is not there, or this login may not see it: git remote -v names it.");
  return new HostUnavailable(`git could not push ${branch}: ${said}`, null);
}
