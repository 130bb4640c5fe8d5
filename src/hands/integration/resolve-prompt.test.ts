import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ResolverAnswer, ReviewerAnswer, resolvePrompt, reviewPrompt } from "./resolve-prompt.js";

const task = { task_id: "T2", title: "Name the trees", description: "Each\n## on a line" };
const other = { task_id: "T1", title: "Name the fruit", description: "One of them" };
const conflict = {
  path: "src/list.txt",
  base: "alpha\n",
  ours: "alpha\napple\n",
  theirs: "alpha\nbeech\n",
  others: [other],
};
const resolve = (difference: Partial<Parameters<typeof resolvePrompt>[0]> = {}) =>
  resolvePrompt({ level_number: 2, task, levels: [], conflicts: [conflict], checks: ["npm test"], ...difference });

describe("what an agent is told that resolves a conflict", () => {
  it("is its role, the level's results, the conflicts with both sides, the tasks and the form of the answer [S2-032, S2-033, S2-034]", () => {
    const { prompt, context } = resolve();
    const headings = prompt.split("\n").filter((line) => line.startsWith("#"));
    expect(headings).toEqual(["## Level 2 Results", "## File Conflicts Detected", "## Your Tasks"]);
    expect(prompt).toMatch(/^You are a Level Coordinator reviewing parallel AC execution results\./);
    expect(prompt).toContain("- T1: Name the fruit — One of them\n- T2: Name the trees — Each ## on a line");
    expect(prompt).toContain("- src/list.txt: changed by T1 and by T2");
    for (const demand of [
      "Read the conflicting files",
      "Run `git diff`",
      "Resolve every conflict by editing",
      "`npm test`",
    ])
      expect(prompt).toContain(demand);
    for (const part of ["What each AC accomplished", "how you resolved them", "for the next level's ACs"])
      expect(prompt).toContain(part);
    expect(prompt).toMatch(/Respond with a structured review\.$/);
    expect(context.map(({ ref, text }) => [ref, text])).toEqual([
      ["src/list.txt on the base", "alpha\n"],
      ["src/list.txt on the branch", "alpha\napple\n"],
      ["src/list.txt by T2", "alpha\nbeech\n"],
    ]);
    expect(resolve()).toEqual(resolve());
  });

  it("says who removed a file, and gives no more of a side than fits", () => {
    const removed = resolve({ conflicts: [{ ...conflict, ours: null, theirs: "x".repeat(100_000) }] });
    expect(removed.prompt).toContain("- src/list.txt: removed by T1, changed by T2");
    expect(removed.context[1]?.text).toBe("(there is no such file)");
    expect(removed.context[2]?.text.length).toBeLessThan(50_000);
  });
});

describe("what an agent is told that reviews", () => {
  it("is what was done, what is doubtful, and that only a defect with its place refuses it", () => {
    const { prompt, context } = reviewPrompt({
      level_number: 1,
      tasks: [other, task],
      levels: [],
      diff: "+apple\n",
      concerns: ["passes only\nsometimes"],
      checks: [],
    });
    expect(prompt).toContain("## Level 1 Results\n- T1: Name the fruit");
    expect(prompt).toContain("## Concerns\n- passes only sometimes");
    expect(prompt).toContain("Set accept to false only for a concrete defect");
    expect(context).toEqual([{ ref: "the change", text: "+apple\n" }]);
  });
});

describe("the forms of the answers", () => {
  it("can be told to any agent, and hold what the review needs", () => {
    for (const schema of [ResolverAnswer, ReviewerAnswer])
      expect(z.fromJSONSchema(z.toJSONSchema(schema) as never)).toBeDefined();
    expect(ResolverAnswer.safeParse({ review_summary: "x" }).success).toBe(false);
    expect(ResolverAnswer.parse({ review_summary: "x", fixes_applied: [] })).toMatchObject({ left_out: [] });
    expect(ReviewerAnswer.safeParse({ review_summary: "x" }).success).toBe(false);
  });
});
