import { isMarked, processNumbers, statOf } from "../../foundation/processes/proc.js";
import { identityOf, isRunning, type ProcessIdentity } from "../../foundation/processes/process-identity.js";

/**
 * The process between a grandparent and its grandchild.
 *
 * Contract: null unless the two are still related: who has lost its parent has been given to the first process of the
 * machine, which must never be taken for it.
 */
export function readIdentityBetween(grandparent: number, grandchild: number): ProcessIdentity | null {
  const parent = statOf(grandchild)?.parent ?? 0;
  return parent > 1 && statOf(parent)?.parent === grandparent ? identityOf(parent) : null;
}

/** Contract: SIGKILL to exactly that process, and to nobody who got its number since. */
export function killProcess(identity: ProcessIdentity): void {
  if (isRunning(identity)) signal(identity.pid, "SIGKILL");
}

/** Contract: never throws; who has gone, or belongs to somebody else, is left. */
export function signal(pid: number, which: NodeJS.Signals): void {
  try {
    process.kill(pid, which);
  } catch {
    // Gone already, or not ours.
  }
}

export interface Marked {
  readonly found: readonly ProcessIdentity[];
  /** False when a process could not be read yet: search again before concluding that none is left. */
  readonly isSure: boolean;
}

/** Every process that was started with this variable in its environment and still runs. */
export function findMarked(variable: string, value: string): Marked {
  const found: ProcessIdentity[] = [];
  let isSure = true;
  for (const pid of processNumbers()) {
    const marked = isMarked(pid, variable, value);
    if (marked === "unknown") isSure = false;
    const identity = marked === true ? identityOf(pid) : null;
    if (identity !== null && isRunning(identity)) found.push(identity);
  }
  return { found, isSure };
}
