import type { WorkspaceSettings } from "../model/configuration.js";
import type { RunRecords } from "./run-records.js";

/*
 * Ports for what is started in a workspace: each workspace has its own, so that two servers of two tasks never meet.
 * Ranges are given out one after the other and come round again, because a shim may outlive whoever gave it its range.
 */

/** Variables that tell a workspace its ports; none when no ports are configured. Contract: called by one process at a time. */
export type NextPorts = () => Promise<Readonly<Record<string, string>>>;

export function portRanges(settings: WorkspaceSettings["ports"], records: RunRecords): NextPorts {
  if (settings === undefined) return async () => ({});
  const { first, each } = settings;
  const ranges = Math.max(1, Math.floor((65_536 - first) / each));
  let last: Promise<number> = records
    .read("ports")
    .then((read) => (typeof read === "object" && read !== null && "given" in read ? Number(read.given) || 0 : 0));
  return async () => {
    // Written down before it is used: after a crash nobody gets what a living shim has.
    const mine = last.then(async (given) => {
      await records.write("ports", { given: given + 1 });
      return given + 1;
    });
    last = mine;
    const begin = first + (((await mine) - 1) % ranges) * each;
    return { COORDINATOR_PORT: String(begin), COORDINATOR_PORTS: `${begin}-${Math.min(begin + each - 1, 65_535)}` };
  };
}
