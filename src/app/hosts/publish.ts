import { join } from "node:path";
import { openRecords } from "../../hands/attempts/run-records.js";
import { readCommitsInLog, readLogHead } from "../../hands/git/log-head.js";
import { type UsersGit, usersGit } from "../../hands/git/users-git.js";
import type { HostPlace } from "../../hands/hosts/addresses.js";
import type { CodeHost } from "../../hands/hosts/code-host.js";
import { HostUnavailable } from "../../hands/hosts/host-errors.js";
import type { RunHead } from "../../hands/store/event-store.js";
import { openQuarantine } from "../../hands/workspace/quarantine.js";
import { fillBranchName } from "../../mind/publish/branch-name.js";
import { pullBody, type PullFacts, pullTitle } from "../../mind/publish/pull-text.js";
import { slugOf } from "../../mind/propose/words.js";
import { decidedCriteria } from "../../mind/run/decide/criteria.js";
import { unmetRequirements } from "../../mind/run/decide/requirements.js";
import { BASE_RECORD } from "../../mind/run/record-names.js";
import type { RunState } from "../../mind/run/state.js";
import { CoordinatorError } from "../../model/errors.js";
import type { LoggedEvent } from "../../model/event.js";
import type { CodeHostSettings } from "../../model/settings/code-host.js";
import type { CommandContext } from "../command-context.js";
import { recordApprovals } from "../decide/approvals.js";
import { EXIT } from "../exit-codes.js";
import { createRunFold } from "../inspect/fold-run.js";
import { findRun } from "../inspect/find.js";
import { type Reader, withRuns } from "../inspect/runs-at.js";
import { inputFailure } from "../project/input-failure.js";
import type { StateFolder } from "../project/state-folder.js";
import { verifyHere } from "../prove/verify-here.js";
import { finished, type Finished } from "../report.js";
import type { BaseRecord } from "../run/execute-options.js";
import { readIssueOfRun } from "./issue-records.js";
import { asOnlyWriter } from "./one-writer.js";
import { openHost, placeOfProject, serverOf } from "./open-host.js";
import { type Outbox, type OutboxPart, readOutbox, writeOutbox } from "./outbox.js";
import { collectFacts, factsOfPart } from "./publish-facts.js";
import { type PublishedPart, publishPart } from "./publish-part.js";
import { partsOf, readChange, refuseWorkflows, type WantedPart } from "./publish-parts.js";
import { requireBranchName } from "./push-branch.js";

export interface PublishArguments {
  readonly run: string;
  readonly perTask: boolean;
  readonly ready: boolean;
  readonly dryRun: boolean;
  readonly partial: boolean;
  readonly into: string | undefined;
  readonly branch: string | undefined;
}

/**
 * Push the work of a run and open a pull request for it, by a person's order.
 *
 * Contract: doing it again, after a crash too, makes nothing twice. What cannot be sent now waits in the outbox.
 */
export function publishRun(args: PublishArguments, context: CommandContext): Promise<Finished> {
  const { project } = context;
  const { environment } = project;
  return withRuns(project, async (reader, at) => {
    const runId = await findRun(reader, args.run);
    const loaded = await project.settings();
    if (loaded.problems.length > 0) return inputFailure(loaded.problems);
    const settings = loaded.configuration.code_host;
    const place = await placeOfProject(at.root, settings, environment);
    serverOf(place.server, settings);
    const run = await readPublishable(reader, at, runId, args, context);
    const git = usersGit(at.root, { ...environment, GIT_TERMINAL_PROMPT: "0" });
    const { wanted, facts } = await preparePublishing(run, args, settings.branch, git);
    for (const { branch } of wanted) await requireBranchName(git, branch, settings.branch);
    if (args.dryRun) return dryRun(runId, place.repository, wanted, facts);
    const { host } = await openHost(place, settings, environment);
    await recordApprovals(at, runId, { actions: ["publish_run"], after: run.log.sequence }, context);
    return asOnlyWriter(at, place, () => sendParts(run, { host, place, wanted, facts, git, settings }, args, context));
  });
}

interface Sending {
  readonly host: CodeHost;
  readonly place: HostPlace;
  readonly wanted: readonly WantedPart[];
  readonly facts: readonly PullFacts[];
  readonly git: UsersGit;
  readonly settings: CodeHostSettings;
}

/** Contract: called by one process at a time. */
async function sendParts(
  { runId, at, landed, isProven }: PublishableRun,
  { host, place, wanted, facts, git, settings }: Sending,
  args: PublishArguments,
  { progress, parts }: CommandContext,
): Promise<Finished> {
  let outbox = mergeOutbox(readOutbox(at, runId), runId, place, wanted);
  const keep = (change: Partial<Outbox>) => writeOutbox(at, (outbox = { ...outbox, ...change }));
  const done: PublishedPart[] = [];
  try {
    const [me, repository] = [await host.readUser(), await host.readRepository()];
    for (const [i, part] of wanted.entries()) {
      progress(`Publishing ${part.branch} …`);
      const kept = outbox.parts[i] as OutboxPart;
      done.push(
        await publishPart({ ...kept, head: part.head }, facts[i] as PullFacts, {
          host,
          git,
          remote: settings.remote,
          ours: me.id,
          commits: new Set(landed),
          defaultBranch: repository.default_branch,
          ready: args.ready,
          isProven,
          keep: (next) => keep({ parts: outbox.parts.map((each, at_) => (at_ === i ? next : each)) }),
          now: parts.now,
        }),
      );
    }
  } catch (error) {
    if (!(error instanceof HostUnavailable)) throw error;
    const waits = { reason: error.message, until: error.until };
    keep({ waits, is_done: false });
    return finished(EXIT.waiting, { ...reportOf(runId, place.repository, done), status: "waiting", waits });
  }
  keep({ waits: null, is_done: true });
  return finished(EXIT.done, { ...reportOf(runId, place.repository, done), status: "published", waits: null });
}

function reportOf(run_id: string, repository: string, parts: readonly PublishedPart[]) {
  return { type: "published", run_id, repository, parts, drafts: [] } as const;
}

export interface PublishableRun {
  readonly runId: string;
  readonly at: StateFolder;
  readonly state: RunState;
  readonly events: readonly LoggedEvent[];
  readonly log: RunHead;
  readonly base: BaseRecord;
  readonly head: string;
  readonly landed: readonly string[];
  readonly isProven: boolean;
  readonly environment: NodeJS.ProcessEnv;
}

/** Contract: throws what keeps a run from being published; nothing was sent then. */
async function readPublishable(
  reader: Reader,
  at: StateFolder,
  runId: string,
  { partial }: PublishArguments,
  { project }: CommandContext,
): Promise<PublishableRun> {
  const { environment } = project;
  const fold = createRunFold(runId);
  const events: LoggedEvent[] = [];
  for await (const logged of reader.read(runId)) {
    fold.take(logged);
    events.push(logged);
  }
  const { state } = fold.now();
  const log = await reader.head(runId);
  const base = (await openRecords(join(at.folder, "records", runId)).read(BASE_RECORD)) as BaseRecord | null;
  if (state.layout === null || log === null || base === null)
    throw new CoordinatorError("NOT_FOUND", `${runId} has no plan that was carried out`, {
      fix: `coordinator status ${runId} shows its state.`,
    });
  const [broken] = (await verifyHere(reader, project, runId)).findings.filter(({ kind }) => kind !== "plan");
  if (broken !== undefined)
    throw new CoordinatorError("STORE_CORRUPT", `The record of the run does not verify: ${broken.message}`, {
      fix: `See what was changed: coordinator verify ${runId}.`,
    });
  const quarantine = await openQuarantine({ repository: at.root, environment });
  const commits = await readCommitsInLog(runId, reader.read(runId));
  const head = await readLogHead(commits, quarantine);
  if (head.status === "unknown") throw new CoordinatorError("REF_MOVED", head.problem, { fix: head.fix });
  if (head.status === "none")
    throw new CoordinatorError("NOT_FOUND", `Nothing of ${runId} was integrated, so there is nothing to publish`, {
      fix: `coordinator status ${runId} shows its state.`,
    });
  const open = describeOpen(state);
  if (open !== null && !partial)
    throw new CoordinatorError("PUBLISH_REFUSED", `${runId} is not done: ${open}`, {
      fix: "Add --partial to publish what is there; its status then says that not all is proven.",
    });
  const { landed } = commits;
  return { runId, at, state, events, log, base, head: head.commit, landed, isProven: open === null, environment };
}

/** What a run has not done or not shown; null when it has. */
function describeOpen(state: RunState): string | null {
  const open = (state.layout?.plan.tasks ?? []).filter(
    (_, i) => !["completed", "skipped", "cancelled"].includes(state.tasks.get(i).state.status),
  );
  if (open.length > 0) return `${open.length} of ${state.tasks.length} tasks are open`;
  const [unmet] = unmetRequirements(state);
  if (unmet !== undefined) return `the requirement ${unmet.id} does not hold`;
  const unshown = decidedCriteria(state).filter(({ how }) => how === "open" || how === "failed");
  return unshown.length === 0 ? null : `${unshown.length} criteria of its type of project are not shown`;
}

async function preparePublishing(run: PublishableRun, args: PublishArguments, template: string, git: UsersGit) {
  const { runId, at, state, events, log, base, head } = run;
  const records = openRecords(join(at.folder, "records", runId));
  const issue = readIssueOfRun(at, runId)?.number ?? null;
  const facts = await collectFacts({ runId, state, events, log, records, base: base.commit, issue });
  const into = args.into ?? base.branch ?? null;
  if (into === null)
    throw new CoordinatorError("USAGE", "It is not known onto which branch the work should go", {
      fix: "Say which: --into BRANCH",
    });
  const branchOf = (task: string | null) =>
    args.branch !== undefined && task === null
      ? args.branch
      : fillBranchName(args.branch ?? template, { issue, slug: slugOf(facts.title), run: runId, task });
  const wanted = await partsOf({ ...run, head }, args.perTask, into, branchOf, git);
  await refuseWorkflows(run, git);
  const texts = [];
  for (const [i, part] of wanted.entries()) {
    const files = await readChange(git, part.from, part.head);
    texts.push(
      factsOfPart(facts, { task: part.task, base: part.from, head: part.head, isLast: i === wanted.length - 1 }, files),
    );
  }
  return { wanted, facts: texts };
}

/** What was sent before is kept by branch: another branch is another pull request. */
function mergeOutbox(
  known: Outbox | null,
  run_id: string,
  { server, repository }: { readonly server: string; readonly repository: string },
  wanted: readonly WantedPart[],
): Outbox {
  const parts = wanted.map(({ part, branch, base, head }): OutboxPart => {
    const before = known?.parts.find((one) => one.branch === branch && one.part === part);
    return { pushed: null, pull: null, text: null, intent: null, ...before, part, branch, base, head };
  });
  return { schema_version: "1.0.0", run_id, server, repository, parts, waits: null, is_done: false };
}

function dryRun(
  run_id: string,
  repository: string,
  wanted: readonly WantedPart[],
  facts: readonly Parameters<typeof pullBody>[0][],
): Finished {
  const drafts = wanted.map(({ part, branch, base, head }, i) => {
    const said = facts[i] as (typeof facts)[number];
    return { part, branch, base, head, title: pullTitle(said), body: pullBody(said) };
  });
  return finished(EXIT.done, {
    type: "published",
    run_id,
    repository,
    status: "dry_run",
    waits: null,
    parts: [],
    drafts,
  });
}
