import type { CheckResult, Finding } from "../../../model/settings/check.js";
import type { Objection } from "../../../model/run.js";
import { listFailing, hasSucceeded } from "../compare.js";

/* Judgements from the additional runs: the base's tests on the result, the result's tests on the base, repeats. */

/** More than these nobody waives one by one. */
const MOST_NAMED = 100;
const MESSAGE = 1500;

const of = (results: readonly CheckResult[], { check }: Pick<CheckResult, "check">): CheckResult | null =>
  results.find((each) => each.check === check) ?? null;

/**
 * Lists failures with the base's own tests and settings that the result's do not have. `crossed` are runs of one tree: what
 * fails in all of them counts. Contract: pure.
 */
export function changedExpectations(
  own: readonly CheckResult[],
  crossed: readonly (readonly CheckResult[])[],
): Objection[] {
  const [first = [], ...more] = crossed;
  return first.flatMap((cross) => {
    const result = of(own, cross);
    const known = new Set(result === null ? [] : listFailing(result).map(({ id }) => id));
    const stays = (finding: Finding) =>
      more.every((each) => {
        const again = of(each, cross);
        return again === null || listFailing(again).some(({ id }) => id === finding.id);
      });
    const failed = listFailing(cross).filter((finding) => !known.has(finding.id) && stays(finding));
    if (failed.length <= MOST_NAMED) return unique(failed).map((finding) => changedExpectation(cross.check, finding));
    const names = failed.slice(0, 5).map(({ name }) => name);
    return [
      {
        kind: "weakened",
        id: cross.check,
        message: `${cross.check}: ${failed.length} findings with the base's own tests and settings that the result's do not have: ${names.join(", ")} and more`,
      },
    ];
  });
}

function changedExpectation(check: string, { id, name, file, message }: Finding): Objection {
  const where = file === null ? "" : ` (${file})`;
  const why = message.trim() === "" ? "" : `: ${lines(message)}`;
  return {
    kind: "weakened",
    id: clip(`${check} ${id}`, 900),
    message: clip(`${check}: ${name}${where} fails as the base has it, and passes as the result has it${why}`, MESSAGE),
  };
}

function unique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [finding.id, finding])).values()];
}

/** Whether a check that failed on the base passes now. */
export function isFixed(baseline: readonly CheckResult[], results: readonly CheckResult[]): boolean {
  return baseline.some((before) => {
    const now = of(results, before);
    return now !== null && listFailing(before).some((finding) => hasSucceeded(now, finding));
  });
}

/** Whether the result's tests find fault with the base where the base's own do not. */
export function failsOnBase(baseline: readonly CheckResult[], tried: readonly CheckResult[]): boolean {
  return tried.some((there) => {
    const before = of(baseline, there);
    const known = new Set(before === null ? [] : listFailing(before).map(({ id }) => id));
    return listFailing(there).some(({ id }) => !known.has(id));
  });
}

/** Lists findings that fail in some of the runs of one tree and not in all, by check. */
export function listVarying(
  runs: readonly (readonly CheckResult[])[],
): { readonly check: string; readonly finding: Finding; readonly failed: number }[] {
  const [first = []] = runs;
  return first.flatMap(({ check }) => {
    const each = runs.map((results) => of(results, { check })).filter((result) => result !== null);
    return unique(each.flatMap(listFailing))
      .map((finding) => ({
        check,
        finding,
        failed: each.filter((result) => listFailing(result).some(({ id }) => id === finding.id)).length,
      }))
      .filter(({ failed }) => failed < each.length);
  });
}

/** Tests that are skipped now and were not there on the base. */
export function listNewlySkipped(baseline: readonly CheckResult[], results: readonly CheckResult[]): string[] {
  return results.flatMap((result) => {
    const known = new Set((of(baseline, result)?.findings ?? []).map(({ id }) => id));
    return result.findings.filter(({ id, status }) => status === "skipped" && !known.has(id)).map(({ name }) => name);
  });
}

const lines = (message: string) =>
  message
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(0, 6)
    .join(" | ");

const clip = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
