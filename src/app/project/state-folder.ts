import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { readdirSync } from "../../foundation/files/read-files.js";
import { linkOnTheWay } from "../../foundation/files/refusals.js";
import { mkdirSync, writeFileSync } from "../../foundation/files/write-files-sync.js";
import { findRoot, STATE_FOLDER } from "../../foundation/files/project-bounds.js";
import { CoordinatorError } from "../../model/errors.js";

/*
 * Where the runs of one project are kept: `.coordinator/` under its root. It is nobody's to commit: it holds the log of
 * everything that happened, and the key that signs it.
 */

export { findRoot };

const DATABASE = "runs.db";

export interface StateFolder {
  readonly root: string;
  readonly folder: string;
  readonly database: string;
  readonly signals: string;
  /** The environment of this process, which may hold the password of a team's store. */
  readonly environment: NodeJS.ProcessEnv;
}

export function stateFolder(root: string, environment: NodeJS.ProcessEnv = {}): StateFolder {
  const folder = join(root, STATE_FOLDER);
  return { root, folder, database: join(folder, DATABASE), signals: join(folder, "signals"), environment };
}

/**
 * Refuse a state folder that a link stands for, or that holds one: a clone could send the log, and the key that signs it,
 * to any other folder of its owner.
 *
 * Contract: throws LINK_REFUSED. Nothing is made; where there is no folder there is nothing to refuse.
 */
export function refuseLinkedState({ folder }: StateFolder): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) throw linkOnTheWay(folder, folder);
  if (found?.isDirectory() !== true) return;
  const link = readdirSync(folder, { withFileTypes: true }).find((entry) => entry.isSymbolicLink());
  if (link !== undefined) throw linkOnTheWay(join(folder, link.name), join(folder, link.name));
}

/** Make the folder, ignored by git. Contract: throws FILE_WRITE_FAILED or LINK_REFUSED; what is there stays as it is. */
export function makeStateFolder({ root, folder }: StateFolder): void {
  try {
    // With a recursive mkdir, a folder that may not be written would be reported as missing.
    if (!existsSync(folder)) mkdirSync(folder, { recursive: !existsSync(root) });
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return;
    if (cause instanceof CoordinatorError) throw cause;
    throw new CoordinatorError("FILE_WRITE_FAILED", `Cannot make ${folder}: ${(cause as Error).message}`, {
      cause,
      fix: "Check that the project's folder can be written to and has room.",
    });
  }
}
