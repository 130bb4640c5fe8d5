import { join } from "node:path";
import type { WorkspaceSettings } from "../../model/settings/configuration.js";
import { inTurn } from "../store/sqlite/turn.js";
import { openRecords } from "./run-records.js";

/*
 * Ports for what is started in a workspace: each workspace has its own, so that two servers of two tasks never meet, of
 * whichever run. Ranges are given out one after the other and come round again, because a shim may outlive the process
 * that gave it its range.
 */

/** Variables that tell a workspace its ports; none when no ports are configured. */
export type NextPorts = () => Promise<Readonly<Record<string, string>>>;

const TURN_MS = 20_000;

/** Contract: processes that give out ports of the same folder never give out the same range one after the other. */
export function portRanges(settings: WorkspaceSettings["ports"], folder: string): NextPorts {
  if (settings === undefined) return async () => ({});
  const { first, each } = settings;
  const ranges = Math.max(1, Math.floor((65_536 - first) / each));
  const records = openRecords(folder);
  return async () => {
    const given = await inTurn(join(folder, "turn.db"), TURN_MS, async () => {
      const read = await records.read("ports");
      const before = typeof read === "object" && read !== null && "given" in read ? Number(read.given) || 0 : 0;
      // Written down before it is used: after a crash nobody gets what a living shim has.
      await records.write("ports", { given: before + 1 });
      return before;
    });
    const begin = first + (given % ranges) * each;
    return { COORDINATOR_PORT: String(begin), COORDINATOR_PORTS: `${begin}-${Math.min(begin + each - 1, 65_535)}` };
  };
}
