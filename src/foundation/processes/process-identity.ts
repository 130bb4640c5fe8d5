import { bootId, statOf } from "./proc.js";

/** A process beyond its number: numbers are used again, and start times begin anew with each boot. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start_time: string;
  readonly boot_id: string;
}

/** Contract: null when there is no such process, or /proc is not there. */
export function identityOf(pid: number): ProcessIdentity | null {
  const stat = statOf(pid);
  return stat === null ? null : { pid, start_time: stat.startTime, boot_id: bootId() };
}

export function ownIdentity(): ProcessIdentity {
  return identityOf(process.pid) ?? { pid: process.pid, start_time: "", boot_id: bootId() };
}

/** Contract: seen in /proc as that very process. False for a zombie: it runs nothing any more. */
export function isRunning({ pid, start_time, boot_id }: ProcessIdentity): boolean {
  const stat = statOf(pid);
  return stat !== null && !"ZX".includes(stat.state) && stat.startTime === start_time && boot_id === bootId();
}

/**
 * Whether that process still lives. Contract: on a system without /proc a live process with the same number counts as
 * it, so a lock may be kept for too long but is never taken from the living.
 */
export function isAlive(identity: ProcessIdentity): boolean {
  return bootId() === "" ? hasNumber(identity.pid) : isRunning(identity);
}

function hasNumber(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
