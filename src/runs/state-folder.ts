import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CoordinatorError } from "../model/errors.js";

/*
 * Where the runs of one project are kept: `.coordinator/` under its root. It is nobody's to commit: it holds the log of
 * everything that happened, and the key that signs it.
 */

const FOLDER = ".coordinator";
const DATABASE = "runs.db";

export interface StateFolder {
  readonly root: string;
  readonly folder: string;
  readonly database: string;
  readonly signals: string;
}

export function stateFolder(root: string): StateFolder {
  const folder = join(root, FOLDER);
  return { root, folder, database: join(folder, DATABASE), signals: join(folder, "signals") };
}

/**
 * The root of the project somebody stands in: the nearest folder with runs, else with settings, up to the root of the
 * repository, and else that; outside of any repository, where they stand.
 */
export function findRoot(from: string): string {
  const start = resolve(from);
  const way = [start];
  for (let at = start; !existsSync(join(at, ".git")) && dirname(at) !== at; at = dirname(at)) way.push(dirname(at));
  const last = way.at(-1) ?? start;
  const holding = (name: string) => way.find((at) => existsSync(join(at, name)));
  const settled = holding(join(FOLDER, DATABASE)) ?? holding("coordinator.yaml");
  return settled ?? (existsSync(join(last, ".git")) ? last : start);
}

/** Make the folder, ignored by git. Contract: throws FILE_WRITE_FAILED; what is there stays as it is. */
export function makeStateFolder({ root, folder }: StateFolder): void {
  try {
    // Made with all folders on the way, one that may not be written would be told as one that is not there.
    if (!existsSync(folder)) mkdirSync(folder, { recursive: !existsSync(root) });
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return;
    throw new CoordinatorError("FILE_WRITE_FAILED", `Cannot make ${folder}: ${(cause as Error).message}`, {
      cause,
      fix: "Check that the project's folder can be written to and has room.",
    });
  }
}
