import { loadConfiguration } from "../../configuration/load-configuration.js";
import { clean, planClean } from "../../workspace/clean.js";
import { openQuarantine } from "../../workspace/quarantine.js";
import { workspacesRoot } from "../../workspace/workspaces-root.js";
import { EXIT } from "../exit-codes.js";
import { finished, type Finished } from "../report.js";
import type { Surroundings } from "../surroundings.js";

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
  const plan = await planClean(quarantine, { root, now: new Date(parts.now()), olderThanMs, salvaged });
  const cleaned = dryRun ? null : await clean(quarantine, plan);
  return finished(EXIT.done, { type: "clean", repository: quarantine.checkout, entries: plan.entries, cleaned });
}
