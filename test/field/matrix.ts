import { execFileSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import type { VerdictReport } from "../../src/model/settings/check.js";
import { findAbilities } from "../../src/hands/sandbox/grade.js";
import { type Bench, openBench } from "./bench.js";
import type { ChangeName, Ecosystem, State } from "./ecosystem.js";
import { EXPECTED } from "./expected.js";

/** One test for each cell of an ecosystem; the bases are made once and the cells of a base share what is known of it. */
export function describeEcosystem(ecosystem: Ecosystem): void {
  const missing = ecosystem.needs.filter((program) => !isInstalled(program));
  const isSandboxed = findAbilities().bubblewrap !== null;
  const left = [...(isSandboxed ? [] : ["bubblewrap"]), ...missing];
  const name = left.length === 0 ? ecosystem.name : `${ecosystem.name} (not installed: ${left.join(", ")})`;
  describe.skipIf(left.length > 0)(`verdicts in a repository of ${name}`, () => {
    for (const [state, row] of Object.entries(EXPECTED[ecosystem.name] ?? {}))
      describe(`whose base is ${state}`, () => describeCells(ecosystem, state as State, row));
  });
}

function describeCells(ecosystem: Ecosystem, state: State, row: Readonly<Record<string, string>>): void {
  const base = ecosystem.bases[state];
  if (base === undefined) throw new Error(`${ecosystem.name} has no base that is ${state}`);
  let bench: Promise<Bench> | null = null;
  afterAll(async () => (await bench)?.remove());
  it.each(Object.entries(row))("a change that is %s: %s", async (change, expected) => {
    bench ??= openBench(base);
    const report = await (await bench).judge(ecosystem.changes[change as ChangeName](base.files));
    expect(`${report.verdict}${causeOf(report)}`, explained(report)).toBe(expected);
    if (report.verdict === "PASS") expect(report.proven_by, explained(report)).not.toEqual([]);
    // What is missing is named, and what fails by chance is never held against a change.
    if (state === "missing tool") expect(report.reasons.join("\n")).toMatch(/no.such/);
    expect(report.regressions.filter(({ finding }) => /now.?and.?then/i.test(finding.name))).toEqual([]);
  });
}

function causeOf(report: VerdictReport): string {
  return report.verdict === "BLOCKED" && report.objections.some(({ kind }) => kind === "unproven") ? " unproven" : "";
}

/** What the verdict rests on, for whoever reads of a cell that is wrong. */
function explained({ reasons, results }: VerdictReport): string {
  const ran = results.map(({ check, exit_code, ended, findings, output }) => {
    const of = (wanted: string) => findings.filter(({ status }) => status === wanted).length;
    return `${check}: ${ended} ${exit_code}, ${of("passed")} passed, ${of("failed")} failed\n${output.slice(-600)}`;
  });
  return [...reasons, ...ran].join("\n");
}

function isInstalled(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
