import type { EventOf, RunEvent } from "../../../model/event.js";
import type { RunPolicy } from "../../../model/run.js";

/*
 * A conflict that git cannot merge, as far as it is decided by rule: whether an agent is asked to resolve it, how often,
 * and what a person is told when nobody does. Both sides stay where they are, whatever is decided.
 */

type ConflictFound = EventOf<"conflict_found">;

/** Runs of earlier versions say nothing of rounds. */
const ROUNDS = 3;

/** Why nobody is asked about this one; null when somebody is. Contract: pure. */
export function explainUnresolvable(policy: RunPolicy | null, { round }: Pick<ConflictFound, "round">): string | null {
  if (policy?.coordinator_mode === "off") return "no agent is asked in this mode";
  const most = policy?.conflict_rounds ?? ROUNDS;
  return round > most ? `resolved ${most} times, and the branch had moved on to another conflict each time` : null;
}

/** The text for a person who has to resolve a conflict. */
export function describeConflict({ paths, ref }: Pick<ConflictFound, "paths" | "ref">, why: string): string {
  const sides = `both sides are kept: the branch of the run, and ${ref}`;
  return `conflict in ${paths.join(", ")}${why === "" ? "" : `, not resolved: ${why}`}; ${sides}`;
}

export function makeNotIntegrated({ task_id, attempt }: { task_id: string; attempt: number }, ref: string): RunEvent {
  return { type: "integration_finished", task_id, attempt, integrated: false, ref };
}
