import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readdirSync } from "../../foundation/files/read-files.js";
import type { HostPlace } from "../../hands/hosts/addresses.js";
import type { RunFeedback } from "../host-reports.js";
import { makeStateFolder, type StateFolder } from "../project/state-folder.js";
import { readOwnJson, writeOwnJson } from "../serve/own-json.js";
import { keyOf } from "./one-writer.js";

/* What people and checks said of pull requests when somebody last looked, for the inbox. */

const text = z.string();
const Feedback = z.object({
  schema_version: z.literal("1.0.0"),
  read_at: text,
  runs: z.array(
    z.object({
      run_id: text,
      part: text,
      pull: z.int(),
      address: text,
      is_our_head: z.boolean(),
      remarks: z.array(z.object({ thread: text, by: text, path: text, line: z.int().nullable(), text, address: text })),
      checks: z.array(z.object({ name: text, conclusion: text, summary: text, address: text })),
    }),
  ),
});

/** Contract: durable when it returns. */
export function keepFeedback(at: StateFolder, place: HostPlace, runs: readonly RunFeedback[], now: string): void {
  makeStateFolder(at);
  const open = runs.filter(({ remarks, checks }) => remarks.length + checks.length > 0);
  const kept = { schema_version: "1.0.0", read_at: now, runs: open };
  writeOwnJson(join(at.folder, "hosts", `feedback-${keyOf(place)}.json`), kept);
}

/** What waits on somebody there, as far as it is known. */
export function readKeptFeedback({ folder }: StateFolder): RunFeedback[] {
  const hosts = join(folder, "hosts");
  const names = existsSync(hosts) ? readdirSync(hosts) : [];
  return names
    .filter((name) => /^feedback-.+\.json$/.test(name))
    .flatMap((name) => readOwnJson(join(hosts, name), Feedback)?.runs ?? []);
}
