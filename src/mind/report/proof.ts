import type { ProofSummary } from "../../model/settings/check.js";
import type { Promised } from "../../model/run.js";
import type { CoordinatorResponse } from "../../model/request.js";
import { indexOf, type RunState } from "../run/state.js";
import { isProven, describeAccepted, describeProvenBy } from "../run/describe-proof.js";

type TaskProof = NonNullable<CoordinatorResponse["proof"]>[number];

/** The proof of each task that is done, from its last verdict, in the order of the plan. */
export interface ProvenTasks {
  readonly tasks: readonly {
    readonly task_id: string;
    readonly proof: ProofSummary | null;
    readonly promise: Promised | null;
  }[];
}

/** Contract: pure. `proof` is null for a task of a log that does not say it. */
export function listProvenTasks(state: RunState, proofs: ReadonlyMap<string, ProofSummary | null>): ProvenTasks {
  const done = [...proofs].filter(([task_id]) => {
    const index = indexOf(state, task_id);
    return index >= 0 && state.tasks.get(index).state.status === "completed";
  });
  const sorted = done.sort(([a], [b]) => indexOf(state, a) - indexOf(state, b));
  const promiseOf = (task_id: string) => state.tasks.get(indexOf(state, task_id)).turns?.promise ?? null;
  return { tasks: sorted.map(([task_id, proof]) => ({ task_id, proof, promise: promiseOf(task_id) })) };
}

export function describeTasks({ tasks }: ProvenTasks): TaskProof[] {
  return tasks.flatMap(({ task_id, proof, promise }) =>
    proof === null
      ? []
      : [
          {
            task_id,
            proven_by: proof.proven_by.map(describeProvenBy),
            accepted: proof.accepted.map(describeAccepted),
            failed_before: [...proof.failed_before],
            unreached: [...proof.unreached],
            ...(proof.notes === undefined ? {} : { notes: [...proof.notes] }),
            ...(promise === null
              ? {}
              : { promise: { text: promise.text, given: promise.given, iterations: promise.iterations } }),
          },
        ],
  );
}

/**
 * Describes all results together, as the rest of a sentence. Contract: says that they were proven only where the
 * log says so of every one of them; a task that changed nothing has nothing to prove.
 */
export function describeAll({ tasks }: ProvenTasks): string {
  const proofs = tasks.flatMap(({ proof }) => proof ?? []);
  const accepted = proofs.filter((proof) => proof.accepted.length > 0);
  if (accepted.length > 0) {
    const who = [...new Set(accepted.flatMap((proof) => proof.accepted.map(({ by }) => by)))].join(", ");
    const results = tasks.length === 1 ? "its result was" : `${accepted.length} of ${tasks.length} results were`;
    return `; ${results} accepted by ${who} without full proof`;
  }
  const untouched = new Set(proofs.flatMap(({ unreached }) => unreached));
  if (untouched.size > 0)
    return `; no check touches ${untouched.size === 1 ? "one" : untouched.size} of the files that were changed`;
  const untested = proofs.filter(({ proven_by }) => proven_by.length > 0 && !proven_by.some(mayTest));
  if (untested.length > 0) {
    const names = [...new Set(untested.flatMap(({ proven_by }) => proven_by.map(({ check }) => check)))].join(", ");
    const results = tasks.length === 1 ? "the result" : `${untested.length} of ${tasks.length} results`;
    return `; no test ran on ${results}, only ${names}`;
  }
  const isAll = tasks.length > 0 && proofs.length === tasks.length && proofs.some(isProven);
  return isAll ? ", and every result was proven against its base" : "";
}

/** A check without a kind may be anything, tests too. */
function mayTest({ kind }: ProofSummary["proven_by"][number]): boolean {
  return kind === "test" || kind === "other";
}
