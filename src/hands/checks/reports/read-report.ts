import type { Check, CheckResult, Finding, ReportFormat } from "../../../model/settings/check.js";
import { readCargo } from "./cargo.js";
import { readEslint, readEslintText, readTsc } from "./eslint-tsc.js";
import { readGo, readGoText } from "./go.js";
import { readJest } from "./jest.js";
import { readJunit } from "./junit.js";
import { readLintJson } from "./lint-json.js";
import { readLintLines } from "./lint-lines.js";
import { readNpmAudit } from "./npm-audit.js";
import { readPytest, readUnittest } from "./python.js";
import type { ReadReport } from "./report.js";
import { readJestText, readMocha, readNodeSpec, readVitest } from "./runners.js";
import { readSarif } from "./sarif.js";
import { readMinitest, readPhpunit, readUvu } from "./summaries.js";
import { readTap } from "./tap.js";

type Known = Exclude<ReportFormat, "auto" | "exit_code">;

const firstOf =
  (...readers: readonly ReadReport[]): ReadReport =>
  (text) => {
    for (const read of readers) {
      const found = read(text);
      if (found !== null) return found;
    }
    return null;
  };

/** One command may run several programs: the messages of all of them. */
const allOf =
  (...readers: readonly ReadReport[]): ReadReport =>
  (text) => {
    const read = readers.map((each) => each(text)).filter((found) => found !== null);
    return read.length === 0 ? null : read.flat();
  };

/** Documents for programs: whole or nothing, and nothing else may stand inside of them. */
const DOCUMENTS: Readonly<Partial<Record<Known, ReadReport>>> = {
  junit: readJunit,
  jest: readJest,
  npm_audit: readNpmAudit,
  sarif: readSarif,
  go: readGo,
  eslint: readEslint,
  lint: readLintJson,
};

const READERS: Readonly<Record<Known, ReadReport>> = {
  jest: firstOf(readJest, readVitest, readJestText),
  junit: readJunit,
  go: firstOf(readGo, readGoText),
  eslint: firstOf(readEslint, readEslintText),
  tsc: readTsc,
  lint: allOf(readLintJson, readLintLines),
  pytest: readPytest,
  unittest: readUnittest,
  cargo: readCargo,
  tap: readTap,
  spec: firstOf(readNodeSpec, readMocha, readUvu, readMinitest, readPhpunit),
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
  "spec",
  "tap",
  "lint",
] as const;

/** Forms of messages; one command may run several programs, and those of none of them may be left out. */
const MESSAGES: readonly ReportFormat[] = ["eslint", "tsc", "lint"];
const FOR_PEOPLE = [readEslintText, readTsc, readLintLines];

/** Colours and links are for people. */
// oxlint-disable-next-line no-control-regex -- takes control characters out
const ANSI = /\u001B(?:\[[0-9;:?]*[A-Za-z]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))/g;

const plain = (text: string) => text.replaceAll(ANSI, "").replaceAll("\r\n", "\n");

/** Results that were kept are compared by name. To be raised whenever a reader names something otherwise than before. */
export const READERS_VERSION = 4;

export interface Read {
  readonly format: CheckResult["format"];
  readonly findings: Finding[];
}

/**
 * Reads the report of a program. Contract: pure and total; an unknown format is `exit_code` without findings: the
 * caller then knows nothing but the exit code.
 */
export function readReport(text: string, format: ReportFormat, kind: Check["kind"] = "other"): Read {
  return readAs(text, format, READERS, kind);
}

/**
 * Reads the output of a program: a document on its standard output alone, because warnings may fall into the middle of it; all
 * else in all it printed.
 */
export function readPrinted(
  { stdout, all }: { stdout: string; all: string },
  format: ReportFormat,
  kind: Check["kind"] = "other",
): Read {
  const document = readAs(stdout, format, DOCUMENTS, kind);
  if (document.format === "exit_code") return readReport(all, format, kind);
  if (format !== "auto" || !MESSAGES.includes(document.format)) return document;
  const text = plain(all);
  return { ...document, findings: [...document.findings, ...FOR_PEOPLE.flatMap((read) => read(text) ?? [])] };
}

function readAs(
  text: string,
  format: ReportFormat,
  readers: Readonly<Partial<Record<Known, ReadReport>>>,
  kind: Check["kind"],
): Read {
  if (format === "exit_code") return { format, findings: [] };
  const clean = plain(text);
  // Output of tests may look like anything: messages in it come from the code under test.
  const order = format !== "auto" ? [format] : kind === "test" ? ORDER.filter((name) => name !== "lint") : ORDER;
  for (const [i, name] of order.entries()) {
    const findings = readers[name]?.(clean) ?? null;
    if (findings === null) continue;
    const others = MESSAGES.includes(name) ? order.slice(i + 1).filter((each) => MESSAGES.includes(each)) : [];
    return { format: name, findings: [...findings, ...others.flatMap((each) => readers[each]?.(clean) ?? [])] };
  }
  return { format: "exit_code", findings: [] };
}
