import { byCodeUnit } from "../model/by-code-unit.js";
import type { CheckResult, Compared, Finding, SecurityFinding, VerdictReport } from "../model/check.js";

/*
 * The verdict: a result against the same checks on its base. It says PASS only of what was seen to be no worse, and
 * never compares with zero: what was broken before is listed and tolerated, what broke now is not.
 */

export interface Evidence {
  readonly baseline: readonly CheckResult[];
  readonly results: readonly CheckResult[];
  /** What failed in `results` was run once more: the same checks on the same tree. */
  readonly again: readonly CheckResult[];
  /** How many files the result changed, and whether it was to change any. */
  readonly changed_files: number;
  readonly changes_due: boolean;
  /** What rules and guardrails found that a person may lift, already in words. */
  readonly blocked: readonly string[];
  /** Tests a person allowed to go. */
  readonly may_go: ReadonlySet<string>;
  /** What rules of security found in the change. */
  readonly security: readonly SecurityFinding[];
}

/** Contract: pure; equal evidence gives an equal report. A check that could not be run is a failure, not a pass. */
export function compare(evidence: Evidence): VerdictReport {
  const base = new Map(evidence.baseline.map((result) => [result.check, result]));
  const again = new Map(evidence.again.map((result) => [result.check, result]));
  const report = { regressions: [], pre_existing: [], fixed: [], flaky: [], missing: [] } as Record<Group, Compared[]>;
  const failures: string[] = [];
  const held: string[] = [...evidence.blocked];
  if (evidence.changes_due && evidence.changed_files === 0) failures.push("nothing was changed where a change was due");
  for (const result of evidence.results) {
    const before = base.get(result.check) ?? null;
    const second = again.get(result.check) ?? null;
    for (const [group, finding] of judged(result, before, second)) report[group].push({ check: result.check, finding });
    const empty = emptyRun(result);
    if (empty !== null) failures.push(empty);
    for (const finding of gone(result, before)) {
      if (!evidence.may_go.has(finding.name)) report.missing.push({ check: result.check, finding });
    }
  }
  for (const { check, finding } of report.regressions)
    failures.push(`${check}: ${finding.name} fails${finding.message === "" ? "" : `: ${firstLine(finding.message)}`}`);
  if (report.missing.length > 0)
    held.push(
      `${count(report.missing.length, "test")} that passed on the base ran no more: ${someNames(report.missing)}`,
    );
  const security = [...evidence.security, ...audited(report.regressions, evidence.results)];
  return {
    verdict: failures.length > 0 ? "FAIL" : held.length > 0 ? "BLOCKED" : "PASS",
    reasons: [...failures, ...held],
    ...sorted(report),
    security,
    results: [...evidence.results],
  };
}

/** What the project's own audit found, and had not found on the base. */
function audited(regressions: readonly Compared[], results: readonly CheckResult[]): SecurityFinding[] {
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
function* judged(
  result: CheckResult,
  before: CheckResult | null,
  second: CheckResult | null,
): Generator<[Group, Finding]> {
  const known = tally(before === null ? [] : failing(before));
  const stays = second === null ? null : tally(failing(second));
  for (const finding of failing(result)) {
    if (take(known, finding.id)) yield ["pre_existing", finding];
    else if (stays !== null && !take(stays, finding.id)) yield ["flaky", finding];
    else yield ["regressions", finding];
  }
  for (const finding of before === null ? [] : failing(before))
    if (take(known, finding.id) && succeeded(result, finding)) yield ["fixed", finding];
}

/** What failed, down to the exit code: a program that failed without saying at what has failed as a whole. */
export function failing(result: CheckResult): Finding[] {
  const failed = result.findings.filter(({ status }) => status === "failed");
  if (failed.length > 0 || (result.ended === "exited" && result.exit_code === 0)) return failed;
  const how = result.ended === "exited" ? `exit code ${result.exit_code}` : result.ended.replace("_", " ");
  const message = `${how}\n${result.output.slice(-1500)}`;
  // Its id must not depend on what it printed: times and addresses differ from run to run.
  const id = result.ended === "exited" ? "exit" : `ended:${result.ended}`;
  return [{ id, name: `${result.command} (${how})`, status: "failed", message, file: null, line: null }];
}

function succeeded(result: CheckResult, { id }: Finding): boolean {
  if (id === "exit" || id.startsWith("ended:")) return failing(result).length === 0;
  return id.startsWith("problem:") || result.findings.some((f) => f.id === id && f.status === "passed");
}

/** Tests that passed on the base and are not there, or are skipped, now. Moved ones go by their name. */
function gone(result: CheckResult, before: CheckResult | null): Finding[] {
  if (before === null || result.kind !== "test" || failing(result).some(({ id }) => !id.startsWith("test:"))) return [];
  const ran = tally(result.findings.filter(({ status }) => status !== "skipped"));
  const skippedBefore = new Set(before.findings.filter(({ status }) => status === "skipped").map(({ id }) => id));
  return before.findings.filter(
    (finding) => finding.status !== "skipped" && !skippedBefore.has(finding.id) && !take(ran, finding.id),
  );
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

function sorted(report: Record<Group, Compared[]>): Record<Group, Compared[]> {
  const order = (a: Compared, b: Compared) =>
    byCodeUnit(a.check, b.check) ||
    byCodeUnit(a.finding.id, b.finding.id) ||
    (a.finding.line ?? 0) - (b.finding.line ?? 0);
  for (const group of Object.values(report)) group.sort(order);
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
