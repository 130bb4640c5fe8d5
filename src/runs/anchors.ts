import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { CoordinatorError } from "../model/errors.js";
import { fileAnchor } from "../store/chain/anchor-file.js";
import { gitAnchor } from "../store/chain/anchor-git.js";

/** A place where checkpoints of a run were kept, and what it holds. */
export interface AnchorNotes {
  readonly where: string;
  readonly notes: readonly string[];
}

/**
 * What was anchored for a run: in a file, in git under the run's own ref (`git:`), or under any ref (`git:REF`), such as
 * one that was fetched from elsewhere.
 *
 * Contract: throws FILE_NOT_FOUND for a file that is not there. The notes are not judged.
 */
export async function anchorNotes(
  where: string,
  runId: string,
  root: string,
  environment: NodeJS.ProcessEnv,
): Promise<AnchorNotes> {
  if (where === "git:") return { where, notes: await gitAnchor(root, environment).read(runId) };
  if (where.startsWith("git:")) return { where, notes: readRef(where.slice(4), root, environment) };
  if (!existsSync(where))
    throw new CoordinatorError("FILE_NOT_FOUND", `There is no file ${where} with anchors`, {
      fix: "Name a file of anchors, git: for the run's own ref, or git:REF.",
    });
  return { where, notes: await fileAnchor(where).read(runId) };
}

/** Contract: nothing of the repository is run; a ref that is not there holds nothing. */
function readRef(ref: string, root: string, { PATH = "" }: NodeJS.ProcessEnv): string[] {
  if (!/^[A-Za-z0-9][\w./-]*$/.test(ref))
    throw new CoordinatorError("USAGE", `${ref} is no name of a ref`, {
      fix: "Write it like git:refs/coord/anchors/RUN.",
    });
  const read = spawnSync("git", ["-c", "core.fsmonitor=false", "cat-file", "blob", ref], {
    cwd: root,
    encoding: "utf8",
    timeout: 30_000,
    maxBuffer: 1 << 20,
    env: { PATH, LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_NO_LAZY_FETCH: "1" },
  });
  return read.status === 0 ? [read.stdout] : [];
}
