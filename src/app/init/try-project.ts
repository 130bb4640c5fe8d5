import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { gitIn } from "../../hands/facts/git.js";
import { onPath } from "../../hands/settings/find-tools.js";
import type { ProjectBase } from "../project/project.js";
import type { CheckStep, TellStep } from "../../hands/checks/on-trees/check-steps.js";
import { type ChecksTrial, tryChecks } from "../../hands/checks/on-trees/try-checks.js";
import type { Configuration } from "../../model/settings/configuration.js";
import { CoordinatorError } from "../../model/errors.js";
import { makeStateFolder } from "../project/state-folder.js";
import type { ChecksTried } from "../setup-reports.js";
import { seconds, describeTrial } from "./describe-trial.js";

/* Setup and every check on HEAD, with a word to anyone who watches while they run. */

export interface TryArguments {
  readonly project: ProjectBase;
  readonly configuration: Configuration;
  /** The command that installs this project's packages outside of the sandbox; null when none is known. */
  readonly install: string | null;
  /** The command that fills the caches its setup reads; null when none is known. */
  readonly fill: string | null;
  /** A limit for each check that is nearer than its own. */
  readonly minutes?: number | undefined;
  readonly progress: (message: string) => void;
  readonly signal: AbortSignal;
}

export type Tried = ChecksTried & { readonly trial: ChecksTrial | null };

/** Contract: never throws for what cannot be tried here; it is reported. A stopped trial counts as not tried. */
export async function tryProject(args: TryArguments): Promise<Tried> {
  const { project, progress, signal } = args;
  const { root, at, environment: env } = project;
  const configuration = limitMinutes(args.configuration, args.minutes);
  const beat = heartbeat(progress);
  try {
    makeStateFolder(at);
    const now = () => new Date().toISOString();
    const trial = await tryChecks({
      root,
      stateFolder: at.folder,
      configuration,
      environment: env,
      now,
      tell: beat.tell,
      signal,
    });
    if (signal.aborted) return makeUntriedAgent("stopped", null);
    const outside = (program: string) => onPath(program, env["PATH"] ?? "");
    const facts = {
      outside,
      install: args.install,
      fill: args.fill,
      hasSetup: configuration.workspace.setup !== undefined,
      uncommitted: await findUncommittedInputs(root, env, configuration, trial.commit),
    };
    return { commit: trial.commit, not_tried: null, lines: describeTrial(trial, facts), trial };
  } catch (error) {
    if (signal.aborted) return makeUntriedAgent("stopped", null);
    if (!(error instanceof CoordinatorError)) throw error;
    return makeUntriedAgent(error.message, error.fix ?? null);
  } finally {
    beat.stop();
  }
}

/** Lists inputs of setup that are in the working tree and not in a workspace of this commit. */
async function findUncommittedInputs(
  root: string,
  env: NodeJS.ProcessEnv,
  { workspace: { setup } }: Configuration,
  commit: string,
): Promise<string[]> {
  const inputs = setup?.inputs ?? [];
  if (inputs.length === 0) return [];
  const listed = await gitIn(root, env)("ls-tree", "-z", "--name-only", commit, "--", ...inputs);
  const committed = new Set((listed ?? "").split("\0"));
  const missing = inputs.filter((path) => !committed.has(path));
  const there = await Promise.all(
    missing.map(async (path) => (await lstat(join(root, path)).catch(() => null)) !== null),
  );
  return missing.filter((_, i) => there[i] === true);
}

function makeUntriedAgent(reason: string, fix: string | null): Tried {
  return { commit: null, not_tried: { reason, fix }, lines: [], trial: null };
}

function limitMinutes(configuration: Configuration, minutes: number | undefined): Configuration {
  if (minutes === undefined) return configuration;
  const { setup, ...workspace } = configuration.workspace;
  return {
    ...configuration,
    checks: configuration.checks.map((check) => ({ ...check, minutes: Math.min(minutes, check.minutes) })),
    workspace:
      setup === undefined
        ? workspace
        : { ...workspace, setup: { ...setup, minutes: Math.min(minutes, setup.minutes) } },
  };
}

const BEAT_MS = 10_000;

/** Reports a step when it begins, and every ten seconds while it runs. */
function heartbeat(progress: (message: string) => void): { tell: TellStep; stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearInterval(timer);
  const tell = ({ name, state, elapsed_ms }: CheckStep) => {
    stop();
    if (state === "ended") return progress(`${name}: ended after ${seconds(elapsed_ms)}`);
    progress(`${name}: runs on HEAD, in the sandbox`);
    const since = performance.now();
    timer = setInterval(() => progress(`${name}: runs for ${seconds(performance.now() - since)}`), BEAT_MS);
    timer.unref();
  };
  return { tell, stop };
}
