import { resolve } from "node:path";
import type { RequestAnswer } from "../../model/request-origin.js";
import { findRun } from "../inspect/find.js";
import { isRequestRecord, newestFirst } from "../../hands/store/list-runs.js";
import { foldRun, type FoldedRun } from "../inspect/fold-run.js";
import { openRuns } from "../project/open-runs.js";
import { answersIn, endWithRun, runOfRequest } from "../request/record-request.js";
import type { StateFolder } from "../project/state-folder.js";
import type { EventReader } from "../../hands/store/event-store.js";
import { EXIT } from "../exit-codes.js";
import { fail, type Finished } from "../report.js";
import { adrRequest } from "../adr/adr-request.js";
import { askOnRecord, introTo, mustWait, openQuestions, refuseEnded, listStillWaiting } from "../request/ask-here.js";
import { type SavedRequest, readSavedRequest, type PreparedRequest } from "../request/saved-request.js";
import { type Approval, type RequestContext, planAndRun } from "../request/plan-and-run.js";
import { inputFailure } from "../project/input-failure.js";
import { queueRequest, readQueue } from "./queue/queue-request.js";
import { carryOutHere } from "./run-here.js";
import type { RunArguments } from "./run-arguments.js";
import { withRuns } from "../inspect/runs-at.js";
import { askServer } from "../serve/ask-server.js";
import { projectId } from "../serve/project-id.js";
import type { ServerRecord } from "../serve/server-file.js";
import { CoordinatorError } from "../../model/errors.js";
import { serverFor } from "./work-through-server.js";
import { warnWithoutEffect } from "../project/describe-trust.js";
import { currentUser } from "../decide/current-user.js";

/**
 * Go on with a run, or with a request that is none yet: where it was when it stopped or when somebody answered.
 *
 * Contract: throws NOT_FOUND for a run that is not there. A run that another process carries out, or that is over, is
 * the outcome and is left as it is.
 */
export async function resumeWork(
  args: RunArguments & { readonly resume?: string; readonly last?: boolean },
  approval: Approval,
  around: RequestContext,
): Promise<Finished> {
  const { context } = around;
  const found = await withRuns(
    context.project,
    async (reader, at) => {
      const runId = args.resume === undefined ? await newestOpen(reader) : await findRun(reader, args.resume);
      return isRequestRecord(runId) ? { at, ...(await readStatus(reader, at, runId, context.cwd)) } : null;
    },
    () => null,
  );
  if (found === null) return carryOutHere(args, approval.answer, around);
  const { at, record, run, alone, goneOn, kept } = found;
  if (goneOn !== null) {
    await settleRecord(at, record, goneOn, context.parts.now);
    return carryOutHere({ ...args, last: false, resume: goneOn }, approval.answer, around);
  }
  if (run.state.status !== "pending" || kept === null) return refuseEnded(run);
  const server = serverFor(context);
  if (server !== null && (await isServed(server, at.root, record)))
    return fail(EXIT.waiting, "STORE_LOCKED", `The server at ${server.url} plans ${record} now`, {
      fix: `coordinator inbox shows when its plan waits for you; coordinator status ${record} shows its state.`,
    });
  let { answers } = found;
  if (mustWait(run.state.inbox, answers)) {
    if (approval.answer === null) return listStillWaiting(run, alone, null, context);
    const by = currentUser(undefined, context.project);
    const questions = openQuestions(run);
    const said = await askOnRecord(questions, introTo({ questions }), approval.answer, {
      record,
      by,
      context,
    });
    if ("exitCode" in said) return said;
    answers = said;
  }
  const whole = await prepareSaved(kept, around);
  if ("exitCode" in whole) return whole;
  const loaded = await context.project.settings();
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  warnWithoutEffect(loaded.trust, context.warn);
  const unsafeNoSandbox = args.unsafeNoSandbox === true;
  const wanted = { whole: { ...whole, run: { ...whole.run, ...argumentsNow(args) } }, answers, unsafeNoSandbox };
  return planAndRun({ ...wanted, record }, approval, around);
}

/** Whether a server plans this request. Contract: false where it does not answer. */
async function isServed(server: ServerRecord, root: string, record: string): Promise<boolean> {
  try {
    const found = await askServer(server, "GET", `/projects/${projectId(root)}/runs/${record}`);
    return (found as { readonly served?: unknown } | null)?.served === true;
  } catch (error) {
    if (error instanceof CoordinatorError) return false;
    throw error;
  }
}

/** The newest run, or the newest request that is not a run yet and can be resumed. */
async function newestOpen(reader: EventReader): Promise<string> {
  for (const { run_id } of await newestFirst(reader)) {
    if (!isRequestRecord(run_id)) return run_id;
    if ((await foldRun(reader, run_id)).state.status === "pending") return run_id;
  }
  return findRun(reader, "last");
}

interface ResumeStatus {
  readonly record: string;
  readonly run: FoldedRun;
  /** No other run could have the same ids. */
  readonly alone: boolean;
  /** The run it went on as. */
  readonly goneOn: string | null;
  readonly answers: readonly RequestAnswer[];
  readonly kept: SavedRequest | null;
}

async function readStatus(reader: EventReader, at: StateFolder, runId: string, cwd: string): Promise<ResumeStatus> {
  const run = await foldRun(reader, runId);
  return {
    record: runId,
    run,
    alone: (await reader.runs()).length === 1,
    goneOn: await runOfRequest(reader, run.state.request_id, run.first_at),
    answers: await answersIn(reader, runId),
    kept: await readSavedRequest(at, runId, cwd),
  };
}

/** A process that died between beginning the run and saying so has left it to the next. */
async function settleRecord(at: StateFolder, record: string, runId: string, now: () => string): Promise<void> {
  const store = await openRuns(at);
  try {
    await endWithRun(store, record, runId, now());
  } finally {
    await store.close();
  }
}

/** A decision record is read again, and has to be what it was. */
async function prepareSaved(kept: SavedRequest, around: RequestContext): Promise<PreparedRequest | Finished> {
  const { adr, queue, asking, ...rest } = kept;
  if (queue !== null) return readQueueAgain(kept, queue, around);
  if (adr === null) return { ...rest, asking };
  const wanted = { file: adr.file, approve: adr.approved_by !== "the record" };
  const asked = await adrRequest(wanted, asking, around.context);
  if (!asked.ok) return asked.finished;
  if (asked.source.checksum !== adr.checksum)
    return fail(EXIT.refused, "REQUEST_OVER", `${adr.label} was changed since it was asked for`, {
      fix: `coordinator run --adr ${adr.file}`,
    });
  return { ...rest, asking: { ...asking, ...(asked.asking.adr === undefined ? {} : { adr: asked.asking.adr }) } };
}

/** So is a work queue: its open tasks have to be what they were. */
async function readQueueAgain(
  { adr: _, queue: __, asking, ...rest }: SavedRequest,
  file: string,
  { context }: RequestContext,
): Promise<PreparedRequest | Finished> {
  const given = await readQueue(resolve(context.project.root, file), context);
  if ("exitCode" in given) return given;
  const asked = queueRequest(given, asking);
  if (!asked.ok) return asked.finished;
  const { words, queue } = asked.asking;
  if (words !== asking.words || queue === undefined)
    return fail(EXIT.refused, "REQUEST_OVER", `${file} was changed since it was asked for`, {
      fix: `coordinator run --queue ${file}`,
    });
  return { ...rest, asking: { ...asking, queue } };
}

/** Options given now count before those of the first start. */
function argumentsNow({ agent, maxConcurrent, schedule, coordinatorMode }: RunArguments) {
  const said = Object.entries({ agent, maxConcurrent, schedule, coordinatorMode });
  return Object.fromEntries(said.filter(([, value]) => value !== undefined)) as Partial<PreparedRequest["run"]>;
}
