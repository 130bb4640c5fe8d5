import { readdirSync, readFileSync } from "node:fs";

/*
 * Processes as /proc shows them. A number alone names nobody: numbers are used again, and start times begin anew with
 * each boot.
 */

export interface ProcessName {
  readonly pid: number;
  readonly start_time: string;
  readonly boot_id: string;
}

/** Contract: null when there is no such process, or /proc is not there. */
export function nameProcess(pid: number): ProcessName | null {
  const stat = statOf(pid);
  return stat === null ? null : { pid, start_time: stat.startTime, boot_id: bootId() };
}

/**
 * The process between a grandparent and its grandchild.
 *
 * Contract: null unless the two are still related: who has lost its parent has been given to the first process of the
 * machine, which must never be taken for it.
 */
export function nameBetween(grandparent: number, grandchild: number): ProcessName | null {
  const parent = statOf(grandchild)?.parent ?? 0;
  return parent > 1 && statOf(parent)?.parent === grandparent ? nameProcess(parent) : null;
}

/** Contract: false for a zombie: it runs nothing any more. */
export function isRunning({ pid, start_time, boot_id }: ProcessName): boolean {
  const stat = statOf(pid);
  return stat !== null && !"ZX".includes(stat.state) && stat.startTime === start_time && boot_id === bootId();
}

/** Contract: SIGKILL to exactly that process, and to nobody who got its number since. */
export function killProcess(name: ProcessName): void {
  if (isRunning(name)) signal(name.pid, "SIGKILL");
}

/** Contract: never throws; who has gone, or belongs to somebody else, is left. */
export function signal(pid: number, which: NodeJS.Signals): void {
  try {
    process.kill(pid, which);
  } catch {
    // Gone already, or not ours.
  }
}

/** Every process that was started with this variable in its environment and still runs. */
export function findMarked(variable: string, value: string): ProcessName[] {
  const mark = `${variable}=${value}`;
  return numbers().flatMap((pid) => {
    const environment = textOf(`/proc/${pid}/environ`);
    if (environment === null || !environment.split("\0").includes(mark)) return [];
    const name = nameProcess(pid);
    return name !== null && isRunning(name) ? [name] : [];
  });
}

export function bootId(): string {
  return textOf("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
}

function numbers(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function statOf(pid: number): { state: string; parent: number; startTime: string } | null {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name stands in brackets and may itself hold blanks and brackets.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined
    ? null
    : { state: fields[0] ?? "", parent: Number(fields[1]), startTime: fields[19] ?? "" };
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
