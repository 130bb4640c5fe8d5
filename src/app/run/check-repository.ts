import { openQuarantine, type Quarantine } from "../../hands/workspace/quarantine.js";
import { unsuitableError } from "../../hands/workspace/checkout.js";

/* Checks what every run needs: a checkout with all objects of its commit, and a folder outside of it for workspaces. */

/**
 * Contract: throws REPOSITORY_UNSUITABLE, NOT_FOUND or WORKSPACE_FAILED, each with a fix, for what no run could work
 * on. Asked before one is begun: a run that could only fail is not put into the log.
 */
export async function requireRepository(root: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const quarantine = await openQuarantine({ repository: root, environment });
  const commit = await quarantine.resolve("HEAD");
  await quarantine.holdBase(commit);
  await refuseUnfetched(quarantine, commit);
}

const MISSING = "?".charCodeAt(0);

/** A partial clone leaves files on its server, and nothing is ever fetched from there behind a person's back. */
async function refuseUnfetched({ git, userGitDir, checkout }: Quarantine, commit: string): Promise<void> {
  const settings = ["config", "--local", "--get-regexp", "^(remote\\..*\\.promisor|extensions\\.partialclone)$"];
  if ((await git.call({ gitDir: userGitDir, args: settings })).code !== 0) return;
  let missing = 0;
  const { code, stderr } = await git.call({
    gitDir: userGitDir,
    args: ["rev-list", "--objects", "--no-object-names", "--no-walk", "--missing=print", commit],
    onOutput: (chunk) => {
      // Without names, only what is missing has this mark.
      missing += chunk.filter((byte) => byte === MISSING).length;
      return true;
    },
  });
  if (code === 0 && missing === 0) return;
  const what = code === 0 ? `${missing} files of its commit were never fetched` : stderr.trim().split("\n")[0];
  throw unsuitableError(
    `${checkout} is a partial clone: ${what}`,
    "Fetch them (git fetch --refetch --no-filter), or clone it whole.",
  );
}
