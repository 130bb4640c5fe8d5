import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import { foldRun } from "../inspect/fold-run.js";
import { withRuns } from "../inspect/runs-at.js";
import { inputFailure } from "../project/input-failure.js";
import { finished, type Finished } from "../report.js";
import type { RequestContext } from "../request/plan-and-run.js";
import type { RequestOptions } from "../request/request-options.js";
import { runFromWords } from "../request/run-words.js";
import { carryOutHere } from "../run/run-here.js";
import type { RunArguments } from "../run/run-arguments.js";
import { type IssueRecord, listIssueRecords, writeIssueOfRun } from "./issue-records.js";
import { readSnapshot, requireIssueOf } from "./issue-snapshot.js";
import { openHost, placeOfProject } from "./open-host.js";
import { type ApprovalPlace, readApproval } from "./read-approval.js";
import { tellPlan } from "./tell-plan.js";

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
  const snapshot = await readSnapshot(host, number);
  const [known] = args.again ? [] : listIssueRecords(project.at, { ...repository, number });
  if (known !== undefined) {
    const record = known.told_at === null ? await tellWaiting(known, place) : known;
    return continueIssue(record, args, run, place, around);
  }
  const { words, checksum, removed, issue } = snapshot;
  const again = `coordinator run --issue ${args.address}`;
  const planned = await runFromWords(
    { ...asking, words, again },
    run,
    { given: false, required: true, ask: null, answer: null },
    around,
  );
  const { report } = planned;
  if (report.type !== "plan" || report.runId === undefined) return planned;
  const { runId } = report;
  const state = await withRuns(project, async (reader) => (await foldRun(reader, runId)).state);
  const { id, author, title, body, created_at, updated_at } = issue;
  const record: IssueRecord = {
    schema_version: "1.0.0",
    run_id: runId,
    ...repository,
    number,
    issue_id: id,
    author: author === null ? null : { id: author.id, login: author.login },
    title,
    body,
    created_at,
    updated_at,
    read_at: context.parts.now(),
    checksum,
    removed: [...removed],
    risk: report.outcome.risk?.overall_risk ?? null,
    plan_checksum: state.layout?.plan.plan_checksum ?? "",
    comment: null,
    told_at: null,
    approved_by: null,
    approval: null,
  };
  // Durable before it is told: whoever comes after a crash finds the run and tells its plan.
  writeIssueOfRun(project.at, record);
  return waitingReport(await tellWaiting(record, place), args.address, []);
}

/** Tell a plan that waits, and keep when that was. */
async function tellWaiting(record: IssueRecord, place: ApprovalPlace): Promise<IssueRecord> {
  const comment = await tellPlan(place.host, place.ours, await commentFacts(record, place.context, { is: "waiting" }));
  const told = { ...record, comment: comment.id, told_at: comment.updated_at };
  writeIssueOfRun(place.at, told);
  return told;
}

export async function commentFacts(
  record: IssueRecord,
  { project }: CommandContext,
  state: Parameters<typeof tellPlan>[2]["state"],
) {
  const { layout } = await withRuns(project, async (reader) => (await foldRun(reader, record.run_id)).state);
  const tasks = layout?.plan.tasks ?? [];
  const estimated_usd = tasks.reduce((sum, { estimate }) => sum + estimate.cost_usd, 0);
  const { run_id, number: issue, plan_checksum, risk, removed } = record;
  return { run_id, issue, plan_checksum, tasks, risk, estimated_usd, removed, state };
}

async function continueIssue(
  record: IssueRecord,
  args: IssueArguments,
  run: RunArguments,
  place: ApprovalPlace,
  around: RequestContext,
): Promise<Finished> {
  const found = await readApproval(record, place);
  if (found.status === "waiting") return waitingReport(record, args.address, found.refused);
  const by = found.by ?? "a person";
  const state = found.status === "stale" ? ({ is: "stale" } as const) : ({ is: "approved", by } as const);
  if (found.status !== "over")
    await tellPlan(place.host, place.ours, await commentFacts(record, around.context, state));
  if (found.status === "stale")
    return finished(EXIT.waiting, {
      ...issueReport(record, args.address, "stale", found.refused),
      next: [`coordinator run --issue ${args.address} --again`],
    });
  if (args.planOnly)
    return finished(EXIT.done, {
      ...issueReport(record, args.address, "approved", found.refused),
      next: [`coordinator run --resume ${record.run_id}`],
    });
  return carryOutHere({ ...run, resume: record.run_id }, null, around);
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
  return finished(EXIT.waiting, { ...issueReport(record, address, "waiting", refused), next });
}
