import { readGitSync } from "../../hands/git/start-git.js";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { CoordinatorError } from "../../model/errors.js";
import { gitWords } from "../../hands/git/nothing-of-clone.js";
import { fileAnchor } from "../../hands/store/chain/anchor-file.js";
import { gitAnchor } from "../../hands/store/chain/anchor-git.js";
import type { Anchor } from "../../hands/store/chain/anchor.js";
import type { RecordSettings } from "../../model/settings/record-config.js";
import type { ProjectBase } from "../project/project.js";
import { publicKeyOf } from "../project/open-runs.js";
import { memoryAnchor } from "../project/remembered.js";
import { stateFolder } from "../project/state-folder.js";

/** A place where checkpoints of a run were kept, and what it holds. */
export interface AnchorNotes {
  readonly where: string;
  readonly notes: readonly string[];
}

/** The configured places; a file's path as it is from wherever one stands. */
export function configuredAnchors(
  { anchor }: RecordSettings,
  { root, environment }: Pick<ProjectBase, "root" | "environment">,
): readonly string[] {
  return [anchor].flat().map((place) => (place.startsWith("git:") ? place : fileAt(place, root, environment)));
}

function fileAt(place: string, root: string, { HOME }: NodeJS.ProcessEnv): string {
  return place.startsWith("~/") ? join(HOME ?? homedir(), place.slice(2)) : resolve(root, place);
}

const MEMORY = "memory:";

/** This machine's own memory of a project's runs as a place for anchors. */
export const memoryPlace = (folder: string) => `${MEMORY}${folder}`;

/**
 * A place to write to. Contract: the place is one that `anchorObjection` does not object to, or a `memoryPlace`; a
 * configured one is never taken for that, because a file's path is made absolute.
 */
export function anchorAt(place: string, { root, environment }: Pick<ProjectBase, "root" | "environment">): Anchor {
  if (place.startsWith(MEMORY)) return memoryAnchor(place.slice(MEMORY.length), () => publicKeyOf(stateFolder(root)));
  if (place === "git:") return gitAnchor(root, environment);
  return place.startsWith("git:") ? gitAnchor(root, environment, place.slice(4)) : fileAnchor(place);
}

/** Reads the notes of a run from configured places. A place that does not exist yet holds none. */
export function configuredNotes(
  places: readonly string[],
  runId: string,
  base: Pick<ProjectBase, "root" | "environment">,
): Promise<readonly AnchorNotes[]> {
  return Promise.all(places.map(async (where) => ({ where, notes: await anchorAt(where, base).read(runId) })));
}

/**
 * Reads the anchors of a run: in a file, in git under the run's own ref (`git:`), or under any ref (`git:REF`), such as
 * one that was fetched from elsewhere; where there is no such ref, under `REF/RUN`.
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
  if (where.startsWith("git:")) {
    const ref = where.slice(4);
    const own = readRef(ref, root, environment);
    return { where, notes: own.length > 0 ? own : readRef(`${ref}/${runId}`, root, environment) };
  }
  if (!existsSync(where))
    throw new CoordinatorError("FILE_NOT_FOUND", `There is no file ${where} with anchors`, {
      fix: "Name a file of anchors, git: for the run's own ref, or git:REF.",
    });
  return { where, notes: await fileAnchor(where).read(runId) };
}

/** Contract: nothing of the repository is run; a ref that is not there holds nothing. */
function readRef(ref: string, root: string, { PATH = "" }: NodeJS.ProcessEnv): string[] {
  if (!/^[A-Za-z0-9][\w./-]*$/.test(ref))
    throw new CoordinatorError("USAGE", `${ref} is not a name of a ref`, {
      fix: "Write it like git:refs/coord/anchors/RUN.",
    });
  const { words, cwd } = gitWords(root);
  const env = { PATH, LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_NO_LAZY_FETCH: "1" };
  const read = readGitSync([...words, "cat-file", "blob", ref], { cwd, env, timeoutMs: 30_000 });
  return read === null ? [] : [read];
}
