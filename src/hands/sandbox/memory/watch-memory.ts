import { processNumbers, statOf, textOf } from "../../../foundation/processes/proc.js";

/*
 * The memory of everything in a sandbox together, where there is no control group to limit it: looked at many times a
 * second, and the sandbox is ended when it is too much. Its temporary folders have a limit of their own.
 */

const LOOK_MS = 100;

/** Contract: calls `onReached` once at most. It keeps no process alive. */
export function watchMemory(
  first: () => number | null,
  bytes: number,
  onReached: () => void,
): { readonly stop: () => void } {
  const timer = setInterval(() => {
    const pid = first();
    if (pid === null || memoryBelow(pid, bytes) <= bytes) return;
    clearInterval(timer);
    onReached();
  }, LOOK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/**
 * Bytes that a process and all its descendants hold in memory of their own or share with each other. Memory that several share
 * counts once as soon as it matters: when the simple sum is above `enough`.
 */
function memoryBelow(pid: number, enough: number): number {
  const pids = descendants(pid);
  const simple = pids.reduce((sum, each) => sum + resident(each), 0) * 1024;
  if (simple <= enough) return simple;
  const shared = pids.reduce((sum, each) => {
    const rollup = textOf(`/proc/${each}/smaps_rollup`) ?? "";
    return sum + (rollup === "" ? resident(each) : kilobytes(rollup, PROPORTIONAL));
  }, 0);
  return shared * 1024;
}

const RESIDENT = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm;
const PROPORTIONAL = /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB$/gm;

/** Nothing of a process that has ended meanwhile. */
function resident(pid: number): number {
  return kilobytes(textOf(`/proc/${pid}/status`) ?? "", RESIDENT);
}

function kilobytes(text: string, lines: RegExp): number {
  return [...text.matchAll(lines)].reduce((sum, [, number]) => sum + Number(number), 0);
}

function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const each of processNumbers()) {
    const parent = statOf(each)?.parent;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), each]);
  }
  const found = [pid];
  for (let i = 0; i < found.length; i++) found.push(...(children.get(found[i] as number) ?? []));
  return found;
}
