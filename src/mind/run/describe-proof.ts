import { MOST_NAMED, type ProofSummary, type ProvenBy, type VerdictReport } from "../../model/settings/check.js";

/* The proof of a result, for the log and in words. Every report of a verdict uses these words. */

/** The summary of a verdict's proof that the log keeps. Contract: pure; names are cut in number and length, counts are not. */
export function proofSummary(report: VerdictReport): ProofSummary {
  const notes = [...(report.already_done === undefined ? [] : [report.already_done]), ...report.notes];
  return {
    proven_by: report.proven_by.slice(0, 100).map((one) => ({ ...one, uncollected: some(one.uncollected) })),
    accepted: report.accepted
      .slice(0, 100)
      .map(({ kind, id, message, by, not_applicable }) => ({ kind, id, message, by, not_applicable })),
    failed_before: some(report.pre_existing.map(({ check, finding }) => `${check}: ${finding.name}`)),
    unreached: some(report.unreached),
    ...(notes.length === 0 ? {} : { notes: some(notes) }),
  };
}

const some = (names: readonly string[]) => names.slice(0, MOST_NAMED).map((name) => name.slice(0, 300));

/** `test: 1,963 passed, 1 could not be collected (tests/test_x.py)`, `build: ok`. */
export function describeProvenBy({ check, kind, passed, failed_before, uncollected }: ProvenBy): string {
  const others = failed_before - uncollected.length;
  const isOfMessages = kind === "lint" || kind === "types" || kind === "audit";
  const parts = [
    passed > 0 ? `${thousands(passed)} passed` : isOfMessages && failed_before > 0 ? "nothing new" : "ok",
    ...(uncollected.length === 0 ? [] : [`${uncollected.length} could not be collected (${listNames(uncollected)})`]),
    ...(others <= 0 ? [] : [`${thousands(others)} failed before`]),
  ];
  return `${check}: ${parts.join(", ")}`;
}

/** `accepted without proof by ada: test did not run on the base: xo: not found`. */
export function describeAccepted({ kind, id, message, by, not_applicable }: ProofSummary["accepted"][number]): string {
  if (not_applicable && id !== "*") return `${id} does not count for this run, by ${by}: ${message}`;
  return kind === "unproven" ? `accepted without proof by ${by}: ${message}` : `accepted by ${by}: ${message}`;
}

/** Whether a result stands on checks alone: nobody had to let anything pass, and nothing is known to be untouched. */
export function isProven({ proven_by, accepted, unreached }: ProofSummary): boolean {
  return proven_by.length > 0 && accepted.length === 0 && unreached.length === 0;
}

function listNames(names: readonly string[]): string {
  const more = names.length > 3 ? ` and ${names.length - 3} more` : "";
  return `${names.slice(0, 3).join(", ")}${more}`;
}

function thousands(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}
