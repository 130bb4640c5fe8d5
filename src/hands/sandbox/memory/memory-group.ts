import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isBelow } from "../../../foundation/files/is-below.js";
import { textOf } from "../../../foundation/processes/proc.js";

/*
 * A control group (cgroup v2) that limits the memory of everything in a sandbox together: heap, shared memory, files in
 * temporary folders, and what the kernel holds for it. It needs a group that this user may divide: below the systemd
 * manager of a user or as root on most machines, seldom in a container.
 */

export interface MemoryGroup {
  /** Contract: never throws; what it starts from then on is in the group too. Says whether the process is in it. */
  readonly add: (pid: number) => boolean;
  /** Whether the kernel ended something because of this limit. */
  readonly wasReached: () => boolean;
  /** Contract: never throws; called once nothing of it runs any more. */
  readonly remove: () => void;
}

export interface GroupPlaces {
  /** Where control groups are mounted. */
  readonly mounted: string;
  /** The content of /proc/self/cgroup. */
  readonly own: string;
}

/** Contract: null where this process cannot have such a group; nothing is left behind then. */
export function makeMemoryGroup(id: string, bytes: number, places: GroupPlaces = placesHere()): MemoryGroup | null {
  const parent = dividedGroup(places);
  if (parent === null) return null;
  const group = join(parent, id);
  try {
    mkdirSync(group);
    writeFileSync(join(group, "memory.max"), String(bytes));
    // Not every kernel has them; without, one process of several is ended, and swap is used beside.
    for (const [name, value] of [["memory.oom.group", "1"] as const, ["memory.swap.max", "0"] as const])
      if (existsSync(join(group, name))) writeFileSync(join(group, name), value);
  } catch {
    removeGroup(group);
    return null;
  }
  return {
    add: (pid) => {
      try {
        writeFileSync(join(group, "cgroup.procs"), String(pid));
        return true;
      } catch {
        return false;
      }
    },
    wasReached: () => /^oom_kill [1-9]/m.test(textOf(join(group, "memory.events")) ?? ""),
    remove: () => removeGroup(group),
  };
}

/** Whether sandboxes of this process get one. Contract: nothing is made. */
function hasMemoryGroups(places: GroupPlaces = placesHere()): boolean {
  return dividedGroup(places) !== null;
}

/** How `sandbox.memory_mb` is held on this machine, in words. */
export function describeMemoryLimit(places: GroupPlaces = placesHere()): string {
  return hasMemoryGroups(places)
    ? "sandbox.memory_mb limits all processes of a sandbox together, by a control group"
    : "sandbox.memory_mb is watched ten times a second for all processes of a sandbox together: there is no control group (cgroup v2) to divide";
}

function placesHere(): GroupPlaces {
  return { mounted: "/sys/fs/cgroup", own: textOf("/proc/self/cgroup") ?? "" };
}

/**
 * The nearest group whose memory is divided among its children: the own one, or the one above it. A group with processes
 * in it cannot be divided, so it is usually the one above.
 */
function dividedGroup({ mounted, own }: GroupPlaces): string | null {
  const path = /^0::(\/.*)$/m.exec(own)?.[1];
  if (path === undefined || path.includes("..") || !existsSync(join(mounted, "cgroup.controllers"))) return null;
  const here = join(mounted, path);
  return [here, dirname(here)].find((group) => isBelow(group, mounted) && isDivided(group)) ?? null;
}

function isDivided(group: string): boolean {
  return (textOf(join(group, "cgroup.subtree_control")) ?? "").split(/\s+/).includes("memory");
}

function removeGroup(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // Never made, or the kernel still counts something in it; an empty group costs nothing.
  }
}
