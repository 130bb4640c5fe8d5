import { existsSync, readFileSync } from "node:fs";
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
  it.each(PARTS)("%s stands in %s and is tested in %s [S4-082]", (_, source, test) => {
    const at = (path: string) => new URL(`../../${path}`, import.meta.url);
    expect(existsSync(at(source))).toBe(true);
    expect(readFileSync(at(test), "utf8").match(/\b(it|test)(\.each)?\(/g)?.length ?? 0).toBeGreaterThan(2);
  });

  it("the flow is one page", () => {
    expect(
      readFileSync(new URL("../../src/app/plan/planning.ts", import.meta.url), "utf8").split("\n").length,
    ).toBeLessThanOrEqual(201);
  });
});
