import { join } from "node:path";
import { z } from "zod";
import type { HostPlace } from "../../hands/hosts/addresses.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { readOwnJson, writeOwnJson } from "../serve/own-json.js";
import { listFollowUps } from "./follow-up-records.js";
import { keyOf } from "./one-writer.js";

/* Plans that nobody at this machine ordered: a label or a remark on the host started them. They cost something, so they are counted. */

const Tried = z.object({
  number: z.int(),
  /** Of what the issue said: a text that was tried is not tried again. */
  checksum: z.string(),
  at: z.iso.datetime(),
  /** False while it is planned, and for one whose process died then. */
  is_done: z.boolean(),
});
export type Tried = z.infer<typeof Tried>;
const Labelled = z.object({ schema_version: z.literal("1.0.0"), issues: z.array(Tried) });

const DAY_MS = 86_400_000;
const MOST_KEPT = 2000;

function labelledFile({ folder }: StateFolder, place: HostPlace): string {
  return join(folder, "hosts", `labelled-${keyOf(place)}.json`);
}

/** Issues that a label had planned, or tried to, in order. */
export function listTried(at: StateFolder, place: HostPlace): readonly Tried[] {
  return readOwnJson(labelledFile(at, place), Labelled)?.issues ?? [];
}

/** Contract: durable when it returns. */
export function writeTried(at: StateFolder, place: HostPlace, issues: readonly Tried[]): void {
  makeStateFolder(at);
  writeOwnJson(labelledFile(at, place), { schema_version: "1.0.0", issues: issues.slice(-MOST_KEPT) });
}

/** Whether labels and remarks started as many plans in a day as the settings allow. */
export function isDaySpent(at: StateFolder, place: HostPlace, most: number, now: string): boolean {
  const begun = [...listTried(at, place).map((one) => one.at), ...listFollowUps(at).map(({ read_at }) => read_at)];
  return begun.filter((when) => Date.parse(when) > Date.parse(now) - DAY_MS).length >= most;
}
