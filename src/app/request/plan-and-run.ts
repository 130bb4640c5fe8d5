import type { PlanReport } from "../plan/planning.js";
import { findMissingCommit, type MissingCommit } from "../run/first-commit.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { RequestAnswer } from "../../model/request-origin.js";
import { isRequestRecord, newestFirst } from "../../hands/store/list-runs.js";
import { isBeingPlanned, markAsPlanned } from "./being-planned.js";
import { openRuns } from "../project/open-runs.js";
import { dropRequest, newRecordId, openRequest } from "./record-request.js";
import type { StateFolder } from "../project/state-folder.js";
import type { EventStore } from "../../hands/store/event-store.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { PlanMade } from "../plan-reports.js";
import type { CommandContext } from "../command-context.js";
import { recordUnplanned } from "./answer-request.js";
import { type AskHere, askOnRecord, introTo } from "./ask-here.js";
import { isSameAsking, saveRequest, readSavedRequest, type PreparedRequest } from "./saved-request.js";
import { planFromWords } from "./plan-words.js";
import { carryOutHere } from "../run/run-here.js";
import { findUnplannedRequest } from "./unplanned-request.js";
import type { Watcher } from "../inspect/watch.js";

/**
 * `command`: the person who typed it approved the work by it, as with `adr approve`. `contract`: the project's contract
 * has work assigned by itself (`auto_assign_tasks`).
 */
export type AutomaticApproval = "command" | "contract";

/** How a person approves: beforehand, when asked, or later. */
export interface Approval {
  readonly given: boolean;
  /** A person approves, whatever the settings say: the words came from elsewhere. */
  readonly required?: true;
  /** An automatic approval of plans whose risk is low or medium. Absent where a person approves all. */
  readonly standing?: AutomaticApproval;
  /** Null when nobody can be asked. */
  readonly ask: ((shown: string) => Promise<boolean>) | null;
  /** Null when nobody is there to answer questions; they wait in the inbox then. */
  readonly answer: AskHere | null;
  /** How wide the terminal is at which they are asked. */
  readonly columns?: number | undefined;
}

export interface RequestContext {
  readonly context: CommandContext;
  readonly watcher: Watcher;
  readonly interrupted: AbortSignal;
}

export interface RequestToRun {
  readonly whole: PreparedRequest;
  /** The log it is on record in; null when it is new. */
  readonly record: string | null;
  /** Answers of people in that log. */
  readonly answers: readonly RequestAnswer[];
  readonly unsafeNoSandbox: boolean;
  /** When the request came in; absent for one that is resumed. */
  readonly receivedAt?: string;
}

/**
 * From a request that is asked, for the first time or again with answers, to a run that is over or waits.
 *
 * Contract: anyone who may take long to plan is asked only when the request is on record, so that it can be resumed.
 */
export async function planAndRun(wanted: RequestToRun, approval: Approval, around: RequestContext): Promise<Finished> {
  const { context, interrupted } = around;
  const { project } = context;
  const { at } = project;
  const { configuration } = await project.settings();
  const { unsafeNoSandbox } = wanted;
  const receivedAt = wanted.receivedAt ?? context.parts.now();
  const { whole, record } =
    wanted.record === null ? await recordBeforePlanning(wanted.whole, configuration, context) : wanted;
  const asking = { ...whole.asking, answers: [...whole.clarified, ...wanted.answers] };
  const planned = await planFromWords(asking, {
    context,
    signal: interrupted,
    unsafeNoSandbox,
    agent: whole.run.agent,
    receivedAt,
  });
  const { finished: ended } = planned;
  // Interrupted work stays in its log and can be resumed.
  if (interrupted.aborted && record !== null) return finish(EXIT.interrupted, { type: "interrupted", run_id: record });
  const undone = findUnplannedRequest(planned);
  if (undone !== undefined) {
    const times = { receivedAt, decidedAt: planned.status === "ended" ? planned.decided_at : undefined };
    const kept = await recordUnplanned(ended, undone, { whole, record, ...times }, context);
    // A request that could not be put on record has nowhere to keep an answer.
    if (approval.answer === null || undone.questions.length === 0 || kept.answer === undefined) return kept;
    const onRecord = { record: kept.answer.run_id, by: whole.asking.by, context };
    const answers = await askOnRecord(undone.questions, introTo(undone), approval.answer, onRecord);
    if ("exitCode" in answers) return answers;
    const again = { whole, record: onRecord.record, answers, unsafeNoSandbox };
    return planAndRun(again, approval, around);
  }
  if (planned.status === "ended") return ended;
  const { report } = planned.finished;
  const missing = await findMissingCommit(at.root, project.environment);
  const standing = coversRisk(planned.made) ? approval.standing : undefined;
  const needed =
    (configuration.run.plan_needs_approval || approval.required === true) && !approval.given && standing === undefined;
  const approved =
    !needed ||
    (approval.ask !== null &&
      (await approval.ask(await renderForApproval(report, missing, context, approval.columns))));
  if (!approved && approval.ask !== null) {
    if (record !== null) await recordDeclined(at, record, whole, context);
    // The plan was shown with the question.
    const { out } = whole.asking;
    return fail(EXIT.waiting, "NOT_APPROVED", "You did not approve the plan, so nothing was begun", {
      fix: `It is kept. coordinator run --plan ${out} carries it out; coordinator verify ${out} proves it.`,
    });
  }
  const carriedOut = await carryOutHere(
    {
      ...whole.run,
      unsafeNoSandbox,
      plan: whole.asking.out,
      waits: !approved,
      asked: needed && approved,
      ...(standing === undefined || approval.given ? {} : { standing }),
      mayCommit: approval.given || (approved && approval.ask !== null),
      ...(record === null ? {} : { request: record }),
    },
    approval.answer,
    around,
  );
  if (approved || carriedOut.report.type !== "watched") return carriedOut;
  const { run_id: runId, needs_you } = carriedOut.report.overview;
  const approve = needs_you.flatMap(({ kind, commands }) => (kind === "plan_approval" ? commands.slice(0, 1) : []));
  // Where there are others, "last" may soon be another one.
  const isAlone = approve.every((command) => !command.includes("--run"));
  const resumeWork = isAlone ? "coordinator run --last" : `coordinator run --resume ${runId}`;
  return finish(EXIT.waiting, { ...report, runId, next: [...approve, resumeWork] });
}

/** A plan of high or critical risk is approved by a person who has seen it, whatever approved the work before. */
function coversRisk({ outcome: { risk } }: PlanReport): boolean {
  return risk !== null && (risk.overall_risk === "low" || risk.overall_risk === "medium");
}

/**
 * No record where nobody is asked who may take long: then there is nothing that could be lost. Anyone who types the same
 * again after a crash goes on with what was begun: two agents must not plan the same at once.
 */
async function recordBeforePlanning(
  whole: PreparedRequest,
  { planner, product, second_opinion: reader, run: policy }: Configuration,
  { parts, project: { at }, progress, cwd }: CommandContext,
): Promise<Pick<RequestToRun, "whole" | "record">> {
  const asksSomebody =
    (planner !== "template" && whole.asking.adr === undefined && whole.asking.queue === undefined) ||
    product !== undefined ||
    reader !== undefined;
  if (!asksSomebody) return { whole, record: null };
  const store = await openRuns(at);
  try {
    const begun = await findBegunRequest(whole, at, store, cwd);
    if (begun !== null) {
      progress(`Going on with ${begun.record}, which was asked in the same words and stopped …`);
      return begun;
    }
    const now = parts.now();
    const record = newRecordId(now);
    await saveRequest(at, record, whole, cwd);
    await markAsPlanned(at, record);
    const { request_id, user_request: request } = whole.request;
    await openRequest(store, record, { request_id, request, policy, now });
    progress(`Request ${record}: coordinator run --resume ${record} resumes it, even after a crash …`);
    return { whole, record };
  } finally {
    await store.close();
  }
}

/** A request that is the same but for when it was asked, and that nobody has decided anything about. */
async function findBegunRequest(whole: PreparedRequest, at: StateFolder, store: EventStore, cwd: string) {
  for (const { run_id: record, sequence } of await newestFirst(store)) {
    if (!isRequestRecord(record) || sequence !== 1) continue;
    const kept = await readSavedRequest(at, record, cwd);
    if (kept === null || kept.adr !== null || kept.queue !== null || !isSameAsking(kept, whole, cwd)) continue;
    if (await isBeingPlanned(at, record)) continue;
    await markAsPlanned(at, record);
    const { request, asking, clarified } = kept;
    return { record, whole: { request, asking, clarified, run: whole.run } };
  }
  return null;
}

async function recordDeclined(
  at: StateFolder,
  record: string,
  whole: PreparedRequest,
  { parts }: CommandContext,
): Promise<void> {
  const store = await openRuns(at);
  try {
    await dropRequest(store, record, whole.asking.by, "the plan was not approved", parts.now());
  } finally {
    await store.close();
  }
}

async function renderForApproval(
  report: PlanMade,
  missing: MissingCommit | null,
  { toText }: CommandContext,
  columns?: number,
): Promise<string> {
  const ground = missing === null ? "" : "\nThere is no commit here yet: a first, empty one will be made.\n";
  return `${await toText({ ...report, isAsked: true }, columns)}${ground}`;
}
