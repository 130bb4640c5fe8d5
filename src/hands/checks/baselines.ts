import type { Check, CheckResult } from "../../model/settings/check.js";
import { baselineOf, type KnownResults, type RunChecks } from "./verify.js";

/**
 * Checks on bases, run once for all who ask at the same time: tasks of one level begin on the same tree and come to their
 * verdicts together.
 *
 * Contract: afterwards what can be known of the tree is in `known`. Anyone who gives up waiting does not stop it for the
 * others; `signal` does.
 */
export function createBaselines(
  run: RunChecks,
  known: KnownResults,
  signal: AbortSignal,
): (tree: string, checks: readonly Check[]) => Promise<CheckResult[]> {
  const running = new Map<string, Promise<CheckResult[]>>();
  return (tree, checks) => {
    const key = JSON.stringify([tree, ...checks.map(({ name }) => name)]);
    const found = running.get(key);
    if (found !== undefined) return found;
    const made = baselineOf(tree, checks, run, known, signal).finally(() => running.delete(key));
    running.set(key, made);
    return made;
  };
}
