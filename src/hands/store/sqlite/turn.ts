import { closeSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mkdirSync, openSync } from "../../../foundation/files/write-files-sync.js";
import { CoordinatorError } from "../../../model/errors.js";
import { type Database, loadDriver, rollBack } from "./driver.js";
import { failureKind, storeFailure } from "./failure.js";

/** How often somebody who waits looks again. */
const LOOK_MS = 15;

/**
 * Do something while no other process does the same. The lock is SQLite's on a file of its own: anyone who dies gives it
 * back, and nobody has to find out whether a holder lives.
 *
 * Contract: throws STORE_FAILED, retryable, when it was not its turn for `waitMs`; nothing was done then.
 */
export async function inTurn<T>(path: string, waitMs: number, act: () => Promise<T>): Promise<T> {
  const driver = await loadDriver();
  mkdirSync(dirname(path), { recursive: true });
  // Made here, and not by SQLite: it would follow a link to make it.
  closeSync(openSync(path, "a", 0o600));
  const database = driver.open(path);
  try {
    await begin(database, path, performance.now() + waitMs);
    try {
      return await act();
    } finally {
      rollBack(database);
    }
  } finally {
    database.close();
  }
}

async function begin(database: Database, path: string, until: number): Promise<void> {
  for (;;) {
    try {
      return database.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (failureKind(error) !== "busy") throw storeFailure(path, error);
      if (performance.now() >= until)
        throw new CoordinatorError("STORE_FAILED", `Another process holds ${path} for too long`, {
          cause: error,
          retryable: true,
          fix: "Try again when it has done.",
        });
      await sleep(LOOK_MS);
    }
  }
}
