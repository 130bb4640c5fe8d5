import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { mkdtempSync, rmSync } from "../../foundation/files/write-files-sync.js";
import { createCgit } from "../git/cgit.js";
import { temporaryDirectory } from "../workspace/state-places.js";
import { gitRemote } from "./git-remote.js";

/**
 * Whether the git remote of a team can be read and written from here. Contract: nothing is written there; what hooks of its server
 * refuse is not found. Throws REMOTE_UNREACHABLE or REMOTE_REFUSED. From a repository of its own: no setting of the clone counts.
 */
export async function examineRemote(remote: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const folder = mkdtempSync(join(temporaryDirectory(), "coordinator-remote-"));
  const gitDir = join(folder, "trial.git");
  try {
    const git = createCgit({ path: environment["PATH"] ?? "", cwd: folder, ceilings: [folder] });
    const asked = gitRemote({ remote, gitDir, environment });
    const ids = await asked.list([]);
    const format = [...ids.values()][0]?.length === 64 ? "sha256" : "sha1";
    const text = async (args: string[], more: object = {}) =>
      (await git.must("Trying the git remote", { args, ...more })).toString("latin1").trim();
    await text(["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, gitDir]);
    const tree = await text(["mktree"], { gitDir, input: "" });
    const commit = await text(["commit-tree", tree, "-m", "Trial of a git remote"], { gitDir });
    await asked.tryPush({ ref: `refs/coord/trial/${randomUUID()}`, to: commit });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
