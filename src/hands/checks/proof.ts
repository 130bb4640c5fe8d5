import type { CheckResult, Finding } from "../../model/settings/check.js";
import { causeIn, type ProofCause, type ProofKind } from "./proof-causes.js";

/*
 * Whether a check proves anything on a tree. A comparison is worth what its base is worth: where a check did not run, or
 * ran and nothing passed, everything that fails later has "failed before", and the comparison shows nothing.
 */

export interface Proof {
  readonly proves: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Why it proves nothing; null when it does. */
  readonly cause: ProofCause | null;
}

/** Reports that list what is wrong and nothing else: that nothing is listed is what passes. */
const MESSAGES: ReadonlySet<CheckResult["format"]> = new Set(["eslint", "tsc", "lint", "npm_audit", "sarif"]);

/** Contract: pure and total. What cannot be seen to have run proves nothing. */
export function proofOf(result: CheckResult): Proof {
  const of = (status: Finding["status"]) => result.findings.filter((finding) => finding.status === status).length;
  const counts = { passed: of("passed"), failed: of("failed"), skipped: of("skipped") };
  const cause = whyNothing(result, counts.passed, counts.failed);
  return { proves: cause === null, ...counts, cause };
}

function whyNothing(result: CheckResult, passed: number, failed: number): ProofCause | null {
  const { unready, ended, exit_code } = result;
  if (unready !== undefined) return { kind: "environment", message: firstLine(unready) };
  if (ended === "not_started") return { kind: "not_started", message: "its shell could not be started" };
  if (ended === "timed_out") return { kind: "timed_out", message: "it did not end within its time" };
  if (ended === "killed") return { kind: "environment", message: "it was stopped before its end" };
  if (passed > 0) return null;
  const isOfTests = result.kind === "test" || isTestReport(result);
  if (exit_code === 0) return isOfTests ? emptyRun(result) : null;
  const said = causeIn(result.output);
  // A build that fails has built nothing, and of a run of tests that only a compiler speaks of, no test has run.
  if (isMessages(result) && result.kind !== "build" && result.kind !== "test") return messagesCause(result, said);
  if (said !== null) return said;
  if (isOfTests && result.format !== "exit_code" && failed === 0) return NO_TESTS;
  return failed > 0 ? noneOf(failed, isOfTests) : { kind: "failed_whole", message: howItFailed(result) };
}

const NO_TESTS: ProofCause = { kind: "no_tests", message: "no test ran" };

/** A run of tests that ended well: without a single test, or with every one of them skipped, it has shown nothing. */
function emptyRun(result: CheckResult): ProofCause | null {
  if (result.format !== "exit_code" && !MESSAGES.has(result.format)) return NO_TESTS;
  const said = causeIn(result.output);
  return said?.kind === "no_tests" ? said : null;
}

/** A linter that ran and complained is compared message by message, unless all it says is that things are missing. */
function messagesCause({ findings }: CheckResult, said: ProofCause | null): ProofCause | null {
  const failed = findings.filter(({ status }) => status === "failed");
  if (failed.length === 0) return said ?? { kind: "failed_whole", message: "it failed without a message" };
  const isMissing = failed.every(({ message }) => MISSING_MODULE.test(message));
  if (isMissing) return { kind: "environment", message: firstLine(failed[0]?.message ?? "") };
  return said !== null && NOT_RUN.has(said.kind) ? said : null;
}

const NOT_RUN: ReadonlySet<ProofKind> = new Set(["program_missing", "not_started"]);
const MISSING_MODULE =
  /cannot find (?:module|package|type definition|implementation or library stub|name '(?:process|require|console|describe|it|test)')|could not find a declaration file|is not in (?:GOROOT|std)|no required module provides package|unresolved import|import .* could not be resolved|unable to (?:resolve path to|import)/i;

function isMessages({ kind, format, findings }: CheckResult): boolean {
  if (MESSAGES.has(format)) return true;
  if (findings.length > 0 && (kind === "lint" || kind === "types" || kind === "audit")) return true;
  return format === "cargo" && findings.length > 0 && findings.every(({ id }) => id.startsWith("problem:"));
}

function isTestReport({ format }: CheckResult): boolean {
  return format !== "exit_code" && format !== "cargo" && !MESSAGES.has(format);
}

function noneOf(failed: number, isOfTests: boolean): ProofCause {
  const noun = isOfTests ? "test" : "thing it looked at";
  const message = failed === 1 ? `its only ${noun} fails` : `none of its ${failed} ${noun}s passes`;
  return { kind: "failed_whole", message };
}

function howItFailed({ exit_code, output }: CheckResult): string {
  const last = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return `exit code ${exit_code ?? "unknown"}${last === "" ? "" : `: ${last.slice(0, 160)}`}`;
}

function firstLine(text: string): string {
  return (text.split("\n").find((line) => line.trim() !== "") ?? "").trim().slice(0, 200);
}

/**
 * The text by which two results prove nothing for one and the same cause. Contract: the same on every tree and at every
 * time, so without numbers, places and what else differs from run to run.
 */
export function causeText({ kind, message }: ProofCause): string {
  if (kind === "failed_whole" || kind === "timed_out" || kind === "no_tests") return kind;
  const steady = message
    .replaceAll(/(?:\/[\w.@+-]+)+\//g, "")
    .replaceAll(/\b[0-9a-f]{7,64}\b/g, "#")
    .replaceAll(/\d+/g, "#")
    .replaceAll(/\s+/g, " ")
    .trim();
  return `${kind}: ${steady}`.slice(0, 300);
}
