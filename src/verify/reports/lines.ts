import { z } from "zod";
import type { Finding } from "../../model/check.js";
import { problem, relative, test, type ReadReport } from "./report.js";

/* Reports that are read line by line from what a program prints. */

// ------------------------------------------------------------------------------------------------------------ pytest

const PYTEST_VERBOSE = /^(\S.*?::.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b/;
const PYTEST_SUMMARY = /^(FAILED|ERROR) (\S+?(?:::.+?)?)(?: - (.*))?$/;
const PYTEST_END = /^=+ (.*\b(?:passed|failed|error|errors|skipped|no tests ran)\b.*) in [\d.]+s.*=+$/m;

export const readPytest: ReadReport = (text) => {
  if (!PYTEST_END.test(text) && !/^=+ test session starts =+$/m.test(text)) return null;
  const tests = new Map<string, Finding>();
  for (const line of text.split(/\r?\n/)) {
    const verbose = PYTEST_VERBOSE.exec(line);
    if (verbose !== null) add(tests, verbose[1] as string, pytestStatus(verbose[2] as string), "");
    const summary = PYTEST_SUMMARY.exec(line);
    if (summary !== null) add(tests, summary[2] as string, "failed", summary[3] ?? "");
  }
  const passed = Number(/(\d+) passed/.exec(PYTEST_END.exec(text)?.[1] ?? "")?.[1] ?? 0);
  const named = [...tests.values()].filter(({ status }) => status === "passed").length;
  // Without -v only those that failed have names; that others passed is known by their number.
  if (passed > named) tests.set("", test(`${passed - named} tests without a name`, "passed"));
  return [...tests.values()];
};

function add(tests: Map<string, Finding>, name: string, status: Finding["status"], message: string): void {
  tests.set(name, test(name, status, { message, file: name.split("::")[0] ?? null }));
}

function pytestStatus(word: string): Finding["status"] {
  if (word === "PASSED" || word === "XPASS") return "passed";
  return word === "FAILED" || word === "ERROR" ? "failed" : "skipped";
}

// ---------------------------------------------------------------------------------------------------------- unittest

const UNITTEST = /^(\w+ \([\w.]+\))(?: \.\.\.|$)/;
const UNITTEST_END = /\.\.\. (ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b[^\n]*$|^(ok|FAIL|ERROR)$/;
const UNITTEST_PROBLEM = /^(?:FAIL|ERROR): (.+)$/;

/** Python's own `unittest -v`. What a test prints, and its first line of documentation, may stand between its name and its end. */
export const readUnittest: ReadReport = (text) => {
  if (!/^Ran \d+ tests? in [\d.]+s$/m.test(text)) return null;
  const tests = new Map<string, Finding>();
  const lines = text.split(/\r?\n/);
  let name: string | null = null;
  for (const [i, line] of lines.entries()) {
    name = UNITTEST.exec(line)?.[1] ?? name;
    const ended = UNITTEST_END.exec(line);
    if (ended !== null && name !== null) {
      tests.set(name, test(name, unittestStatus(ended[1] ?? ended[2] ?? "")));
      name = null;
    }
    // Modules that cannot be imported have no line of their own, only this one.
    const problem = UNITTEST_PROBLEM.exec(line)?.[1];
    if (problem !== undefined && lines[i - 1]?.startsWith("=====") === true) {
      const about = lines.slice(i + 2, i + 40);
      const end = about.findIndex((each) => /^(?:=====|-----)/.test(each));
      const message = about.slice(0, end === -1 ? undefined : end).join("\n");
      tests.set(problem, test(problem, "failed", { message: message.trim() }));
    }
  }
  const ran = Number(/^Ran (\d+) tests?/m.exec(text)?.[1] ?? 0);
  // Without -v only those that failed have names; that others passed is known by their number.
  if (ran > tests.size) tests.set("", test(`${ran - tests.size} tests without a name`, "passed"));
  return [...tests.values()];
};

function unittestStatus(word: string): Finding["status"] {
  if (word === "ok" || word === "expected failure") return "passed";
  return word === "skipped" ? "skipped" : "failed";
}

// ---------------------------------------------------------------------------------------------------------------- go

const GoLine = z.object({
  Action: z.string(),
  Package: z.string().default(""),
  Test: z.string().optional(),
  Output: z.string().optional(),
});

/** `go test -json`: one JSON object a line. */
export const readGo: ReadReport = (text) => {
  if (!/^\{"Time":|^\{"Action":/m.test(text)) return null;
  const tests = new Map<string, Finding>();
  const printed = new Map<string, string>();
  for (const line of text.split("\n")) {
    const entry = goLine(line);
    if (entry === null) continue;
    const { Action, Package, Test, Output } = entry;
    const key = `${Package} ${Test ?? "(package)"}`;
    if (Action === "output") printed.set(key, ((printed.get(key) ?? "") + (Output ?? "")).slice(-4000));
    const status = { pass: "passed", fail: "failed", skip: "skipped" }[Action] as Finding["status"] | undefined;
    if (status === undefined) continue;
    // A package fails because of its tests, and says so again; one that does not build has none.
    const ofPackage = Test === undefined;
    if (ofPackage && (status !== "failed" || someFailed(tests, Package))) continue;
    tests.set(key, test(key, status, { message: status === "failed" ? (printed.get(key) ?? "") : "" }));
  }
  return [...tests.values()];
};

function goLine(line: string): z.infer<typeof GoLine> | null {
  if (!line.startsWith("{")) return null;
  try {
    const read = GoLine.safeParse(JSON.parse(line));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

function someFailed(tests: ReadonlyMap<string, Finding>, pack: string): boolean {
  return [...tests].some(([key, { status }]) => status === "failed" && key.startsWith(`${pack} `));
}

// ------------------------------------------------------------------------------------------------------------- cargo

const CARGO_TEST = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)/;

export const readCargo: ReadReport = (text) => {
  if (!/^running \d+ tests?$/m.test(text) && !/^error(\[E\d+\])?: /m.test(text)) return null;
  const found: Finding[] = [];
  let suite = "";
  const lines = text.split(/\r?\n/);
  for (const [i, line] of lines.entries()) {
    const running = /^\s+Running (?:unittests )?(\S+)|^\s+Doc-tests (\S+)/.exec(line);
    if (running !== null) suite = running[1] ?? `doc ${running[2] ?? ""}`;
    const point = CARGO_TEST.exec(line);
    if (point !== null) {
      const status = point[2] === "ok" ? "passed" : point[2] === "ignored" ? "skipped" : "failed";
      const name = `${suite === "" ? "" : `${suite} > `}${point[1] as string}`;
      const message = status === "failed" ? panicOf(text, point[1] as string) : "";
      found.push(test(name, status, { message }));
    }
    const error = /^error(\[(E\d+)\])?: (.*)$/.exec(line);
    const place = /^\s*--> (.+?):(\d+):\d+/.exec(lines[i + 1] ?? "");
    if (error !== null && place !== null)
      found.push(problem(place[1] as string, error[2] ?? "error", error[3] as string, Number(place[2])));
  }
  return found;
};

function panicOf(text: string, name: string): string {
  const begin = text.indexOf(`---- ${name} stdout ----`);
  const [panic = ""] = begin < 0 ? [] : text.slice(begin, begin + 1500).split("\n\n----");
  return panic.trim();
}

// ------------------------------------------------------------------------------------------------------------ eslint

const Eslint = z.array(
  z.object({
    filePath: z.string(),
    messages: z.array(
      z.object({
        ruleId: z.string().nullable(),
        severity: z.number(),
        message: z.string(),
        line: z.number().nullish(),
      }),
    ),
  }),
);

/** ESLint's JSON. A warning does not fail there and does not here. */
export const readEslint: ReadReport = (text) => {
  const begin = text.indexOf("[");
  const end = text.lastIndexOf("]");
  if (begin < 0 || !text.includes('"filePath"')) return null;
  let value: unknown;
  try {
    value = JSON.parse(text.slice(begin, end + 1));
  } catch {
    return null;
  }
  const report = Eslint.safeParse(value);
  if (!report.success) return null;
  return report.data.flatMap(({ filePath, messages }) =>
    messages
      .filter(({ severity }) => severity >= 2)
      .map((m) => problem(filePath, m.ruleId ?? "syntax", m.message, m.line ?? null)),
  );
};

// --------------------------------------------------------------------------------------------------------------- tsc

const TSC = /^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$/;
const TSC_PRETTY = /^(.+?):(\d+):\d+ - error (TS\d+): (.*)$/;

export const readTsc: ReadReport = (text) => {
  const found = text.split(/\r?\n/).flatMap((line): Finding[] => {
    const match = TSC.exec(line) ?? TSC_PRETTY.exec(line);
    if (match !== null) return [problem(match[1] as string, match[3] as string, match[4] as string, Number(match[2]))];
    const global = /^error (TS\d+): (.*)$/.exec(line);
    return global === null ? [] : [problem(relative("tsconfig.json"), global[1] as string, global[2] as string, null)];
  });
  return found.length === 0 ? null : found;
};
