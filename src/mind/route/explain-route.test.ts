import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { shippedModel } from "../../testing/learned-models.js";
import { compilePolicy } from "./compile-policy.js";
import { explainRoute } from "./explain-route.js";
import { route } from "./route.js";
import { splitConjunction } from "./split-conjunction.js";

const result = compilePolicy(
  parse(readFileSync(new URL("../../../policy/routing.yaml", import.meta.url), "utf8")),
  shippedModel("routing"),
);
if (!result.ok) throw new Error("the shipped policy does not load");
const { policy } = result;

const explain = (body: string, over: Record<string, unknown> = {}) => {
  const decision = route(policy, {
    task_id: "task_1",
    input: { body, ...over },
    context_registry: ["docs/principles.md"],
  });
  return explainRoute(policy, body, decision);
};

describe("explainRoute", () => {
  it("names the rule, its condition, the places in the text and the context", () => {
    const text = explain("Rename `parse_header` in src/net/frame.py, it must be `parse_frame`.");
    expect(text).toContain("task_1: routed to dev");
    expect(text).toContain("by rule change_of_named_code");
    expect(text).toContain("“parse_header”");
    expect(text).toContain("- docs/principles.md (no_context_rule)");
  });

  it("says what the next best rule of the other target would have needed", () => {
    const text = explain("Something is odd in src/a.ts");
    expect(text).toContain("routed to product");
    expect(text).toMatch(/next best: [a-z_]+ → dev, which also needed\n {2}.+ {3}\[/);
  });

  it("explains an escalation and an operator's type", () => {
    expect(explain("x", { type: "urgent" })).toContain("escalated, malformed_input");
    expect(explain("x", { type: "technical" })).toContain("by rule operator_says_technical");
  });

  it("fits on one screen, whatever the text, and gives the same bytes again", () => {
    const body = `${"Please add `a_b` to src/a.ts, it should be better for users? ".repeat(500)}\n\`\`\`\nat x (a.ts:1:1)\n\`\`\``;
    const lines = explain(body).split("\n");
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(Math.max(...lines.map((l) => l.length))).toBeLessThanOrEqual(100);
    expect(explain(body)).toBe(explain(body));
  });
});

describe("splitConjunction", () => {
  it.each([
    ["a && b", ["a", "b"]],
    ["a && (b || c) && d", ["a", "(b || c)", "d"]],
    ["a || b && c", ["a || b && c"]],
    ['x == "a && b" && c', ['x == "a && b"', "c"]],
    ["a ? b : c", ["a ? b : c"]],
    ["[1, 2].exists(x, x > 1 && x < 3) && a", ["[1, 2].exists(x, x > 1 && x < 3)", "a"]],
    ["'\\' && ' == y", ["'\\' && ' == y"]],
  ])("%s", (source, parts) => {
    expect(splitConjunction(source)).toEqual(parts);
  });
});
