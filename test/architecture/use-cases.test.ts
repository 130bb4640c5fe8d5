import { describe, expect, it } from "vitest";
import { useCases } from "../../src/app/coordinator.js";
import { openProject } from "../../src/app/project/project.js";
import { sourceFiles } from "./source-files.js";

/* `app/coordinator.ts` is the table of contents: what it names is there, and what a front calls is named in it. */

const files = new Map(sourceFiles().map(({ path, text }) => [path, text]));
const contents = files.get("app/coordinator.ts") ?? "";

/** What fronts take from app that is no use case: the context of a command, and the JSON form of a report. */
const NO_USE_CASES = new Set([
  "defaultParts",
  "jsonWatcher",
  "toJson",
  "adrJson",
  "STDIN",
  "guardCommand",
  "openProject",
]);

describe("the table of contents", () => {
  it("shows ten stages, each with files that are there", () => {
    const stages = [...contents.matchAll(/^ \* +(\d+) (\w+) .*?((?:mind|hands)\/\S+\.ts) +(\S+\.ts)$/gm)];
    expect(stages.map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const [, , , decides = "", leads = ""] of stages)
      for (const path of [decides, leads]) expect([...files.keys()]).toContain(path);
    expect(contents.split("\n").length).toBeLessThanOrEqual(250);
  });

  it("names every function that a command calls, under the name and file it has", () => {
    const called = [...files]
      .filter(([path]) => path.startsWith("cli/"))
      .flatMap(([, text]) => [...text.matchAll(/const \{ ([^}]+) \} =\s*await import\("(?:\.\.\/)+app\/([^"]+)"\)/g)])
      .flatMap(([, names = "", from = ""]) => names.split(", ").map((name) => ({ name, from })))
      .filter(({ name }) => !NO_USE_CASES.has(name));
    expect(called.length).toBeGreaterThan(40);
    const missing = called.filter(({ name, from }) => !contents.includes(`(await import("./${from}")).${name})`));
    expect(missing).toEqual([]);
    for (const { name } of called) expect(Object.keys(useCases)).toContain(name);
  });

  it("names use cases that say what they return and what a caller may rely on", () => {
    const named = [...contents.matchAll(/await import\("\.\/([^"]+)\.js"\)\)\.(\w+)/g)];
    expect(named.length).toBe(Object.keys(useCases).length);
    const silent = named.flatMap(([, file = "", name = ""]) => {
      const text = files.get(`app/${file}.ts`) ?? "";
      const declared = new RegExp(
        String.raw`(/\*\*(?:(?!\*/)[\s\S])*\*/\n)?export (?:async )?function ${name}\b[\s\S]*?\)(: \S[^\n]*)? \{\n`,
      ).exec(text);
      return [
        ...(declared?.[1]?.includes("Contract:") === true ? [] : [`${file} ${name}: no contract`]),
        ...(declared?.[2] === undefined ? [`${file} ${name}: no type of what it returns`] : []),
      ];
    });
    expect(silent).toEqual([]);
  });

  it("loads a use case when it is called", async () => {
    const found = await useCases.listRegistry("rule", [], {
      project: openProject({ cwd: "/", environment: {} }),
    } as Parameters<typeof useCases.listRegistry>[2]);
    expect(found).toMatchObject({ exitCode: 0, report: { type: "registry_list" } });
  });
});
