import { z } from "zod";
import type { Finding } from "../../model/check.js";
import { cutOff, test, type ReadReport } from "./report.js";

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
    if (Action === "output") printed.set(key, ((printed.get(key) ?? "") + (Output ?? "")).slice(-4000));
    // Lines about builds name no package.
    if (Package !== "" && Action !== "output") begun.add(Package);
    const status = { pass: "passed", fail: "failed", skip: "skipped" }[Action] as Finding["status"] | undefined;
    if (status === undefined) continue;
    // A package fails because of its tests, and says so again; one that does not build has none.
    const ofPackage = Test === undefined;
    if (ofPackage) begun.delete(Package);
    if (ofPackage && (status !== "failed" || failed.has(Package))) continue;
    if (status === "failed") failed.add(Package);
    tests.set(key, test(key, status, { message: status === "failed" ? whatFailed(printed.get(key) ?? "") : "" }));
  }
  const unended = [...begun, ...(isTorn && begun.size === 0 ? ["go test"] : [])];
  return [...tests.values(), ...unended.map(cutOff)];
};

/** What a test printed without what the runner says of every test; all of it where there is nothing else. */
function whatFailed(text: string): string {
  const own = text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)|--- (?:FAIL|PASS|SKIP): )/.test(line));
  return own.length === 0 ? text : own.join("\n");
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
