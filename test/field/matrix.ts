import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { VerdictReport } from "../../src/model/settings/check.js";
import { findAbilities } from "../../src/hands/sandbox/grade.js";
import { type Bench, type FilledCache, openBench } from "./bench.js";
import type { ChangeName, Ecosystem, State } from "./ecosystem.js";
import { EXPECTED } from "./expected.js";

/** One test for each cell of an ecosystem; the bases are made once and the cells of a base share what is known of it. */
export function describeEcosystem(ecosystem: Ecosystem): void {
  const missing = ecosystem.needs.filter((program) => !isInstalled(program));
  const isSandboxed = findAbilities().bubblewrap !== null;
  const left = [...(isSandboxed ? [] : ["bubblewrap"]), ...missing];
  const name = left.length === 0 ? ecosystem.name : `${ecosystem.name} (not installed: ${left.join(", ")})`;
  describe.skipIf(left.length > 0)(`verdicts in a repository of ${name}`, () => {
    let filled: FilledCache | null = null;
    const cacheOf = () => (filled ??= fillCache(ecosystem));
    afterAll(() => filled && rmSync(dirname(filled.home), { recursive: true, force: true, maxRetries: 5 }));
    for (const [state, row] of Object.entries(EXPECTED[ecosystem.name] ?? {}))
      describe(`whose base is ${state}`, () => describeCells(ecosystem, state as State, row, cacheOf));
  });
}

/** Fills the cache of an ecosystem in a home of its own, by its commands on the base that is green. */
function fillCache({ bases, cache }: Ecosystem): FilledCache | null {
  if (cache === undefined) return null;
  const place = mkdtempSync(join(tmpdir(), "coordinator-cache-"));
  const [home, project] = [join(place, "home"), join(place, "project")];
  mkdirSync(home);
  for (const [name, text] of Object.entries(bases.green?.files ?? {})) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  const env = { PATH: process.env["PATH"], HOME: home };
  execFileSync("sh", ["-c", cache.fill], { cwd: project, env, stdio: "ignore" });
  return { home, folder: cache.folder };
}

function describeCells(
  ecosystem: Ecosystem,
  state: State,
  row: Readonly<Record<string, string>>,
  cacheOf: () => FilledCache | null,
): void {
  const base = ecosystem.bases[state];
  if (base === undefined) throw new Error(`${ecosystem.name} has no base that is ${state}`);
  let bench: Promise<Bench> | null = null;
  afterAll(async () => (await bench)?.remove());
  it.each(Object.entries(row))("a change that is %s: %s", async (change, expected) => {
    bench ??= openBench(base, cacheOf());
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
