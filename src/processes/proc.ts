import { readdirSync, readFileSync } from "node:fs";

/* Processes as /proc shows them. Where there is none, nobody is found. */

export interface ProcessStat {
  readonly state: string;
  readonly parent: number;
  readonly session: number;
  /** In ticks since the machine started. */
  readonly startTime: string;
}

/** Contract: null when there is no such process. */
export function statOf(pid: number): ProcessStat | null {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name stands in brackets and may itself hold blanks and brackets.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields === undefined) return null;
  const [state = "", parent, , session] = fields;
  return { state, parent: Number(parent), session: Number(session), startTime: fields[19] ?? "" };
}

export function processNumbers(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Whether it was started with this variable in its environment. */
export function isMarked(pid: number, variable: string, value: string): boolean {
  return (textOf(`/proc/${pid}/environ`) ?? "").split("\0").includes(`${variable}=${value}`);
}

/** Empty where the system does not say. */
export function bootId(): string {
  return textOf("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
