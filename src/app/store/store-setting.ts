import { existsSync } from "node:fs";
import { join } from "node:path";
import { readFileSync } from "../../foundation/files/read-files.js";
import { renameSync, rmSync, writeFileSync } from "../../foundation/files/write-files-sync.js";
import { syncFolderNow } from "../../foundation/files/durable.js";
import { CoordinatorError } from "../../model/errors.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";

/*
 * Where the log of a project's runs is kept, and who does their work: `.coordinator/store.json`. It is the setting of one clone on one
 * machine and not of the repository, which must not choose where its owner's logs and work go. Without the file the log is in
 * SQLite, beside it, and the work is done on this machine.
 */

export const SQLITE = "sqlite";
const FILE = "store.json";

/** Who does the work of runs: this machine, or workers that DBOS gives it to. */
export type EngineSetting =
  | { readonly engine: "local" }
  /** `remote`: the git remote that commits are exchanged through. */
  | { readonly engine: "dbos"; readonly remote: string };

const LOCAL: EngineSetting = { engine: "local" };

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

/** The store that the setting names, whatever else is there. */
export function storeNamedBy(at: StateFolder): string {
  return settingIn(at).store;
}

/** Contract: throws ENGINE_SETTING for a setting that contradicts itself. */
export function readEngineSetting(at: StateFolder): EngineSetting {
  return settingIn(at).engine;
}

interface Setting {
  readonly store: string;
  readonly engine: EngineSetting;
}

function settingIn(at: StateFolder): Setting {
  const file = storeSettingFile(at);
  if (!existsSync(file)) return { store: SQLITE, engine: LOCAL };
  const read = objectIn(file);
  const { store, engine = "local", remote, ...rest } = read ?? {};
  if (typeof store !== "string" || Object.keys(rest).length > 0)
    throw new CoordinatorError("STORE_ADDRESS", `${file} does not say where the store is`, {
      fix: 'It is {"store": "sqlite"} or {"store": "postgres://USER@HOST:PORT/DATABASE?schema=NAME"}, for workers with "engine": "dbos" and "remote": "GIT-REMOTE".',
    });
  return { store, engine: checkEngine({ store, engine, remote }, file) };
}

function objectIn(file: string): Readonly<Record<string, unknown>> | null {
  try {
    const read = JSON.parse(readFileSync(file, "utf8")) as unknown;
    return typeof read === "object" && read !== null ? (read as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}

/** Contract: pure; throws ENGINE_SETTING for an engine that there is not, or that the store does not go with. */
export function checkEngine(
  { store, engine, remote }: { readonly store: string; readonly engine: unknown; readonly remote: unknown },
  where: string,
): EngineSetting {
  const wrong = (message: string, fix: string) =>
    new CoordinatorError("ENGINE_SETTING", `${where}: ${message}`, { fix });
  if (engine !== "local" && engine !== "dbos")
    throw wrong(
      `the engine ${JSON.stringify(engine)} is not one`,
      "It is local, or dbos for workers on other machines.",
    );
  if (engine === "local" && remote !== undefined)
    throw wrong(
      "a git remote is named, and the engine is local",
      "Name the engine dbos as well, or leave the remote out.",
    );
  if (engine === "local") return LOCAL;
  if (store === SQLITE)
    throw wrong(
      "the engine dbos needs a store in Postgres, and the store is sqlite",
      "coordinator migrate --to postgres://USER@HOST:PORT/DATABASE?schema=NAME --engine dbos --remote GIT-REMOTE",
    );
  if (typeof remote !== "string" || remote === "")
    throw wrong(
      "the engine dbos needs the git remote that workers fetch from and push to",
      "coordinator migrate --engine dbos --remote GIT-REMOTE",
    );
  return { engine, remote };
}

/** Contract: durable when it returns; the file is there whole or as it was. SQLite goes with the engine of this machine only. */
export function writeStoreSetting(at: StateFolder, store: string, engine: EngineSetting = LOCAL): void {
  makeStateFolder(at);
  const file = storeSettingFile(at);
  if (store === SQLITE) rmSync(file, { force: true });
  else {
    const draft = `${file}.${process.pid}.draft`;
    const text = JSON.stringify({ store, ...(engine.engine === "local" ? {} : engine) });
    writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true });
    renameSync(draft, file);
  }
  syncFolderNow(at.folder);
}
