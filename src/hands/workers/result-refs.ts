import { setTimeout as sleep } from "node:timers/promises";
import { CoordinatorError } from "../../model/errors.js";
import type { Cgit } from "../git/cgit.js";
import { attemptRef, type AttemptName, salvageRef } from "../workspace/names-of-refs.js";
import type { GitRemote, RefUpdate } from "./git-remote.js";

/*
 * Where the result of an attempt counts: a ref of the git remote that is created once. The worker that creates it did the attempt; one that
 * comes later takes over the result that stands there. The commit it points at holds the result as a file.
 */

const FILE = "result.json";

/** Contract: different attempts have different refs. */
export function resultRef(name: AttemptName): string {
  return attemptRef(name).replace("refs/coord/", "refs/coord/results/");
}

/** A commit somebody has to be able to fetch, by its own name. */
export const baseRef = (commit: string) => `refs/coord/bases/${commit}`;

const PAUSES_MS = [200, 500, 1000, 2000, 5000];

/** Whether to wait no longer, after so many milliseconds of it. */
export type GivesUp = (error: CoordinatorError, waitedMs: number) => boolean;

/** Contract: tries again for as long as the remote is not there, nobody stops it and it does not give up; everything else is thrown. */
export async function patiently<T>(
  act: () => Promise<T>,
  signal: AbortSignal,
  told?: (message: string) => void,
  givesUp: GivesUp = () => false,
): Promise<T> {
  const began = performance.now();
  for (let n = 0; ; n++) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof CoordinatorError) || error.code !== "REMOTE_UNREACHABLE" || signal.aborted) throw error;
      if (givesUp(error, performance.now() - began)) throw error;
      told?.(error.message);
      await sleep(PAUSES_MS[Math.min(n, PAUSES_MS.length - 1)], undefined, { signal }).catch(() => undefined);
    }
  }
}

interface Repository {
  readonly git: Cgit;
  readonly gitDir: string;
}

/** The refs that an attempt leaves on the remote. */
export interface LeftByAttempt {
  readonly name: AttemptName;
  readonly value: unknown;
  /** Its commit on the ref of the attempt, and its work that was not taken over. */
  readonly commit: string | null;
  readonly salvage: string | null;
}

/**
 * Name the result of an attempt on the remote. Contract: compare-and-swap: true when this is the attempt's result from now on, false
 * when another one is.
 */
export async function publishResult(
  { git, gitDir }: Repository,
  remote: GitRemote,
  { name, value, commit, salvage }: LeftByAttempt,
): Promise<boolean> {
  const input = JSON.stringify(value);
  const text = async (args: string[], more: { input?: string } = {}) =>
    (await git.must("Writing a result", { gitDir, args, ...more })).toString("latin1").trim();
  const blob = await text(["hash-object", "-w", "--stdin"], { input });
  const tree = await text(["mktree"], { input: `100644 blob ${blob}\t${FILE}\n` });
  const parents = commit === null ? [] : ["-p", commit];
  const made = await text(["commit-tree", tree, ...parents, "-m", "Result of an attempt"]);
  const left = salvage === null ? null : await text(["rev-parse", "--verify", "--quiet", salvage]);
  const updates: RefUpdate[] = [
    { ref: resultRef(name), to: made, from: null },
    ...(commit === null ? [] : [{ ref: attemptRef(name), to: commit, from: null }]),
    ...(left === null ? [] : [{ ref: salvageRef(name), to: left }]),
  ];
  if (await remote.push(updates)) return true;
  // A push whose answer was lost is refused when it is sent again, and was not too late.
  return (await remote.list([resultRef(name)])).get(resultRef(name)) === made;
}

/** The result of an attempt on the remote, fetched with its commits; null where there is none. */
export async function fetchResult(
  { git, gitDir }: Repository,
  remote: GitRemote,
  name: AttemptName,
): Promise<{ readonly value: unknown; readonly refs: readonly string[] } | null> {
  const ref = resultRef(name);
  const there = await remote.list([ref, attemptRef(name), salvageRef(name)]);
  if (!there.has(ref) || !(await remote.fetch([...there.keys()]))) return null;
  const text = await git.must("Reading a result", { gitDir, args: ["cat-file", "blob", `${ref}:${FILE}`] });
  return {
    value: JSON.parse(text.toString("utf8")) as unknown,
    refs: [...there.keys()].filter((each) => each !== ref),
  };
}

/** Have commits that stand under their own names on the remote. Contract: those that are here already are not fetched. */
export async function fetchCommits(
  { git, gitDir }: Repository,
  remote: GitRemote,
  commits: readonly string[],
): Promise<void> {
  const missing: string[] = [];
  for (const commit of new Set(commits))
    if ((await git.call({ gitDir, args: ["cat-file", "-e", `${commit}^{commit}`] })).code !== 0) missing.push(commit);
  if (await remote.fetch(missing.map(baseRef))) return;
  throw new CoordinatorError(
    "REMOTE_UNREACHABLE",
    `The git remote ${remote.name} has not all of ${missing.join(", ")}`,
    {
      retryable: true,
      fix: "Use the same git remote on every machine; coordinator doctor shows the one that this clone uses.",
    },
  );
}
