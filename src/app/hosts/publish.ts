import { join } from "node:path";
import { openRecords } from "../../hands/attempts/run-records.js";
import { type UsersGit, usersGit } from "../../hands/git/users-git.js";
import type { HostPlace } from "../../hands/hosts/addresses.js";
import type { CodeHost } from "../../hands/hosts/code-host.js";
import { HostUnavailable } from "../../hands/hosts/host-errors.js";
import { fillBranchName } from "../../mind/publish/branch-name.js";
import { markerOf } from "../../mind/publish/marker.js";
import { pullBody, type PullFacts, pullTitle } from "../../mind/publish/pull-text.js";
import { slugOf } from "../../mind/propose/words.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CodeHostSettings } from "../../model/settings/code-host.js";
import type { CommandContext } from "../command-context.js";
import { recordApprovals } from "../decide/approvals.js";
import { EXIT } from "../exit-codes.js";
import { findRun } from "../inspect/find.js";
import { withRuns } from "../inspect/runs-at.js";
import { inputFailure } from "../project/input-failure.js";
import { finish, type Finished } from "../report.js";
import { readIssueOfRun } from "./issue-records.js";
import { type FollowUp, followUpOfRun } from "./follow-up-records.js";
import { asOnlyWriter } from "./one-writer.js";
import { openHost, placeOfProject, serverOf } from "./open-host.js";
import { type Outbox, type OutboxPart, readOutbox, writeOutbox } from "./outbox.js";
import { collectFacts, factsOfPart } from "./publish-facts.js";
import { refuseEarlier, tellPublished } from "./publish-follow-up.js";
import { type PublishedPart, publishPart } from "./publish-part.js";
import { partsOf, readChange, refuseWorkflows, type WantedPart } from "./publish-parts.js";
import { type PublishableRun, readPublishable } from "./publishable-run.js";
import { requireBranchName } from "./push-branch.js";
import { nameCopies, keepSigned } from "./publish-signed.js";

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
 * Contract: doing it again, after a crash too, makes nothing twice. Calls that cannot be sent now wait in the outbox.
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
    refuseEarlier(at, runId);
    const followUp = followUpOfRun(at, runId);
    if (followUp !== null && (args.perTask || args.branch !== undefined || args.into !== undefined))
      throw new CoordinatorError("USAGE", `${runId} goes onto #${followUp.pull}, where the remarks were made`, {
        fix: `coordinator publish ${runId}`,
      });
    const run = await readPublishable(reader, at, runId, args.partial, project);
    const git = usersGit(at.root, { ...environment, GIT_TERMINAL_PROMPT: "0" });
    const { wanted, facts } = await preparePublishing(run, onto(args, followUp), settings.branch, git);
    for (const { branch } of wanted) await requireBranchName(git, branch, settings.branch);
    if (args.dryRun) return dryRun(runId, place.repository, wanted, facts);
    const { host } = await openHost(place, settings, environment);
    await recordApprovals(at, runId, { actions: ["publish_run"], after: run.log.sequence }, context);
    const sending = { host, place, wanted, facts, git, settings, followUp };
    return asOnlyWriter(at, place, () => sendParts(run, sending, args, context));
  });
}

interface Sending {
  readonly host: CodeHost;
  readonly place: HostPlace;
  readonly wanted: readonly WantedPart[];
  readonly facts: readonly PullFacts[];
  readonly git: UsersGit;
  readonly settings: CodeHostSettings;
  /** The round of remarks the run was made of; null for a run of its own. */
  readonly followUp: FollowUp | null;
}

function onto(args: PublishArguments, followUp: FollowUp | null): PublishArguments {
  return followUp === null ? args : { ...args, branch: followUp.branch, into: followUp.base };
}

/** Contract: called by one process at a time. */
async function sendParts(
  run: PublishableRun,
  { host, place, git, settings, followUp, ...unsigned }: Sending,
  args: PublishArguments,
  context: CommandContext,
): Promise<Finished> {
  const { runId, at, landed, isProven } = run;
  const { progress, parts } = context;
  const { perTask, ready, partial, into, branch } = args;
  const order = {
    perTask,
    ready,
    partial,
    ...(into === undefined ? {} : { into }),
    ...(branch === undefined ? {} : { branch }),
  };
  let outbox: Outbox = { ...mergeOutbox(readOutbox(at, runId), runId, place, unsigned.wanted), order };
  const keep = (change: Partial<Outbox>) => writeOutbox(at, (outbox = { ...outbox, ...change }));
  const copies = await keepSigned(run, outbox, git);
  keep({ signed: Object.fromEntries(copies) });
  const { wanted, facts } = nameCopies(unsigned, copies);
  const done: PublishedPart[] = [];
  try {
    const [me, repository] = [await host.readUser(), await host.readRepository()];
    for (const [i, part] of wanted.entries()) {
      progress(`Publishing ${part.branch} …`);
      const kept = outbox.parts[i] as OutboxPart;
      const said = facts[i] as PullFacts;
      const published = await publishPart({ ...kept, head: part.head }, said, {
        host,
        git,
        remote: settings.remote,
        ours: me.id,
        commits: new Set([...landed, ...copies.values(), ...(followUp === null ? [] : [followUp.from])]),
        defaultBranch: repository.default_branch,
        ready: args.ready,
        marker: markerOf(followUp?.of ?? runId, followUp?.part ?? part.part),
        isFollowUp: followUp !== null,
        isProven,
        keep: (next) => keep({ parts: outbox.parts.map((each, at_) => (at_ === i ? next : each)) }),
        now: parts.now,
      });
      const telling = { at, host, ours: me.id, settings, context };
      const notes =
        followUp === null || published.how === "merged"
          ? published.notes
          : await tellPublished(followUp, published, said, telling);
      done.push({ ...published, notes });
    }
  } catch (error) {
    if (!(error instanceof HostUnavailable)) throw error;
    const waits = { reason: error.message, until: error.until };
    keep({ waits, is_done: false });
    return finish(EXIT.waiting, { ...reportOf(runId, place.repository, done), status: "waiting", waits });
  }
  keep({ waits: null, is_done: true });
  return finish(EXIT.done, { ...reportOf(runId, place.repository, done), status: "published", waits: null });
}

function reportOf(run_id: string, repository: string, parts: readonly PublishedPart[]) {
  return { type: "published", run_id, repository, parts, drafts: [] } as const;
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

/** The record of what was sent is kept by branch: another branch is another pull request. */
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
  const signed = known?.signed ?? {};
  return { schema_version: "1.0.0", run_id, server, repository, parts, signed, waits: null, is_done: false };
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
  return finish(EXIT.done, {
    type: "published",
    run_id,
    repository,
    status: "dry_run",
    waits: null,
    parts: [],
    drafts,
  });
}
