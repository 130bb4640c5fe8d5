import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { mergeLines } from "../../src/hands/integration/merging/line-merge.js";
import { seededRandom } from "../../src/mind/run/seeded.js";

/* Texts merged without git, beside what git makes of the same texts: all of them in one process of git. */

const CASES = Number(process.env["COORDINATOR_LAB_CASES"] ?? 1000);
const folder = mkdtempSync(join(tmpdir(), "coordinator-lines-"));
const env = {
  PATH: process.env["PATH"],
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: "1",
};
const git = (args: readonly string[], input = "") =>
  execFileSync("git", ["--git-dir", join(folder, "r.git"), ...args], { env, input, maxBuffer: 1 << 28 }).toString(
    "latin1",
  );

interface Case {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Few kinds of lines make many equal ones, which is where differences can be seen in more than one way. */
function drawCase(seed: number): Case {
  const chance = seededRandom(seed, "lines");
  const below = (n: number) => Math.floor(chance() * n);
  const kinds = [3, 8, 40, 1000][below(4)] as number;
  const line = () => (chance() < 0.2 ? "" : chance() < 0.2 ? "}" : `line ${below(kinds)}`);
  const base = Array.from({ length: 1 + below(chance() < 0.1 ? 400 : 60) }, line);
  const end = () => (chance() < 0.15 ? "" : "\n");
  const edited = (from: number, to: number) => {
    const lines = [...base];
    for (let n = 1 + below(3); n > 0; n--) {
      const at = Math.min(lines.length, from + below(Math.max(1, to - from)));
      const made = Array.from({ length: below(4) }, () => (chance() < 0.5 ? line() : `new ${below(1e6)}`));
      lines.splice(at, below(4), ...made);
    }
    return lines;
  };
  const half = base.length >> 1;
  const apart = chance() < 0.7;
  return {
    base: base.join("\n") + end(),
    ours: edited(0, apart ? half : base.length).join("\n") + end(),
    theirs: edited(apart ? half : 0, base.length).join("\n") + end(),
  };
}

/** What git makes of each; null where it finds a conflict. */
function mergedByGit(cases: readonly Case[]): (string | null)[] {
  git(["init", "-q", "--bare"]);
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  // One branch that begins anew each time: thousands of them would take longer than all the rest.
  const commit = (mark: number, from: number | null, text: string) =>
    `${from === null ? "reset refs/heads/x\n\n" : ""}commit refs/heads/x\nmark :${mark}\ncommitter lab <lab@localhost> 0 +0000\n${data("x")}${from === null ? "" : `from :${from}\n`}M 100644 inline f\n${data(text)}\n`;
  const stream = cases.map(
    ({ base, ours, theirs }, i) =>
      commit(3 * i + 1, null, base) + commit(3 * i + 2, 3 * i + 1, ours) + commit(3 * i + 3, 3 * i + 1, theirs),
  );
  const marks = join(folder, "marks");
  git(["fast-import", "--quiet", "--force", `--export-marks=${marks}`], stream.join(""));
  const commits = new Map(
    readFileSync(marks, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(" ") as [string, string]),
  );
  const asked = cases.map((_, i) => `${commits.get(`:${3 * i + 2}`)} ${commits.get(`:${3 * i + 3}`)}\n`).join("");
  const answers = git(["merge-tree", "--write-tree", "--stdin", "-z", "--no-messages"], asked);
  const found = [...answers.matchAll(/([01])\0([0-9a-f]{40})\0(?:[^\0]+\0)*\0/g)];
  expect(found).toHaveLength(cases.length);
  const texts = git(["cat-file", "--batch"], found.map(([, , tree]) => `${tree}:f\n`).join(""));
  let at = 0;
  return found.map(([, clean]) => {
    const end = texts.indexOf("\n", at);
    const size = Number(texts.slice(at, end).split(" ")[2]);
    const text = texts.slice(end + 1, end + 1 + size);
    at = end + 1 + size + 1;
    return clean === "1" ? text : null;
  });
}

describe(`${CASES} texts that two sides changed`, () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

  it("are merged as git merges them, or are left to git", () => {
    const cases = Array.from({ length: CASES }, (_, i) => drawCase(i + 1));
    const byGit = mergedByGit(cases);
    let merged = 0;
    for (const [i, { base, ours, theirs }] of cases.entries()) {
      const text = mergeLines(base, ours, theirs);
      if (text === null) continue;
      merged++;
      expect({ seed: i + 1, text }).toEqual({ seed: i + 1, text: byGit[i] });
    }
    // Most of what git merges must be merged here, or nothing was won.
    expect(merged).toBeGreaterThan(byGit.filter((text) => text !== null).length / 2);
  });

  it("leaves to git what meets, what is not text, and nothing else of what lies apart", () => {
    expect(mergeLines("1\n2\n3\n", "0\n1\n2\n3\n", "1\n2\n3\n4\n")).toBe("0\n1\n2\n3\n4\n");
    expect(mergeLines("1\n2\n", "1a\n2\n", "1\n2b\n")).toBeNull();
    expect(mergeLines("1\n2\n", "0\n1\n2\n", "x\n1\n2\n")).toBeNull();
    expect(mergeLines("", "a\n", "b\n")).toBeNull();
    expect(mergeLines("\0\n2\n3\n", "\0a\n2\n3\n", "\0\n2\n3b\n")).toBeNull();
    expect(mergeLines("1\n2\n3", "1a\n2\n3", "1\n2\n3\n")).toBe("1a\n2\n3\n");
  });
});
