import { tailOf } from "../../../foundation/secrets/tail-of.js";
import { z } from "zod";
import type { Finding } from "../../../model/settings/check.js";
import { reportCutOff, test, type ReadReport } from "./report.js";

const GoLine = z.object({
  Action: z.string(),
  Package: z.string().default(""),
  Test: z.string().optional(),
  Output: z.string().optional(),
});

/** `go test -json`: one JSON object a line. */
export const readGo: ReadReport = (text) => {
  if (!/^\{"(?:Time|Action|ImportPath)":/m.test(text)) return null;
  const tests = new Map<string, Finding>();
  const printed = new Map<string, string>();
  const begun = new Set<string>();
  const failed = new Set<string>();
  let isTorn = false;
  for (const line of text.split("\n")) {
    // Before Go 1.24 a package that does not build has no line of its own in JSON.
    const unbuilt = /^FAIL\t(\S+) \[((?:build|setup) failed)\]\s*$/.exec(line);
    if (unbuilt !== null) {
      const key = `${unbuilt[1] as string} (package)`;
      tests.set(key, test(key, "failed", { message: unbuilt[2] as string }));
      begun.delete(unbuilt[1] as string);
    }
    const entry = goLine(line);
    if (line.startsWith("{")) isTorn = entry === null;
    if (entry === null) continue;
    const { Action, Package, Test, Output } = entry;
    const key = `${Package} ${Test ?? "(package)"}`;
    if (Action === "output") printed.set(key, tailOf((printed.get(key) ?? "") + (Output ?? ""), 4000));
    // Lines about builds name no package.
    if (Package !== "" && Action !== "output") begun.add(Package);
    const status = { pass: "passed", fail: "failed", skip: "skipped" }[Action] as Finding["status"] | undefined;
    if (status === undefined) continue;
    // A package fails because of its tests, and says so again; one that does not build has none.
    const ofPackage = Test === undefined;
    if (ofPackage) begun.delete(Package);
    if (ofPackage && (status !== "failed" || failed.has(Package))) continue;
    if (status === "failed") failed.add(Package);
    tests.set(key, test(key, status, { message: status === "failed" ? withoutMarks(printed.get(key) ?? "") : "" }));
  }
  const unended = [...begun, ...(isTorn && begun.size === 0 ? ["go test"] : [])];
  return [...tests.values(), ...unended.map(reportCutOff)];
};

const GO_TEST = /^ *--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$/;
const GO_PACKAGE =
  /^(?:(ok|FAIL)\s+(\S+)\s+(?:([\d.]+s|\(cached\))(?:\s.*)?|\[((?:build|setup) failed)\])|\?\s+\S+\s+\[no test files\])\s*$/;

/**
 * Reads the output of `go test -v` for people. Without `-v` only those that fail have names and nobody counts the others: then
 * nothing but the exit code is known.
 */
export const readGoText: ReadReport = (text) => {
  const lines = text.split("\n");
  if (!/^=== RUN /m.test(text) || !lines.some((line) => GO_PACKAGE.test(line))) return null;
  const found: Finding[] = [];
  let tests: Finding[] = [];
  for (const [i, line] of lines.entries()) {
    const [, word, name = ""] = GO_TEST.exec(line) ?? [];
    if (word !== undefined)
      tests.push(test(name, statusOf(word), { message: word === "FAIL" ? outputBelow(lines, i) : "" }));
    const ended = GO_PACKAGE.exec(line);
    if (ended === null) continue;
    const [, how, path = "", , unbuilt] = ended;
    const named = tests.map((each) => ({ ...each, id: `test:${path} ${each.name}`, name: `${path} ${each.name}` }));
    tests = [];
    found.push(...named);
    if (how === "FAIL" && !named.some(({ status }) => status === "failed"))
      found.push(test(`${path} (package)`, "failed", { message: unbuilt ?? "" }));
  }
  return [...found, ...(tests.length > 0 ? [reportCutOff("go test")] : [])];
};

/** Lines that say where a test begins or continues are in its output, before anything it prints itself. */
function withoutMarks(output: string): string {
  const lines = output.split("\n");
  return lines
    .filter((line) => !/^(?:=== (?:RUN|PAUSE|CONT|NAME) |\s*--- FAIL: )/.test(line))
    .join("\n")
    .trim();
}

function statusOf(word: string): Finding["status"] {
  return word === "PASS" ? "passed" : word === "FAIL" ? "failed" : "skipped";
}

/** Reads the output of a test: lines that are further in than the test's own. */
function outputBelow(lines: readonly string[], at: number): string {
  const said: string[] = [];
  for (let i = at + 1; /^\s+\S/.test(lines[i] ?? "") && said.length < 30; i++) said.push((lines[i] as string).trim());
  return said.join("\n");
}

function goLine(line: string): z.infer<typeof GoLine> | null {
  if (!line.startsWith("{")) return null;
  try {
    const read = GoLine.safeParse(JSON.parse(line));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}
