import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { RoutingDecision } from "../../model/routing.js";
import { shippedModel } from "../../testing/learned-models.js";
import { textsInScripts } from "../../testing/texts-in-scripts.js";
import { compilePolicy } from "./compile-policy.js";
import { route } from "./route.js";

const compiled = compilePolicy(
  parse(readFileSync(new URL("../../../policy/routing.yaml", import.meta.url), "utf8")),
  shippedModel("routing"),
);
if (!compiled.ok) throw new Error("the shipped policy does not load");
const { policy } = compiled;

it.each(textsInScripts())("%s: 200 texts of any form are routed, each always the same way", (_name, texts) => {
  for (const body of texts) {
    const input = { task_id: "t", input: { body }, context_registry: [] };
    const decision = route(policy, input);
    expect(decision.status, JSON.stringify(body)).toBe("routed");
    expect(RoutingDecision.safeParse(decision).error).toBeUndefined();
    expect(JSON.stringify(route(policy, input))).toBe(JSON.stringify(decision));
  }
});
