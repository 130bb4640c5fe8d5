import type { RunEvent } from "../model/event.js";
import { attemptKey } from "./ledger.js";

/* What stands beside a log under which name, and which event says by its checksum what must stand there. */

export const BRIEF_RECORD = "brief";
export const verdictRecord = (key: string) => `verdict ${key}`;
export const resolutionRecord = (key: string) => `resolution ${key}`;
export const requirementsRecord = (round: number) => `requirements ${round}`;

export interface NamedRecord {
  readonly name: string;
  /** `sha256:` and the checksum. */
  readonly ref: string;
}

/** Contract: pure; null for an event that names no record by its checksum. */
export function recordNamedBy(event: RunEvent): NamedRecord | null {
  switch (event.type) {
    case "brief_kept":
      return named(BRIEF_RECORD, (event.brief as Partial<typeof event.brief> | undefined)?.ref);
    case "verification_finished":
      return named(verdictRecord(attemptKey(event.task_id, event.attempt)), event.evidence);
    case "conflict_resolved":
      return named(resolutionRecord(attemptKey(event.task_id, event.attempt)), event.ref);
    case "requirements_judged":
      return named(requirementsRecord(event.round), event.ref);
    default:
      return null;
  }
}

function named(name: string, said: unknown): NamedRecord | null {
  // What was taken out of a log is not there to be read.
  if (typeof said !== "string") return null;
  // A verdict's evidence is a sentence that ends with the name of its record.
  const [ref] = /sha256:[0-9a-f]{64}(?=\]?$)/.exec(said) ?? [];
  return ref === undefined ? null : { name, ref };
}
