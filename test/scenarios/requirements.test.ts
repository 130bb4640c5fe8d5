import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Citation, citationsIn, review } from "./citations.js";
import { citationsUnder } from "./cited-tests.js";
import { notBuilt, replacedBy, requirementsOf, shown } from "./requirement.js";
import { requirements } from "./requirements.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const specifications = join(root, "../shared/requirements.csv");

const line = ({ id, file }: Citation) => `${id} in ${file}`;

describe("the manifest", () => {
  it("has unique, well-formed ids, numbered without gaps in each specification", () => {
    for (const specification of ["S0", "S1", "S2", "S3", "S4"]) {
      const ids = requirements.map(({ id }) => id).filter((id) => id.startsWith(specification));
      expect(ids).toEqual(ids.map((_, at) => `${specification}-${String(at + 1).padStart(3, "0")}`));
      expect(ids).not.toEqual([]);
    }
    expect(requirements.filter(({ id }) => !/^S[0-4]-\d{3}$/.test(id))).toEqual([]);
  });

  it("says something in every text, and why in every standing that is not shown", () => {
    const silent = requirements.filter(({ text, section, kind, standing }) => {
      const reason = standing.is === "replaced" ? standing.by : standing.is === "not_built" ? standing.why : "shown";
      return [text, section, kind, reason].some((words) => words.trim() === "");
    });
    expect(silent).toEqual([]);
    expect(new Set(requirements.map(({ text }) => text)).size).toBe(requirements.length);
  });

  it.skipIf(!existsSync(specifications))("has exactly the ids and levels of the specifications", () => {
    const [, ...rows] = readFileSync(specifications, "utf8").trimEnd().split(/\r?\n/);
    const expected = rows.map((row) => `${row.slice(0, row.indexOf(","))} ${row.slice(row.lastIndexOf(",") + 1)}`);
    expect(requirements.map(({ id, level }) => `${id} ${level}`)).toEqual(expected);
  });
});

describe("the tests of this project", () => {
  const findings = review(requirements, citationsUnder(root));

  it("cite every requirement that is marked as shown", () => {
    expect(findings.uncited.map(({ id, text }) => `${id} ${text}`)).toEqual([]);
  });

  it("cite no id that the manifest does not know", () => {
    expect(findings.unknown.map(line)).toEqual([]);
  });

  it("cite no requirement that is marked as not built", () => {
    expect(findings.stale.map(line)).toEqual([]);
  });
});

describe("citationsIn", () => {
  const ids = (source: string) => citationsIn("a.test.ts", source).map(({ id }) => id);

  it.each([
    ["one id", `it("refuses a cycle [S4-042]", () => {});`, ["S4-042"]],
    ["several ids in one bracket", `test("[S4-042, S4-043] sorts", () => {});`, ["S4-042", "S4-043"]],
    ["the title of a group", `describe("graph [S4-034]", () => {});`, ["S4-034"]],
    ["the title of a table", `it.each([["S4-001", 1]])("%s costs %d [S4-056]", () => {});`, ["S4-056"]],
    ["a title on a line of its own", `it(\n  'refuses [S4-042]',\n  () => {},\n);`, ["S4-042"]],
    ["two brackets in one title", "it(`[S4-042] and [S4-043]`, () => {});", ["S4-042", "S4-043"]],
    ["an id without brackets", `it("refuses a cycle, see S4-042", () => {});`, []],
    ["a comment", `  // [S4-042] is shown elsewhere\n /** [S4-043] */`, []],
    [
      "a test that never runs",
      `it.todo("[S4-042]"); it.skip(\n  "[S4-043]", () => {}); it("[S4-044]", () => {});`,
      ["S4-044"],
    ],
    ["a misspelt id", `it("[S4-42] [S4-042–044] [S9-001]", () => {});`, ["S4-42", "S4-042–044", "S9-001"]],
    ["other brackets", `const at = rows[0]; /[S0-4]/.test("[x]");`, []],
  ])("reads %s", (_, source, expected) => {
    expect(ids(source)).toEqual(expected);
  });

  it("names the file", () => {
    expect(citationsIn("src/a.test.ts", `it("[S4-042]")`)).toEqual([{ id: "S4-042", file: "src/a.test.ts" }]);
  });
});

describe("review", () => {
  const manifest = requirementsOf([
    ["S4-001", "Overview", "behaviour", "must", "Plans.", shown],
    ["S4-002", "Overview", "behaviour", "must", "Is written in Python.", replacedBy("TypeScript")],
    ["S4-003", "Overview", "behaviour", "wish", "Draws.", notBuilt("nothing draws yet")],
  ]);
  const citing = (...ids: readonly string[]) =>
    review(
      manifest,
      ids.map((id) => ({ id, file: "a.test.ts" })),
    );

  it("finds nothing when what is shown is cited", () => {
    expect(citing("S4-001")).toEqual({ uncited: [], unknown: [], stale: [] });
  });

  it("finds a shown requirement that no test cites", () => {
    expect(citing().uncited).toEqual([manifest[0]]);
  });

  it("finds a cited id that is unknown", () => {
    expect(citing("S4-001", "S4-999").unknown).toEqual([{ id: "S4-999", file: "a.test.ts" }]);
  });

  it("finds a citation of what is marked as not built", () => {
    expect(citing("S4-001", "S4-003").stale).toEqual([{ id: "S4-003", file: "a.test.ts" }]);
  });

  it("lets a replaced requirement be cited or not", () => {
    expect(citing("S4-001", "S4-002")).toEqual({ uncited: [], unknown: [], stale: [] });
  });
});
