/* Steps that run on a tree, reported to anyone who waits: setup and each check, when it begins and when it has ended. */

export interface CheckStep {
  readonly step: "setup" | "check";
  /** `setup`, or the name of the check. */
  readonly name: string;
  readonly tree: string;
  readonly state: "started" | "ended";
  /** How long it took; 0 when it has only begun. */
  readonly elapsed_ms: number;
}

export type TellStep = (step: CheckStep) => void;

/** Run one step and tell when it begins and ends, however it ends. Contract: `tell` does not throw. */
export async function reportStep<T>(
  tell: TellStep | undefined,
  about: Pick<CheckStep, "step" | "name" | "tree">,
  run: () => Promise<T>,
): Promise<T> {
  const since = performance.now();
  tell?.({ ...about, state: "started", elapsed_ms: 0 });
  try {
    return await run();
  } finally {
    tell?.({ ...about, state: "ended", elapsed_ms: Math.round(performance.now() - since) });
  }
}
