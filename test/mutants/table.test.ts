import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { citationsUnder } from "../scenarios/cited-tests.js";
import { requirements } from "../scenarios/requirements.js";
import type { Mutant } from "./mutant.js";
import { mutants } from "./mutants.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

const name = ({ ids, file, what }: Mutant) => `${ids.join(" ")} ${file}: ${what}`;

const countOf = (part: string, text: string) => text.split(part).length - 1;

describe("the table of mutants", () => {
  it("has at least 150 rows, some for each specification, and no row twice", () => {
    expect(mutants.length).toBeGreaterThanOrEqual(150);
    for (const specification of ["S0", "S1", "S2", "S3", "S4"])
      expect(mutants.filter(({ ids }) => ids.some((id) => id.startsWith(specification))).length).toBeGreaterThan(9);
    expect(new Set(mutants.map(({ file, from, to }) => `${file}\n${from}\n${to}`)).size).toBe(mutants.length);
  });

  it("changes one line of a source file, which has the text exactly once", () => {
    const wrong = mutants.filter(
      ({ file, from, to }) =>
        !/^src\/.*(?<!\.test)\.ts$/.test(file) ||
        /\n/.test(from + to) ||
        from === to ||
        countOf(from, readFileSync(join(root, file), "utf8")) !== 1,
    );
    expect(wrong.map(name)).toEqual([]);
  });

  it("names ids of the manifest that a test cites", () => {
    const known = new Set(requirements.map(({ id }) => id));
    const cited = new Set(citationsUnder(root).map(({ id }) => id));
    const unknown = mutants.filter(({ ids }) => ids.length === 0 || !ids.every((id) => known.has(id) && cited.has(id)));
    expect(unknown.map(name)).toEqual([]);
  });

  it("leaves the agent that plays scripts alone: it is built in one piece, which a mutant would not reach", () => {
    expect(mutants.filter(({ file }) => file.startsWith("src/hands/agents/scripted/")).map(name)).toEqual([]);
  });
});
