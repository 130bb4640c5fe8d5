import type { CheckResult, Finding, ReportFormat } from "../../model/check.js";
import { readJest } from "./jest.js";
import { readJunit } from "./junit.js";
import { readCargo, readEslint, readGo, readPytest, readTsc, readUnittest } from "./lines.js";
import { readNpmAudit } from "./npm-audit.js";
import type { ReadReport } from "./report.js";
import { readSarif } from "./sarif.js";
import { readTap } from "./tap.js";

const READERS: Readonly<Record<Exclude<ReportFormat, "auto" | "exit_code">, ReadReport>> = {
  jest: readJest,
  junit: readJunit,
  go: readGo,
  eslint: readEslint,
  tsc: readTsc,
  pytest: readPytest,
  unittest: readUnittest,
  cargo: readCargo,
  tap: readTap,
  npm_audit: readNpmAudit,
  sarif: readSarif,
};

/** The order in which forms are tried: those that cannot be mistaken come first. */
const ORDER = [
  "junit",
  "jest",
  "npm_audit",
  "sarif",
  "go",
  "eslint",
  "pytest",
  "unittest",
  "cargo",
  "tsc",
  "tap",
] as const;

/** Colours are for people. */
// oxlint-disable-next-line no-control-regex -- takes control characters out
const ANSI = /\u001B\[[0-9;?]*[A-Za-z]/g;

/**
 * What a program reported. Contract: pure and total; a text nobody can read is `exit_code` with no findings, and the
 * caller then knows nothing but the exit code.
 */
export function readReport(
  text: string,
  format: ReportFormat,
): { readonly format: CheckResult["format"]; readonly findings: Finding[] } {
  const plain = text.replaceAll(ANSI, "");
  if (format === "exit_code") return { format, findings: [] };
  for (const name of format === "auto" ? ORDER : [format]) {
    const findings = READERS[name](plain);
    if (findings !== null) return { format: name, findings };
  }
  return { format: "exit_code", findings: [] };
}
