import { CoordinatorError } from "../../model/errors.js";
import { attemptRef, headRef } from "../workspace/names-of-refs.js";
import type { Quarantine } from "../workspace/quarantine.js";
import type { GitRemote } from "./git-remote.js";
import { baseRef, fetchCommits } from "./result-refs.js";

/*
 * The refs of a run on the git remote, as the process that carries it out sees them. Its branch moves there by compare-and-swap from
 * what that process knows: who lost the run in the meantime is refused.
 */

export interface RunOnRemote {
  /** Contract: throws STORE_LOCKED when another process has moved the branch. Idempotent. */
  readonly publishHead: () => Promise<void>;
  /** Let workers fetch these commits. Contract: idempotent; nothing that is there is sent again. */
  readonly offerCommits: (commits: readonly string[]) => Promise<void>;
  /** Take away what was only there for workers to fetch. */
  readonly forget: () => Promise<void>;
}

/**
 * Bring everything of the run here that others have pushed, and go on from there. Contract: what the remote has as the run's branch
 * counts, unless this machine is ahead of it.
 */
export async function openRunOnRemote(
  runId: string,
  base: string,
  quarantine: Quarantine,
  remote: GitRemote,
): Promise<RunOnRemote> {
  const { git, gitDir } = quarantine;
  const head = headRef(runId);
  if ((await git.call({ gitDir, args: ["cat-file", "-e", `${base}^{commit}`] })).code !== 0) {
    await fetchCommits(quarantine, remote, [base]);
    await quarantine.keep(baseRef(base), base);
  }
  const prefix = attemptRef({ runId, taskId: "x", attemptId: "1" }).replace(/x\/1$/, "");
  const there = await remote.list([`${prefix}*`]);
  const here = await quarantine.refs("quarantine", prefix);
  const own = here.get(head) ?? null;
  let known = there.get(head) ?? null;
  const changed = [...there].filter(([ref, commit]) => here.get(ref) !== commit).map(([ref]) => ref);
  await remote.fetch(changed);
  if (own !== null && known !== null && own !== known) {
    const isAhead = await git.call({ gitDir, args: ["merge-base", "--is-ancestor", known, own] });
    if (isAhead.code === 0) await quarantine.keep(head, own);
  }
  if (changed.length > 0) await quarantine.publish(changed);
  const offered = new Set<string>();

  return {
    async publishHead() {
      const now = (await quarantine.refs("quarantine", head)).get(head) ?? null;
      if (now === null || now === known) return;
      const moved = await remote.push([{ ref: head, to: now, from: known }]);
      if (!moved && (await remote.list([head])).get(head) !== now)
        throw new CoordinatorError("STORE_LOCKED", `Somebody else has moved ${head} on ${remote.name}`, {
          fix: "Another process carries out this run by now. coordinator status says which; end this one.",
        });
      known = now;
    },
    async offerCommits(commits) {
      const missing = [...new Set(commits)].filter((commit) => !offered.has(commit));
      if (missing.length === 0) return;
      await remote.push(missing.map((commit) => ({ ref: baseRef(commit), to: commit })));
      for (const commit of missing) offered.add(commit);
    },
    async forget() {
      const left = [...offered].filter((commit) => commit !== base);
      if (left.length > 0) await remote.push(left.map((commit) => ({ ref: baseRef(commit), to: null })));
    },
  };
}
