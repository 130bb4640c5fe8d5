import { crashPoint } from "../../foundation/processes/crash-points.js";
import type { RunnableEffect } from "../engine/effect-runner.js";
import type { RunEvent } from "../../model/event.js";
import { type Git, mergeCommits } from "./merge.js";
import { makeNotIntegrated, describeConflict } from "../../mind/run/decide/conflicts.js";
import type { AttemptResult } from "../attempts/attempt-order.js";
import type { ConflictResolver } from "./resolve-conflict.js";

/*
 * A conflict resolved beside the queue. The merge is made once more against the commit the log names: the person who asks after
 * a crash gets the same conflict, and the session that was begun on it.
 */

export interface ResolveEffectParts {
  readonly git: Git;
  readonly resultOf: (taskId: string, attempt: number) => Promise<AttemptResult | null>;
  readonly resolve: ConflictResolver;
}

export type ResolveEffect = Extract<RunnableEffect, { kind: "resolve_conflict" }>;

export function createResolution({ git, resultOf, resolve }: ResolveEffectParts) {
  return async (effect: ResolveEffect, signal: AbortSignal): Promise<RunEvent> => {
    const { task_id, attempt, conflict } = effect;
    const { commit, ref } = (await resultOf(task_id, attempt)) ?? { commit: null, ref: null };
    if (commit === null) return makeNotIntegrated(effect, "the record of its attempt is gone");
    const merged = await mergeCommits(git, conflict.onto, commit);
    if (merged.status !== "conflict")
      return makeNotIntegrated(effect, `its conflict with ${conflict.onto} is not there any more`);
    const kept = await resolve({ task_id, attempt, commit, signal }, conflict.onto, merged);
    crashPoint("resolve.judged");
    const { taken, tree, paths, objections } = kept.record;
    if (!taken || tree === null)
      return makeNotIntegrated(
        effect,
        describeConflict({ paths, ref: ref ?? "the attempt's ref" }, objections.slice(0, 3).join("; ")),
      );
    return { type: "conflict_resolved", task_id, attempt, round: conflict.round, tree, ref: kept.ref };
  };
}
