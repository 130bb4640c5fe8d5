import { join, resolve } from "node:path";
import { clean, planClean } from "../../hands/workspace/clean/clean.js";
import { openQuarantine } from "../../hands/workspace/quarantine.js";
import { workspacesRoot } from "../../hands/workspace/workspaces-root.js";
import { cleanAttempts, planCleanAttempts, type RunLeft } from "../../hands/attempts/clean-attempts.js";
import { BASE_RECORD, openRecords } from "../../hands/attempts/run-records.js";
import type { BaseRecord } from "../run/execute-options.js";
import { readRuns } from "../project/open-runs.js";
import type { StateFolder } from "../project/state-folder.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { foldAll } from "../inspect/runs-at.js";

export interface CleanArguments {
  readonly dryRun: boolean;
  readonly olderThanMs: number;
  readonly salvaged: boolean;
  readonly repo: string;
  readonly state: string | undefined;
}

/**
 * Removes what runs that are over have left in a repository and beside it.
 *
 * Contract: nothing of an open run is touched, and salvaged work is kept unless `salvaged` orders otherwise. With `dryRun`
 * nothing is changed.
 */
export async function cleanRepository(
  { dryRun, olderThanMs, salvaged, repo, state }: CleanArguments,
  { parts, project, progress, cwd }: CommandContext,
): Promise<Finished> {
  const { environment } = project;
  const place = state === undefined ? {} : { stateDirectory: state };
  const quarantine = await openQuarantine({ repository: resolve(cwd, repo), environment, ...place });
  const { configuration } = await project.reopen(quarantine.checkout).settings();
  const root = await workspacesRoot(quarantine, configuration.workspace.folder, environment);
  progress(`Looking at what runs have left of ${quarantine.checkout} …`);
  const { at } = project.reopen(resolve(cwd, repo));
  const begunOn = await basesOfOpenRuns(at);
  const now = new Date(parts.now());
  const plan = await planClean(quarantine, { root, now, olderThanMs, salvaged, begunOn });
  const runs = await runsLeft(at);
  const attempts = planCleanAttempts(join(at.folder, "attempts"), runs, { now, olderThanMs });
  const entries = [...plan.entries, ...attempts];
  if (dryRun) return finish(EXIT.done, { type: "clean", repository: quarantine.checkout, entries, cleaned: null });
  const cleaned = await clean(quarantine, plan);
  const left = await cleanAttempts(attempts, runs);
  const gone = attempts.filter(
    ({ name, action }) => action !== "keep" && !left.some((each) => each.name.startsWith(name)),
  );
  const stayed = attempts.filter(({ action }) => action === "keep");
  return finish(EXIT.done, {
    type: "clean",
    repository: quarantine.checkout,
    entries,
    cleaned: {
      removed: [...cleaned.removed, ...gone.map(({ name }) => name)],
      kept: [...cleaned.kept, ...stayed.map(({ name, reason }) => ({ name, reason })), ...left],
    },
  });
}

/** Every run with what it is now. */
async function runsLeft(at: StateFolder): Promise<readonly RunLeft[]> {
  const reader = await readRuns(at);
  if (reader === null) return [];
  try {
    const ends = new Map((await reader.runs()).map(({ run_id, last_at }) => [run_id, last_at]));
    return (await foldAll(reader, "all")).map((found) => ({
      run_id: found.run_id,
      state: "run" in found ? found.run.state : null,
      last_at: ends.get(found.run_id) ?? null,
    }));
  } finally {
    await reader.close();
  }
}

/** A run that waits for weeks goes on from the commit it began with: git must not collect it meanwhile. */
async function basesOfOpenRuns(at: StateFolder): Promise<ReadonlySet<string>> {
  const bases = new Set<string>();
  const reader = await readRuns(at);
  if (reader === null) return bases;
  try {
    for (const { run_id } of await foldAll(reader, "open")) {
      const base = (await openRecords(join(at.folder, "records", run_id)).read(BASE_RECORD)) as BaseRecord | null;
      if (base !== null) bases.add(base.commit);
    }
    return bases;
  } finally {
    await reader.close();
  }
}
