import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { RoutingDecision } from "../../model/routing.js";
import { shippedModel } from "../../testing/learned-models.js";
import { compilePolicy } from "./compile-policy.js";
import { route } from "./route.js";

const compiled = compilePolicy(
  parse(readFileSync(new URL("../../../policy/routing.yaml", import.meta.url), "utf8")),
  shippedModel("routing"),
);
if (!compiled.ok) throw new Error("the shipped policy does not load");
const { policy } = compiled;

/** First and last letter of ten scripts; the last one gives halves of surrogate pairs, whole ones and marks. */
const SCRIPTS: readonly (readonly [string, number, number])[] = [
  ["Latin", 0x41, 0x7a],
  ["Latin with marks", 0xc0, 0x17f],
  ["Greek", 0x391, 0x3c9],
  ["Cyrillic", 0x410, 0x44f],
  ["Hebrew", 0x5d0, 0x5ea],
  ["Arabic", 0x621, 0x64a],
  ["Devanagari", 0x905, 0x939],
  ["kana", 0x3041, 0x30fa],
  ["Han", 0x4e00, 0x9fa5],
  ["surrogates and marks", 0xd7f0, 0xe010],
];
const PER_SCRIPT = 200;
const AROUND = [
  " ",
  "\n",
  "\n\n",
  "`",
  "```\n",
  "> ",
  "--",
  "/",
  ".",
  ":",
  "?",
  "\u0000",
  "(",
  "_",
  "- [ ] ",
  "\u200b",
];

/** The same numbers on every run. */
function chooser(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

it.each(SCRIPTS)("%s: 200 texts of any form are routed, each always the same way", (_name, first, last) => {
  const choose = chooser(first);
  for (let n = 0; n < PER_SCRIPT; n++) {
    let body = "";
    for (let length = choose(120); length > 0; length--)
      body += choose(4) === 0 ? AROUND[choose(AROUND.length)] : String.fromCharCode(first + choose(last - first + 1));
    const input = { task_id: "t", input: { body }, context_registry: [] };
    const decision = route(policy, input);
    expect(decision.status).toBe("routed");
    if (n % 20 !== 0) continue;
    expect(RoutingDecision.safeParse(decision).success).toBe(true);
    expect(JSON.stringify(route(policy, input))).toBe(JSON.stringify(decision));
  }
});
