import type { RunEvent } from "../../model/event.js";
import { attemptRef, headRef } from "../workspace/names-of-refs.js";
import type { Quarantine } from "../workspace/quarantine.js";

/*
 * Which commits a run made is said by its log. Refs are how people and git find them, and anyone who may write to the
 * repository can move one: so a ref is compared with the log, and the log counts.
 */

/** The commits of a run by its log. */
export interface CommitsInLog {
  /** The commits its branch took, in the order of the log. Several may have landed together in another order. */
  readonly landed: readonly string[];
  /** Commits of completed attempts, by their refs. */
  readonly attempts: ReadonlyMap<string, string>;
  /** Whether the run has ended: until then the branch may be one step ahead of the log. */
  readonly isOver: boolean;
}

export async function readCommitsInLog(
  runId: string,
  events: AsyncIterable<{ readonly event: RunEvent }>,
): Promise<CommitsInLog> {
  const landed: string[] = [];
  const attempts = new Map<string, string>();
  let isOver = false;
  for await (const { event } of events) {
    if (event.type === "run_finished" || event.type === "run_cancelled") isOver = true;
    if (event.type === "integration_finished" && event.integrated) landed.push(event.ref);
    if (event.type === "attempt_finished" && event.outcome.kind === "completed")
      attempts.set(
        attemptRef({ runId, taskId: event.task_id, attemptId: String(event.attempt) }),
        event.outcome.output_ref,
      );
  }
  return { landed, attempts, isOver };
}

/** The tip of a run's branch as its log has it. */
export type LogHead =
  | { readonly status: "none" }
  | { readonly status: "known"; readonly commit: string }
  | { readonly status: "unknown"; readonly problem: string; readonly fix: string };

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Contract: the commit that every other landed one is part of. Refs are not asked. */
export async function readLogHead({ landed }: CommitsInLog, { git, gitDir }: Quarantine): Promise<LogHead> {
  const commits = [...new Set(landed)];
  const [first] = commits;
  if (first === undefined) return { status: "none" };
  const foreign = commits.find((commit) => !COMMIT.test(commit));
  if (foreign !== undefined)
    return {
      status: "unknown",
      problem: `the log names ${JSON.stringify(foreign)} as a commit of the run, and that is none`,
      fix: "coordinator verify says whether the log was changed.",
    };
  for (const commit of commits) {
    const { code } = await git.call({ gitDir, args: ["cat-file", "-e", `${commit}^{commit}`] });
    if (code !== 0)
      return {
        status: "unknown",
        problem: `the log names the commit ${commit}, and the repository does not have it`,
        fix: `Fetch it from where the run was carried out: git fetch REPOSITORY ${commit}`,
      };
  }
  if (commits.length === 1) return { status: "known", commit: first };
  const { code, stdout } = await git.call({ gitDir, args: ["merge-base", "--independent", ...commits] });
  const tips = stdout.toString("latin1").split("\n").filter(Boolean);
  const [tip] = tips;
  if (code === 0 && tips.length === 1 && tip !== undefined) return { status: "known", commit: tip };
  return {
    status: "unknown",
    problem: `the commits that the log names are on no one branch: ${tips.join(", ")}`,
    fix: "coordinator verify says whether the log was changed.",
  };
}

/** A ref of the run that is not where the log says. */
export interface MovedRef {
  readonly ref: string;
  readonly expected: string;
  readonly found: string;
}

/**
 * The refs of a run that point elsewhere than its log says. One that is missing is none of them: nothing is taken from
 * there.
 */
export async function findMovedRefs(
  runId: string,
  commits: CommitsInLog,
  head: LogHead,
  quarantine: Quarantine,
): Promise<readonly MovedRef[]> {
  const refs = await quarantine.refs("repository", `refs/coord/${runId}/`);
  const moved: MovedRef[] = [];
  for (const [ref, expected] of commits.attempts) {
    const found = refs.get(ref);
    // An attempt that changed nothing stands for its base, and has no ref.
    if (found !== undefined && COMMIT.test(expected) && found !== expected) moved.push({ ref, expected, found });
  }
  const ref = headRef(runId);
  const found = refs.get(ref);
  if (found === undefined || head.status === "unknown") return moved;
  const expected = head.status === "known" ? head.commit : null;
  if (found === expected || (!commits.isOver && (await isOneAhead(quarantine, ref, expected, found)))) return moved;
  return [{ ref, expected: expected ?? "no commit at all", found }, ...moved];
}

/** Anyone who was killed between moving the branch and saying so left it ahead of the log, in the quarantine too. */
async function isOneAhead(
  { git, gitDir, refs }: Quarantine,
  ref: string,
  expected: string | null,
  found: string,
): Promise<boolean> {
  if ((await refs("quarantine", ref)).get(ref) !== found) return false;
  if (expected === null) return true;
  return (await git.call({ gitDir, args: ["merge-base", "--is-ancestor", expected, found] })).code === 0;
}

/** Describes a moved ref, with the command that mends it. */
export function describeMovedRef({ ref, expected, found }: MovedRef): {
  readonly reason: string;
  readonly fix: string;
} {
  const mend = COMMIT.test(expected) ? `git update-ref ${ref} ${expected}` : `git update-ref -d ${ref}`;
  return {
    reason: `${ref} points at ${found}, and the log names ${expected}`,
    fix: `See what moved it (git log ${found}), then put it back: ${mend}`,
  };
}
