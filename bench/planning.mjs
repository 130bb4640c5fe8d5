// The cost of planning: parse, adjudicate, build and sort, freeze, and the whole plan. Prints one JSON document.
import { createHash } from "node:crypto";
import { Environment } from "@marcbachmann/cel-js";
import * as graphlib from "@dagrejs/graphlib";
import canonicalize from "canonicalize";
import { DirectedGraph } from "graphology";
import { topologicalSort } from "graphology-dag";
import { parseJson } from "../dist/foundation/documents/json-text.js";
import { canonicalBytes } from "../dist/foundation/canonical-json/canonical-bytes.js";
import { canonicalJson } from "../dist/foundation/canonical-json/canonical.js";
import { buildDraft } from "../dist/mind/plan/graph/build-graph.js";
import { topologyOf } from "../dist/mind/plan/graph/topology.js";
import { plan } from "../dist/mind/plan/plan.js";
import { findUncertainties } from "../dist/mind/plan/questions/find-uncertainties.js";
import { buildQuestionPack, triage } from "../dist/mind/plan/questions/govern.js";
import { NOTHING_RESOLVED } from "../dist/mind/plan/questions/resolutions.js";
import { createConditionCompiler } from "../dist/foundation/conditions/compile-condition.js";
import { ruleFactSchema } from "../dist/mind/plan/rules/rule-facts.js";
import { compare } from "./measure.mjs";
import { facts, intentText, memory, policy, registry, rules, services } from "./workload.mjs";

const equal = (a, b, what) => {
  if (a !== b) throw new Error(`${what}: the answers differ`);
};
const prepared = registry();
const inputsOf = (intent) => ({
  intent,
  lock: null,
  policy,
  registry: prepared,
  facts,
  memory,
  answers: [],
  instants: ["2026-01-01T00:00:00Z"],
});

function parsing() {
  const text = intentText(200);
  return compare(
    "Parse an intent of 200 tasks",
    { "our reader": () => parseJson(text), "JSON.parse, no checks": () => JSON.parse(text) },
    { calls: 50 },
  );
}

/** The peer compares doubles only with doubles and knows no glob, so its sources say the same in its words. */
function adjudication() {
  const schema = ruleFactSchema(prepared.registry.facts);
  const compile = createConditionCompiler(schema);
  const sources = rules().map((rule) => rule.when);
  const ours = sources.map((source) => compile(source)).map((result) => result.condition);
  const environment = new Environment({ unlistedVariablesAreDyn: true });
  // Dynamic variables: what the peer does without a schema, and its fastest form.
  const theirs = sources.map((source) =>
    environment.parse(
      source
        .replaceAll(/glob\("([^"]*)\/\*\*"\)/g, 'startsWith("$1/")')
        .replaceAll(/(?<![\w.])(\d+)(?![\w.])/g, "$1.0")
        .replaceAll(/size\(([^)]*)\)/g, "double(size($1))"),
    ),
  );
  const scopes = Array.from({ length: 200 }, (_, i) => ({
    command: {
      id: `command_${i}`,
      phase: ["analysis", "implementation"][i % 2],
      owner: `agent_${i % 4}`,
      status: "active",
      effects: i % 3 === 0 ? ["read"] : ["read", "write"],
      undeclared_effects: [],
      risk_level: ["low", "medium", "high"][i % 3],
      reads: [],
      writes: i % 3 === 0 ? [] : [`src/file${i}.ts`, `protected${i % 7}/x.ts`],
      tests: [],
      evidence_refs: ["scan://x"],
      has_rollback: i % 2 === 0,
      data_sensitivity: "internal",
      params: {},
      in_lock_scope: true,
      failure_rate: (i % 10) / 10,
    },
    intent: { mode: "semi_auto", lock_mode: "none" },
    facts: { coverage_percent: i % 100 },
  }));
  const verdicts = (evaluate) => {
    const found = new Uint8Array(scopes.length * sources.length);
    for (let s = 0, at = 0; s < scopes.length; s++)
      for (let r = 0; r < sources.length; r++) found[at++] = evaluate(r, scopes[s]) === true ? 1 : 0;
    return found;
  };
  const expected = verdicts((r, scope) => ours[r].evaluate(scope)).join("");
  const result = compare(
    "50 rules × 200 commands",
    {
      "ours, closures": () => verdicts((r, scope) => ours[r].evaluate(scope)),
      "@marcbachmann/cel-js, interpreted": () => verdicts((r, scope) => theirs[r](scope)),
    },
    { calls: 5, check: (name, answer) => equal(answer.join(""), expected, name) },
  );
  return { ...result, per_evaluation_us: (result.rows[0].median * 1000) / (50 * 200) };
}

function sorting(size) {
  const ids = Array.from({ length: size }, (_, i) => `node_${i}`);
  const edges = ids.flatMap((_, i) => [i - 8, i - 24].filter((d) => d >= 0).map((d) => [ids[d], ids[i]]));
  const valid = (order) => {
    const at = new Map(order.map((id, i) => [id, i]));
    if (at.size !== size || edges.some(([from, to]) => at.get(from) >= at.get(to)))
      throw new Error("not a topological order");
  };
  return compare(
    `Build and sort ${size.toLocaleString("en")} nodes, ${edges.length.toLocaleString("en")} edges`,
    {
      ours: () => {
        const index = new Map(ids.map((id, i) => [id, i]));
        const from = Int32Array.from(edges, ([id]) => index.get(id));
        const to = Int32Array.from(edges, ([, id]) => index.get(id));
        return Array.from(topologyOf({ size, from, to }).order, (i) => ids[i]);
      },
      "graphology + graphology-dag": () => {
        const graph = new DirectedGraph();
        for (const id of ids) graph.addNode(id);
        for (const [from, to] of edges) graph.addEdge(from, to);
        return topologicalSort(graph);
      },
      "@dagrejs/graphlib": () => {
        const graph = new graphlib.Graph();
        for (const id of ids) graph.setNode(id);
        for (const [from, to] of edges) graph.setEdge(from, to);
        return graphlib.alg.topsort(graph);
      },
    },
    {
      rounds: size > 10_000 ? 3 : 7,
      calls: size > 1000 ? 1 : 20,
      warmUp: size > 10_000 ? 1 : 2,
      check: (_, order) => valid(order),
    },
  );
}

function freezing() {
  const { graph } = plan(inputsOf(JSON.parse(intentText(200))), services);
  const structure = { nodes: graph.nodes, edges: graph.edges, swimlanes: graph.swimlanes };
  const sha = (text) => createHash("sha256").update(text).digest("hex");
  const expected = sha(canonicalJson(structure));
  return compare(
    "Canonical form and SHA-256 of a graph of 200 tasks",
    {
      ours: () => {
        const hash = createHash("sha256");
        canonicalBytes(structure, (piece) => hash.update(piece));
        return hash.digest("hex");
      },
      "canonicalize 4 + SHA-256": () => sha(canonicalize(structure)),
      "JSON.stringify + SHA-256, not canonical": () => sha(JSON.stringify(structure)),
    },
    { calls: 20, check: (name, answer) => name.includes("not canonical") || equal(answer, expected, name) },
  );
}

/** Nodes, not tasks: a plan adds phases, decisions and gates to its tasks. */
function wholePlan(nodes) {
  const text = intentText(nodes - 9);
  const floor = () => JSON.parse(text);
  return compare(
    `Whole plan, text to frozen outputs: ${nodes.toLocaleString("en")} nodes, 50 rules`,
    {
      ours: () => {
        const read = parseJson(text);
        return plan(inputsOf(read.value), services);
      },
      "JSON.parse of the intent alone": floor,
    },
    {
      rounds: nodes > 10_000 ? 3 : 7,
      calls: nodes > 1000 ? 1 : 50,
      warmUp: nodes > 10_000 ? 1 : nodes > 1000 ? 5 : 200,
      check: (name, answer) => name === "ours" && equal(answer.state, "DONE", name),
    },
  );
}

/** The specification's own limits: a graph of fewer than 50 nodes, and the questions it raises. */
function smallGraph() {
  const { source } = workbench(41);
  return compare(
    "Build the graph of 50 nodes",
    { ours: () => buildDraft(source) },
    { calls: 50, check: (_, draft) => equal(draft.nodes.length, 50, "nodes") },
  );
}

function questions() {
  const { source, draft, intent } = workbench(41);
  const unreviewed = { ...source, policy: { ...policy, reviewers: {} }, facts, remembered: [] };
  const rules = { mode: "interactive", ask: "all", budget: 50, max: 50 };
  const ask = () => {
    const { ask } = triage(findUncertainties(unreviewed), rules, 0);
    return buildQuestionPack(ask, {
      intent,
      rules,
      draft,
      alreadyAsked: 0,
      round: 1,
      runId: "coord_run_bench_1",
      now: "2026-01-01T00:00:00Z",
      refused: new Map(),
    });
  };
  return compare(
    "Questions of a plan of 50 nodes",
    { ours: ask },
    { calls: 50, check: (_, pack) => equal(pack.questions.length > 0, true, "questions") },
  );
}

function workbench(tasks) {
  const inputs = inputsOf(JSON.parse(intentText(tasks)));
  const { parsed, actions, decisions, costs, risk } = plan(inputs, services);
  const source = {
    parsed,
    registry: prepared.index,
    policy,
    actions,
    decisions,
    costs,
    risk,
    uncertainties: [],
    resolutions: NOTHING_RESOLVED,
  };
  return { source, draft: buildDraft(source), intent: parsed.intent };
}

const sections = {
  parsing,
  adjudication,
  "sort-200": () => sorting(200),
  "sort-10000": () => sorting(10_000),
  "sort-100000": () => sorting(100_000),
  "graph-50": smallGraph,
  questions,
  freezing,
  "plan-200": () => wholePlan(200),
  "plan-10000": () => wholePlan(10_000),
  "plan-100000": () => wholePlan(100_000),
};
const section = sections[process.argv[2]];
if (section === undefined) throw new Error(`no such section; there are ${Object.keys(sections).join(", ")}`);
console.log(JSON.stringify(section()));
