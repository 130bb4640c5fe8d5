import { describe, expect, it } from "vitest";
import type { CheckResult, Finding } from "../../../model/settings/check.js";
import { changedExpectations, failsOnBase, isFixed, listNewlySkipped, listVarying } from "./judge-runs.js";
import { repeatChecks } from "./repeat.js";

const finding = (name: string, status: Finding["status"]): Finding => ({
  id: `test:${name}`,
  name,
  status,
  message: status === "failed" ? "1 is not 2" : "",
  file: "test/a.js",
  line: null,
});
const run = (...findings: Finding[]): CheckResult[] => [
  {
    check: "test",
    kind: "test",
    command: "t",
    tree: "t",
    exit_code: findings.some(({ status }) => status === "failed") ? 1 : 0,
    ended: "exited",
    format: "tap",
    findings,
    output: "",
    output_sha256: "",
  },
];
const [good, bad] = [run(finding("a", "passed")), run(finding("a", "failed"))];

describe("runs beside the ordinary ones", () => {
  it("name what fails with the base's tests and not with the result's, each time", () => {
    expect(changedExpectations(good, [bad, bad])).toMatchObject([
      { kind: "weakened", id: "test test:a", message: expect.stringContaining("1 is not 2") as unknown },
    ]);
    expect(changedExpectations(good, [bad, good])).toEqual([]);
    expect(changedExpectations(bad, [bad])).toEqual([]);
  });

  it("do not list hundreds one by one", () => {
    const many = run(...Array.from({ length: 300 }, (_, at) => finding(`t${at}`, "failed")));
    expect(changedExpectations(good, [many])).toMatchObject([{ id: "test" }]);
  });

  it("say whether something was mended, and whether new tests fail on the base", () => {
    expect([isFixed(bad, good), isFixed(good, good)]).toEqual([true, false]);
    expect([failsOnBase(good, bad), failsOnBase(bad, bad), failsOnBase(good, good)]).toEqual([true, false, false]);
    expect(listNewlySkipped(good, run(finding("a", "passed"), finding("b", "skipped")))).toEqual(["b"]);
    expect(listVarying([good, bad, good])).toMatchObject([{ check: "test", failed: 1 }]);
  });
});

describe("repeats", () => {
  const check = { name: "test", kind: "test", run: "t", report: { format: "auto" }, minutes: 1 } as const;
  const seen = { base_tree: "base", tree: "result", baseline: bad, results: good, checks: [check] };
  const coin = (trees: Readonly<Record<string, readonly CheckResult[][]>>) => {
    const left = new Map(Object.entries(trees).map(([tree, runs]) => [tree, [...runs]]));
    const ran: string[] = [];
    return {
      ran,
      run: async (tree: string) => (ran.push(tree), left.get(tree)?.shift() ?? (tree === "base" ? bad : good)),
    };
  };

  it("find what passes only sometimes, where the base was steady", async () => {
    const { run: runOn } = coin({ result: [good, bad] });
    const { failures, objections } = await repeatChecks(seen, [check], runOn, { chance: true, fixed: false });
    expect(objections).toEqual([]);
    expect(failures).toEqual([expect.stringMatching(/^test: a passes only sometimes: it failed in 1 of 3 runs/)]);
  });

  it("ask a person where nothing in the change differs from run to run", async () => {
    const { run: runOn } = coin({ result: [good, bad] });
    const { failures, objections } = await repeatChecks(seen, [check], runOn, { chance: false, fixed: true });
    expect(failures).toEqual([]);
    expect(objections).toMatchObject([{ kind: "untested", id: "test test:a" }]);
    expect(objections[0]?.message).toMatch(
      /failed in 1 of 3 runs, and was steady in 4 on the base.*load of the machine/,
    );
  });

  it("blame nobody for what is unsteady on the base too", async () => {
    const { run: runOn } = coin({ result: [bad], base: [bad, good, bad] });
    expect(await repeatChecks(seen, [check], runOn, { chance: true, fixed: false })).toEqual({
      failures: [],
      objections: [],
    });
  });

  it("are made as often as there is reason to", async () => {
    for (const [suspicion, times] of [
      [{ chance: true, fixed: true }, 15],
      [{ chance: false, fixed: true }, 3],
      [{ chance: false, fixed: false }, 0],
    ] as const) {
      const { ran, run: runOn } = coin({});
      expect(await repeatChecks(seen, [check], runOn, suspicion)).toEqual({ failures: [], objections: [] });
      expect(ran).toHaveLength(times);
    }
    // It failed at first, and passed when it was run once more.
    const { ran, run: runOn } = coin({ result: [good] });
    await repeatChecks({ ...seen, baseline: good, results: bad }, [check], runOn, { chance: false, fixed: false });
    expect(ran).toContain("result");
  });
});
