import type { VerdictReport } from "../model/check.js";
import { type Git, type MergeConflict, mergeCommits, must } from "./merge.js";
import type { LostLine } from "./kept-lines.js";

/*
 * The queue onto the run's branch. Verified changes are merged in memory, checked once more as they stand together, and
 * only then does the branch move. What waits at the same time is checked as one; when that fails it is halved until the
 * change that breaks it stands alone.
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
}

export type Integrated =
  | {
      readonly status: "integrated";
      readonly commit: string;
      readonly by_keys: readonly string[];
      readonly report: VerdictReport | null;
    }
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
  readonly verify: (base_tree: string, tree: string) => Promise<VerdictReport>;
  /** Called when the branch has moved; also when it is found that it had. Contract: idempotent. */
  readonly publish: (commit: string) => Promise<void>;
  /** The tree an agent made of the conflict, accepted by rule; null when there is none. */
  readonly resolve?: (
    integration: Integration,
    onto: string,
    conflicts: readonly MergeConflict[],
  ) => Promise<string | null>;
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
  readonly by_keys: readonly string[];
}

export function createIntegrationQueue(parts: IntegrationParts): IntegrationQueue {
  const waiting: Waiting[] = [];
  let working: Promise<void> | null = null;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0);
      try {
        await land(parts, batch);
      } catch (error) {
        for (const { fail } of batch) fail(error);
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
    tip: () => tipOf(parts),
  };
}

async function tipOf({ git, branch, base }: IntegrationParts): Promise<string> {
  const { code, stdout } = await git.run(["rev-parse", "--verify", "--quiet", branch]);
  return code === 0 ? stdout.trim() : base;
}

/** Bring a batch onto the branch: all of it, or by halves. Everybody in it is answered. */
async function land(parts: IntegrationParts, batch: readonly Waiting[]): Promise<void> {
  const tip = await tipOf(parts);
  const staged = await stage(parts, tip, batch);
  const last = staged.at(-1);
  if (last === undefined) return;
  const report = await prove(parts, tip, staged);
  if (report === null || report.verdict === "PASS") {
    await move(parts, tip, last.commit);
    for (const { waiting, commit, by_keys } of staged)
      waiting.settle({ status: "integrated", commit, by_keys, report });
  } else if (staged.length === 1) {
    last.waiting.settle({ status: "regression", report });
  } else {
    const half = Math.ceil(staged.length / 2);
    await land(
      parts,
      staged.slice(0, half).map(({ waiting }) => waiting),
    );
    await land(
      parts,
      staged.slice(half).map(({ waiting }) => waiting),
    );
  }
}

/** Merge one onto the other in memory. What does not merge is answered at once and left out. */
async function stage(parts: IntegrationParts, tip: string, batch: readonly Waiting[]): Promise<Staged[]> {
  const staged: Staged[] = [];
  let onto = tip;
  for (const waiting of batch) {
    const { integration, settle } = waiting;
    const known = await integratedBefore(parts, tip, integration);
    if (known !== null) {
      await parts.publish(tip);
      settle({ status: "integrated", commit: known, by_keys: [], report: null });
      continue;
    }
    const merged = await mergeOrResolve(parts, integration, onto);
    if (merged.status !== "clean") {
      settle(merged);
      continue;
    }
    const commit = await commitMerge(parts, integration, onto, merged.tree);
    staged.push({ waiting, commit, by_keys: merged.by_keys });
    onto = commit;
  }
  return staged;
}

type Mergeable =
  | { readonly status: "clean"; readonly tree: string; readonly by_keys: readonly string[] }
  | Extract<Integrated, { status: "conflict" | "lossy" }>;

async function mergeOrResolve(parts: IntegrationParts, integration: Integration, onto: string): Promise<Mergeable> {
  const merged = await mergeCommits(parts.git, onto, integration.commit);
  if (merged.status !== "conflict") return merged;
  const tree = (await parts.resolve?.(integration, onto, merged.conflicts)) ?? null;
  return tree === null
    ? { status: "conflict", onto, conflicts: merged.conflicts }
    : { status: "clean", tree, by_keys: [] };
}

/**
 * The verdict on what stands together. Null when there is nothing new to prove: one change on exactly the base it was
 * made from is the tree that was verified.
 */
async function prove(parts: IntegrationParts, tip: string, staged: readonly Staged[]): Promise<VerdictReport | null> {
  const [first] = staged;
  const last = staged.at(-1);
  if (first === undefined || last === undefined) return null;
  const tree = await treeOf(parts.git, last.commit);
  if (staged.length === 1 && tree === (await treeOf(parts.git, first.waiting.integration.commit))) return null;
  return parts.verify(await treeOf(parts.git, tip), tree);
}

async function move(parts: IntegrationParts, from: string, to: string): Promise<void> {
  const { git, branch, base } = parts;
  const exists = (await git.run(["rev-parse", "--verify", "--quiet", branch])).code === 0;
  // The old value is part of the order: a branch that moved meanwhile is not overwritten.
  await must(git, ["update-ref", branch, to, exists ? from : "0".repeat(base.length)]);
  await parts.publish(to);
}

/** The commit by which the branch took this change, if it has. */
async function integratedBefore(
  { git, base }: IntegrationParts,
  tip: string,
  { commit }: Integration,
): Promise<string | null> {
  if ((await git.run(["merge-base", "--is-ancestor", commit, tip])).code !== 0) return null;
  const listed = await must(git, ["rev-list", "--first-parent", "--parents", `${base}..${tip}`]);
  const line = listed.split("\n").find((entry) => entry.split(" ").slice(2).includes(commit));
  return line?.split(" ")[0] ?? tip;
}

async function commitMerge(
  { git }: IntegrationParts,
  { commit, message }: Integration,
  onto: string,
  tree: string,
): Promise<string> {
  return (await must(git, ["commit-tree", tree, "-p", onto, "-p", commit, "-F", "-"], { input: message })).trim();
}

async function treeOf(git: Git, commit: string): Promise<string> {
  return (await must(git, ["rev-parse", `${commit}^{tree}`])).trim();
}
