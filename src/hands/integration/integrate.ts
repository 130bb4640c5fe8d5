import { crashPoint } from "../../foundation/processes/crash-points.js";
import type { AcceptedObjection, VerdictReport } from "../../model/settings/check.js";
import type { WaivedTest } from "../../model/run.js";
import { CHANGE_TRAILER, History } from "./merging/history.js";
import type { LostLine } from "./kept-lines.js";
import { type Git, type Merged, mergeCommits, must } from "./merge.js";
import type { MergeConflict } from "./merging/merge-output.js";
import { reapplyResolution, type Resolved } from "./reapply-resolution.js";
import { GitSession } from "./merging/git-session.js";
import { mergeTrivially } from "./merging/trivial-merge.js";

/*
 * The queue onto the run's branch. Verified changes are merged in memory, checked once more as they stand together, and
 * only then does the branch move. Changes that wait at the same time are checked as one; when that fails it is halved until the
 * change that breaks it stands alone. A conflict is answered at once and resolved elsewhere: nobody waits here for it.
 *
 * INVARIANT: the branch only ever points at a tree that passed, and moves from what was read to what was checked: a
 * branch that somebody else moved is never overwritten.
 */

interface Integration {
  readonly task_id: string;
  readonly attempt: number;
  /** The change, as one commit on the base it was made from. */
  readonly commit: string;
  readonly message: string;
  /** Tests that a person let this change take away. */
  readonly may_go?: readonly WaivedTest[];
  /** Objections that people waived for this change. */
  readonly accepted?: readonly AcceptedObjection[];
  /** The resolution of its conflict, if it had one. */
  readonly resolved?: Resolved;
}

export type Integrated =
  | {
      readonly status: "integrated";
      readonly commit: string;
      readonly by_keys: readonly string[];
      readonly report: VerdictReport | null;
    }
  /** `onto` is a commit of the branch, never one that only waits for its check. */
  | { readonly status: "conflict"; readonly onto: string; readonly conflicts: readonly MergeConflict[] }
  | { readonly status: "lossy"; readonly lost: readonly (LostLine & { readonly path: string })[] }
  /** Each passes alone, and together they do not. */
  | { readonly status: "regression"; readonly report: VerdictReport };

export interface IntegrationParts {
  readonly git: Git;
  /** The branch of the run in the quarantine, and where it begins. */
  readonly branch: string;
  readonly base: string;
  /** Contract: the verdict on `tree` against `base_tree`; each a tree that stands in the repository. */
  readonly verify: (
    base_tree: string,
    tree: string,
    may_go: readonly WaivedTest[],
    accepted: readonly AcceptedObjection[],
  ) => Promise<VerdictReport>;
  /** Called when the branch has moved; also when it is found that it had. Contract: idempotent. */
  readonly publish: (commit: string) => Promise<void>;
}

export interface IntegrationQueue {
  /** Contract: idempotent by the commit: what is on the branch already is not merged again. */
  readonly integrate: (integration: Integration) => Promise<Integrated>;
  readonly tip: () => Promise<string>;
}

interface Waiting {
  readonly integration: Integration;
  readonly settle: (outcome: Integrated) => void;
  readonly fail: (error: unknown) => void;
}

interface Staged {
  readonly waiting: Waiting;
  readonly commit: string;
  readonly tree: string;
  readonly by_keys: readonly string[];
}

/** A batch on its way: its rules, the known state of the branch, and git while it is needed. */
interface Landing extends IntegrationParts {
  readonly history: History;
  readonly session: GitSession;
}

export function createIntegrationQueue(parts: IntegrationParts): IntegrationQueue {
  const waiting: Waiting[] = [];
  const history = new History(parts.git, parts.base);
  let working: Promise<void> | null = null;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0);
      const session = new GitSession(parts.git);
      try {
        await land({ ...parts, history, session }, batch);
      } catch (error) {
        for (const { fail } of batch) fail(error);
      } finally {
        await session.close();
      }
    }
    working = null;
  }

  return {
    integrate: (integration) =>
      new Promise((settle, fail) => {
        waiting.push({ integration, settle, fail });
        working ??= Promise.resolve().then(work);
      }),
    tip: async () => (await branchOf(parts)) ?? parts.base,
  };
}

/** Where the branch points; null before anything is on it. */
async function branchOf({ git, branch }: IntegrationParts): Promise<string | null> {
  const { code, stdout } = await git.run(["rev-parse", "--verify", "--quiet", branch]);
  return code === 0 ? stdout.trim() : null;
}

/** Bring a batch onto the branch: all of it, or by halves. Everybody in it is answered. */
async function land(landing: Landing, batch: readonly Waiting[]): Promise<void> {
  const at = await branchOf(landing);
  const tip = at ?? landing.base;
  await landing.history.follow(tip);
  const { staged, later } = await stage(landing, tip, batch);
  if (staged.length > 0) await settle(landing, { at, tip, staged });
  // The first of them now meets the branch itself, so that it is answered in this turn.
  if (later.length > 0) await land(landing, later);
}

interface Batch {
  /** Where the branch points, and what it stands for. */
  readonly at: string | null;
  readonly tip: string;
  readonly staged: readonly Staged[];
}

async function settle(landing: Landing, { at, tip, staged }: Batch): Promise<void> {
  const last = staged.at(-1) as Staged;
  crashPoint("integrate.merged");
  const report = await prove(landing, tip, staged);
  if (report === null || report.verdict === "PASS") {
    await landing.session.flush();
    await move(landing, at, last.commit);
    for (const { waiting, commit } of staged) landing.history.took(waiting.integration.commit, commit);
    for (const { waiting, commit, by_keys } of staged)
      waiting.settle({ status: "integrated", commit, by_keys, report });
  } else if (staged.length === 1) {
    const since = { passes: tip, fails: last.waiting.integration.commit };
    last.waiting.settle({
      status: "regression",
      report: report.regressions.length === 0 ? report : { ...report, since },
    });
  } else {
    const half = Math.ceil(staged.length / 2);
    await land(
      landing,
      staged.slice(0, half).map(({ waiting }) => waiting),
    );
    await land(
      landing,
      staged.slice(half).map(({ waiting }) => waiting),
    );
  }
}

/**
 * Merge one onto the other in memory. A change that does not merge with the branch is answered at once and left out; what does
 * not merge with others that are only staged is tried again when those have landed, or have not.
 */
async function stage(
  landing: Landing,
  tip: string,
  batch: readonly Waiting[],
): Promise<{ readonly staged: readonly Staged[]; readonly later: readonly Waiting[] }> {
  const staged: Staged[] = [];
  const later: Waiting[] = [];
  let onto = tip;
  for (const waiting of batch) {
    const { integration, settle } = waiting;
    const base = await baseOnBranch(landing, integration.commit);
    const known = base === null ? await findIntegration(landing, tip, integration) : null;
    if (known !== null) {
      await landing.publish(tip);
      settle({ status: "integrated", commit: known, by_keys: [], report: null });
      continue;
    }
    const merged = await mergeOrRejoin(landing, integration, onto, base).catch((error: unknown) => {
      // It is this one's failure; the others that wait have nothing to do with it.
      waiting.fail(error);
      return null;
    });
    if (merged === null) continue;
    if (merged.status !== "clean") {
      if (onto === tip) settle(merged);
      else later.push(waiting);
      continue;
    }
    const { tree, by_keys } = merged;
    const commit = await commitChange(landing, integration, { onto, tree, isOnTop: base === onto });
    staged.push({ waiting, commit, tree, by_keys });
    onto = commit;
  }
  return { staged, later };
}

/**
 * The commit of the branch that a change was made on: the usual change is one commit on it, and that commit is then all
 * that the change and the branch have in common. Null for every other change, and for one the branch has taken.
 */
async function baseOnBranch({ history, session }: Landing, commit: string): Promise<string | null> {
  const trees = session.trees();
  if (trees === null || history.has(commit)) return null;
  const [parent, ...others] = (await trees.commit(commit)).parents;
  return parent !== undefined && others.length === 0 && history.has(parent) ? parent : null;
}

type Mergeable =
  | { readonly status: "clean"; readonly tree: string; readonly by_keys: readonly string[] }
  | Extract<Integrated, { status: "conflict" | "lossy" }>;

async function mergeOrRejoin(
  parts: Landing,
  integration: Integration,
  onto: string,
  base: string | null,
): Promise<Mergeable> {
  const merged = await merge(parts, integration, onto, base);
  if (merged.status !== "conflict") return merged;
  const { commit, resolved } = integration;
  const tree = resolved === undefined ? null : await reapplyResolution(parts.git, { resolved, commit, onto });
  return tree === null
    ? { status: "conflict", onto, conflicts: merged.conflicts }
    : { status: "clean", tree, by_keys: merged.by_keys };
}

async function merge(
  { git, session }: Landing,
  { commit }: Integration,
  onto: string,
  base: string | null,
): Promise<Merged> {
  const trees = session.trees();
  if (trees === null || base === null) {
    await session.flush();
    return mergeCommits(git, onto, commit);
  }
  const [before, ours, theirs] = [await trees.ofCommit(base), await trees.ofCommit(onto), await trees.ofCommit(commit)];
  const tree = await mergeTrivially(trees, before, ours, theirs);
  if (tree !== null) return { status: "clean", tree, by_keys: [] };
  await session.flush();
  return mergeCommits(git, onto, commit, { base, trees });
}

/**
 * The verdict on what stands together. Null when there is nothing new to prove: one change on exactly the base it was
 * made from is the tree that was verified.
 */
async function prove(landing: Landing, tip: string, staged: readonly Staged[]): Promise<VerdictReport | null> {
  const [first] = staged;
  const last = staged.at(-1);
  if (first === undefined || last === undefined) return null;
  if (staged.length === 1 && last.tree === (await treeOf(landing, first.waiting.integration.commit))) return null;
  const base = await treeOf(landing, tip);
  await landing.session.close();
  const mayGo = staged.flatMap(({ waiting }) => waiting.integration.may_go ?? []);
  const accepted = staged.flatMap(({ waiting }) => waiting.integration.accepted ?? []);
  return landing.verify(base, last.tree, mayGo, accepted);
}

async function move({ git, branch, base, publish }: Landing, from: string | null, to: string): Promise<void> {
  // The old value is part of the order: a branch that moved meanwhile is not overwritten.
  await must(git, ["update-ref", branch, to, from ?? "0".repeat(base.length)]);
  crashPoint("integrate.ref_moved");
  await publish(to);
  crashPoint("integrate.published");
}

/** The commit by which the branch took this change, if it has. */
async function findIntegration(
  { git, history }: Landing,
  tip: string,
  { commit }: Integration,
): Promise<string | null> {
  if (history.has(commit)) return history.takerOf(commit) ?? tip;
  // Not since the branch began; it may still stand before its beginning.
  return (await git.run(["merge-base", "--is-ancestor", commit, tip])).code === 0 ? tip : null;
}

/**
 * The commit by which the branch takes a change. One that was made on the very end of the branch becomes one commit,
 * which names the change it is; every other is a merge, and its title says so: the change keeps its own.
 */
async function commitChange(
  { git, session }: Landing,
  { task_id, commit, message }: Integration,
  { onto, tree, isOnTop }: { readonly onto: string; readonly tree: string; readonly isOnTop: boolean },
): Promise<string> {
  const parents = isOnTop ? [onto] : [onto, commit];
  const [, rest = ""] = /^[^\n]*\n+([^]*)$/.exec(message) ?? [];
  const whole = message.trimEnd();
  // A trailer stands in the last paragraph, and the title is not one.
  const marked = `${whole}${whole.includes("\n\n") ? "\n" : "\n\n"}${CHANGE_TRAILER}: ${commit}\n`;
  const said = isOnTop ? marked : `Merge the task ${task_id}\n\n${rest}`;
  const trees = session.trees();
  if (trees !== null) return trees.writeCommit(tree, parents, said);
  const named = parents.flatMap((parent) => ["-p", parent]);
  return (await must(git, ["commit-tree", tree, ...named, "-F", "-"], { input: said })).trim();
}

async function treeOf({ git, session }: Landing, commit: string): Promise<string> {
  const trees = session.trees();
  return trees === null ? (await must(git, ["rev-parse", `${commit}^{tree}`])).trim() : trees.ofCommit(commit);
}
