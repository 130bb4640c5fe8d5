import type { CheckResult } from "../model/check.js";

/* What runs on a tree right now, for whoever waits for it: setup and each check, when it begins and when it has ended. */

export interface CheckStep {
  readonly step: "setup" | "check";
  /** `setup`, or the name of the check. */
  readonly name: string;
  readonly tree: string;
  readonly state: "started" | "ended";
  /** How long it took; 0 when it has only begun. */
  readonly elapsed_ms: number;
  /** Null when it has only begun. */
  readonly result: CheckResult | null;
}

export type TellStep = (step: CheckStep) => void;

/** Run one step and tell when it begins and ends. Contract: what `tell` throws is not caught; it must not throw. */
export async function toldStep(
  tell: TellStep | undefined,
  about: Pick<CheckStep, "step" | "name" | "tree">,
  run: () => Promise<CheckResult>,
): Promise<CheckResult> {
  const since = performance.now();
  tell?.({ ...about, state: "started", elapsed_ms: 0, result: null });
  const result = await run();
  tell?.({ ...about, state: "ended", elapsed_ms: Math.round(performance.now() - since), result });
  return result;
}
