import type { RunEvent } from "../../model/event.js";
import { attemptKey } from "./ledger.js";

/* The names of the records beside a log, and the events that hold their checksums. */

export const BRIEF_RECORD = "brief";
export const BASE_RECORD = "base";
export const REVIEWS_RECORD = "reviews before merge";
/** Where the plan lay that the run was begun from. */
export const PLAN_RECORD = "plan";
/** The documents that routing gave when it was evaluated again after this attempt. */
export const laterContextRecord = (key: string) => `context ${key}`;
export const attemptRecord = (key: string) => `attempt ${key}`;
export const integrationRecord = (taskId: string) => `integration ${taskId}`;
export const mergeRecord = (commit: string) => `merge ${commit}`;
export const verdictRecord = (key: string) => `verdict ${key}`;
export const resolutionRecord = (key: string) => `resolution ${key}`;
export const requirementsRecord = (round: number) => `requirements ${round}`;

export interface NamedRecord {
  readonly name: string;
  /** `sha256:` and the checksum. */
  readonly ref: string;
  /** Whether another event may name it anew, as each round of the same work does. */
  readonly isFinal?: boolean;
}

/** Contract: pure and total, also for what is not an event of this version. None for one that names no record. */
export function recordsNamedBy(event: RunEvent): readonly NamedRecord[] {
  switch (event.type) {
    case "brief_kept":
      return nameRecord(BRIEF_RECORD, (event.brief as Partial<typeof event.brief> | undefined)?.ref);
    case "route_reevaluated":
      return nameRecord(laterContextRecord(attemptKey(event.task_id, event.attempt)), event.record);
    case "attempt_finished":
      return nameRecord(attemptRecord(attemptKey(event.task_id, event.attempt)), event.record);
    case "verification_finished":
      return nameRecord(verdictRecord(attemptKey(event.task_id, event.attempt)), event.evidence);
    case "integration_finished":
      return nameRecord(integrationRecord(event.task_id), event.record);
    case "conflict_resolved":
      return nameRecord(resolutionRecord(attemptKey(event.task_id, event.attempt)), event.ref);
    case "requirements_judged":
      return nameRecord(requirementsRecord(event.round), event.ref);
    case "run_merged":
      return nameRecord(mergeRecord(event.to), event.record);
    case "sandbox_graded":
      return recordsIn(event.records).flatMap(({ name, ref }) => nameRecord(name, ref, true));
    default:
      return [];
  }
}

/**
 * The records that are about to be written anew after this event: until another event names them, anyone who is killed in
 * between leaves a record that no event names yet. Contract: pure and total.
 */
export function recordsBegunBy(event: RunEvent): readonly string[] {
  switch (event.type) {
    case "attempt_started":
      return [integrationRecord(event.task_id)];
    case "judgement_resumed":
      return [verdictRecord(attemptKey(event.task_id, event.attempt)), integrationRecord(event.task_id)];
    case "conflict_found":
      return [resolutionRecord(attemptKey(event.task_id, event.attempt))];
    default:
      return [];
  }
}

function recordsIn(records: unknown): readonly { readonly name: string; readonly ref: unknown }[] {
  return Array.isArray(records)
    ? records.filter((one) => typeof (one as { name?: unknown } | null)?.name === "string")
    : [];
}

function nameRecord(name: string, said: unknown, isFinal = false): readonly NamedRecord[] {
  // An event that was taken out of a log cannot be read.
  if (typeof said !== "string") return [];
  // A verdict's evidence is a sentence that ends with the name of its record.
  const [ref] = /sha256:[0-9a-f]{64}(?=\]?$)/.exec(said) ?? [];
  return ref === undefined ? [] : [{ name, ref, ...(isFinal ? { isFinal } : {}) }];
}
