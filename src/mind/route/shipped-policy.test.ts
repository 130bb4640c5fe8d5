import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { shippedModel } from "../../testing/learned-models.js";
import { compilePolicy } from "./compile-policy.js";
import { route } from "./route.js";
import { SIGNAL_NAMES } from "./signals/signals.js";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const result = compilePolicy(parse(read("policy/routing.yaml")), shippedModel("routing"));
if (!result.ok) throw new Error(JSON.stringify(result.problems));
const { policy } = result;

interface Fixture {
  readonly id: string;
  readonly text: string;
  readonly category: string;
  readonly expected_route: string;
}

const fixtures = read("test/eval-fixtures/routing.jsonl")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Fixture);

describe("the shipped policy", () => {
  it("ends in an explicit rule for what is uncertain, and its target is product [S0-029]", () => {
    expect(policy.rules.at(-1)?.rule).toMatchObject({ category: "ambiguous", target: "product", when: "true" });
  });

  it("sends no fixture to dev that does not belong there, and nearly all that do", () => {
    const routed = fixtures.map((f) => ({
      f,
      target: route(policy, { task_id: f.id, input: { body: f.text }, context_registry: [] }).routed_to,
    }));
    expect(routed.filter((r) => r.target === "dev" && r.f.expected_route !== "dev").map((r) => r.f.id)).toEqual([]);
    const wanted = routed.filter((r) => r.f.expected_route === "dev");
    expect(wanted.filter((r) => r.target === "dev").length / wanted.length).toBeGreaterThanOrEqual(0.9);
  });
});

describe("the guide", () => {
  const guide = read("docs/guides/routing-policy.md");

  it("shows a policy that loads", () => {
    const parts = guide.split("```yaml");
    const blocks = parts.slice(1).map((part, i) => ({
      text: part.split("```")[0] ?? "",
      // The guide also shows what a mistake looks like, and says so right before it.
      broken: /broken\.yaml`:\s*$/.test(parts[i] ?? ""),
    }));
    const whole = blocks.filter(({ text }) => text.includes("policy_id"));
    expect(whole.map(({ broken }) => broken)).toContain(false);
    for (const { text, broken } of whole) expect(compilePolicy(parse(text)).ok).toBe(!broken);
  });

  it("explains every signal", () => {
    expect(SIGNAL_NAMES.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
});
