import { existsSync } from "node:fs";
import { join } from "node:path";
import { readFileSync } from "../../foundation/files/read-files.js";
import { renameSync, rmSync, writeFileSync } from "../../foundation/files/write-files-sync.js";
import { syncFolderNow } from "../../foundation/files/durable.js";
import { CoordinatorError } from "../../model/errors.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";

/*
 * Where the log of a project's runs is kept: `.coordinator/store.json`. It is the setting of one clone on one machine and not of
 * the repository, which must not choose where its owner's logs go. Without the file the log is in SQLite, beside it.
 */

export const SQLITE = "sqlite";
const FILE = "store.json";

const storeSettingFile = ({ folder }: StateFolder) => join(folder, FILE);

/**
 * The address of the store, or `sqlite`. Contract: throws STORE_ADDRESS for a setting that cannot be read, and for one that
 * contradicts what is there.
 */
export function readStoreSetting(at: StateFolder): string {
  const store = storeNamedBy(at);
  if (store !== SQLITE && existsSync(at.database))
    throw new CoordinatorError(
      "STORE_ADDRESS",
      `${storeSettingFile(at)} names a store, and there is a log of runs in ${at.database} as well`,
      {
        fix: `Only one can hold the runs of a project. coordinator migrate --to ADDRESS moves those of ${at.database} to that store; run it again if it was interrupted.`,
      },
    );
  return store;
}

/** What the setting says, whatever else is there. */
export function storeNamedBy(at: StateFolder): string {
  const file = storeSettingFile(at);
  return existsSync(file) ? storeIn(file) : SQLITE;
}

function storeIn(file: string): string {
  const wrong = new CoordinatorError("STORE_ADDRESS", `${file} does not say where the store is`, {
    fix: 'It is {"store": "sqlite"} or {"store": "postgres://USER@HOST:PORT/DATABASE?schema=NAME"}.',
  });
  try {
    const { store, ...rest } = JSON.parse(readFileSync(file, "utf8")) as { store?: unknown };
    if (typeof store === "string" && Object.keys(rest).length === 0) return store;
  } catch (error) {
    if (error instanceof CoordinatorError) throw error;
  }
  throw wrong;
}

/** Contract: durable when it returns; the file is there whole or as it was. */
export function writeStoreSetting(at: StateFolder, store: string): void {
  makeStateFolder(at);
  const file = storeSettingFile(at);
  if (store === SQLITE) rmSync(file, { force: true });
  else {
    const draft = `${file}.${process.pid}.draft`;
    writeFileSync(draft, `${JSON.stringify({ store })}\n`, { mode: 0o600, flush: true });
    renameSync(draft, file);
  }
  syncFolderNow(at.folder);
}
