import { createHash } from "node:crypto";
import type { CodeHost, HostPull } from "../../hands/hosts/code-host.js";
import { HostRefused, HostUnavailable } from "../../hands/hosts/host-errors.js";
import type { UsersGit } from "../../hands/git/users-git.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { isOurs } from "../../mind/publish/marker.js";
import { closingLine, pullBody, type PullFacts, pullTitle } from "../../mind/publish/pull-text.js";
import { CoordinatorError } from "../../model/errors.js";
import type { OutboxPart } from "./outbox.js";
import { examineBranch, pushBranch } from "./push-branch.js";

/*
 * One pull request: branch, request, status. Each step looks at the host before it writes, so that doing all of it again
 * after a crash, or after an answer that was lost, makes nothing twice.
 */

export interface PartWorld {
  readonly host: CodeHost;
  readonly git: UsersGit;
  readonly remote: string;
  /** The account that publishes. */
  readonly ours: number;
  /** Commits that the run made. */
  readonly commits: ReadonlySet<string>;
  readonly defaultBranch: string;
  readonly ready: boolean;
  /** How its pull request is known again. */
  readonly marker: string;
  /** It is a later change of a pull request that is there and keeps its text. */
  readonly isFollowUp: boolean;
  /** Whether everything the run was to show holds at this head. */
  readonly isProven: boolean;
  /** Contract: durable when it returns. */
  readonly keep: (part: OutboxPart) => void;
  readonly now: () => string;
}

export interface PublishedPart {
  readonly part: string;
  readonly branch: string;
  readonly base: string;
  readonly head: string;
  readonly pull: number;
  readonly address: string;
  readonly how: "created" | "adopted" | "updated" | "merged";
  /** Remarks for the person who publishes. */
  readonly notes: readonly string[];
}

/** How hosts say that there is one already. */
const TAKEN = new Set([409, 422]);
export const STATUS_CONTEXT = "coordinator/verified";

export async function publishPart(part: OutboxPart, facts: PullFacts, world: PartWorld): Promise<PublishedPart> {
  const title = pullTitle(facts);
  // Words of agents and people were cleaned when they were logged; anything left of a secret must not leave the machine.
  const body = withoutSecrets(pullBody(facts));
  const merged = (await ownPulls(part, world)).find(({ merged: isIn }) => isIn);
  if (merged !== undefined) return describePublished(part, merged, "merged", []);
  let now = await pushHead(part, world);
  const { pull, how, next, kept } = await requestPull(now, { title, body }, world);
  now = next;
  now = await attestHead(now, facts, world);
  const notes = [...kept, ...(await readBack(pull.number, facts, world))];
  world.keep({ ...now, intent: null });
  return describePublished(part, pull, how, notes);
}

function describePublished(
  { part, branch, base, head }: OutboxPart,
  { number, address }: HostPull,
  how: PublishedPart["how"],
  notes: readonly string[],
): PublishedPart {
  return { part, branch, base, head, pull: number, address, how, notes };
}

function intend(part: OutboxPart, step: NonNullable<OutboxPart["intent"]>["step"], { keep, now }: PartWorld): void {
  keep({ ...part, intent: { step, at: now() } });
}

async function pushHead(part: OutboxPart, world: PartWorld): Promise<OutboxPart> {
  const { git, remote, commits } = world;
  const { branch, head } = part;
  const push = { remote, branch, head, ours: new Set([...commits, ...(part.pushed === null ? [] : [part.pushed])]) };
  const found = await examineBranch(git, push);
  if (found !== "there") {
    intend(part, "push", world);
    await pushBranch(git, push).catch(async (error: unknown) => {
      // The git of a process that was killed may have pushed it meanwhile.
      if ((await examineBranch(git, push)) !== "there") throw error;
    });
  }
  const next = { ...part, pushed: head, intent: null };
  world.keep(next);
  return next;
}

/** Pull requests of this branch that our own account opened for this part of the run. */
async function ownPulls({ branch }: OutboxPart, world: PartWorld): Promise<HostPull[]> {
  const here = world.host.repository.toLowerCase();
  // Anybody can open one from a branch of the same name in a fork: that is another branch.
  const pulls = (await world.host.listPulls(branch)).filter(
    ({ head }) => head.branch === branch && head.repository?.toLowerCase() === here,
  );
  const own = pulls.filter((pull) => isOurs(pull, world.marker, world.ours));
  const foreign = pulls.find((pull) => pull.state === "open" && !own.includes(pull));
  if (own.length === 0 && foreign !== undefined)
    throw new CoordinatorError(
      "PUBLISH_REFUSED",
      `#${foreign.number} is open for ${branch} and is not a pull request of this run`,
      { fix: "Nothing was changed there. Publish to another branch: --branch NAME" },
    );
  return own;
}

interface Requested {
  readonly pull: HostPull;
  readonly how: PublishedPart["how"];
  readonly next: OutboxPart;
  readonly kept: readonly string[];
}

async function requestPull(
  part: OutboxPart,
  text: { readonly title: string; readonly body: string },
  world: PartWorld,
): Promise<Requested> {
  const { host, ready } = world;
  const own = await ownPulls(part, world);
  const open = own.find(({ state }) => state === "open");
  if (open !== undefined) return adoptPull(part, open, text, world);
  const [closed] = own;
  if (closed !== undefined)
    throw new CoordinatorError("PULL_CLOSED", `#${closed.number} of this run was closed by a person and not merged`, {
      fix: `Reopen it (${closed.address}) and publish again, or publish to another branch: --branch NAME`,
    });
  if (world.isFollowUp)
    throw new CoordinatorError("PUBLISH_REFUSED", `${part.branch} has no pull request of ours any more`, {
      fix: "Its change is on the branch: open one by hand.",
    });
  intend(part, "create", world);
  const wanted = { ...text, branch: part.branch, base: part.base, draft: !ready };
  const pull = await host.createPull(wanted).catch(async (error: unknown) => {
    // Whether a request without an answer, or a refusal because there is one already, made one: the host says.
    if (!(error instanceof HostUnavailable) && !(error instanceof HostRefused && TAKEN.has(error.status))) throw error;
    const found = (await ownPulls(part, world)).find(({ state }) => state === "open");
    if (found === undefined) throw error;
    return found;
  });
  const next = { ...part, pull: pull.number, text: checksumOf(text), intent: null };
  world.keep(next);
  return { pull, how: "created", next, kept: [] };
}

/** An existing pull request stays, with our text of today unless a person wrote something else. */
async function adoptPull(
  part: OutboxPart,
  pull: HostPull,
  text: { readonly title: string; readonly body: string },
  world: PartWorld,
): Promise<Requested> {
  if (world.isFollowUp) {
    const same = { ...part, pull: pull.number, intent: null };
    world.keep(same);
    return { pull, how: "updated", next: same, kept: [] };
  }
  const there = checksumOf(pull);
  const isSame = there === checksumOf(text);
  const isEdited = part.text !== null && part.text !== there;
  const next = { ...part, pull: pull.number, intent: null };
  if (isSame || isEdited) {
    const kept = isSame ? next : { ...next, text: part.text };
    world.keep(isSame ? { ...next, text: there } : kept);
    const note = isSame ? [] : [`#${pull.number} was edited by a person, so its text was left as it is`];
    return { pull, how: "adopted", next: isSame ? { ...next, text: there } : kept, kept: note };
  }
  intend(part, "update", world);
  const updated = await world.host.updatePull(pull.number, text);
  const written = { ...next, text: checksumOf(text) };
  world.keep(written);
  return { pull: updated, how: "updated", next: written, kept: [] };
}

/** The status stands on this very commit: a later head has none. */
async function attestHead(part: OutboxPart, facts: PullFacts, world: PartWorld): Promise<OutboxPart> {
  const { host, ours, isProven } = world;
  const wanted = {
    context: STATUS_CONTEXT,
    state: isProven ? ("success" as const) : ("failure" as const),
    description:
      `${isProven ? "Proven" : "Not all proven"}: ${facts.run_id}, plan ${facts.plan_checksum.slice(0, 12)}`.slice(
        0,
        140,
      ),
  };
  const last = (await host.listStatuses(part.head)).find(
    ({ context, author }) => context === STATUS_CONTEXT && author?.id === ours,
  );
  if (last?.state === wanted.state && last.description === wanted.description) return part;
  intend(part, "status", world);
  await host.createStatus(part.head, wanted);
  return { ...part, intent: null };
}

/** The pull request as it is on the host now. */
async function readBack(number: number, { issue, closes, head }: PullFacts, world: PartWorld): Promise<string[]> {
  const pull = await world.host.readPull(number);
  const notes: string[] = [];
  if (pull.head.commit !== head) notes.push(`its head is ${pull.head.commit.slice(0, 12)}, which has no proof of ours`);
  if (issue === null || !closes) return notes;
  if (!pull.body.split(/\r?\n/).includes(closingLine(issue)))
    notes.push(`#${issue} will stay open: the line that closes it was taken out`);
  else if (pull.base !== world.defaultBranch)
    notes.push(`#${issue} will stay open: ${pull.base} is not the default branch, which is ${world.defaultBranch}`);
  return notes;
}

/** Hosts change line ends and what follows the last line. */
function checksumOf({ title, body }: { readonly title: string; readonly body: string }): string {
  const text = `${title}\n${body.replaceAll("\r\n", "\n").trim()}`;
  return createHash("sha256").update(text).digest("hex");
}
