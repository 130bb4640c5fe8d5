import type { AcceptedObjection, VerdictReport } from "../../model/settings/check.js";
import type { DiffFinding } from "../../model/diff-gate.js";
import { type Waivable, type WaivedTest, MOST_WAIVED } from "../../model/run.js";
import type { RunState } from "../../mind/run/state.js";
import { type Waiver, waiversOf } from "../../mind/run/task-record.js";

/* Waivers of results, given and possible: between the log, which names tests, and the verdict. */

export function waivedTests(waivers: readonly Waiver[]): WaivedTest[] {
  return waivers.flatMap(({ tests, by }) => tests.map((test) => ({ ...test, by })));
}

/** Lists the objections that people waived, each with who did; the latest answer to the same objection counts. */
export function waivedObjections(waivers: readonly Waiver[]): AcceptedObjection[] {
  return waivers
    .flatMap(({ objections, not_applicable, by }) =>
      objections.map((one) => ({ ...one, not_applicable: not_applicable && one.kind === "unproven", by })),
    )
    .toReversed();
}

/** Waived tests of the results that a run has now. */
export function listWaivedTests({ tasks }: RunState): WaivedTest[] {
  return [...tasks].flatMap((record) => waivedTests(waiversOf(record)));
}

/** Waived objections to the results that a run has now. */
export function listAcceptedObjections(state: RunState): AcceptedObjection[] {
  return waivedObjections([...state.waived, ...[...state.tasks].flatMap((record) => waiversOf(record))]);
}

/**
 * Lists what a person may waive so that the result passes; nothing where something else holds it, too.
 *
 * INVARIANT: a failure is never waived: only a result that is BLOCKED, and by nothing that must not be waived.
 */
export function listWaivable(
  { verdict, missing, objections }: VerdictReport,
  held: readonly DiffFinding[] = [],
): { readonly liftable?: Waivable } {
  const isTooMuch = Math.max(missing.length, held.length, objections.length) > MOST_WAIVED;
  if (verdict !== "BLOCKED" || missing.length + held.length + objections.length === 0 || isTooMuch) return {};
  if (held.some(({ override }) => override === "nobody")) return {};
  const tests = missing.map(({ check, finding: { id, name } }) => ({ check, id, name }));
  // A guardrail holds at a path, however many lines of it it found.
  const at = new Map(held.map((each) => [`${each.rule_id} ${each.path}`, each]));
  const guardrails = [...at.values()].map(({ rule_id, path, override }) => ({ rule_id, path, override }));
  return { liftable: { tests, guardrails, ...(objections.length === 0 ? {} : { objections }) } };
}

/** Since when what fails does: the commit it was compared with passes, and this one is the first that does not. */
export function withSince(report: VerdictReport, passes: string, fails: string): VerdictReport {
  return report.regressions.length === 0 || passes === fails ? report : { ...report, since: { passes, fails } };
}

export function describeSince({ since }: VerdictReport): string {
  return since === undefined ? "" : `new in ${since.fails.slice(0, 12)}, passes on ${since.passes.slice(0, 12)}`;
}

/** The guardrails waived of a result, one way or the other: each with who did. */
export function waivedGuardrails(waivers: readonly Waiver[]): VerdictReport["lifted"] {
  return waivers.flatMap(({ guardrails, by }) => guardrails.map(({ rule_id, path }) => ({ rule_id, path, by })));
}

export function describeWaived(lifted: VerdictReport["lifted"]): string {
  return lifted.map(({ rule_id, path, by }) => `${rule_id} at ${path} waived by ${by}`).join(", ");
}

/** `2 tests waived by ada: a, b`; empty when none was. */
export function describeLetGo(tests: readonly { readonly name: string; readonly by: string }[]): string {
  if (tests.length === 0) return "";
  const names = tests.slice(0, 3).map(({ name }) => name);
  const more = tests.length > 3 ? ` and ${tests.length - 3} more` : "";
  const who = [...new Set(tests.map(({ by }) => by))].join(", ");
  return `${tests.length} test${tests.length === 1 ? "" : "s"} waived by ${who}: ${names.join(", ")}${more}`;
}
