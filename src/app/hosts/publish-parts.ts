import type { UsersGit } from "../../hands/git/users-git.js";
import { CoordinatorError } from "../../model/errors.js";
import type { DiffFile } from "../merge/diff-run.js";
import type { PublishableRun } from "./publishable-run.js";

/* Which pull requests a run becomes: one, or a chain of one for each task, each on the branch of the one before. */

export interface WantedPart {
  readonly part: string;
  readonly task: string | null;
  readonly branch: string;
  /** The branch it goes onto. */
  readonly base: string;
  /** The commit its change begins at. */
  readonly from: string;
  readonly head: string;
}

export async function partsOf(
  run: PublishableRun,
  perTask: boolean,
  into: string,
  branchOf: (task: string | null) => string,
  git: UsersGit,
): Promise<WantedPart[]> {
  const { base, head } = run;
  if (!perTask) return [{ part: "whole", task: null, branch: branchOf(null), base: into, from: base.commit, head }];
  const parts: WantedPart[] = [];
  for (const { task, commit } of await tasksInOrder(run, git)) {
    const before = parts.at(-1);
    parts.push({
      part: task,
      task,
      branch: branchOf(task),
      base: before?.branch ?? into,
      from: before?.head ?? base.commit,
      head: commit,
    });
  }
  return parts;
}

/** The tasks that changed something, in the order in which their commits stand on the run's branch. */
async function tasksInOrder(
  { events, base, head }: PublishableRun,
  git: UsersGit,
): Promise<{ readonly task: string; readonly commit: string }[]> {
  const byCommit = new Map<string, string>();
  for (const { event } of events)
    if (event.type === "integration_finished" && event.integrated && !byCommit.has(event.ref))
      byCommit.set(event.ref, event.task_id);
  const { code, stdout } = await git.run(["rev-list", "--reverse", "--topo-order", `${base.commit}..${head}`]);
  if (code !== 0) throw new CoordinatorError("NOT_FOUND", "The repository does not have the commits of the run");
  return stdout.split("\n").flatMap((commit) => {
    const task = byCommit.get(commit);
    return task === undefined ? [] : [{ task, commit }];
  });
}

export async function readChange(git: UsersGit, from: string, to: string): Promise<DiffFile[]> {
  const args = ["diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", from, to, "--"];
  const { code, stdout } = await git.run(args);
  if (code !== 0)
    throw new CoordinatorError("NOT_FOUND", `The repository does not have the commits ${from} and ${to}`, {
      fix: "Fetch them from where the run was carried out.",
    });
  return stdout
    .split("\0")
    .filter(Boolean)
    .map((line) => {
      const [added = "", removed = "", ...path] = line.split("\t");
      const figure = (text: string) => (text === "-" ? null : Number(text));
      return { path: path.join("\t"), added: figure(added), removed: figure(removed) };
    });
}

/** Files that programs of a host carry out with rights of the repository. */
const PIPELINES = /^(?:\.(?:github|gitea|forgejo)\/workflows\/|\.gitlab-ci\.ya?ml$)/i;

/**
 * A workflow runs with rights of the repository, so one that changes must have been planned by name.
 *
 * Contract: throws PUBLISH_REFUSED before anything is pushed.
 */
export async function refuseWorkflows({ state, base, head }: PublishableRun, git: UsersGit): Promise<void> {
  const planned = new Set((state.layout?.plan.tasks ?? []).flatMap(({ files = [] }) => files));
  const changed = (await readChange(git, base.commit, head)).map(({ path }) => path);
  const unplanned = changed.filter((path) => PIPELINES.test(path) && !planned.has(path));
  if (unplanned.length === 0) return;
  throw new CoordinatorError(
    "PUBLISH_REFUSED",
    `The run changed ${unplanned.slice(0, 5).join(", ")}, which its plan does not name`,
    { fix: "Read the change (coordinator diff), and push it by hand if you want it. Nothing was sent." },
  );
}
