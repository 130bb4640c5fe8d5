import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** The seven parts of the planning engine, and where each one is and is tested. */
const PARTS: readonly [string, string, string][] = [
  ["the engine", "src/plan/plan.ts", "test/plan/flows.test.ts"],
  ["the parser", "src/plan/parse-intent.ts", "src/plan/parse-intent.test.ts"],
  ["the adjudicator", "src/plan/adjudicate.ts", "src/plan/adjudicate.test.ts"],
  ["the graph builder", "src/plan/graph/build-graph.ts", "src/plan/graph/build-graph.test.ts"],
  ["the question governor", "src/plan/questions/govern.ts", "src/plan/questions/govern.test.ts"],
  ["the model router", "src/plan/route-models.ts", "src/plan/route-models.test.ts"],
  ["the output freezer", "src/plan/freeze.ts", "src/plan/freeze.test.ts"],
];

describe("the seven parts of planning", () => {
  it.each(PARTS)("%s stands in %s and is tested in %s [S4-082]", (_, source, test) => {
    const at = (path: string) => new URL(`../../${path}`, import.meta.url);
    expect(existsSync(at(source))).toBe(true);
    expect(readFileSync(at(test), "utf8").match(/\b(it|test)(\.each)?\(/g)?.length ?? 0).toBeGreaterThan(2);
  });

  it("the flow is one page", () => {
    expect(
      readFileSync(new URL("../../src/coordinator.ts", import.meta.url), "utf8").split("\n").length,
    ).toBeLessThanOrEqual(201);
  });
});
