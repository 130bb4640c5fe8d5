import { readFileSync } from "node:fs";

/** A process beyond its number: numbers are used again, and start times begin anew with each boot. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start_time: string;
  readonly boot_id: string;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, start_time: statOf(process.pid)?.startTime ?? "", boot_id: bootId() };
}

/**
 * Whether that process still lives. Contract: on a system without /proc a live process with the same number counts as
 * it, so a lock may be kept for too long but is never taken from the living.
 */
export function isAlive({ pid, start_time, boot_id }: ProcessIdentity): boolean {
  const here = bootId();
  if (here === "") return hasNumber(pid);
  if (boot_id !== here) return false;
  const stat = statOf(pid);
  return stat !== null && stat.state !== "Z" && stat.startTime === start_time;
}

function hasNumber(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function statOf(pid: number): { state: string; startTime: string } | null {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name stands in brackets and may itself hold blanks and brackets.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined ? null : { state: fields[0] ?? "", startTime: fields[19] ?? "" };
}

function bootId(): string {
  return textOf("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
