import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { findRoot, makeStateFolder, type StateFolder, stateFolder } from "../../runs/state-folder.js";
import { type TakenAdr } from "../../runs/taken-adrs.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { type AdrRecord, type AdrsWatched, finished, type Finished } from "../report.js";
import { runAdr } from "./adr-approve.js";
import { findRecords } from "./adr-list.js";
import { adrsTaken } from "./adr-taken.js";
import type { Asking } from "./asking.js";
import type { RunArguments } from "./run-arguments.js";
import type { Approval, Around } from "./plan-and-run.js";
import { writeWhole } from "./write-file.js";

export interface AdrWatchArguments {
  readonly dir: string;
  /** Look once and stop. */
  readonly once: boolean;
  /** Also take what was accepted before anybody watched. */
  readonly all: boolean;
  readonly everyMs: number;
}

/** What was accepted before anybody watched: nobody asked for it to be carried out now. */
const Before = z.strictObject({ version: z.literal(1), accepted: z.record(z.string(), z.string()) });
type Before = z.infer<typeof Before>;

type Accepted = Extract<AdrRecord, { ok: true }>;

/**
 * Carry out decision records as they are accepted.
 *
 * Contract: each at most once, whatever dies in between: the log says what was taken, and a run is begun in one commit.
 * A record that changed after it was taken is told and not taken again.
 */
export async function watchAdrs(
  args: AdrWatchArguments,
  asking: Omit<Asking, "out">,
  run: RunArguments,
  approval: Approval,
  around: Around,
): Promise<Finished> {
  const at = stateFolder(findRoot("."));
  const picked: AdrsWatched["picked"][number][] = [];
  const tried = new Set<string>();
  for (;;) {
    const { records } = await findRecords(args.dir);
    const accepted = records.filter(isAccepted);
    const before = await acceptedBefore(at, accepted, args.all);
    const taken = await adrsTaken();
    const fresh = accepted.filter((record) => isNew(record, before, taken) && !tried.has(keyOf(record)));
    for (const record of fresh) {
      if (around.interrupted.aborted) break;
      tried.add(keyOf(record));
      const { file, label } = record.adr;
      around.surroundings.progress(`${label} was accepted: ${file}`);
      const result = await runAdr({ file, approve: false }, { ...asking, again: again(file) }, run, approval, around);
      picked.push({ label, file, exitCode: result.exitCode, ...told(result) });
    }
    if (args.once || around.interrupted.aborted) {
      const changed = changedSince(accepted, before, taken);
      return finished(worst(picked), {
        type: "adr_watch",
        picked,
        changed,
        before: Object.keys(before.accepted).length,
      });
    }
    await sleep(args.everyMs, undefined, { signal: around.interrupted }).catch(() => undefined);
  }
}

function isAccepted(record: AdrRecord): record is Accepted {
  return record.ok && record.breakdown.held === null && record.breakdown.tasks.length > 0;
}

function isNew({ adr }: Accepted, { accepted }: Before, taken: readonly TakenAdr[]): boolean {
  return !Object.hasOwn(accepted, adr.label) && !taken.some((one) => one.adr.label === adr.label);
}

function changedSince(
  records: readonly Accepted[],
  before: Before,
  taken: readonly TakenAdr[],
): AdrsWatched["changed"] {
  return records.flatMap(({ adr, checksum }) => {
    const run = taken.findLast((one) => one.adr.label === adr.label);
    const known =
      run?.adr.checksum ?? (Object.hasOwn(before.accepted, adr.label) ? before.accepted[adr.label] : checksum);
    return known === checksum ? [] : [{ label: adr.label, file: adr.file, run_id: run?.run_id ?? null }];
  });
}

async function acceptedBefore(at: StateFolder, records: readonly Accepted[], all: boolean): Promise<Before> {
  const file = join(at.folder, "adr-watch.json");
  const text = await readFile(file, "utf8").catch(() => null);
  if (text !== null) {
    const read = Before.safeParse(JSON.parse(text));
    if (read.success) return all ? { version: 1, accepted: {} } : read.data;
  }
  const accepted = all ? [] : records.map(({ adr, checksum }) => [adr.label, checksum] as const);
  const before: Before = { version: 1, accepted: Object.fromEntries(accepted) };
  makeStateFolder(at);
  await writeWhole(file, `${JSON.stringify(before, null, 2)}\n`);
  return before;
}

function keyOf({ adr, checksum }: Accepted): string {
  return `${adr.label}@${checksum}`;
}

function again(file: string): string {
  return `coordinator run --adr ${file}`;
}

function told({ report }: Finished): { readonly runId: string | null; readonly message: string } {
  switch (report.type) {
    case "watched":
      return { runId: report.overview.run_id, message: report.overview.status };
    case "response":
      return { runId: report.run_id, message: report.response.status };
    case "plan":
      return {
        runId: report.runId ?? null,
        message: report.runId === undefined ? report.outcome.state : "waits for approval",
      };
    case "interrupted":
      return { runId: report.run_id, message: "interrupted" };
    case "error":
      return { runId: null, message: report.message };
    default:
      return { runId: null, message: report.type };
  }
}

/** What a script should know: the first that did not simply end well. */
function worst(picked: readonly { readonly exitCode: ExitCode }[]): ExitCode {
  return picked.find(({ exitCode }) => exitCode !== EXIT.done)?.exitCode ?? EXIT.done;
}
