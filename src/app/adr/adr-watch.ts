import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { requireTrigger } from "../../mind/contract/permit.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { AdrsWatched } from "../adr-reports.js";
import { runAdr } from "./adr-approve.js";
import { createAdrWatcher, type RecordChanges } from "./adr-watcher.js";
import type { RequestOptions } from "../request/request-options.js";
import { isAutomatic } from "../project/contract.js";
import { queueFileOf } from "../run/queue/queue-request.js";
import { runQueue } from "../run/queue/run-queue.js";
import { watchQueue } from "../run/queue/watch-queue.js";
import type { RunArguments } from "../run/run-arguments.js";
import type { Approval, RequestContext } from "../request/plan-and-run.js";

export interface AdrWatchArguments {
  readonly dir: string;
  /** Look once and stop. */
  readonly once: boolean;
  /** Also take what was accepted before anybody watched. */
  readonly all: boolean;
  readonly everyMs: number;
}

/**
 * Carry out decision records as they are accepted.
 *
 * Contract: each at most once, whatever dies in between: the log says what was taken, and a run is begun in one commit.
 * A record that changed after it was taken is reported and not taken again. One that is being written is waited for. Where the
 * project's contract assigns tasks by itself, the open tasks of its work queue are carried out too.
 */
export async function watchAdrs(
  args: AdrWatchArguments,
  asking: Omit<RequestOptions, "out">,
  run: RunArguments,
  approval: Approval,
  around: RequestContext,
): Promise<Finished> {
  const { progress, warn, cwd, project } = around.context;
  const { at } = project;
  const refused = await noFolder(args.dir, cwd, warn);
  if (refused !== null) return refused;
  const inForce = await project.contractInForce(around.context.approved);
  requireTrigger(inForce, "adr_approved");
  const approvedBy = isAutomatic(inForce) ? { ...approval, standing: "contract" as const } : approval;
  const picked: AdrsWatched["picked"][number][] = [];
  const queue = watchQueue(queueFileOf(at.root, (await project.settings()).configuration), project);
  const told = new Set<string>();
  const watcher = createAdrWatcher(project, { dir: args.dir, all: args.all, warn });
  for (let looks = 1; ; looks++) {
    const look = await watcher.look();
    for (const record of look.settled) {
      if (around.interrupted.aborted) break;
      const { file, label } = record.adr;
      progress(`${label} was accepted: ${file}`);
      const result = await runAdr(
        { file, approve: false },
        { ...asking, again: again(file) },
        run,
        approvedBy,
        reopenContext(around),
      );
      picked.push({ label, file, exitCode: result.exitCode, ...outcomeOf(result) });
    }
    const queued = isAutomatic(inForce) && !around.interrupted.aborted ? await queue.next() : null;
    if (queued !== null) {
      progress(`${queued} has open tasks that no run has`);
      const again = `coordinator run --queue ${queued}`;
      const result = await runQueue(queued, { ...asking, again }, run, approvedBy, reopenContext(around));
      picked.push({ label: "work queue", file: queued, exitCode: result.exitCode, ...outcomeOf(result) });
    }
    if (!args.once) tell(look, told, warn);
    const waits = (look.unsettled.length > 0 || queue.isUnsettled()) && looks < MOST_LOOKS;
    if (around.interrupted.aborted || (args.once && !waits)) {
      for (const { adr } of args.once ? look.unsettled : [])
        progress(`${adr.file} is still being written: left alone.`);
      const changed = look.changed.map(({ label, file, run_id }) => ({ label, file, run_id }));
      return finish(worstExit(picked), { type: "adr_watch", picked, changed, before: look.before });
    }
    await sleep(args.once ? SETTLES_MS : args.everyMs, undefined, { signal: around.interrupted }).catch(
      () => undefined,
    );
  }
}

/** Settings that changed while nothing was to do count for what is done next. */
function reopenContext(around: RequestContext): RequestContext {
  const { context } = around;
  return { ...around, context: { ...context, project: context.project.reopen() } };
}

/** How long a file has to stay as it is before it counts as written, where nobody looks again anyway. */
const SETTLES_MS = 200;
/** Something that is written without end is not waited for. */
const MOST_LOOKS = 10;

/** A folder that is not there yet is waited for; what is not a folder never becomes one. */
async function noFolder(dir: string, cwd: string, warn: (message: string) => void): Promise<Finished | null> {
  const entry = await stat(resolve(cwd, dir)).catch(() => null);
  if (entry === null) warn(`There is no folder ${dir} yet: it is looked for again and again.`);
  if (entry === null || entry.isDirectory()) return null;
  return fail(EXIT.invalid, "USAGE", `${dir} is not a folder`, {
    fix: `Name the folder of records. One record is carried out by: coordinator run --adr ${dir}`,
  });
}

/** A record that changed since it was taken is reported when it has been written, once for each change. */
function tell({ changed }: RecordChanges, told: Set<string>, warn: (message: string) => void): void {
  const now = new Set(changed.filter(({ settled }) => settled).map(({ file }) => file));
  for (const { label, file, run_id } of changed)
    if (now.has(file) && !told.has(file))
      warn(`${label} has changed since ${run_id ?? "it was first seen"}: ${file}. It is not carried out again.`);
  told.clear();
  for (const file of now) told.add(file);
}

function again(file: string): string {
  return `coordinator run --adr ${file}`;
}

function outcomeOf({ report }: Finished): { readonly runId: string | null; readonly message: string } {
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

/** The exit code for scripts: the first that did not simply end well. */
function worstExit(picked: readonly { readonly exitCode: ExitCode }[]): ExitCode {
  return picked.find(({ exitCode }) => exitCode !== EXIT.done)?.exitCode ?? EXIT.done;
}
