import { afterAll, describe, expect, it } from "vitest";
import { type Git, mergeCommits } from "../../src/hands/integration/merge.js";
import { type Files, openLaboratory, type Story } from "./repository.js";

/** Long enough that git knows it again where it was moved to. */
const text = (name: string) => Array.from({ length: 20 }, (_, i) => `${name} ${i * i}\n`).join("");
const files = (...entries: [string, string][]): Files => new Map(entries);
const [a, b, c, d] = ["a", "b", "c", "d"].map(text) as [string, string, string, string];

const split: Story = {
  name: "split",
  base: files(["d/a", a], ["d/b", b], ["d/c", c], ["d/d", d]),
  ours: files(["e/a", a], ["e/b", b], ["f/c", c], ["f/d", d]),
  theirs: files(["d/a", a], ["d/b", b], ["d/c", c], ["d/d", d], ["d/new", "new\n"]),
};

const json = (...lines: string[]) => files(["p.json", `{\n${lines.map((line) => `  ${line}`).join(",\n")}\n}\n`]);
const large = ['"id": 12345678901234567890', '"ratio": 1.0', '"files": ["a", "b"]', '"x": 1'];
const exact: Story = {
  name: "exact",
  base: json(...large),
  ours: json(...large, '"mine": 1'),
  theirs: json(...large, '"yours": 2'),
};

const twice = ['"d": 1', '"d": 2', '"x": 1'];
const doubled: Story = {
  name: "doubled",
  base: json(...twice),
  ours: json(...twice, '"mine": 1'),
  theirs: json(...twice, '"yours": 2'),
};

const yaml = (text: string) => files(["c.yaml", text]);
const remarked: Story = {
  name: "remarked",
  base: yaml("a: 1\n"),
  ours: yaml("a: 1\nb: 2\n"),
  theirs: yaml("a: 1\n# why\nc: 1.20\n"),
};

const apart: Story = {
  name: "apart",
  base: files(["t", "one\ntwo\nthree\nfour\nfive\n"]),
  ours: files(["t", "one\nmine\ntwo\nthree\nfour\nfive\n"]),
  theirs: files(["t", "one\ntwo\nthree\nfour\nyours\nfive\n"]),
};

describe("merges that only look clean", () => {
  const laboratory = openLaboratory([split, exact, doubled, remarked, apart]);
  afterAll(laboratory.remove);
  const merge = (story: Story) =>
    mergeCommits(laboratory.git, laboratory.commitOf(story, "ours"), laboratory.commitOf(story, "theirs"));

  it("is a conflict when nobody knows where a file belongs, although git leaves no path unmerged", async () => {
    expect(await merge(split)).toMatchObject({ status: "conflict", conflicts: [{ path: "d/new", special: true }] });
  });

  it("is none when it lost a line, whoever made it", async () => {
    const [ours, theirs] = [laboratory.commitOf(apart, "ours"), laboratory.commitOf(apart, "theirs")];
    expect((await merge(apart)).status).toBe("clean");
    const tree = (await laboratory.git.run(["rev-parse", `${ours}^{tree}`])).stdout.trim();
    const forgetful: Git = {
      ...laboratory.git,
      run: async (args, options) =>
        args[0] === "merge-tree" ? { code: 0, stdout: `${tree}\0`, stderr: "" } : laboratory.git.run(args, options),
    };
    expect(await mergeCommits(forgetful, ours, theirs)).toMatchObject({
      status: "lossy",
      lost: [{ path: "t", line: "yours", side: "theirs" }],
    });
  });

  it.each([doubled, remarked])(
    "stays a conflict when a merge by keys would write something otherwise: $name",
    async (story) => {
      expect((await merge(story)).status).toBe("conflict");
    },
  );

  it("keeps by keys every line that nobody touched, to the letter", async () => {
    const merged = await merge(exact);
    expect(merged.status).toBe("clean");
    const lines = (await laboratory.filesOf(merged.tree)).get("p.json")?.split(",\n").join("\n").split("\n") ?? [];
    for (const line of [...large, '"mine": 1', '"yours": 2']) expect(lines).toContain(`  ${line}`);
  });
});
