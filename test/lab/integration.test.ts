import { afterAll, describe, expect, it } from "vitest";
import type { VerdictReport } from "../../src/model/settings/check.js";
import {
  createIntegrationQueue,
  type Integrated,
  type IntegrationParts,
} from "../../src/hands/integration/integrate.js";
import { must } from "../../src/hands/integration/merge.js";
import type { Resolved } from "../../src/hands/integration/reapply-resolution.js";
import { verdictReport } from "../../src/testing/verdict-fixtures.js";
import { type Files, openLaboratory, type Story } from "./repository.js";

const report = (verdict: VerdictReport["verdict"], reasons: string[] = []) => verdictReport({ verdict, reasons });

const REGRESSION: VerdictReport["regressions"][number] = {
  check: "test",
  finding: { id: "test:new1", name: "new1", status: "failed", message: "no", file: null, line: null },
};

const BASE: Files = new Map([["src/a.ts", "one\ntwo\nthree\n"]]);
const withFile = (path: string, text: string): Files => new Map([...BASE, [path, text]]);

/** Changes on one base, each with a file of its own, some of which do not go together. */
const stories: Story[] = [
  ...Array.from({ length: 12 }, (_, i) => withFile(`src/new${i}.ts`, `new ${i}\n`)),
  withFile("src/a.ts", "one\ntwo, said again\nthree\n"),
  withFile("src/a.ts", "one\ntwo, otherwise\nthree\n"),
  withFile("src/a.ts", "one\ntwo, thirdly\nthree\n"),
].map((ours, i) => ({ name: `t${i}`, base: BASE, ours, theirs: BASE }));

describe("the queue onto the run's branch", () => {
  const laboratory = openLaboratory(stories);
  afterAll(laboratory.remove);
  const story = (i: number) => stories[i] as Story;
  const base = laboratory.commitOf(story(0), "base");
  const change = (i: number) => ({
    task_id: `T${i}`,
    attempt: 1,
    commit: laboratory.commitOf(story(i), "ours"),
    message: `Task ${i}`,
  });
  let branches = 0;

  function open(difference: Partial<IntegrationParts> = {}) {
    const published: string[] = [];
    let verified = 0;
    const parts: IntegrationParts = {
      git: laboratory.git,
      branch: `refs/heads/run${branches++}`,
      base,
      verify: async () => {
        verified++;
        return report("PASS");
      },
      publish: async (commit) => void published.push(commit),
      ...difference,
    };
    return { queue: createIntegrationQueue(parts), parts, published, verified: () => verified };
  }

  const statuses = (outcomes: readonly Integrated[]) => outcomes.map(({ status }) => status);

  it("brings what waits together onto the branch with one check of the whole", async () => {
    const { queue, verified, published } = open();
    const outcomes = await Promise.all([0, 1, 2, 3, 4].map((i) => queue.integrate(change(i))));
    expect(statuses(outcomes)).toEqual(Array(5).fill("integrated"));
    expect(verified()).toBe(1);
    const files = await laboratory.filesOf(await queue.tip());
    expect([0, 1, 2, 3, 4].every((i) => files.get(`src/new${i}.ts`) === `new ${i}\n`)).toBe(true);
    expect(published).toEqual([await queue.tip()]);
  });

  it("does the same with a git that can only be called", async () => {
    const { processes: _, ...calls } = laboratory.git;
    const both = [open(), open({ git: calls })];
    for (const { queue } of both) {
      const outcomes = await Promise.all([0, 1, 2, 0].map((i) => queue.integrate(change(i))));
      expect(statuses(outcomes)).toEqual(Array(4).fill("integrated"));
      expect((await queue.integrate(change(1))).status).toBe("integrated");
    }
    const [one, other] = await Promise.all(both.map(async ({ queue }) => laboratory.filesOf(await queue.tip())));
    expect(one).toEqual(other);
  });

  it("checks nothing again when one change lands on the very base it was verified on", async () => {
    const { queue, verified } = open();
    expect((await queue.integrate(change(0))).status).toBe("integrated");
    expect(verified()).toBe(0);
    await queue.integrate(change(1));
    expect(verified()).toBe(1);
  });

  it("halves a batch that fails until the one that breaks it stands alone, and takes all the others", async () => {
    const bad = "src/new5.ts";
    const breaks = async (_: string, tree: string) =>
      (await laboratory.filesOf(tree)).has(bad) && (await laboratory.filesOf(tree)).has("src/new1.ts")
        ? { ...report("FAIL", ["new1 and new5 do not go together"]), regressions: [REGRESSION] }
        : report("PASS");
    const { queue } = open({ verify: breaks });
    const outcomes = await Promise.all(Array.from({ length: 9 }, (_, i) => queue.integrate(change(i))));
    expect(statuses(outcomes).filter((status) => status === "integrated")).toHaveLength(8);
    expect(outcomes[5]).toMatchObject({ status: "regression", report: { since: { fails: change(5).commit } } });
    const files = await laboratory.filesOf(await queue.tip());
    expect([files.has(bad), files.has("src/new8.ts")]).toEqual([false, true]);
  });

  it("proves a batch without the tests that people let its changes take away, and without no others", async () => {
    const asked: string[][] = [];
    const verify: IntegrationParts["verify"] = async (_, __, may_go) => {
      asked.push(may_go.map(({ name }) => name));
      return report("PASS");
    };
    const { queue } = open({ verify });
    const lifted = (name: string) => ({ check: "test", id: `test:${name}`, name, by: "ada" });
    await Promise.all(
      [0, 1, 2].map((i) => queue.integrate({ ...change(i), ...(i === 2 ? {} : { may_go: [lifted(`t${i}`)] }) })),
    );
    await Promise.all([3, 4].map((i) => queue.integrate(change(i))));
    expect(asked).toEqual([["t0", "t1"], []]);
  });

  it("leaves a conflict out with both sides whole, and lets the others go on", async () => {
    const { queue } = open();
    const outcomes = await Promise.all([12, 13, 0].map((i) => queue.integrate(change(i))));
    expect(statuses(outcomes)).toEqual(["integrated", "conflict", "integrated"]);
    expect(outcomes[1]).toMatchObject({ conflicts: [{ path: "src/a.ts" }] });
    const kept = await laboratory.git.run(["cat-file", "-e", change(13).commit]);
    expect(kept.code).toBe(0);
  });

  /** The tree of a commit with one file written over. */
  async function withText(commit: string, path: string, text: string): Promise<string> {
    const blob = await must(laboratory.git, ["hash-object", "-w", "--stdin"], { input: text });
    return laboratory.git.withIndex(async (index) => {
      await must(laboratory.git, ["read-tree", commit], { index });
      await must(laboratory.git, ["update-index", "--add", "--cacheinfo", `100644,${blob.trim()},${path}`], { index });
      return (await must(laboratory.git, ["write-tree"], { index })).trim();
    });
  }

  const BOTH = "one\ntwo, said again\ntwo, otherwise\nthree\n";

  /** The conflict of change 13 with change 12, and what somebody made of it. */
  async function disputed(queue: ReturnType<typeof open>["queue"], text = BOTH, left_out: Resolved["left_out"] = []) {
    await queue.integrate(change(12));
    const outcome = await queue.integrate(change(13));
    if (outcome.status !== "conflict") throw new Error(outcome.status);
    expect(outcome.onto).toBe(await queue.tip());
    const tree = await withText(outcome.onto, "src/a.ts", text);
    const resolved: Resolved = { onto: outcome.onto, tree, paths: ["src/a.ts"], left_out };
    return { ...change(13), resolved };
  }

  it("takes what was made of a conflict, proven like everything else", async () => {
    const { queue, verified } = open();
    const outcome = await queue.integrate(await disputed(queue));
    expect([outcome.status, verified()]).toEqual(["integrated", 1]);
    expect((await laboratory.filesOf(await queue.tip())).get("src/a.ts")).toBe(BOTH);
  });

  it("merges it onto a branch that has moved on meanwhile, with all that came in between, and takes it once", async () => {
    const { queue, parts } = open();
    const resolution = await disputed(queue);
    for (const i of [0, 1]) expect((await queue.integrate(change(i))).status).toBe("integrated");
    const first = await queue.integrate(resolution);
    expect(first.status).toBe("integrated");
    const files = await laboratory.filesOf(await queue.tip());
    expect([files.get("src/a.ts"), files.get("src/new0.ts"), files.get("src/new1.ts")]).toEqual([
      BOTH,
      "new 0\n",
      "new 1\n",
    ]);
    // Who died after the branch moved asks again with what was made of it, and with nothing.
    for (const again of [resolution, change(13)])
      expect(await createIntegrationQueue(parts).integrate(again)).toEqual({ ...first, report: null });
    const parents = await must(laboratory.git, ["log", "-1", "--format=%P", await queue.tip()]);
    expect(parents.trim().split(" ")[1]).toBe(change(13).commit);
  });

  it("finds the conflict again when the branch has moved on within it, on the branch as it is then", async () => {
    const { queue } = open();
    const resolution = await disputed(queue);
    const meanwhile = await queue.integrate(change(14));
    expect(meanwhile.status).toBe("conflict");
    const third = await withText(await queue.tip(), "src/a.ts", "one\ntwo, said a third time\nthree\n");
    const made = await must(laboratory.git, ["commit-tree", third, "-p", await queue.tip(), "-m", "third"]);
    expect((await queue.integrate({ ...change(14), commit: made.trim() })).status).toBe("integrated");
    expect(await queue.integrate(resolution)).toMatchObject({
      status: "conflict",
      onto: await queue.tip(),
      conflicts: [{ path: "src/a.ts" }],
    });
  });

  it("does not take one that lost a line, unless that stands in a recorded reason", async () => {
    for (const [reason, status] of [
      ["", "conflict"],
      ["it says the same", "integrated"],
    ] as const) {
      const { queue } = open();
      const left_out = [{ path: "src/a.ts", line: "two, otherwise", reason }];
      const resolution = await disputed(queue, "one\ntwo, said again\nthree\n", left_out);
      await queue.integrate(change(0));
      expect((await queue.integrate(resolution)).status).toBe(status);
    }
  });

  it("answers a conflict with what landed, not with what only waited beside it", async () => {
    const fails = async (_: string, tree: string) =>
      (await laboratory.filesOf(tree)).has("src/new0.ts") ? report("FAIL", ["no"]) : report("PASS");
    const { queue } = open({ verify: fails });
    await queue.integrate(change(2));
    const breaking = await must(laboratory.git, [
      "commit-tree",
      await withText(change(12).commit, "src/new0.ts", "no\n"),
      "-p",
      base,
      "-m",
      "breaks",
    ]);
    const outcomes = await Promise.all([
      queue.integrate({ ...change(12), commit: breaking.trim() }),
      queue.integrate(change(13)),
    ]);
    expect(statuses(outcomes)).toEqual(["regression", "integrated"]);
  });

  it("does not take a change twice, also after it died between moving and saying so", async () => {
    const { queue, parts, published } = open();
    const first = await queue.integrate(change(3));
    const second = await createIntegrationQueue(parts).integrate(change(3));
    expect(second).toEqual({ ...first, report: null });
    expect(published).toHaveLength(2);
    const log = await must(laboratory.git, ["rev-list", "--count", `${base}..${await queue.tip()}`, "--first-parent"]);
    expect(Number(log)).toBe(1);
  });

  it("does not overwrite a branch that somebody else moved meanwhile", async () => {
    const { queue, parts } = open({
      verify: async () => {
        await laboratory.git.run(["update-ref", parts.branch, change(7).commit]);
        return report("PASS");
      },
    });
    await queue.integrate(change(0));
    await expect(queue.integrate(change(1))).rejects.toThrow("update-ref");
    expect(await queue.tip()).toBe(change(7).commit);
  });
});
