import type { CheckResult } from "../model/check.js";
import { isUnnamed } from "./reports/report.js";

/* Whether a check proved anything on the tree it ran on. Pure. */

export interface Proof {
  readonly proves: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly cause: ProofCause | null;
}

export interface ProofCause {
  readonly kind:
    | "not_started"
    | "program_missing"
    | "does_not_compile"
    | "collection_error"
    | "timed_out"
    | "no_tests"
    | "failed_whole";
  readonly message: string;
}

export function proofOf(result: CheckResult): Proof {
  const count = (status: string) => result.findings.filter((f) => f.status === status && !isUnnamed(f)).length;
  const counts = { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
  const cause = causeOf(result, counts.passed, counts.failed);
  return { proves: cause === null, ...counts, cause };
}

function causeOf(result: CheckResult, passed: number, failed: number): ProofCause | null {
  const { ended, exit_code, output, kind, format } = result;
  if (ended === "not_started") return { kind: "not_started", message: "it could not be started" };
  if (ended === "timed_out") return { kind: "timed_out", message: "it did not end in time" };
  const missing = /^.*(?:: (?:command )?not found|No module named [\w'.]+)\s*$/m.exec(output)?.[0];
  if (passed > 0 && kind === "test") return null;
  if (missing !== undefined && exit_code !== 0) return { kind: "program_missing", message: missing.trim() };
  if (kind !== "test") return exit_code === 0 || failed > 0 ? null : whole(result);
  if (exit_code === 0 && format === "exit_code") return null;
  if (exit_code === 0) return { kind: "no_tests", message: "it found no tests" };
  return whole(result);
}

function whole({ output, exit_code }: CheckResult): ProofCause {
  const line = output.split("\n").find((each) => /error/i.test(each)) ?? `exit code ${exit_code}`;
  return { kind: "failed_whole", message: line.trim() };
}
