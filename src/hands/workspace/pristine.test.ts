import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { attempt, newFolder, open, userRepository, write } from "../../../test/workspace/repository.js";
import { pristineOf } from "./changes.js";
import { survey } from "./watch/survey.js";

/* The state of a workspace when it is handed over: files that cannot have changed since are not read again. */

/** A survey of files that were all written now, or so many milliseconds ahead of now. */
async function surveyOf(count: number, ahead = 0) {
  const folder = newFolder();
  write(folder, Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.txt`, `${i}\n`])));
  const found = await survey(folder, []);
  found.close();
  const changedMs = Date.now() + ahead;
  return { ...found, entries: found.entries.map((entry) => ({ ...entry, changedMs })) };
}

describe("what is noted of a workspace that is handed over", () => {
  it("leaves out a few files that were written just now: they could be written again in the same tick of the clock", async () => {
    expect((await pristineOf(await surveyOf(3))).stats.size).toBe(0);
  });

  it("has every one of many files that were written just now, since it waits until none is in doubt", async () => {
    expect((await pristineOf(await surveyOf(700))).stats.size).toBe(700);
  });

  it("leaves out what a clock that was set back would have it wait for", async () => {
    expect((await pristineOf(await surveyOf(700, 86_400_000))).stats.size).toBe(0);
  });

  it("is noted after the workspace was given to the user of its sandbox", async () => {
    const folder = newFolder();
    const give = async (tree: string) => {
      writeFileSync(join(tree, "README.md"), "written by the one that gives it\n");
      await wait(150);
    };
    const { workspaces } = await open(folder, userRepository(folder), { give });
    const workspace = await workspaces.prepare(attempt());
    expect(readFileSync(join(workspace.path, "README.md"), "utf8")).toMatch(/^written by/);
    // Read again, it would differ from the view.
    expect(await workspace.import({ write: ["**"], message: "A change" })).toMatchObject({ status: "unchanged" });
  });
});
