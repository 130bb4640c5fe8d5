import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { armCrashPoints, CRASH_POINTS } from "../../foundation/processes/crash-points.js";
import { readPlanFolder, writePlanFolder } from "./plan-folder.js";

const plan = (mark: string) =>
  new Map([
    ["graph.json", mark],
    ["inputs/intent.json", mark],
    ["manifest.json", mark],
  ]);

describe("a plan's folder", () => {
  let parent: string;
  let folder: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), "coordinator-plan-"));
    folder = join(parent, "plan");
  });
  afterEach(async () => {
    armCrashPoints(() => undefined);
    await rm(parent, { recursive: true });
  });
  const texts = async () => new Map([...(await readPlanFolder(folder))].map(([name, { text }]) => [name, text]));

  it("is read as it was written, and nothing is left beside it [S4-062, S4-096]", async () => {
    await writePlanFolder(folder, plan("one"));
    expect(await texts()).toEqual(plan("one"));
    expect(await readdir(parent)).toEqual(["plan"]);
  });

  it("is replaced whole: files of the old plan do not stay", async () => {
    await writePlanFolder(folder, new Map([...plan("one"), ["questions.json", "one"]]));
    await writePlanFolder(folder, plan("two"));
    expect(await texts()).toEqual(plan("two"));
  });

  it.each(CRASH_POINTS)("holds the old plan or the new one after a failure at %s, never half", async (point) => {
    await writePlanFolder(folder, plan("one"));
    armCrashPoints((at) => {
      if (at === point) throw new Error("the disk went away");
    });
    await expect(writePlanFolder(folder, plan("two"))).rejects.toThrow("could not be written");
    armCrashPoints(() => undefined);
    expect([plan("one"), plan("two")]).toContainEqual(await texts());
    await writePlanFolder(folder, plan("three"));
    expect(await texts()).toEqual(plan("three"));
    expect(await readdir(parent)).toEqual(["plan"]);
  });

  it("is not taken for a plan when it holds other files, which stay", async () => {
    await mkdir(folder);
    await writeFile(join(folder, "thesis.txt"), "years of work");
    await expect(writePlanFolder(folder, plan("one"))).rejects.toMatchObject({ code: "PLAN_WRITE_FAILED" });
    expect(await readFile(join(folder, "thesis.txt"), "utf8")).toBe("years of work");
  });

  it("is not written over a file", async () => {
    await writeFile(folder, "a file");
    await expect(writePlanFolder(folder, plan("one"))).rejects.toMatchObject({ code: "PLAN_WRITE_FAILED" });
    expect(await readFile(folder, "utf8")).toBe("a file");
  });

  it("that is not there says what to do", async () => {
    await expect(readPlanFolder(folder)).rejects.toMatchObject({
      code: "PLAN_NOT_FOUND",
      fix: expect.stringContaining("plan --out"),
    });
  });

  it("tells bytes that are not text by their hash", async () => {
    await writePlanFolder(folder, plan("one"));
    await writeFile(join(folder, "graph.json"), Buffer.from([0xff]));
    const lossy = (await readPlanFolder(folder)).get("graph.json");
    expect(lossy?.text).toBe("\uFFFD");
    expect(lossy?.sha256).toBe("a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89");
  });
});
