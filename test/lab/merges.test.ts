import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { objections } from "../../src/hands/integration/accept-resolution.js";
import { mergeCommits, readBlob } from "../../src/hands/integration/merge.js";
import { GitSession } from "../../src/hands/integration/merging/git-session.js";
import { mergeTrivially } from "../../src/hands/integration/merging/trivial-merge.js";
import { openLaboratory } from "./repository.js";
import { tellStory, type Told } from "./stories.js";

const CASES = Number(process.env["COORDINATOR_LAB_CASES"] ?? 150);

describe(`${CASES} parallel edits merged`, () => {
  const stories = Array.from({ length: CASES }, (_, i) => tellStory(i + 1));
  const laboratory = openLaboratory(stories);
  afterAll(laboratory.remove);

  /** The lines that were added and stand nowhere in the tree. */
  async function missing(story: Told, tree: string): Promise<string[]> {
    const all = [...(await laboratory.filesOf(tree)).values()].join("\n");
    // A side may change again what it had added itself: what counts is what its own commit holds.
    const kept = (side: "ours" | "theirs") => {
      const own = [...story[side].values()].join("\n");
      return story.added[side].filter((line) => own.includes(line));
    };
    return [...kept("ours"), ...kept("theirs")].filter((line) => !all.includes(line));
  }

  async function mergedSimply(session: GitSession, story: Told): Promise<string | null> {
    const trees = session.trees();
    if (trees === null) throw new Error("the laboratory keeps processes open");
    const sides = ["base", "ours", "theirs"] as const;
    const [base, ours, theirs] = await Promise.all(
      sides.map((side) => trees.ofCommit(laboratory.commitOf(story, side))),
    );
    return mergeTrivially(trees, base as string, ours as string, theirs as string);
  }

  it("keeps every line either side added, or says that they are in conflict", async () => {
    const seen = { clean: 0, conflict: 0, lossy: 0, by_keys: 0, simple: 0 };
    const session = new GitSession(laboratory.git);
    onTestFinished(() => session.close());
    for (const story of stories) {
      const ours = laboratory.commitOf(story, "ours");
      const theirs = laboratory.commitOf(story, "theirs");
      const merged = await mergeCommits(laboratory.git, ours, theirs);
      seen[merged.status]++;
      const simple = await mergedSimply(session, story);
      // What is merged without git's merge is what git makes of it, or is not merged so.
      if (simple !== null) expect(merged, story.name).toMatchObject({ status: "clean", tree: simple, by_keys: [] });
      seen.simple += Number(simple !== null);
      if (merged.status === "clean") {
        seen.by_keys += merged.by_keys.length;
        expect(await missing(story, merged.tree), story.name).toEqual([]);
      }
      if (merged.status === "conflict") await cannotTakeOneSide(story, merged.conflicts);
    }
    // The stories must be such that all of this happened, or nothing was shown.
    expect(seen.clean).toBeGreaterThan(CASES / 4);
    expect(seen.conflict).toBeGreaterThan(CASES / 20);
    expect(seen.by_keys).toBeGreaterThan(0);
    expect(seen.simple).toBeGreaterThan(0);
  });

  /** Taking one side of a conflict is refused exactly when the other side's lines would go. */
  async function cannotTakeOneSide(
    story: Told,
    conflicts: readonly { path: string; base: string | null; ours: string | null; theirs: string | null }[],
  ) {
    for (const conflict of conflicts) {
      const text = async (object: string | null) =>
        object === null ? "" : ((await readBlob(laboratory.git, object)) ?? "");
      const [base, ours, theirs] = [await text(conflict.base), await text(conflict.ours), await text(conflict.theirs)];
      const file = { path: conflict.path, base, ours, theirs };
      const theirLines = story.added.theirs.some(
        (line) => theirs.includes(line) && !ours.includes(line) && !line.startsWith("dep-"),
      );
      const taken = objections({ files: [{ ...file, resolved: ours }], changed: [conflict.path], left_out: [] });
      if (theirLines) expect(taken, story.name).not.toEqual([]);
      const both = `${ours}${theirs}`;
      expect(objections({ files: [{ ...file, resolved: both }], changed: [conflict.path], left_out: [] })).toEqual([]);
    }
  }
});

describe("what is made of a conflict", () => {
  const file = { path: "a.ts", base: "one\n", ours: "one\nmine\n", theirs: "one\nyours\n" };

  it("is taken with a reason for each line it left out, and not without", () => {
    const resolution = { files: [{ ...file, resolved: "one\nmine\n" }], changed: ["a.ts"] };
    expect(objections({ ...resolution, left_out: [] })).toEqual(["a.ts lost a line of theirs: yours"]);
    expect(objections({ ...resolution, left_out: [{ path: "a.ts", line: "yours", reason: "" }] })).toHaveLength(1);
    expect(objections({ ...resolution, left_out: [{ path: "a.ts", line: "yours", reason: "said twice" }] })).toEqual(
      [],
    );
  });

  it("keeps what neither side took away, too", () => {
    const emptied = { ...file, resolved: "mine\nyours\n" };
    expect(objections({ files: [emptied], changed: ["a.ts"], left_out: [] })).toEqual([
      "a.ts lost a line of both sides: one",
    ]);
  });

  it("may not keep a middle marker that no side has as a heading", () => {
    const left = { ...file, resolved: "one\nmine\n=======\nyours\n" };
    const told = (sides: Partial<typeof file>) =>
      objections({ files: [{ ...left, ...sides }], changed: [], left_out: [] });
    expect(told({})).toEqual(["a.ts still has conflict markers"]);
    expect(told({ ours: "one\nmine\n=======\n" })).toEqual([]);
  });

  it("may hold no marker and touch nothing that was not in conflict", () => {
    const marked = { ...file, resolved: "one\n<<<<<<< a\nmine\n=======\nyours\n>>>>>>> b\n" };
    expect(objections({ files: [marked], changed: ["a.ts", "b.ts"], left_out: [] })).toEqual([
      "b.ts was not in conflict and was changed",
      "a.ts still has conflict markers",
    ]);
  });
});
