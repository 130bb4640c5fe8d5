import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { mkdir } from "../../foundation/files/write-files.js";
import { CoordinatorError } from "../../model/errors.js";
import { createCgit } from "../git/cgit.js";
import { makeStateDirectory } from "../workspace/state-places.js";
import { openQuarantine, type Quarantine } from "../workspace/quarantine.js";
import { gitRemote, type GitRemote } from "./git-remote.js";

/*
 * Where a worker has its files: a repository of its own with nothing in it but what it fetches, its quarantine beside it, and the
 * folders of its shims. Workers of the same machine with the same remote have places of their own.
 */

export interface WorkerPlace {
  readonly folder: string;
  /** An empty checkout: commits are fetched into the quarantine. */
  readonly repository: string;
  /** The folder that a project has as `.coordinator`. */
  readonly stateFolder: string;
  readonly quarantine: Quarantine;
  readonly remote: GitRemote;
  readonly environment: NodeJS.ProcessEnv;
}

export interface PlaceOptions {
  readonly remote: string;
  /** The folder of this worker; one for its remote in the user's state directory when absent. */
  readonly folder: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
}

/** Contract: throws WORKSPACE_FAILED, REMOTE_UNREACHABLE, REMOTE_REFUSED or ENGINE_SETTING. Made when it is not there. */
export async function openPlace({ remote, folder: named, environment }: PlaceOptions): Promise<WorkerPlace> {
  const digest = createHash("sha256").update(remote).digest("hex").slice(0, 12);
  const folder = named ?? join(await makeStateDirectory({ environment }), "workers", digest);
  const repository = join(folder, "repository");
  const stateFolder = join(folder, "state");
  await mkdir(repository, { recursive: true, mode: 0o700 });
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  const git = createCgit({ path: environment["PATH"] ?? "", cwd: repository, ceilings: [folder] });
  const gitDir = join(repository, ".git");
  const asked = gitRemote({ remote, gitDir, environment });
  if (!existsSync(join(gitDir, "HEAD"))) {
    const ids = await asked.list([]);
    const format = [...ids.values()][0]?.length === 64 ? "sha256" : "sha1";
    await git.must("Making the worker's repository", {
      args: ["init", "--quiet", "--template=", `--object-format=${format}`, repository],
    });
  }
  // Nothing is worked on without a first commit.
  if ((await git.call({ gitDir, args: ["rev-parse", "--verify", "--quiet", "HEAD"] })).code !== 0)
    await git.must("Beginning the worker's repository", {
      gitDir,
      workTree: repository,
      args: ["commit", "--quiet", "--allow-empty", "--message=The repository of a worker"],
    });
  const quarantine = await openQuarantine({ repository, environment, stateDirectory: join(folder, "quarantine") });
  return {
    folder,
    repository,
    stateFolder,
    quarantine,
    remote: gitRemote({ remote, gitDir: quarantine.gitDir, environment }),
    environment,
  };
}

/** Contract: throws REMOTE_REFUSED where nothing can be written to the remote. Leaves nothing there. */
export async function requireWritable({ quarantine, remote }: WorkerPlace, id: string): Promise<void> {
  const commit = await quarantine.resolve("HEAD");
  const ref = `refs/coord/trial/${id}`;
  if (!(await remote.push([{ ref, to: commit, from: null }])) || !(await remote.push([{ ref, to: null }])))
    throw new CoordinatorError("REMOTE_REFUSED", `The git remote ${remote.name} takes no refs below refs/coord/`, {
      fix: "Let the user that git goes by there write refs/coord/*.",
    });
}
