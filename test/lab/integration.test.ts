import { afterAll, describe, expect, it } from "vitest";
import type { VerdictReport } from "../../src/model/check.js";
import { createIntegrationQueue, type Integrated, type IntegrationParts } from "../../src/review/integrate.js";
import { must } from "../../src/review/merge.js";
import { type Files, openLaboratory, type Story } from "./repository.js";

const report = (verdict: VerdictReport["verdict"], reasons: string[] = []): VerdictReport => ({
  verdict,
  reasons,
  regressions: [],
  pre_existing: [],
  fixed: [],
  flaky: [],
  missing: [],
  security: [],
  results: [],
});

const BASE: Files = new Map([["src/a.ts", "one\ntwo\nthree\n"]]);
const withFile = (path: string, text: string): Files => new Map([...BASE, [path, text]]);

/** Changes on one base, each with a file of its own, some of which do not go together. */
const stories: Story[] = [
  ...Array.from({ length: 12 }, (_, i) => withFile(`src/new${i}.ts`, `new ${i}\n`)),
  withFile("src/a.ts", "one\ntwo, said again\nthree\n"),
  withFile("src/a.ts", "one\ntwo, otherwise\nthree\n"),
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
        ? report("FAIL", ["new1 and new5 do not go together"])
        : report("PASS");
    const { queue } = open({ verify: breaks });
    const outcomes = await Promise.all(Array.from({ length: 9 }, (_, i) => queue.integrate(change(i))));
    expect(statuses(outcomes).filter((status) => status === "integrated")).toHaveLength(8);
    expect(outcomes[5]?.status).toBe("regression");
    const files = await laboratory.filesOf(await queue.tip());
    expect([files.has(bad), files.has("src/new8.ts")]).toEqual([false, true]);
  });

  it("leaves a conflict out with both sides whole, and lets the others go on", async () => {
    const { queue } = open();
    const outcomes = await Promise.all([12, 13, 0].map((i) => queue.integrate(change(i))));
    expect(statuses(outcomes)).toEqual(["integrated", "conflict", "integrated"]);
    expect(outcomes[1]).toMatchObject({ conflicts: [{ path: "src/a.ts" }] });
    const kept = await laboratory.git.run(["cat-file", "-e", change(13).commit]);
    expect(kept.code).toBe(0);
  });

  it("takes what was made of a conflict, proven like everything else", async () => {
    const resolved = "one\ntwo, said again\ntwo, otherwise\nthree\n";
    const { queue, verified } = open({
      resolve: async ({ commit }) => {
        const blob = await must(laboratory.git, ["hash-object", "-w", "--stdin"], { input: resolved });
        return laboratory.git.withIndex(async (index) => {
          await must(laboratory.git, ["read-tree", commit], { index });
          await must(laboratory.git, ["update-index", "--add", "--cacheinfo", `100644,${blob.trim()},src/a.ts`], {
            index,
          });
          return (await must(laboratory.git, ["write-tree"], { index })).trim();
        });
      },
    });
    await queue.integrate(change(12));
    const outcome = await queue.integrate(change(13));
    expect([outcome.status, verified()]).toEqual(["integrated", 1]);
    expect((await laboratory.filesOf(await queue.tip())).get("src/a.ts")).toBe(resolved);
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
