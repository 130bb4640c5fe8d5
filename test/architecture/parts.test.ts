import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** The seven parts of the planning engine, and where each one is and is tested. */
const PARTS: readonly [string, string, string][] = [
  ["the engine", "src/mind/plan/plan.ts", "test/plan/flows.test.ts"],
  ["the parser", "src/mind/plan/parse-intent.ts", "src/mind/plan/parse-intent.test.ts"],
  ["the adjudicator", "src/mind/plan/rules/adjudicate.ts", "src/mind/plan/rules/adjudicate.test.ts"],
  ["the graph builder", "src/mind/plan/graph/build-graph.ts", "src/mind/plan/graph/build-graph.test.ts"],
  ["the question governor", "src/mind/plan/questions/govern.ts", "src/mind/plan/questions/govern.test.ts"],
  ["the model router", "src/mind/plan/models/route-models.ts", "src/mind/plan/models/route-models.test.ts"],
  ["the output freezer", "src/mind/plan/freeze.ts", "src/mind/plan/freeze.test.ts"],
];

describe("the seven parts of planning", () => {
  it.each(PARTS)("%s stands in %s and is tested in %s [S4-004, S4-082]", (_, source, test) => {
    const at = (path: string) => new URL(`../../${path}`, import.meta.url);
    expect(existsSync(at(source))).toBe(true);
    expect(readFileSync(at(test), "utf8").match(/\b(it|test)(\.each)?\(/g)?.length ?? 0).toBeGreaterThan(2);
  });

  it("the whole is a TypeScript package that asks for Node 20.19 or newer [S1-128]", () => {
    const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
    const { type, engines } = JSON.parse(text("package.json")) as { type: string; engines: { node: string } };
    expect([type, engines.node]).toEqual(["module", expect.stringMatching(/^>=20\.19/)]);
    const sources = readdirSync(new URL("../../src", import.meta.url), { recursive: true, withFileTypes: true });
    expect(sources.filter((entry) => entry.isFile() && /\.(?:js|mjs|py)$/.test(entry.name))).toEqual([]);
  });

  it("use cases, wiring and the review of levels stand where the design says [S1-135, S2-028]", () => {
    const at = (path: string) => new URL(`../../${path}`, import.meta.url);
    for (const path of [
      "src/app/coordinator.ts",
      "src/app/compose.ts",
      "src/app/plan/planning.ts",
      "src/hands/integration/review-level.ts",
      "src/model/plan/level.ts",
    ])
      expect([path, existsSync(at(path))]).toEqual([path, true]);
  });

  it("the flow is one page", () => {
    expect(
      readFileSync(new URL("../../src/app/plan/planning.ts", import.meta.url), "utf8").split("\n").length,
    ).toBeLessThanOrEqual(201);
  });
});
