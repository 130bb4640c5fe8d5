import { readdir } from "../../foundation/files/read-files.js";
import { mkdir } from "../../foundation/files/write-files.js";
import { CoordinatorError } from "../../model/errors.js";
import { checkoutAt } from "../../hands/workspace/checkout.js";
import { usersGit } from "../../hands/git/users-git.js";

/*
 * A run needs a commit to stand on. Where there is none, an empty one is made, and only when a person has said so: it is
 * the one commit of the Coordinator's own on a branch of theirs.
 */

/** The first part that is missing before anything can be built here; null when none is. */
export type MissingCommit = "repository" | "commit";

/** Contract: throws REPOSITORY_UNSUITABLE where there is a repository that nothing can be built in. */
export async function findMissingCommit(root: string, environment: NodeJS.ProcessEnv): Promise<MissingCommit | null> {
  const found = await checkoutAt(root, environment["PATH"] ?? "");
  if (found.kind === "unsuitable") throw found.error;
  if (found.kind === "none") return "repository";
  const head = await usersGit(root, environment).run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  return head.code === 0 ? null : "commit";
}

/** Files that Coordinator puts beside a project and nobody builds on. */
const OWN = new Set([".git", ".coordinator", "coordinator.yaml"]);

/** Files that no commit holds: an empty commit would hide them from every agent. */
export async function uncommittedFiles(root: string): Promise<string[]> {
  return (await readdir(root)).filter((name) => !OWN.has(name)).sort();
}

/**
 * Make the first commit: an empty tree, no hooks, nothing of the person's index in it.
 *
 * Contract: a person has agreed, and there are no files but Coordinator's own. Throws REPOSITORY_UNSUITABLE.
 */
export async function makeFirstCommit(
  root: string,
  missing: MissingCommit,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  if (missing === "repository") await mkdir(root, { recursive: true });
  const git = usersGit(root, environment);
  const runGit = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await git.run(args);
    if (code === 0) return stdout.trim();
    throw new CoordinatorError("REPOSITORY_UNSUITABLE", `git ${args[0] ?? ""} failed: ${stderr.trim()}`, {
      fix: "Make the repository and a first commit yourself: git init && git commit --allow-empty -m Begin",
    });
  };
  if (missing === "repository") await runGit("init", "--quiet", "--initial-branch=main");
  const known = await git.run(["config", "--get", "user.email"]);
  const somebody = known.code === 0 ? [] : ["-c", "user.name=Coordinator", "-c", "user.email=coordinator@localhost"];
  const tree = await runGit("mktree");
  const commit = await runGit(...somebody, "commit-tree", tree, "-m", "Begin");
  // Compare-and-swap with "there is none": a commit somebody made meanwhile is never replaced.
  await runGit("update-ref", "-m", "coordinator: first commit", "HEAD", commit, "0".repeat(commit.length));
  return commit;
}
