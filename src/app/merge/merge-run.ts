import { join } from "node:path";
import type { VerdictReport } from "../../model/settings/check.js";
import type { Configuration } from "../../model/settings/configuration.js";
import type { RunGate } from "../../model/run.js";
import { quarantineGit } from "../../hands/integration/merging/quarantine-git.js";
import { describeCriterion, decidedCriteria } from "../../mind/run/decide/criteria.js";
import { describeRequirement, unmetRequirements } from "../../mind/run/decide/requirements.js";
import { BASE_RECORD, REVIEWS_RECORD } from "../../mind/run/record-names.js";
import type { RunState } from "../../mind/run/state.js";
import type { RunHead } from "../../hands/store/event-store.js";
import type { SigningKey } from "../../hands/store/chain/signing-key.js";
import type { ProjectBase } from "../project/project.js";
import { openQuarantine, type Quarantine } from "../../hands/workspace/quarantine.js";
import { commitTree } from "../../hands/workspace/view.js";
import type { BaseRecord } from "../run/execute-options.js";
import { attest } from "./attest-merge.js";
import { mergeRoles } from "./change-of-run.js";
import { type CommitsInLog, findMovedRefs, readLogHead, describeMovedRef } from "../../hands/git/log-head.js";
import type { MergeFacts } from "./merge-statement.js";
import { type MergeOutcome, type Refused, refuseMerge } from "./merge-outcome.js";
import { proveMerge, requirementsIn, treeOf } from "./prove-merge.js";
import { holdersOf, howToName } from "../decide/roles.js";
import type { RunRecords } from "../../hands/attempts/run-records.js";
import { authorOf, checkoutOf, type UsersGit, usersGit } from "../../hands/git/users-git.js";

/*
 * A person takes the work of a run onto a branch of theirs. It is the only way their branch moves. Work that was not proven
 * as it stands on that branch is proven first; what does not merge, or does not pass, moves nothing.
 */

export interface MergeRequest {
  readonly runId: string;
  readonly state: RunState;
  readonly log: RunHead;
  /** Commits of the run by its log. */
  readonly commits: CommitsInLog;
  /** The fault of the log or of the records beside it; null when it verifies. */
  readonly broken: string | null;
  readonly project: ProjectBase;
  readonly records: RunRecords;
  readonly configuration: Configuration;
  readonly key: SigningKey;
  readonly by: string;
  readonly at: string;
  /** The reviewers this person is, beside themselves. */
  readonly roles: readonly string[];
  readonly verdicts: ReadonlyMap<string, string>;
  readonly into: string | null;
  readonly noFastForward: boolean;
  readonly partial: boolean;
  /** Make this branch at the run's head instead of moving one. */
  readonly exportBranch: string | null;
  readonly unsafeNoSandbox: boolean;
  /** Told what is done, where that takes long. */
  readonly told?: (message: string) => void;
}

/** Contract: whatever is refused has changed nothing of the person's. */
export async function mergeRun(request: MergeRequest): Promise<MergeOutcome> {
  const quarantine = await openQuarantine({
    repository: request.project.root,
    environment: request.project.environment,
  });
  const head = await headOf(request, quarantine);
  if (typeof head !== "string") return head;
  const unfinished = listUnfinishedTasks(request.state);
  if (unfinished.length > 0 && !request.partial)
    return refuseMerge(
      `${unfinished.length} of ${request.state.tasks.length} tasks ${unfinished.length === 1 ? "is" : "are"} not done: ${unfinished.slice(0, 5).join(", ")}`,
      "Add --partial to take what is there.",
    );
  const requirements = requirementsIn(request.state);
  const unmet = unmetRequirements(request.state);
  if (unmet.length > 0 && !request.partial)
    return refuseMerge(
      `A requirement does not hold: ${unmet.slice(0, 3).map(describeRequirement).join("; ")}`,
      "Add --partial to take what is there; the proof says what does not hold.",
    );
  const unshown = decidedCriteria(request.state).filter(({ how }) => how === "open" || how === "failed");
  if (unshown.length > 0 && !request.partial)
    return refuseMerge(
      `The run has not shown what its type of project asks for: ${unshown.map(describeCriterion).join("; ")}`,
      "Answer what coordinator inbox asks, or add --partial to take what is there.",
    );
  const reviews = await checkReviews(request);
  if (!Array.isArray(reviews)) return reviews as Refused;
  const git = usersGit(quarantine.checkout, request.project.environment);
  const base = (await request.records.read(BASE_RECORD)) as BaseRecord | null;
  const place: MergePlace = { request, quarantine, git, head, base, reviews, requirements };
  return request.exportBranch === null ? onto(place) : exportPatch(place, request.exportBranch);
}

/** The commit the log names. Refs are compared with it and never used instead. */
async function headOf({ runId, commits, broken }: MergeRequest, quarantine: Quarantine): Promise<string | Refused> {
  const head = await readLogHead(commits, quarantine);
  const [moved] = await findMovedRefs(runId, commits, head, quarantine);
  if (moved !== undefined) {
    const { reason, fix } = describeMovedRef(moved);
    return refuseMerge(reason, `${fix}. Then merge again.`, "verification");
  }
  if (broken !== null)
    return refuseMerge(
      `The record of the run does not verify: ${broken}`,
      `See what was changed: coordinator verify ${runId}. Put it back from a copy, or run again.`,
      "verification",
    );
  if (head.status === "unknown") return refuseMerge(`It is not known what to merge: ${head.problem}`, head.fix);
  if (head.status === "known") return head.commit;
  return refuseMerge("Nothing of the run was integrated, so there is nothing to merge", seeStatus(runId));
}

const seeStatus = (runId: string) => `coordinator status ${runId} shows its state.`;

export interface MergePlace {
  readonly request: MergeRequest;
  readonly quarantine: Quarantine;
  readonly git: UsersGit;
  readonly head: string;
  readonly base: BaseRecord | null;
  readonly reviews: MergeFacts["reviews"];
  readonly requirements: MergeFacts["requirements"];
}

/** Lists tasks that are not done. Tasks that a person skipped or deleted are not missing: they approved that. */
function listUnfinishedTasks({ layout, tasks }: RunState): string[] {
  return (layout?.plan.tasks ?? []).flatMap(({ task_id }, i) =>
    ["completed", "skipped", "cancelled"].includes(tasks.get(i).state.status) ? [] : [task_id],
  );
}

/** The reviews that were to come before the merge: each by one of its reviewers. */
async function checkReviews({
  records,
  roles,
  by,
  configuration,
}: MergeRequest): Promise<MergeFacts["reviews"] | Refused> {
  const gates = ((await records.read(REVIEWS_RECORD)) ?? []) as RunGate[];
  const mine = new Set([by, ...roles]);
  const open = gates.filter(({ reviewers }) => !reviewers.some((reviewer) => mine.has(reviewer)));
  if (open.length > 0)
    return refuseMerge(
      `The plan asks for a review before the merge: ${open.map(({ category, reviewers }) => `${category} by ${reviewers.join(" or ")}`).join("; ")}`,
      listReviewers(open, configuration),
    );
  return gates.map(({ gate_id, reviewers }) => ({
    gate_id,
    by: reviewers.find((reviewer) => mine.has(reviewer)) ?? by,
  }));
}

/** Lists the people who hold the roles; says how to name one, where none does. */
function listReviewers(open: readonly RunGate[], configuration: Configuration): string {
  const [unheld] = mergeRoles(open).filter((role) => isRole(role) && holdersOf(role, configuration).length === 0);
  if (unheld !== undefined) return `${howToName(unheld)}; they merge it then.`;
  const people = open.flatMap(({ reviewers }) =>
    reviewers.flatMap((name) => (isRole(name) ? holdersOf(name, configuration) : [name])),
  );
  return `Ask one of them to look at it and to merge it: ${[...new Set(people)].join(", ")}.`;
}

const isRole = (name: string) => name.endsWith("_reviewer");

async function exportPatch(place: MergePlace, name: string): Promise<MergeOutcome> {
  const { git, head } = place;
  const known = await commitOf(git, name);
  if (known !== null && known !== head)
    return refuseMerge(`There is a branch ${name} already, with something else on it`, "Name another one.");
  if (known === null) {
    const made = await git.run(["branch", "--no-track", "--end-of-options", name, head]);
    if (made.code !== 0)
      return refuseMerge(`git did not make the branch ${name}: ${quoteText(made.stderr)}`, "Name another one.");
  }
  const record = await attest(place, name, head);
  return describeMerged(place, {
    how: known === null ? "exported" : "already",
    into: name,
    from: null,
    to: head,
    record,
  });
}

async function onto(place: MergePlace): Promise<MergeOutcome> {
  const { request, git, head, base } = place;
  const current = (await git.run(["symbolic-ref", "--quiet", "--short", "HEAD"])).stdout.trim();
  const into = request.into ?? base?.branch ?? (current === "" ? null : current);
  if (into === null) return refuseMerge("It is not known onto which branch", "Say which: --into BRANCH");
  const tip = await commitOf(git, into);
  if (tip === null) return refuseMerge(`There is no branch ${into}`, "Say which: --into BRANCH");
  if (await isAncestor(git, head, tip)) return describeMerged(place, { how: "already", into, from: tip, to: tip });
  const made = await targetOf(place, into, tip);
  if ("status" in made) return made;
  const { requirements, ...target } = made;
  const checkout = await checkoutOf(git, into);
  const moved = await move(git, { checkout, into, from: tip, to: target.commit, run: request.runId });
  if (moved !== null) return moved;
  const taken = { ...place, requirements };
  const record = await attest(taken, into, target.commit);
  return describeMerged(taken, { ...target, into, from: tip, to: target.commit, checkout, record });
}

interface Target {
  readonly commit: string;
  readonly how: "fast_forward" | "merge_commit";
  readonly verdict: VerdictReport | null;
  /** As they hold on the tree that is merged. */
  readonly requirements: MergeFacts["requirements"];
}

/** The commit the branch is to stand on: the run's own where that is possible, else a merge that was proven. */
async function targetOf(place: MergePlace, into: string, tip: string): Promise<Target | Refused> {
  const { request, quarantine, git, head, requirements } = place;
  const forward = await isAncestor(git, tip, head);
  if (forward && !request.noFastForward) return { commit: head, how: "fast_forward", verdict: null, requirements };
  const inside = quarantineGit(quarantine.git, quarantine.gitDir, join(quarantine.directory, "temporary"));
  const made = forward
    ? { tree: await treeOf(inside, head), verdict: null, requirements }
    : await proveMerge(place, inside, into, tip);
  if ("status" in made) return made;
  const { tree } = made;
  const message = `Merge ${request.runId} into ${into}\n\nCoordinator-Run: ${request.runId}\n`;
  const author = (await authorOf(git)) ?? undefined;
  const commit = await commitTree(quarantine, tree, [tip, head], message, author);
  const ref = `refs/coord/${request.runId}/merge`;
  await quarantine.keep(ref, commit);
  const published = await quarantine.publish([ref]);
  if (published.refused !== null) return refuseMerge(`git refused the merge: ${published.refused}`, "Run git fsck.");
  return { commit, how: "merge_commit", verdict: made.verdict, requirements: made.requirements };
}

interface Move {
  readonly checkout: string | null;
  readonly into: string;
  readonly from: string;
  readonly to: string;
  readonly run: string;
}

/** As the person's own git does it; null when the branch has moved. */
async function move(git: UsersGit, { checkout, into, from, to, run }: Move): Promise<Refused | null> {
  if (checkout === null) {
    // The old value is part of the order: a branch that moved meanwhile is not overwritten.
    const set = await git.run(["update-ref", "-m", `coordinator merge ${run}`, `refs/heads/${into}`, to, from]);
    return set.code === 0 ? null : refuseMerge(`${into} was not moved: ${quoteText(set.stderr)}`, "Try again.");
  }
  const set = await git.run(["merge", "--ff-only", "--quiet", to], checkout);
  if (set.code === 0) return null;
  return refuseMerge(
    `${into} is checked out in ${checkout}, and git did not move it: ${quoteText(set.stderr)}`,
    wayOut(set.stderr),
  );
}

/** Chooses a fix by the error of git. */
function wayOut(stderr: string): string {
  if (/by hook/.test(stderr)) return "A hook of the repository said no: see what it wants, then merge again.";
  if (/unmerged files|have not concluded/.test(stderr))
    return "Finish or abort the merge that is under way there, then merge again.";
  if (/untracked working tree files/.test(stderr)) return "Move these files away, or commit them, then merge again.";
  return "Commit or stash what you changed there, then merge again.";
}

function quoteText(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 500);
}

async function commitOf(git: UsersGit, branch: string): Promise<string | null> {
  const { code, stdout } = await git.run(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`]);
  return code === 0 ? stdout.trim() : null;
}

async function isAncestor(git: UsersGit, ancestor: string, of: string): Promise<boolean> {
  return (await git.run(["merge-base", "--is-ancestor", ancestor, of])).code === 0;
}

type Done = Omit<
  Extract<MergeOutcome, { status: "merged" }>,
  "status" | "requirements" | "reviews" | "checkout" | "verdict" | "record"
>;

function describeMerged(
  { requirements, reviews }: MergePlace,
  {
    how,
    into,
    from,
    to,
    verdict = null,
    checkout = null,
    record = null,
  }: Done & { verdict?: VerdictReport | null; checkout?: string | null; record?: string | null },
): MergeOutcome {
  return { status: "merged", how, into, from, to, verdict, requirements, reviews, checkout, record };
}
