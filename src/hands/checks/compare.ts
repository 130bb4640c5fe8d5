import { byCodeUnit } from "../../model/by-code-unit.js";
import type {
  AcceptedObjection,
  CheckResult,
  Compared,
  Finding,
  SecurityFinding,
  VerdictReport,
} from "../../model/settings/check.js";
import type { WaivedTest, Objection } from "../../model/run.js";
import { type CheckPair, proofsOf, settle } from "./objections.js";
import { proofOf } from "./proof.js";
import { isUnnamed } from "./reports/report.js";
import { isUncollected } from "./uncollected.js";

/*
 * The verdict: a result against the same checks on its base. It says PASS only of what was seen to be no worse, and
 * never compares with zero: what was broken before is listed and tolerated, what broke now is not.
 */

export interface Evidence {
  readonly baseline: readonly CheckResult[];
  readonly results: readonly CheckResult[];
  /** A second run of the checks that failed in `results`, on the same tree. */
  readonly again: readonly CheckResult[];
  /** How many files the result changed, and whether it was to change any. */
  readonly changed_files: number;
  readonly changes_due: boolean;
  /** Findings of rules and guardrails that a person may waive, as sentences. */
  readonly blocked: readonly string[];
  /** Tests a person allowed to go; one that is to go several times is there as often. */
  readonly may_go: readonly WaivedTest[];
  /** Guardrails a person waived: told in the report, and held against nothing. */
  readonly lifted: VerdictReport["lifted"];
  /** Findings of security rules in the change. */
  readonly security: readonly SecurityFinding[];
  /** Other objections to the result, which a person may waive. */
  readonly objections: readonly Objection[];
  /** Objections that people waived for this result or for every result of the run. */
  readonly accepted: readonly AcceptedObjection[];
  /** Changed files that no check is known to touch. */
  readonly unreached?: readonly string[];
  /** Findings beside the checks: reasons why the result fails after all, and notes that hold nothing. */
  readonly failures?: readonly string[];
  readonly notes?: readonly string[];
}

/**
 * Contract: pure; equal evidence gives an equal report. A check that could not be run is a failure, not a pass, and one
 * that proves nothing on the base holds the result until a person says otherwise.
 */
export function compare(evidence: Evidence): VerdictReport {
  const base = new Map(evidence.baseline.map((result) => [result.check, result]));
  const again = new Map(evidence.again.map((result) => [result.check, result]));
  const mayGo = evidence.may_go.map((test) => ({ ...test, used: false }));
  const letGo: VerdictReport["let_go"] = [];
  const report = { regressions: [], pre_existing: [], fixed: [], flaky: [], missing: [] } as Record<Group, Compared[]>;
  const failures: string[] = [...(evidence.failures ?? [])];
  const held: string[] = [...evidence.blocked];
  if (evidence.changes_due && evidence.changed_files === 0) failures.push("nothing was changed where a change was due");
  const pairs: CheckPair[] = [];
  for (const result of evidence.results) {
    const before = base.get(result.check) ?? null;
    const second = again.get(result.check) ?? null;
    const isUnready = result.unready !== undefined || before?.unready !== undefined;
    const found = isUnready ? [] : [...groupFindings(result, before, second)];
    for (const [group, finding] of found) report[group].push({ check: result.check, finding });
    pairs.push({ before, result, second, failed_before: found.filter(([group]) => group === "pre_existing").length });
    if (isUnready) continue;
    const empty = emptyRun(result);
    if (empty !== null && (before === null || proofOf(before).proves)) failures.push(empty);
    for (const finding of missingTests(result, before)) {
      const { check } = result;
      const lifted = mayGo.find((each) => !each.used && each.check === check && each.id === finding.id);
      if (lifted === undefined) report.missing.push({ check, finding });
      else {
        lifted.used = true;
        letGo.push({ check, finding, by: lifted.by });
      }
    }
  }
  for (const { check, finding } of report.regressions)
    failures.push(`${check}: ${finding.name} fails${finding.message === "" ? "" : `: ${firstLine(finding.message)}`}`);
  if (report.missing.length > 0)
    held.push(
      `${count(report.missing.length, "test")} that passed on the base ran no more: ${someNames(report.missing)} (person may waive it)`,
    );
  const { proven_by, objections: unproven } = proofsOf(pairs);
  // A result that changes nothing has nothing to prove.
  const against = [...(evidence.changed_files === 0 ? [] : unproven), ...evidence.objections];
  const { objections, accepted } = settle(against, evidence.accepted);
  held.push(...objections.map(({ message }) => `${message} (a person may waive it)`));
  const security = [...evidence.security, ...auditFindings(report.regressions, evidence.results)];
  return {
    verdict: failures.length > 0 ? "FAIL" : held.length > 0 ? "BLOCKED" : "PASS",
    reasons: [...failures, ...held],
    ...sortGroups(report),
    let_go: letGo.sort(inOrder),
    lifted: [...evidence.lifted],
    security,
    proven_by,
    objections,
    accepted,
    unreached: [...(evidence.unreached ?? [])],
    notes: [...(evidence.notes ?? [])],
    results: [...evidence.results],
  };
}

/** Lists findings of the project's own audit that it did not report on the base. */
function auditFindings(regressions: readonly Compared[], results: readonly CheckResult[]): SecurityFinding[] {
  const audits = new Set(results.filter(({ kind }) => kind === "audit").map(({ check }) => check));
  return regressions
    .filter(({ check }) => audits.has(check))
    .map(({ check, finding: { name, message, file, line } }) => ({
      kind: "audit",
      severity: "block",
      rule_id: check,
      path: file,
      line,
      reason: message === "" ? name : `${name}: ${firstLine(message)}`,
    }));
}

type Group = "regressions" | "pre_existing" | "fixed" | "flaky" | "missing";

/** Where each failing or formerly failing finding belongs. One id may be there several times: each counts. */
function* groupFindings(
  result: CheckResult,
  before: CheckResult | null,
  second: CheckResult | null,
): Generator<[Group, Finding]> {
  const known = tally(before === null ? [] : listFailing(before));
  const stays = second === null ? new Map<string, number>() : tally(listFailing(second));
  const first = tally(listFailing(result));
  for (const finding of listFailing(result)) {
    if (take(known, finding.id)) yield ["pre_existing", finding];
    else if (second !== null && !take(stays, finding.id) && hasSucceeded(second, finding)) yield ["flaky", finding];
    else yield ["regressions", finding];
  }
  // Findings of the second run alone are flaky, too.
  const old = tally(before === null ? [] : listFailing(before));
  for (const finding of second === null ? [] : listFailing(second))
    if (!take(first, finding.id) && !take(old, finding.id)) yield ["flaky", finding];
  for (const finding of before === null ? [] : listFailing(before))
    if (take(known, finding.id) && hasSucceeded(result, finding)) yield ["fixed", finding];
}

/** By convention, a program that was ended by a signal. */
const BY_SIGNAL = 128;

/**
 * Lists the failures of a check, down to its exit code: a program that failed without saying at what has failed as a whole, and so has one
 * that was stopped on its way, whatever it had said by then.
 */
export function listFailing(result: CheckResult): Finding[] {
  const failed = result.findings.filter(({ status }) => status === "failed");
  const { ended, exit_code } = result;
  const isWhole = ended === "exited" && exit_code !== null && exit_code < BY_SIGNAL;
  if (isWhole && (failed.length > 0 || exit_code === 0)) return failed;
  const how = ended === "exited" ? `exit code ${exit_code}` : ended.replace("_", " ");
  const message = `${how}\n${result.output.slice(-1500)}`;
  // Its id must not depend on what it printed: times and addresses differ from run to run.
  const id = isWhole ? "exit" : ended === "exited" ? "exit:signal" : `ended:${ended}`;
  return [...failed, { id, name: `${result.command} (${how})`, status: "failed", message, file: null, line: null }];
}

const isOfWhole = (id: string) => id === "exit" || id === "exit:signal" || id.startsWith("ended:");

/** Contract: true only for what was seen to succeed; a run that broke off shows nothing. */
export function hasSucceeded(result: CheckResult, { id }: Finding): boolean {
  if (isOfWhole(id)) return listFailing(result).length === 0;
  if (result.findings.some((f) => f.id === id && f.status === "passed")) return true;
  if (listFailing(result).some((f) => f.id === id || isOfWhole(f.id))) return false;
  if (id.startsWith("problem:")) return result.format !== "exit_code" || result.exit_code === 0;
  // Where those that pass have no names, one that is not among those that failed has passed.
  return result.findings.some(isUnnamed) && !result.findings.some((f) => f.id === id);
}

/** Tests that passed on the base and are not there, or are skipped, now. Moved tests are recognised by their name. */
function missingTests(result: CheckResult, before: CheckResult | null): Finding[] {
  if (before === null || result.kind !== "test") return [];
  const known = new Set(listFailing(before).map(({ id }) => id));
  // It fails as a whole and did not before: that is reported, and the tests it would have run are not missed.
  if (listFailing(result).some(({ id }) => !id.startsWith("test:") && !known.has(id))) return [];
  const ran = tally(result.findings.filter(({ status }) => status !== "skipped"));
  const skippedBefore = new Set(before.findings.filter(({ status }) => status === "skipped").map(({ id }) => id));
  const missed = before.findings.filter(
    (finding) =>
      finding.status !== "skipped" &&
      !isUncollected(finding) &&
      !skippedBefore.has(finding.id) &&
      !take(ran, finding.id),
  );
  // Where only those that fail have names, one that failed with its name on one side is without one on the other.
  const left = (isOne: (id: string) => boolean) => [...ran].reduce((sum, [id, n]) => (isOne(id) ? sum + n : sum), 0);
  const failedNow = new Set(listFailing(result).map(({ id }) => id));
  const isNamedFailure = (each: Finding) => each.status === "failed" && !isUnnamed(each);
  return [
    ...missed.filter((each) => !isUnnamed(each) && !isNamedFailure(each)),
    ...missed.filter(isNamedFailure).slice(left((id) => isUnnamed({ id }))),
    ...missed.filter(isUnnamed).slice(left((id) => failedNow.has(id))),
  ];
}

/** A run of tests that ran none proves nothing. */
function emptyRun(result: CheckResult): string | null {
  if (result.kind !== "test" || result.format === "exit_code") return null;
  return result.findings.some(({ status }) => status !== "skipped") ? null : `${result.check}: no test ran`;
}

function tally(findings: readonly Finding[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of findings) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function take(counts: Map<string, number>, id: string): boolean {
  const left = counts.get(id) ?? 0;
  if (left > 0) counts.set(id, left - 1);
  return left > 0;
}

function inOrder(a: Compared, b: Compared): number {
  return (
    byCodeUnit(a.check, b.check) ||
    byCodeUnit(a.finding.id, b.finding.id) ||
    (a.finding.line ?? 0) - (b.finding.line ?? 0)
  );
}

function sortGroups(report: Record<Group, Compared[]>): Record<Group, Compared[]> {
  for (const group of Object.values(report)) group.sort(inOrder);
  return report;
}

function firstLine(message: string): string {
  return (message.split("\n").find((line) => line.trim() !== "") ?? "").trim().slice(0, 200);
}

function someNames(found: readonly Compared[]): string {
  const names = found.slice(0, 3).map(({ finding }) => finding.name);
  return found.length > 3 ? `${names.join(", ")} and ${found.length - 3} more` : names.join(", ");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
