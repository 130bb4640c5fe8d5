import type { Check } from "../model/check.js";
import { baselineOf, type KnownResults, type RunChecks } from "./verify.js";

/**
 * Checks on bases, run once for all who ask at the same time: tasks of one level begin on the same tree and come to their
 * verdicts together.
 *
 * Contract: afterwards what can be known of the tree is in `known`. Whoever gives up waiting does not stop it for the
 * others; `signal` does.
 */
export function createBaselines(
  checks: readonly Check[],
  run: RunChecks,
  known: KnownResults,
  signal: AbortSignal,
): (tree: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  return (tree) => {
    const found = running.get(tree);
    if (found !== undefined) return found;
    const made = baselineOf(tree, checks, run, known, signal)
      .then(() => undefined)
      .finally(() => running.delete(tree));
    running.set(tree, made);
    return made;
  };
}
