import { describe, expect, it } from "vitest";
import { Check, type CheckResult } from "../../model/settings/check.js";
import { regressionsOf } from "./regressions.js";
import { type KnownResults, type RunChecks, verify } from "./verify.js";

const UNIT = Check.parse({ name: "unit", kind: "test", run: "npm test" });
const result = (tree: string, failed: readonly string[]): CheckResult => ({
  check: "unit",
  kind: "test",
  command: "npm test",
  tree,
  exit_code: failed.length === 0 ? 0 : 1,
  ended: "exited",
  format: "tap",
  findings: ["a", "b"].map((name) => ({
    id: `test:${name}`,
    name,
    status: failed.includes(name) ? ("failed" as const) : ("passed" as const),
    message: "",
    file: null,
    line: null,
  })),
  output: "",
  output_sha256: "0",
});

/** Checks that give these results in turn, and a memory. */
function hands(results: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const ran: string[] = [];
  const run: RunChecks = async (tree, checks) => {
    const nth = ran.filter((each) => each === tree).length;
    ran.push(tree);
    const all = results[tree] ?? [[]];
    return checks.map(() => result(tree, all[Math.min(nth, all.length - 1)] ?? []));
  };
  const kept = new Map<string, CheckResult>();
  const known: KnownResults = {
    get: async (tree, { name }) => kept.get(`${tree} ${name}`) ?? null,
    put: async (tree, { name }, one) => void kept.set(`${tree} ${name}`, one),
  };
  return { ran, run, known };
}

const request = { base_tree: "base", tree: "new", checks: [UNIT], signal: new AbortController().signal };

describe("what a change in the making breaks", () => {
  it("is what fails twice and did not fail on the base", async () => {
    const { run, known } = hands({ base: [["a"]], new: [["a", "b"]] });
    const { regressions, pre_existing } = await regressionsOf(request, run, known);
    expect(regressions.map(({ finding }) => finding.name)).toEqual(["b"]);
    expect(pre_existing.map(({ finding }) => finding.name)).toEqual(["a"]);
  });

  it("is nothing that passes when it is run once more", async () => {
    const { run, known } = hands({ new: [["b"], []] });
    expect(await regressionsOf(request, run, known)).toMatchObject({ regressions: [] });
  });

  it("costs no check of the base where nothing fails, and no second run for the verdict on the same tree", async () => {
    const { run, known, ran } = hands({});
    expect(await regressionsOf(request, run, known)).toMatchObject({ regressions: [] });
    expect(ran).toEqual(["new"]);
    const beside = { changed_files: 1, changes_due: true, blocked: [], may_go: [], lifted: [], security: [] };
    expect(await verify({ ...request, ...beside }, run, known)).toMatchObject({ verdict: "PASS" });
    expect(ran).toEqual(["new", "base"]);
  });

  it("is run anew for the verdict where something failed", async () => {
    const { run, known, ran } = hands({ new: [["b"]] });
    await regressionsOf(request, run, known);
    const before = ran.length;
    const beside = { changed_files: 1, changes_due: true, blocked: [], may_go: [], lifted: [], security: [] };
    expect(await verify({ ...request, ...beside }, run, known)).toMatchObject({ verdict: "FAIL" });
    expect(ran.slice(before)).toContain("new");
  });
});
