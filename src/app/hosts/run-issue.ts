import type { HostPlace } from "../../hands/hosts/addresses.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import { foldRun } from "../inspect/fold-run.js";
import { withRuns } from "../inspect/runs-at.js";
import { inputFailure } from "../project/input-failure.js";
import type { Project } from "../project/project.js";
import { finish, type Finished } from "../report.js";
import type { RequestContext } from "../request/plan-and-run.js";
import type { RequestOptions } from "../request/request-options.js";
import { runOfRequest } from "../request/record-request.js";
import { prepareRequest, runFromWords } from "../request/run-words.js";
import { carryOutHere } from "../run/run-here.js";
import type { RunArguments } from "../run/run-arguments.js";
import { type IssueIntent, readIssueIntent, removeIssueIntent, writeIssueIntent } from "./issue-intents.js";
import { type IssueRecord, listIssueRecords, readIssueOfRun, writeIssueOfRun } from "./issue-records.js";
import { type IssueSnapshot, readSnapshot, requireIssueOf } from "./issue-snapshot.js";
import { asOnlyPlanner, asOnlyWriter } from "./one-writer.js";
import { openHost, placeOfProject } from "./open-host.js";
import { type ApprovalPlace, readApproval } from "./read-approval.js";
import { tellOnIssue, tellWaiting, planOfIssue } from "./told-issue.js";

export interface IssueArguments {
  readonly address: string;
  /** Plan once more, though there is a plan that waits. */
  readonly again: boolean;
  /** Plan and tell it, and carry out nothing. */
  readonly planOnly: boolean;
}

/**
 * Plan what an issue asks for and tell the plan there, in one comment; carry it out when somebody who may has approved it.
 *
 * Contract: the issue's text asks for a plan, and decides nothing else. A plan of an issue is never approved by `--yes`.
 */
export async function runIssue(
  args: IssueArguments,
  asking: Omit<RequestOptions, "out">,
  run: RunArguments,
  around: RequestContext,
): Promise<Finished> {
  const { context } = around;
  const { project } = context;
  const loaded = await project.settings();
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  const settings = loaded.configuration.code_host;
  const repository = await placeOfProject(project.root, settings, project.environment);
  const number = requireIssueOf(args.address, repository);
  const { host } = await openHost(repository, settings, project.environment);
  const ours = (await host.readUser()).id;
  const place: ApprovalPlace = { at: project.at, host, ours, settings, context };
  const found = await planOrContinue(number, repository, args, place, asking, run, around);
  // Carried out when nothing is held any more: that takes long.
  return "exitCode" in found ? found : carryOutHere({ ...run, resume: found.resume }, null, around);
}

/** The plan of an issue: made and told where there is none, its approval read otherwise. Contract: nothing is carried out; `resume` is a run that may be. */
export function planOrContinue(
  number: number,
  repository: HostPlace,
  args: IssueArguments,
  place: ApprovalPlace,
  asking: Omit<RequestOptions, "out">,
  run: RunArguments,
  around: RequestContext,
): Promise<Finished | { readonly resume: string }> {
  const { at, host, context } = place;
  return asOnlyPlanner(at, repository, number, async () => {
    const snapshot = await readSnapshot(host, number);
    const known = await findPlanned(repository, number, args.again, context);
    const planned = known ?? (await planIssue(snapshot, repository, args, asking, run, around));
    if ("exitCode" in planned) return planned;
    return asOnlyWriter(at, repository, async () => {
      const record = planned.told_at === null ? await tellWaiting(planned, place) : planned;
      return known === null ? waitingReport(record, args.address, []) : continueIssue(record, args, place);
    });
  });
}

/** The newest plan of an issue, also one whose process died before it could write down where it came from. */
async function findPlanned(
  repository: HostPlace,
  number: number,
  again: boolean,
  { project }: CommandContext,
): Promise<IssueRecord | null> {
  const { at } = project;
  const intent = readIssueIntent(at, repository, number);
  const begun = intent === null ? null : await runOfIntent(intent, project);
  if (intent !== null && begun !== null) {
    if (readIssueOfRun(at, begun.run_id) === null) writeIssueOfRun(at, recordOf(intent, begun, null));
    removeIssueIntent(at, repository, number);
    // It was planned anew already, by the order that did not come to its end.
    if (again) return readIssueOfRun(at, begun.run_id);
  }
  return again ? null : (listIssueRecords(at, { ...repository, number })[0] ?? null);
}

interface BegunRun {
  readonly run_id: string;
  readonly plan_checksum: string;
}

/** Null when no run was begun for it. */
function runOfIntent({ request, issue }: IssueIntent, project: Project): Promise<BegunRun | null> {
  return withRuns<BegunRun | null>(
    project,
    async (reader) => {
      const run_id = await runOfRequest(reader, request.request_id, issue.read_at);
      return run_id === null ? null : { run_id, plan_checksum: await planChecksumOf(run_id, project) };
    },
    () => null,
  );
}

function planChecksumOf(runId: string, project: Project): Promise<string> {
  return withRuns(project, async (reader) => (await foldRun(reader, runId)).state.layout?.plan.plan_checksum ?? "");
}

function recordOf({ issue }: IssueIntent, { run_id, plan_checksum }: BegunRun, risk: string | null): IssueRecord {
  const unknown = { comment: null, told_at: null, approved_by: null, approval: null };
  return { schema_version: "1.0.0", ...issue, run_id, plan_checksum, risk, ...unknown };
}

/** Plan an issue as it is now. Contract: its record is durable before anything is told. */
async function planIssue(
  { words, checksum, removed, issue }: IssueSnapshot,
  repository: HostPlace,
  { address }: IssueArguments,
  asking: Omit<RequestOptions, "out">,
  run: RunArguments,
  around: RequestContext,
): Promise<IssueRecord | Finished> {
  const { context } = around;
  const { project, parts } = context;
  const { at } = project;
  const { id, number, author, title, body, created_at, updated_at } = issue;
  const again = `coordinator run --issue ${address}`;
  const left = readIssueIntent(at, repository, number);
  const isSame = left?.issue.checksum === checksum;
  const whole = isSame ? null : await prepareRequest({ ...asking, words, again }, run, context);
  if (whole !== null && "exitCode" in whole) return whole;
  const intent: IssueIntent = {
    schema_version: "1.0.0",
    // A repeated request: the planner that was asked before the crash may still have begun.
    request: whole?.request ?? (left as IssueIntent).request,
    issue: {
      ...repository,
      number,
      issue_id: id,
      author: author === null ? null : { id: author.id, login: author.login },
      title,
      body,
      created_at,
      updated_at,
      read_at: isSame && left !== null ? left.issue.read_at : parts.now(),
      checksum,
      removed: [...removed],
    },
  };
  writeIssueIntent(at, intent);
  const { request } = intent;
  const planned = await runFromWords(
    { ...asking, words, again, request, now: request.timestamp },
    run,
    { given: false, required: true, ask: null, answer: null },
    around,
  );
  const { report } = planned;
  if (report.type !== "plan" || report.runId === undefined) {
    if ((await runOfIntent(intent, project)) === null) removeIssueIntent(at, repository, number);
    return planned;
  }
  const { runId: run_id } = report;
  const begun = { run_id, plan_checksum: await planChecksumOf(run_id, project) };
  const record = recordOf(intent, begun, report.outcome.risk?.overall_risk ?? null);
  writeIssueOfRun(at, record);
  removeIssueIntent(at, repository, number);
  return record;
}

async function continueIssue(
  record: IssueRecord,
  args: IssueArguments,
  place: ApprovalPlace,
): Promise<Finished | { readonly resume: string }> {
  const found = await readApproval(planOfIssue(record, place), place);
  if (found.status === "waiting") return waitingReport(record, args.address, found.refused);
  const by = found.by ?? "a person";
  const state = found.status === "stale" ? ({ is: "stale" } as const) : ({ is: "approved", by } as const);
  if (found.status !== "over") await tellOnIssue(record, state, place);
  if (found.status === "stale")
    return finish(EXIT.waiting, {
      ...issueReport(record, args.address, "stale", found.refused),
      next: [`coordinator run --issue ${args.address} --again`],
    });
  if (args.planOnly)
    return finish(EXIT.done, {
      ...issueReport(record, args.address, "approved", found.refused),
      next: [`coordinator run --resume ${record.run_id}`],
    });
  return { resume: record.run_id };
}

function issueReport(
  { run_id, plan_checksum, comment, removed }: IssueRecord,
  address: string,
  status: "waiting" | "stale" | "approved",
  refused: readonly string[],
) {
  return { type: "issue", run_id, address, status, plan_checksum, comment, removed, refused } as const;
}

function waitingReport(record: IssueRecord, address: string, refused: readonly string[]): Finished {
  const next = [`coordinator run --issue ${address}`, `coordinator approve plan --run ${record.run_id}`];
  return finish(EXIT.waiting, { ...issueReport(record, address, "waiting", refused), next });
}
