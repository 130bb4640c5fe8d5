import { readdirSync, readFileSync } from "node:fs";
import { beforeEach } from "vitest";

/*
 * A test that ran into the guard against hanging says nothing by itself. What it waited on is written down at that
 * moment, for the report of the suite: what holds the event loop, and the programs that were started and still run.
 */

declare module "vitest" {
  interface TaskMeta {
    stood?: string;
  }
}

beforeEach(({ signal, task }) => {
  signal.addEventListener("abort", () => {
    if (/timed out in/.test(String(signal.reason))) task.meta.stood = standing();
  });
});

function standing(): string {
  const held = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) held.set(name, (held.get(name) ?? 0) + 1);
  const programs = descendants(process.pid);
  return [
    `waiting on ${[...held].map(([name, times]) => `${times} ${name}`).join(", ") || "nothing that Node.js knows of"}`,
    programs.length === 0 ? "no program of it runs" : `these programs of it run: ${programs.join("; ")}`,
  ].join("; ");
}

/** Everything a process started that has not lost its parent, with its state (R runs, S sleeps, T is stopped). */
function descendants(parent: number): string[] {
  return childrenOf(parent).flatMap(({ pid, state }) => [`${pid} ${state} ${commandOf(pid)}`, ...descendants(pid)]);
}

function childrenOf(parent: number): { pid: number; state: string }[] {
  const numbers = read(() => readdirSync("/proc"), []).map(Number);
  return numbers.filter(Number.isInteger).flatMap((pid) => {
    const stat = read(() => readFileSync(`/proc/${pid}/stat`, "utf8"), "");
    const [state = "", its] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(its) === parent ? [{ pid, state }] : [];
  });
}

function commandOf(pid: number): string {
  const words = read(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "").replaceAll("\0", " ");
  return words.replaceAll(/\s+/g, " ").trim().slice(0, 160);
}

function read<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
