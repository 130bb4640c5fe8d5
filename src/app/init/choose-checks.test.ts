import { describe, expect, it } from "vitest";
import { type DetectedCheck, detectedCheck } from "../../hands/settings/detected-check.js";
import type { TriedLine } from "../setup-reports.js";
import { chooseChecks } from "./choose-checks.js";
import type { Tried } from "./try-project.js";

/** Commands with `bad` in them prove nothing; everything that is tried is written down. */
function trial(rounds: string[][], setup: TriedLine["status"] | null = null) {
  return async (checks: readonly DetectedCheck[]): Promise<Tried> => {
    rounds.push(checks.map(({ check }) => check.run));
    const line = (name: string, kind: TriedLine["kind"], run: string, status: TriedLine["status"]): TriedLine => ({
      name,
      kind,
      run,
      status,
      detail: status === "bad" ? `${run} does not run` : "ok",
      fix: null,
      elapsed_ms: 1,
      passed: 0,
      failed: 0,
      skipped: 0,
      cause: null,
    });
    const lines = checks.map(({ check: { name, kind, run } }) =>
      line(name, kind, run, /bad/.test(run) ? "bad" : "good"),
    );
    const all = setup === null ? lines : [line("setup", "setup", "make it ready", setup), ...lines];
    return { commit: "c", not_tried: null, lines: all, trial: null };
  };
}

const test = (run: string, ...instead: string[]): DetectedCheck => ({
  ...detectedCheck("test", "test", run, "here"),
  instead: instead.map((each) => detectedCheck("test", "test", each, "here")),
});
const lint = (run: string) => detectedCheck("lint", "lint", run, "here");
const runs = (checks: readonly DetectedCheck[]) => checks.map(({ check }) => check.run);

describe("which checks are written down", () => {
  it("is the first way that runs, and only what did not run is tried again", async () => {
    const rounds: string[][] = [];
    const { kept, left, tried } = await chooseChecks([test("bad 1", "bad 2", "third"), lint("fine")], trial(rounds));
    expect(rounds).toEqual([["bad 1", "fine"], ["bad 2"], ["third"]]);
    expect(runs(kept)).toEqual(["third", "fine"]);
    expect(left).toEqual([]);
    expect(tried.lines.map(({ run, status }) => [run, status])).toEqual([
      ["third", "good"],
      ["fine", "good"],
    ]);
  });

  it("is the way that runs all tests, where another one could not load some of them", async () => {
    const some = async (checks: readonly DetectedCheck[]) => {
      const tried = await trial([])(checks);
      const output = "!!! Interrupted: 1 error during collection !!!";
      const partly = checks
        .filter(({ check }) => check.run === "partly")
        .map(({ check }) => ({ check, result: { output } }));
      return { ...tried, trial: { checks: partly } as unknown as Tried["trial"] };
    };
    expect(runs((await chooseChecks([test("partly", "whole")], some)).kept)).toEqual(["whole"]);
    expect(runs((await chooseChecks([test("partly", "bad")], some)).kept)).toEqual(["partly"]);
  });

  it("leaves out a linter that does not run, and says so, but never the only tests", async () => {
    const { kept, left, tried } = await chooseChecks([test("fine"), lint("bad linter")], trial([]));
    expect(runs(kept)).toEqual(["fine"]);
    expect(left).toMatchObject([{ why: "bad linter does not run" }]);
    expect(tried.lines[1]).toMatchObject({ status: "weak", detail: "left out: bad linter does not run" });
    const only = await chooseChecks([test("bad tests"), lint("fine")], trial([]));
    expect(runs(only.kept)).toEqual(["bad tests", "fine"]);
    expect(only.tried.lines[0]).toMatchObject({ status: "bad" });
  });

  it("is everything where nothing runs: one cause has stopped all of it", async () => {
    const { kept, left } = await chooseChecks([test("bad tests"), lint("bad linter")], trial([]));
    expect(runs(kept)).toEqual(["bad tests", "bad linter"]);
    expect(left).toEqual([]);
    const rounds: string[][] = [];
    await chooseChecks([test("bad 1", "other")], trial(rounds, "bad"));
    expect(rounds, "no other way is tried while setup fails").toEqual([["bad 1"]]);
  });
});
