import { join } from "node:path";
import { loadConfiguration } from "../../configuration/load-configuration.js";
import { clean, planClean } from "../../workspace/clean.js";
import { openQuarantine } from "../../workspace/quarantine.js";
import { workspacesRoot } from "../../workspace/workspaces-root.js";
import { BASE_RECORD, openRecords } from "../../execute/run-records.js";
import type { BaseRecord } from "../../execute/execute-run.js";
import { readRuns } from "../../runs/open-runs.js";
import { findRoot, type StateFolder, stateFolder } from "../../runs/state-folder.js";
import { EXIT } from "../exit-codes.js";
import { finished, type Finished } from "../report.js";
import type { Surroundings } from "../surroundings.js";
import { foldAll } from "./runs-at.js";

export interface CleanArguments {
  readonly dryRun: boolean;
  readonly olderThanMs: number;
  readonly salvaged: boolean;
  readonly repo: string;
  readonly state: string | undefined;
}

export async function cleanRepository(
  { dryRun, olderThanMs, salvaged, repo, state }: CleanArguments,
  environment: NodeJS.ProcessEnv,
  { parts, progress }: Surroundings,
): Promise<Finished> {
  const place = state === undefined ? {} : { stateDirectory: state };
  const quarantine = await openQuarantine({ repository: repo, environment, ...place });
  const { configuration } = await loadConfiguration(quarantine.checkout, environment);
  const root = await workspacesRoot(quarantine, configuration.workspace.folder, environment);
  progress(`Looking at what runs have left of ${quarantine.checkout} …`);
  const begunOn = await basesOfOpenRuns(stateFolder(findRoot(repo)));
  const plan = await planClean(quarantine, { root, now: new Date(parts.now()), olderThanMs, salvaged, begunOn });
  const cleaned = dryRun ? null : await clean(quarantine, plan);
  return finished(EXIT.done, { type: "clean", repository: quarantine.checkout, entries: plan.entries, cleaned });
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
