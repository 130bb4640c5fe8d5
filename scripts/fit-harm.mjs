#!/usr/bin/env node
// Finds the weights of src/mind/intake/safety/harm-weights.ts anew, from the project's own requests (test/eval-fixtures) and the
// shipped policy, and writes them. Run it after `npm run build` when the fixtures or the classes of the policy changed,
// then build again. Equal inputs give equal weights.
import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";
import { compilePolicy } from "../dist/mind/intake/compile-policy.js";
import { harmFeatures } from "../dist/mind/intake/safety/learned-harm.js";
import { read } from "../dist/mind/intake/reading/reading.js";
import { spokenOf } from "../dist/mind/intake/reading/spoken.js";
import { IntakePolicy } from "../dist/model/request.js";

const PASSES = 60;
/** Keeps weights small: what few requests share must not decide. */
const SHRINK = 0.01;
/** What fewer requests have in common is chance. */
const LEAST_REQUESTS = 3;
/** Weights below this change no decision and are not written. */
const LEAST_WEIGHT = 0.02;

const at = (path) => new URL(`../${path}`, import.meta.url);
const policy = compilePolicy(IntakePolicy.parse(parse(readFileSync(at("policy/intake.yaml"), "utf8"))));
const rows = ["safety", "intake", "routing"].flatMap((name) =>
  readFileSync(at(`test/eval-fixtures/${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map(({ text, label }) => ({ features: featuresOf(text), harms: label === "unsafe" ? 1 : 0 })),
);

function featuresOf(text) {
  const reading = read(policy.vocabulary, text);
  return harmFeatures(
    policy.safety,
    reading.own.map((statement) => spokenOf(policy.safety, reading, statement)),
  );
}

/** Logistic regression by stochastic descent, in an order that is the same each time. */
function fit() {
  const shared = new Map();
  for (const { features } of rows) for (const feature of features) shared.set(feature, (shared.get(feature) ?? 0) + 1);
  const names = [...shared].filter(([, count]) => count >= LEAST_REQUESTS).map(([name]) => name);
  const places = new Map(names.map((name, place) => [name, place]));
  const inputs = rows.map(({ features }) =>
    [...features].map((name) => places.get(name)).filter((place) => place !== undefined),
  );
  const weights = new Float64Array(names.length);
  let bias = 0;
  let seed = 1;
  for (let pass = 0; pass < PASSES; pass++) {
    const step = 0.5 / (1 + pass * 0.2);
    for (let turn = 0; turn < rows.length; turn++) {
      seed = (seed * 16_807) % 2_147_483_647;
      const row = Math.floor((seed / 2_147_483_647) * rows.length);
      const input = inputs[row];
      const scale = 1 / Math.sqrt(Math.max(1, input.length));
      let sum = bias;
      for (const place of input) sum += weights[place] * scale;
      const error = 1 / (1 + Math.exp(-sum)) - rows[row].harms;
      for (const place of input) weights[place] -= step * (error * scale + SHRINK * weights[place]);
      bias -= step * error * 0.1;
    }
  }
  return { names, weights, bias };
}

const { names, weights, bias } = fit();
const lines = names
  .map((name, place) => ({ name, weight: weights[place] }))
  .filter(({ weight }) => Math.abs(weight) >= LEAST_WEIGHT)
  .map(({ name, weight }) => `${name.replaceAll(/[`\\$]/g, "\\$&")} ${weight.toFixed(2)}`)
  .toSorted();
writeFileSync(
  at("src/mind/intake/safety/harm-weights.ts"),
  `// Written by scripts/fit-harm.mjs from ${rows.length} requests; do not edit.

export const HARM_BIAS = ${bias.toFixed(3)};

/** A word, a pair of words or the class of a policy (#), and what it weighs. */
export const HARM_WEIGHTS = \`
${lines.join("\n")}
\`;
`,
);
console.log(`${lines.length} weights from ${rows.length} requests`);
