import type { Finding } from "../../../model/settings/check.js";
import { test, type ReadReport } from "./report.js";

/* The Test Anything Protocol, versions 12 to 14, with subtests. A parent's own line is left out when it has children. */

const POINT = /^( *)(not )?ok\b(?: +(\d+))?(?: +-)?(?: +(.*))?$/;
const DIRECTIVE = /(?:^|[^\\])#\s*(skip|todo)\b.*$/i;

export const readTap: ReadReport = (text) => {
  if (!/^(TAP version \d+|1\.\.\d+|(not )?ok \d+)/m.test(text)) return null;
  const lines = text.split("\n");
  const found: Entry[] = [];
  /** Names of the subtests a line stands in, by depth. */
  const titles: string[] = [];
  let topPoints = 0;
  let numbered = 0;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const subtest = /^( *)# Subtest: (.*)$/.exec(line);
    if (subtest !== null) {
      titles[depthOf(subtest[1] as string)] = (subtest[2] as string).trim();
      continue;
    }
    const point = POINT.exec(line);
    if (point === null) {
      if (/^ *Bail out!/.test(line)) found.push(at(0, test("Bail out!", "failed", { message: line.trim() })));
      continue;
    }
    const depth = depthOf(point[1] as string);
    if (depth === 0) topPoints++;
    if (depth === 0 && point[3] !== undefined) numbered++;
    const { name, finding } = readPoint(point, titles.slice(0, depth), lines, i);
    const children = childrenOf(found, depth).filter((entry) => entry.name.startsWith(`${name} > `));
    // Said again by its parent: a failing parent without a failing child says something of its own.
    if (children.length === 0 || (finding.status === "failed" && !children.some((c) => c.finding.status === "failed")))
      found.push({ depth, name, finding });
  }
  return [...found.map(({ finding }) => finding), ...listMissing(text, topPoints, numbered)];
};

interface Entry {
  readonly depth: number;
  readonly name: string;
  readonly finding: Finding;
}

/** Lists the entries directly before that are deeper: a parent's line comes behind its children's. */
function childrenOf(found: readonly Entry[], depth: number): Entry[] {
  let first = found.length;
  while (first > 0 && (found[first - 1] as Entry).depth > depth) first--;
  return found.slice(first);
}

function at(depth: number, finding: Finding) {
  return { depth, name: finding.name, finding };
}

function readPoint(point: RegExpExecArray, above: readonly string[], lines: readonly string[], i: number) {
  const described = point[4] ?? "";
  const directive = DIRECTIVE.exec(described)?.[1]?.toLowerCase();
  const own = described.replace(DIRECTIVE, "").trim() || `test ${point[3] ?? i}`;
  const name = [...above, own].join(" > ");
  const failed = point[2] !== undefined && directive === undefined;
  const status = directive !== undefined ? "skipped" : failed ? "failed" : "passed";
  return { name, finding: test(name, status, failed ? { message: diagnostics(lines, i + 1) } : {}) };
}

/** The YAML block or comment lines behind a failed point. */
function diagnostics(lines: readonly string[], from: number): string {
  const block: string[] = [];
  for (let i = from; i < lines.length && block.length < 40; i++) {
    const line = lines[i] as string;
    if (POINT.test(line) || /^ *# Subtest/.test(line)) break;
    if (/^\s*(#|---|\.\.\.|\S+:| {2,})/.test(line)) block.push(line.trim());
    else break;
  }
  return tidy(block.filter((line) => line !== "---" && line !== "..."));
}

/** Puts the failure first, then the rest; leaves out times and places, which differ from run to run. */
function tidy(lines: readonly string[]): string {
  const kept = lines.filter((line) => !/^(duration_ms|type|location|code|name|failureType|stack): /.test(line));
  const [error] = kept.filter((line) => /^(error|message):/.test(line));
  const first = error?.replace(/^(error|message): *(\|-|>-)? */, "").replaceAll(/^'|'$/g, "") ?? "";
  return [first, ...kept.filter((line) => line !== error)].filter((line) => line !== "").join("\n");
}

/** A plan that promised more than came: the program died, and silence is not success. */
function listMissing(text: string, count: number, numbered: number): Finding[] {
  // Several packages of one repository have a plan each.
  const plans = [...text.matchAll(/^1\.\.(\d+)/gm)].map(([, most]) => Number(most));
  if (plans.length === 0)
    return [test("TAP plan", "failed", { message: "there is no plan: it may break off anywhere" })];
  const promised = plans.reduce((sum, most) => sum + most, 0);
  // More than was promised: behind a whole report one begins that never came to its plan.
  return (promised > count && promised < 1e6) || numbered > promised
    ? [test("TAP plan", "failed", { message: `${promised} tests were planned and ${count} were reported` })]
    : [];
}

function depthOf(blanks: string): number {
  return Math.floor(blanks.length / 4);
}
