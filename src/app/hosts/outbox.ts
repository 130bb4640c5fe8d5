import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readdirSync } from "../../foundation/files/read-files.js";
import type { StateFolder } from "../project/state-folder.js";
import { makeStateFolder } from "../project/state-folder.js";
import { readOwnJson, writeOwnJson } from "../serve/own-json.js";

/*
 * The calls that are being sent to a host, for each run. An intent is durable before anything is sent, so that the process that comes after a
 * crash looks at the host first. An entry never proves that something is on the host: only the host says that.
 */

const Commit = z.string().regex(/^[0-9a-f]{40,64}$/);

const OutboxPart = z.object({
  /** The task, or `whole`. */
  part: z.string(),
  branch: z.string(),
  base: z.string(),
  head: Commit,
  /** The last commit that was pushed; null before the first. */
  pushed: Commit.nullable(),
  pull: z.int().nullable(),
  /** The checksum of the text that was last sent: a person's own words are not written over. */
  text: z.string().nullable(),
  /** The call that was about to be sent, and when. */
  intent: z.object({ step: z.enum(["push", "create", "update", "status"]), at: z.string() }).nullable(),
});
export type OutboxPart = z.infer<typeof OutboxPart>;

/** The order of a person that is being carried out; kept, so that it is carried out as it was given when the host answers again. */
const Order = z.object({
  perTask: z.boolean(),
  ready: z.boolean(),
  partial: z.boolean(),
  into: z.string().optional(),
  branch: z.string().optional(),
});
export type Order = z.infer<typeof Order>;

const Outbox = z.object({
  schema_version: z.literal("1.0.0"),
  run_id: z.string(),
  server: z.string(),
  repository: z.string(),
  /** Absent in records of older versions. */
  order: Order.optional(),
  parts: z.array(OutboxPart),
  /** Signed copies of the run's commits, by their originals: made once, for a signature is another one each time. */
  signed: z.record(Commit, Commit).default({}),
  /** Why it is not all sent yet, and when to try again; null when it is, or was never tried. */
  waits: z.object({ reason: z.string(), until: z.string().nullable() }).nullable(),
  is_done: z.boolean(),
});
export type Outbox = z.infer<typeof Outbox>;

function outboxFile({ folder }: StateFolder, runId: string): string {
  return join(folder, "hosts", `publish-${runId}.json`);
}

export function readOutbox(at: StateFolder, runId: string): Outbox | null {
  return readOwnJson(outboxFile(at, runId), Outbox);
}

/** Everything that is being sent, or was sent, of all runs. */
export function listOutboxes(at: StateFolder): Outbox[] {
  const folder = join(at.folder, "hosts");
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names
    .flatMap((name) => /^publish-(.+)\.json$/.exec(name)?.[1] ?? [])
    .flatMap((runId) => readOutbox(at, runId) ?? []);
}

/** Contract: durable when it returns. */
export function writeOutbox(at: StateFolder, outbox: Outbox): void {
  makeStateFolder(at);
  writeOwnJson(outboxFile(at, outbox.run_id), outbox);
}
