import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { AttemptResult } from "../../src/hands/attempts/attempt-order.js";
import type { SessionEnd, SessionRequest } from "../../src/hands/integration/coordination-session.js";
import { conflictResolver, resolutionOf } from "../../src/hands/integration/resolve-conflict.js";
import { openRecords } from "../../src/hands/attempts/run-records.js";
import type { RunPolicy } from "../../src/model/run.js";
import { mergeCommits, must } from "../../src/hands/integration/merge.js";
import { amounts, planRef, runTask } from "../../src/testing/run-fixtures.js";
import { type Files, openLaboratory, type Story } from "./repository.js";

const files = (entries: Record<string, string>): Files => new Map(Object.entries(entries));
const story = (
  name: string,
  base: Record<string, string>,
  ours: Record<string, string>,
  theirs: Record<string, string>,
): Story => ({
  name,
  base: files(base),
  ours: files({ ...base, ...ours }),
  theirs: files({ ...base, ...theirs }),
});
const LINES = story(
  "lines",
  { "a.txt": "one\ntwo\n" },
  { "a.txt": "one, ours\ntwo\n" },
  { "a.txt": "one, theirs\ntwo\n" },
);
const BINARY = story("binary", { "a.bin": "a\0" }, { "a.bin": "b\0" }, { "a.bin": "c\0" });
const PATTERN = story("pattern", { "a*.txt": "one\n" }, { "a*.txt": "ours\n" }, { "a*.txt": "theirs\n" });
const KEYS = story(
  "keys",
  { "a.txt": "one\n", "p.json": '{\n  "a": 1\n}\n' },
  { "a.txt": "ours\n", "p.json": '{\n  "a": 1,\n  "b": 2\n}\n' },
  { "a.txt": "theirs\n", "p.json": '{\n  "a": 1,\n  "c": 3\n}\n' },
);

/* The rules by which what an agent made of a conflict is taken, on real merges; the agent is played by the test. */
describe("a resolution", () => {
  const laboratory = openLaboratory([LINES, BINARY, PATTERN, KEYS]);
  const { git } = laboratory;
  const folder = mkdtempSync(join(tmpdir(), "coordinator-resolve-"));
  afterAll(() => {
    laboratory.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  let records = 0;

  /** The commit an agent leaves that wrote these files on what it was given. */
  async function written(base: string, made: Readonly<Record<string, string>>): Promise<string> {
    const tree = await git.withIndex(async (index) => {
      await must(git, ["read-tree", base], { index });
      for (const [path, text] of Object.entries(made)) {
        const blob = (await must(git, ["hash-object", "-w", "--stdin"], { input: text })).trim();
        await must(git, ["update-index", "--add", "--cacheinfo", `100644,${blob},${path}`], { index });
      }
      return (await must(git, ["write-tree"], { index })).trim();
    });
    return (await must(git, ["commit-tree", tree, "-p", base, "-m", "resolved"])).trim();
  }

  async function resolve(
    of: Story,
    made: Readonly<Record<string, string>>,
    {
      mode = "conflicts",
      left_out = [],
      gate = { verdict: "pass", findings: [] },
    }: { mode?: RunPolicy["coordinator_mode"]; left_out?: readonly unknown[]; gate?: unknown } = {},
  ) {
    const [ours, theirs] = [laboratory.commitOf(of, "ours"), laboratory.commitOf(of, "theirs")];
    const merged = await mergeCommits(git, ours, theirs);
    if (merged.status !== "conflict") throw new Error(merged.status);
    const kept = openRecords(join(folder, String(records++)));
    const asked: SessionRequest[] = [];
    const open = async (request: SessionRequest): Promise<SessionEnd> => {
      asked.push(request);
      const commit = await written(request.base, made);
      const result = AttemptResult.parse({
        outcome: { kind: "completed", output_ref: commit },
        usage: { amounts: amounts(1), source: "reported" },
        output: "",
        structured: { review_summary: "done", fixes_applied: ["both"], left_out },
        session_id: "s1",
        grade: "strong",
        base: request.base,
        commit,
        ref: "refs/coord/x",
        changes: Object.keys(made).map((path) => ({
          path,
          change: "modified",
          mode: "100644",
          size: 1,
          binary: false,
        })),
        gate,
        reported: [],
        salvage: null,
        notices: [],
      });
      return { status: "answered", result };
    };
    const resolver = conflictResolver({
      plan: planRef([runTask("T1"), runTask("T2")]),
      git,
      records: kept,
      sessions: { open },
      mode,
      checks: [],
      levelOf: () => 1,
      levelsOf: async () => [],
    });
    const { signal } = new AbortController();
    const made_of_it = await resolver({ task_id: "T2", attempt: 1, commit: theirs, signal }, ours, merged);
    const record = await resolutionOf(kept, "T2#1", made_of_it.ref);
    expect(record).toEqual(made_of_it.record);
    return { tree: record?.taken === true ? record.tree : null, asked, record };
  }

  it("is taken when every line is there, and the agent may write the files in conflict and no others [S2-029]", async () => {
    const { tree, asked, record } = await resolve(LINES, { "a.txt": "one, ours\none, theirs\ntwo\n" });
    expect((await laboratory.filesOf(tree ?? "")).get("a.txt")).toBe("one, ours\none, theirs\ntwo\n");
    expect(asked.map(({ write, purpose }) => [write, purpose])).toEqual([[["a.txt"], "conflict resolution"]]);
    expect((await laboratory.filesOf(asked[0]?.base ?? "")).get("a.txt")).toContain("<<<<<<<");
    expect(record).toMatchObject({ taken: true, objections: [], session_id: "s1" });
  });

  it.each([
    ["a line is gone", { "a.txt": "one, ours\ntwo\n" }, "lost a line of theirs: one, theirs"],
    ["theirs alone is taken", { "a.txt": "one, theirs\ntwo\n" }, "lost a line of ours: one, ours"],
    ["a marker is left", { "a.txt": "<<<<<<< a\none, ours\none, theirs\ntwo\n" }, "still has conflict markers"],
    [
      "another file is changed",
      { "a.txt": "one, ours\none, theirs\ntwo\n", "b.txt": "x\n" },
      "b.txt was not in conflict",
    ],
    ["nothing was done", {}, "still has conflict markers"],
  ])("is not taken when %s", async (_, made, objection) => {
    const { tree, record } = await resolve(LINES, made);
    expect([tree, record?.taken]).toEqual([null, false]);
    expect(record?.objections.join("; ")).toContain(objection);
  });

  it("is not taken when the gate over the diff does not let it pass", async () => {
    const finding = {
      rule_id: "block_secrets",
      severity: "block",
      override: "security",
      path: "a.txt",
      reason: "A key.",
    };
    const gate = { verdict: "blocked", findings: [finding] };
    const { tree, record } = await resolve(LINES, { "a.txt": "one, ours\none, theirs\ntwo\n" }, { gate });
    expect([tree, record?.objections]).toEqual([null, ["block_secrets: a.txt: A key."]]);
  });

  it("may leave a line out for a recorded reason", async () => {
    const left_out = [{ path: "a.txt", line: "one, theirs", reason: "it says the same" }];
    const { tree, record } = await resolve(LINES, { "a.txt": "one, ours\ntwo\n" }, { left_out });
    expect([tree === null, record?.answer?.left_out]).toEqual([false, left_out]);
    const without = [{ path: "a.txt", line: "one, theirs", reason: " " }];
    expect((await resolve(LINES, { "a.txt": "one, ours\ntwo\n" }, { left_out: without })).tree).toBeNull();
  });

  it("is asked of nobody in the mode without, for what is not text, and for a name that is a pattern", async () => {
    for (const [of, mode] of [
      [LINES, "off"],
      [BINARY, "always"],
      [PATTERN, "conflicts"],
    ] as const) {
      const { tree, asked, record } = await resolve(of, {}, { mode });
      expect([tree, asked, record?.taken]).toEqual([null, [], false]);
    }
  });

  it("begins from what was merged by keys, without markers there", async () => {
    const { tree, asked } = await resolve(KEYS, { "a.txt": "ours\ntheirs\n" });
    expect(asked[0]?.write).toEqual(["a.txt"]);
    expect(JSON.parse((await laboratory.filesOf(tree ?? "")).get("p.json") ?? "")).toEqual({ a: 1, b: 2, c: 3 });
  });
});
