import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/*
 * Speed is measured by `npm run bench` and never by a timed assertion. What was measured last is in docs/benchmarks.md;
 * this holds that it was measured and that it keeps the specification's limits with room to spare.
 */
const page = readFileSync(new URL("../../docs/benchmarks.md", import.meta.url), "utf8");

/** The measured figure of a bar in milliseconds. */
function measured(bar: string): number {
  const row = page.split("\n").find((line) => line.startsWith(`| ${bar} |`));
  const [, figure = "", unit = ""] = /^\|[^|]*\|\s*([\d.]+)\s*(µs|ms|s)\s*\|/.exec(row ?? "") ?? [];
  return Number(figure) * { µs: 0.001, ms: 1, s: 1000, "": Number.NaN }[unit as "µs" | "ms" | "s" | ""];
}

describe("the measured figures", () => {
  it.each([
    ["parse an intent of 200 tasks", 100, "[S4-087]"],
    ["50 rules on one command", 500, "[S4-088]"],
    ["graph of 50 nodes", 1000, "[S4-089]"],
    ["questions of a plan of 50 nodes", 200, "[S4-090]"],
    ["intake of a request of 1 KB", 2000, "[S1-110, S1-112]"],
    ["routing of a request of 1 KB", 0.2, ""],
    ["gate decision of a phase with 10,000 deliverables", 5000, "[S1-113]"],
    ["first response to a request of 1 KB, the whole program", 2000, "[S1-112]"],
    ["final response of a run of 10,000 tasks, CPU time", 3000, "[S1-114]"],
    ["final response, the whole program", 3000, "[S1-114]"],
    ["a million events verified, CPU time", 10_000, ""],
  ])("%s takes under %f ms %s", (bar, limit) => {
    expect(measured(bar)).toBeLessThan(limit);
  });

  it("a hundred runs at once take under 500 MB together [S1-116]", () => {
    const [, megabytes] = /^\| 100 runs at once: peak memory \| (\d+) MB \|/m.exec(page) ?? [];
    expect(Number(megabytes)).toBeLessThan(500);
  });

  it("a task costs about the same in a run of a hundred tasks and of ten thousand", () => {
    const found = page.matchAll(/^\| CPU a task, [^|]*10,000 ÷ 100 \| ([\d.]+) × \|/gm);
    const ratios = [...found].map(([, ratio]) => Number(ratio));
    expect(ratios).toHaveLength(2);
    for (const ratio of ratios) expect(ratio).toBeLessThan(2);
  });

  it("a plan takes little longer than the least it can take, however many tasks run at once", () => {
    const found = page.matchAll(/^\| [a-z]+, \d+ at once: time ÷ least possible, mean \| ([\d.]+) × \|/gm);
    const ratios = [...found].map(([, ratio]) => Number(ratio));
    expect(ratios).toHaveLength(9);
    for (const ratio of ratios) expect(ratio).toBeLessThanOrEqual(1.05);
  });
});
