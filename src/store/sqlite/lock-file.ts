import { readFileSync } from "../../files/read-files.js";
import { linkSync, rmSync, writeFileSync } from "../../files/write-files-sync.js";
import { isAlive, ownIdentity, type ProcessIdentity } from "../../processes/process-identity.js";

/*
 * The lock file says which process writes. It is linked into place complete, so it never names nobody; a holder that
 * has died is recognised and its lock taken.
 */

export interface LockHolder extends ProcessIdentity {
  readonly holder: string;
}

export type LockOutcome = { readonly status: "held" } | { readonly status: "locked"; readonly holder: LockHolder };

/**
 * Take the lock, or say who has it.
 *
 * Contract: to be called by one process at a time (inside of a write transaction on the database): between finding a
 * dead holder and taking its place nobody else may do the same. Throws for failed I/O.
 */
export function takeLock(path: string, holder: string): LockOutcome {
  const own: LockHolder = { holder, ...ownIdentity() };
  const draft = `${path}.${holder}`;
  writeFileSync(draft, `${JSON.stringify(own)}\n`, { flush: true });
  try {
    for (;;) {
      if (linked(draft, path)) return { status: "held" };
      const found = readLock(path);
      if (found !== null && isAlive(found)) return { status: "locked", holder: found };
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Contract: removes the lock only if it is this holder's. */
export function releaseLock(path: string, holder: string): void {
  if (readLock(path)?.holder === holder) rmSync(path, { force: true });
}

/** Contract: null when there is no lock, or one that no Coordinator wrote. */
export function readLock(path: string): LockHolder | null {
  try {
    const { holder, pid, start_time, boot_id } = JSON.parse(readFileSync(path, "utf8")) as Partial<LockHolder>;
    if (holder === undefined || pid === undefined || start_time === undefined || boot_id === undefined) return null;
    return { holder, pid, start_time, boot_id };
  } catch {
    return null;
  }
}

function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
