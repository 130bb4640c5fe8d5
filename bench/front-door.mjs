// The cost of the front door: intake and routing of requests in plain words. Prints one JSON document.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { intake } from "../dist/mind/intake/intake.js";
import { IntakePolicy } from "../dist/model/intake-policy.js";
import { compilePolicy } from "../dist/mind/route/compile-policy.js";
import { route } from "../dist/mind/route/route.js";
import { readLearnedModel } from "../dist/foundation/documents/shipped-model.js";
import { compare } from "./measure.mjs";

const read = (name) => parse(readFileSync(new URL(`../policy/${name}.yaml`, import.meta.url), "utf8"));

/** Texts of about one kilobyte: the project's own fixtures, each filled up with the ones after it. */
function texts() {
  const lines = readFileSync(new URL("../test/eval-fixtures/routing.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const own = lines.map((line) => JSON.parse(line).text);
  return own.map((_, i) => {
    let text = "";
    for (let j = i; text.length < 1024; j = (j + 1) % own.length) text += `${own[j]}\n\n`;
    return text.slice(0, 1024);
  });
}

function intakeOf1Kb() {
  const policy = IntakePolicy.parse(read("intake"));
  const requests = texts().map((user_request) => ({
    request_id: "550e8400-e29b-41d4-a716-446655440000",
    timestamp: "2026-01-01T00:00:00Z",
    user_request,
  }));
  return perDecision(
    compare(
      "Intake of requests of 1 KB",
      { ours: () => requests.map((request) => intake(policy, request)) },
      { rounds: 9, calls: 60, warmUp: 60 },
    ),
    requests.length,
  );
}

async function routingOf1Kb() {
  const compiled = compilePolicy(read("routing"), await readLearnedModel("routing"));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const inputs = texts().map((body, i) => ({ task_id: `t${i}`, input: { body }, context_registry: [] }));
  return perDecision(
    compare(
      "Routing of requests of 1 KB",
      { ours: () => inputs.map((input) => route(compiled.policy, input)) },
      { rounds: 9, calls: 60, warmUp: 60 },
    ),
    inputs.length,
  );
}

function perDecision(result, count) {
  const rows = result.rows.map((row) => ({
    ...row,
    median: row.median / count,
    min: row.min / count,
    max: row.max / count,
  }));
  return { ...result, rows, per_second: 1000 / rows[0].median };
}

const sections = { intake: intakeOf1Kb, routing: routingOf1Kb };
const section = sections[process.argv[2]];
if (section === undefined) throw new Error(`no such section; there are ${Object.keys(sections).join(", ")}`);
console.log(JSON.stringify(await section()));
