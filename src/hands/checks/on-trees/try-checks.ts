import { performance } from "node:perf_hooks";
import { join } from "node:path";
import type { Check, CheckResult } from "../../../model/settings/check.js";
import type { Configuration } from "../../../model/settings/configuration.js";
import { proofOf } from "../proof.js";
import { openQuarantine } from "../../workspace/quarantine.js";
import { createWorkspaces } from "../../workspace/workspace.js";
import { workspacesRoot } from "../../workspace/workspaces-root.js";
import type { CheckStep, TellStep } from "./check-steps.js";
import { portRanges } from "../../attempts/port-ranges.js";
import { treeProver } from "./prove-trees.js";

/*
 * Setup and every check once on a commit that no agent has touched, by the same functions that check the base of a run:
 * what works here works there. The results are kept as the baseline of the first run.
 */

export interface TriedCheck {
  readonly check: Check;
  readonly result: CheckResult;
  readonly proof: ReturnType<typeof proofOf>;
  readonly elapsed_ms: number;
}

export interface TriedSetup {
  readonly run: string;
  /** Whether it had to run: what it makes may be kept from before. */
  readonly ran: boolean;
  readonly elapsed_ms: number;
  /** The end of its output and the place of its whole log, when it failed; else null. */
  readonly failure: string | null;
}

export interface ChecksTrial {
  /** The commit that was checked. */
  readonly commit: string;
  readonly elapsed_ms: number;
  /** Null when the project has none. */
  readonly setup: TriedSetup | null;
  readonly checks: readonly TriedCheck[];
}

export interface TrialRequest {
  readonly root: string;
  /** Where the project keeps its runs; made already. */
  readonly stateFolder: string;
  readonly configuration: Configuration;
  readonly environment: NodeJS.ProcessEnv;
  readonly now: () => string;
  readonly tell?: TellStep;
  readonly signal: AbortSignal;
}

/**
 * Contract: throws REPOSITORY_UNSUITABLE, NOT_FOUND, WORKSPACE_FAILED or SANDBOX_MISSING where a run could not work
 * either; never for what setup or a check does. No workspace and no process is left when it ends, also by `signal`.
 */
export async function tryChecks(request: TrialRequest): Promise<ChecksTrial> {
  const { configuration, environment, stateFolder, signal } = request;
  const since = performance.now();
  const quarantine = await openQuarantine({ repository: request.root, environment });
  const commit = await quarantine.resolve("HEAD");
  await quarantine.holdBase(commit);
  const root = await workspacesRoot(quarantine, configuration.workspace.folder, environment);
  const workspaces = await createWorkspaces({ quarantine, root, now: request.now });
  const ended = new Map<string, CheckStep>();
  try {
    const { tryBase } = await treeProver({
      runId: "trial",
      quarantine,
      workspaces,
      configuration,
      stateFolder,
      environment,
      base: commit,
      unsafeNoSandbox: false,
      nextPorts: portRanges(configuration.workspace.ports, join(stateFolder, "ports")),
      stopped: signal,
      tell: (step) => {
        // A failed check is run once more, as on every base: the time shown is that of one run.
        const key = `${step.step} ${step.name}`;
        if (step.state === "ended" && !ended.has(key)) ended.set(key, step);
        request.tell?.(step);
      },
    });
    const results = await tryBase(signal);
    const { setup } = configuration.workspace;
    const elapsedMs = () => Math.round(performance.now() - since);
    return {
      commit,
      elapsed_ms: elapsedMs(),
      setup:
        setup === undefined
          ? null
          : {
              run: setup.run,
              ran: ended.has("setup setup"),
              elapsed_ms: ended.get("setup setup")?.elapsed_ms ?? 0,
              failure: results.find(({ unready }) => unready !== undefined)?.unready ?? null,
            },
      checks: configuration.checks.flatMap((check) => {
        const result = results.find((each) => each.check === check.name);
        if (result === undefined) return [];
        return [
          { check, result, proof: proofOf(result), elapsed_ms: ended.get(`check ${check.name}`)?.elapsed_ms ?? 0 },
        ];
      }),
    };
  } finally {
    await workspaces.close();
  }
}
