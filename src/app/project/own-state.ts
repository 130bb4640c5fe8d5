import { existsSync } from "node:fs";
import { gitIn } from "../../hands/facts/git.js";
import { STATE_FOLDER } from "../../foundation/files/project-bounds.js";
import { CoordinatorError } from "../../model/errors.js";
import type { Project } from "./project.js";
import { refuseLinkedState } from "./state-folder.js";

/**
 * Refuse a state folder that came with the repository: one that is a link or holds one, and one with files that git
 * tracks. Logs, keys, results of checks and what a setup made are believed because this machine wrote them; a clone must
 * not bring them along.
 *
 * Contract: throws LINK_REFUSED or REPOSITORY_UNSUITABLE. Nothing is written.
 */
export async function requireOwnState({ at, environment }: Pick<Project, "at" | "environment">): Promise<void> {
  refuseLinkedState(at);
  if (!existsSync(at.folder)) return;
  const tracked = (await gitIn(at.root, environment)("ls-files", "-z", "--", STATE_FOLDER))?.split("\0") ?? [];
  const [first] = tracked;
  if (first === undefined || first === "") return;
  throw new CoordinatorError(
    "REPOSITORY_UNSUITABLE",
    `${at.folder} holds files that git tracks: ${first}${tracked.length > 2 ? ` and ${tracked.length - 2} more` : ""}`,
    {
      fix:
        `State must come from this machine, not from a repository: git rm -r -q ${STATE_FOLDER}, and commit ` +
        "that. If you did not commit these files yourself, find out who did first.",
    },
  );
}
