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
  const fields = fieldsOf(pid);
  if (fields === null) return null;
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

/**
 * Whether it was started with this variable in its environment.
 *
 * Contract: "unknown" while it becomes another program: for that moment the system shows neither the old environment nor
 * the new one. On a busy machine that takes long enough to be met.
 */
export function isMarked(pid: number, variable: string, value: string): boolean | "unknown" {
  const place = `/proc/${pid}/environ`;
  const shown = textOf(place);
  if (shown === "" && isBecoming(pid)) return "unknown";
  // Empty, and not on its way any more: it may have arrived in between.
  const environment = shown === "" ? textOf(place) : shown;
  return (environment ?? "").split("\0").includes(`${variable}=${value}`);
}

/** It has memory, and no place for an environment in it. */
function isBecoming(pid: number): boolean {
  const fields = fieldsOf(pid);
  return fields !== null && fields[20] !== "0" && fields[48] === "0";
}

/** Reads the fields after the name, which is in brackets and may itself hold blanks and brackets. */
function fieldsOf(pid: number): string[] | null {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat === null ? null : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Empty where the system does not say. */
export function bootId(): string {
  return textOf("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
}

/** Reads a file of the kernel; null where it does not exist. */
export function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
