import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/foundation/documents/json-text.js";
import type { IntentLock, IntentV091, IntentV100 } from "../../src/model/plan/intent.js";
import {
  baseIntent,
  type Difference,
  fullAuto,
  intentWith,
  plannedCommand,
  planWith,
  seal,
  task,
} from "../../src/testing/plan-fixtures.js";

/*
 * Documents that must not become a plan. Each is one difference from a good one, with the state it ends in, whether
 * that is a usage error, and the place that is reported.
 */

type Expected = "invalid" | "BLOCKED" | "ABORTED";
interface Case {
  readonly name: string;
  readonly document: unknown;
  readonly expected: Expected;
  /** Every place reported, as `CODE path`. */
  readonly reported: readonly string[];
  readonly plan?: Difference;
}

type Segment = string | number;

/** A copy of the document with a value at a place; undefined takes it away. */
function put(document: unknown, path: readonly Segment[], value: unknown): unknown {
  const copy = structuredClone(document);
  let at = copy as Record<Segment, unknown>;
  for (const segment of path.slice(0, -1)) at = at[segment] as Record<Segment, unknown>;
  const last = path.at(-1) as Segment;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

const good = () => intentWith();
const good100 = () => intentWith({ tasks: [task("T-1"), task("T-2")] });
const resealed = (path: readonly Segment[], value: unknown) => seal(put(baseIntent(), path, value) as IntentV091);
const resealed100 = (path: readonly Segment[], value: unknown) =>
  seal(put(intentWith({ tasks: [task("T-1"), task("T-2")] }), path, value) as IntentV100);
const x = (length: number) => "x".repeat(length);
const many = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

const schema = (name: string, path: readonly Segment[], value: unknown, ...places: string[]): Case => ({
  name,
  document: put(good(), path, value),
  expected: "invalid",
  reported: places.map((place) => `INTENT_SCHEMA ${place}`),
});
const schema100 = (name: string, path: readonly Segment[], value: unknown, place: string): Case => ({
  name,
  document: put(good100(), path, value),
  expected: "invalid",
  reported: [`INTENT_SCHEMA ${place}`],
});
const document100 = (name: string, path: readonly Segment[], value: unknown, ...reported: string[]): Case => ({
  name,
  document: resealed100(path, value),
  expected: "invalid",
  reported,
});
const refused = (name: string, expected: Expected, plan: Difference, ...reported: string[]): Case => ({
  name,
  document: undefined,
  expected,
  reported,
  plan,
});
const redLine = (name: string, path: readonly Segment[], value: unknown, ...reported: string[]): Case => ({
  name,
  document: put(good(), path, value),
  expected: "ABORTED",
  reported,
});

const lock = (change: Partial<IntentLock>): IntentLock => ({
  schema_version: "1.0.0",
  intent_id: "intent_base_plan",
  intent_checksum: good().audit.checksum,
  registry_versions: { workflows: {}, agents: {}, commands: {}, rules: {} },
  ...change,
});

const command0 = ["planned_commands", 0] as const;
const CASES: readonly Case[] = [
  // No intent at all.
  { name: "null", document: null, expected: "invalid", reported: ["INTENT_SCHEMA "] },
  { name: "a string", document: "intent", expected: "invalid", reported: ["INTENT_SCHEMA "] },
  { name: "a number", document: 7, expected: "invalid", reported: ["INTENT_SCHEMA "] },
  { name: "a list", document: [good()], expected: "invalid", reported: ["INTENT_SCHEMA "] },
  // Wrong types.
  schema("a number for the title", ["title"], 7, "title"),
  schema("a text for the budget", ["budgets", "max_files"], "10", "budgets.max_files"),
  schema("a fraction of a file", ["budgets", "max_files"], 1.5, "budgets.max_files"),
  schema("null for the scope", ["scope"], null, "scope"),
  schema("an object for a list", ["evidence_refs"], { 0: "ticket://1" }, "evidence_refs"),
  schema("a list for an object", ["audit"], [], "audit"),
  schema("a truth that is a text", ["constraints", "no_fabrication"], "true", "constraints.no_fabrication"),
  schema("permission to execute", ["constraints", "execution"], "allowed", "constraints.execution"),
  schema("another type of document", ["type"], "execution_graph", "type"),
  // Unknown fields, at each level.
  schema("an unknown field", ["extra"], 1, "extra"),
  schema("an unknown field of the scope", ["scope", "extra"], 1, "scope.extra"),
  schema("an unknown field of the targets", ["scope", "targets", "extra"], 1, "scope.targets.extra"),
  schema("an unknown field of a workflow", ["selected_workflows", 0, "extra"], 1, "selected_workflows[0].extra"),
  schema("an unknown field of a command", [...command0, "extra"], 1, "planned_commands[0].extra"),
  schema("an unknown field of the lock", ["constraints", "lock_scope", "extra"], 1, "constraints.lock_scope.extra"),
  schema("an unknown field with a strange name", ["a b"], 1, '["a b"]'),
  schema("a field of v1.0.0", ["tasks"], [], "tasks"),
  schema100("an unknown field of a task", ["tasks", 0, "extra"], 1, "tasks[0].extra"),
  schema100(
    "an unknown kind of version",
    ["registry_versions"],
    { workflows: {}, agents: {}, commands: {}, rules: {}, models: {} },
    "registry_versions.models",
  ),
  // Missing fields.
  schema("no id", ["id"], undefined, "id"),
  schema("no lock", ["constraints", "lock_scope"], undefined, "constraints.lock_scope"),
  schema("no role", ["selected_agents", 1, "role"], undefined, "selected_agents[1].role"),
  schema100("a task without a promise", ["tasks", 1, "completion_promise"], undefined, "tasks[1].completion_promise"),
  // Limits, one over and one under.
  schema("a title of 4", ["title"], x(4), "title"),
  schema("a title of 161", ["title"], x(161), "title"),
  schema("a description of 4001", ["description"], x(4001), "description"),
  schema("a title of a million", ["title"], x(1_000_000), "title"),
  schema(
    "201 files",
    ["scope", "targets", "files"],
    many(201, (i) => `src/${i}.ts`),
    "scope.targets.files",
  ),
  schema(
    "81 commands",
    ["planned_commands"],
    many(81, (i) => plannedCommand(`command_${i}`)),
    "planned_commands",
  ),
  schema("no workflow", ["selected_workflows"], [], "selected_workflows"),
  schema(
    "14 agents",
    ["selected_agents"],
    many(14, (i) => ({ agent_id: `agent_${i}`, role: "Builder", responsibilities: ["Do it"] })),
    "selected_agents",
  ),
  schema("51 questions", ["interaction", "question_budget"], 51, "interaction.question_budget"),
  schema("minus one commit", ["budgets", "max_commits"], -1, "budgets.max_commits"),
  schema("a dollar too much", ["budgets", "max_cost_usd"], 10_000.01, "budgets.max_cost_usd"),
  schema(
    "31 pieces of evidence",
    [...command0, "evidence_refs"],
    many(31, (i) => `scan://${i}`),
    "planned_commands[0].evidence_refs",
  ),
  schema100("a task without iterations", ["tasks", 0, "estimated_iterations"], 0, "tasks[0].estimated_iterations"),
  // Patterns.
  schema("an id in capitals", ["id"], "intent_ABCDEF", "id"),
  schema("an id of five", ["id"], "intent_abcde", "id"),
  schema("an id with a line after it", ["id"], "intent_abcdef\n", "id"),
  schema("a version with a zero before it", ["version"], "01.0.0", "version"),
  schema("half a checksum", ["audit", "checksum"], "ab".repeat(16), "audit.checksum"),
  schema("a checksum in capitals", ["audit", "checksum"], "AB".repeat(32), "audit.checksum"),
  schema("the 30th of February", ["created_at"], "2026-02-30T00:00:00Z", "created_at"),
  schema("a day without a time", ["created_at"], "2026-02-03", "created_at"),
  schema(
    "a command id that starts with a digit",
    [...command0, "command_id"],
    "1_command",
    "planned_commands[0].command_id",
  ),
  schema100("a task id with a space", ["tasks", 0, "id"], "T 1", "tasks[0].id"),
  // Words that are nearly right.
  schema("a mode with a dash", ["interaction", "mode"], "semi-auto", "interaction.mode"),
  schema("a risk in capitals", ["risk", "overall"], "LOW", "risk.overall"),
  schema(
    "a phase that does not exist",
    ["selected_workflows", 0, "phases", 1],
    "implement",
    "selected_workflows[0].phases[1]",
  ),
  schema("an effect that does not exist", [...command0, "effects", 0], "delete", "planned_commands[0].effects[0]"),
  schema100("a priority of P4", ["tasks", 0, "priority"], "P4", "tasks[0].priority"),
  schema("writing without a review", ["risk", "requires_review"], [], "risk.requires_review"),
  // Versions.
  {
    name: "schema_version 0.9.1",
    document: put(good(), ["schema_version"], "0.9.1"),
    expected: "invalid",
    reported: ["INTENT_VERSION schema_version"],
  },
  {
    name: "schema_version 2.0.0",
    document: put(good(), ["schema_version"], "2.0.0"),
    expected: "invalid",
    reported: ["INTENT_VERSION schema_version"],
  },
  {
    name: "schema_version as a number",
    document: put(good(), ["schema_version"], 1),
    expected: "invalid",
    reported: ["INTENT_VERSION schema_version"],
  },
  // Ids and references.
  document100("a task twice", ["tasks", 1, "id"], "T-1", "INTENT_DUPLICATE_ID tasks[1].id"),
  document100(
    "a task of a command nobody planned",
    ["tasks", 0, "command_id"],
    "ship_code",
    "INTENT_REFERENCE tasks[0].command_id",
  ),
  document100("a task of an agent nobody selected", ["tasks", 0, "agent"], "nobody", "INTENT_REFERENCE tasks[0].agent"),
  document100(
    "a dependency on nothing",
    ["tasks", 0, "dependencies"],
    ["T-2", "T-3"],
    "INTENT_REFERENCE tasks[0].dependencies[1]",
  ),
  document100("a task with the name of a command", ["tasks", 0, "id"], "scan_code", "INTENT_DUPLICATE_ID tasks[0].id"),
  {
    name: "a command twice",
    document: resealed(["planned_commands", 2, "command_id"], "scan_code"),
    expected: "invalid",
    reported: ["INTENT_DUPLICATE_ID planned_commands[2].command_id"],
  },
  {
    name: "an agent twice",
    document: resealed(["selected_agents", 1, "agent_id"], "analyst"),
    expected: "invalid",
    reported: ["INTENT_DUPLICATE_ID selected_agents[1].agent_id"],
  },
  {
    name: "a phase twice",
    document: resealed(["selected_workflows", 0, "phases", 1], "analysis"),
    expected: "invalid",
    reported: ["INTENT_DUPLICATE_ID selected_workflows[0].phases[1]"],
  },
  // Paths.
  {
    name: "a path up",
    document: resealed(["scope", "targets", "files", 0], "../x"),
    expected: "invalid",
    reported: ["INTENT_UNSAFE_PATH scope.targets.files[0]"],
  },
  {
    name: "a path up in the middle",
    document: resealed(["scope", "targets", "files", 0], "a/../../x"),
    expected: "invalid",
    reported: ["INTENT_UNSAFE_PATH scope.targets.files[0]"],
  },
  {
    name: "an absolute path",
    document: resealed(["scope", "targets", "files", 0], "/etc/passwd"),
    expected: "invalid",
    reported: ["INTENT_UNSAFE_PATH scope.targets.files[0]"],
  },
  {
    name: "a drive",
    document: resealed(["constraints", "lock_scope", "paths"], ["C:/x"]),
    expected: "invalid",
    reported: ["INTENT_UNSAFE_PATH constraints.lock_scope.paths[0]"],
  },
  {
    name: "a NUL in a path",
    document: resealed(["scope", "targets", "files", 0], "a\0b"),
    expected: "invalid",
    reported: ["INTENT_UNSAFE_PATH scope.targets.files[0]"],
  },
  document100("a path up in a task", ["tasks", 1, "files"], ["ok.ts", "../x"], "INTENT_UNSAFE_PATH tasks[1].files[1]"),
  document100("a backslash in a test", ["tasks", 0, "tests"], ["a\\b"], "INTENT_UNSAFE_PATH tasks[0].tests[0]"),
  // Texts without bytes.
  {
    name: "half a surrogate pair in the title",
    document: put(good(), ["title"], "Title \ud800"),
    expected: "invalid",
    reported: ["INTENT_TEXT title"],
  },
  {
    name: "half a surrogate pair deep inside",
    document: put(good100(), ["tasks", 1, "files"], ["src/\udc00.ts"]),
    expected: "invalid",
    reported: ["INTENT_TEXT tasks[1].files[0]"],
  },
  // Red lines: reported as such, even where the schema refuses too.
  redLine("I1: a shell", ["shell"], "rm -rf /", "RED_LINE_I1 shell"),
  redLine(
    "I1: a nested script",
    [...command0, "params"],
    { steps: [{ script: "x" }] },
    "RED_LINE_I1 planned_commands[0].params.steps[0].script",
  ),
  redLine(
    "I1: camelCase",
    ["metadata"],
    { shellCommand: "ls", commandLine: "ls" },
    "RED_LINE_I1 metadata.shellCommand",
    "RED_LINE_I1 metadata.commandLine",
  ),
  redLine("I1: dashes and capitals", ["Command-Line"], "ls", 'RED_LINE_I1 ["Command-Line"]'),
  redLine("I1: python in the audit", ["audit", "python"], "import os", "RED_LINE_I1 audit.python"),
  redLine(
    "I1: under registry_versions",
    ["registry_versions"],
    { commands: { bash: { run: 1 } } },
    "RED_LINE_I1 registry_versions.commands.bash",
    "RED_LINE_I1 registry_versions.commands.bash.run",
  ),
  redLine(
    "I2: full_auto with a budget",
    ["interaction"],
    { mode: "full_auto", question_budget: 1, question_policy: "never" },
    "RED_LINE_I2 interaction.question_budget",
  ),
  redLine(
    "I2: full_auto that may ask",
    ["interaction"],
    { mode: "full_auto", question_budget: 0, question_policy: "blockers_only" },
    "RED_LINE_I2 interaction.question_policy",
  ),
  refused(
    "I3: full_auto at high risk",
    "ABORTED",
    {
      intent: (i) => {
        fullAuto(i);
        i.risk.overall = "high";
      },
    },
    "RED_LINE_I3 interaction.mode",
  ),
  refused(
    "I3: full_auto at critical risk",
    "ABORTED",
    {
      intent: (i) => {
        fullAuto(i);
        i.risk.overall = "critical";
      },
    },
    "RED_LINE_I3 interaction.mode",
  ),
  redLine("I4: no evidence", [...command0, "evidence_refs"], [], "RED_LINE_I4 planned_commands[0].evidence_refs"),
  redLine(
    "I4: evidence of blanks",
    ["planned_commands", 2, "evidence_refs"],
    ["   "],
    "RED_LINE_I4 planned_commands[2].evidence_refs",
  ),
  redLine(
    "I4: evidence left out",
    [...command0, "evidence_refs"],
    undefined,
    "RED_LINE_I4 planned_commands[0].evidence_refs",
  ),
  {
    name: "a red line in a document of no known version",
    document: { schema_version: "9.9.9", run: 1 },
    expected: "ABORTED",
    reported: ["RED_LINE_I1 run"],
  },
  // Refusals: the document is sound, and a person has to change something.
  {
    name: "a stale checksum",
    document: put(good(), ["title"], "Another title"),
    expected: "BLOCKED",
    reported: ["INTENT_CHECKSUM audit.checksum"],
  },
  refused("a rejected intent", "BLOCKED", { intent: (i) => (i.status = "rejected") }, "INTENT_STATUS status"),
  refused("a superseded intent", "BLOCKED", { intent: (i) => (i.status = "superseded") }, "INTENT_STATUS status"),
  refused(
    "a limit of the policy",
    "BLOCKED",
    { policy: (p) => (p.limits.max_evidence_refs = 1), intent: (i) => i.evidence_refs.push("ticket://2") },
    "PLAN_LIMIT evidence_refs",
  ),
  refused(
    "a mode the policy forbids",
    "ABORTED",
    { intent: fullAuto, policy: (p) => (p.most_autonomy = "interactive") },
    "POLICY_BREACH interaction.mode",
  ),
  refused(
    "a risk the policy forbids in full_auto",
    "ABORTED",
    {
      intent: (i) => {
        fullAuto(i);
        i.risk.overall = "medium";
      },
      policy: (p) => (p.full_auto_max_risk = "low"),
    },
    "POLICY_BREACH interaction.mode",
  ),
  refused(
    "a workflow the registry lacks",
    "BLOCKED",
    { registry: (r) => (r.workflows = []) },
    "REGISTRY_MISSING small_change",
  ),
  refused(
    "an agent the registry lacks",
    "BLOCKED",
    { intent: (i) => i.selected_agents.push({ agent_id: "stranger", role: "Guest", responsibilities: ["Look"] }) },
    "REGISTRY_MISSING stranger",
  ),
  refused(
    "a command the registry lacks",
    "BLOCKED",
    { intent: (i) => i.planned_commands.push(plannedCommand("fly_away")) },
    "REGISTRY_MISSING fly_away",
  ),
  refused(
    "a deprecated command",
    "BLOCKED",
    {
      registry: (r) => {
        for (const c of r.commands) if (c.id === "edit_code") c.status = "deprecated";
      },
    },
    "REGISTRY_INACTIVE edit_code",
  ),
  refused(
    "a frozen agent",
    "BLOCKED",
    {
      registry: (r) => {
        for (const a of r.agents) if (a.id === "analyst") a.status = "frozen";
      },
    },
    "REGISTRY_INACTIVE analyst",
  ),
  refused(
    "the lock of an earlier form of the intent",
    "BLOCKED",
    { intent100: (i) => (i.registry_versions = lock({}).registry_versions), lock: lock({}) },
    "LOCK_STALE ",
  ),
  refused(
    "a drift the lock shows",
    "BLOCKED",
    {
      lock: lock({
        registry_versions: {
          workflows: {},
          agents: {},
          commands: { edit_code: "0.1.0" },
          rules: { gone_rule: "1.0.0" },
        },
      }),
    },
    "REGISTRY_DRIFT commands.edit_code",
    "REGISTRY_DRIFT rules.gone_rule",
  ),
  refused("a lock of another intent", "BLOCKED", { lock: lock({ intent_id: "intent_other_one" }) }, "LOCK_STALE "),
  refused("a lock of another content", "BLOCKED", { lock: lock({ intent_checksum: "0".repeat(64) }) }, "LOCK_STALE "),
  refused("no memory", "BLOCKED", { memory: null }, "MEMORY_PACK_AVAILABLE "),
  refused("the memory of another project", "BLOCKED", { memory: { project_id: "another" } }, "MEMORY_PACK_AVAILABLE "),
  refused("no facts", "BLOCKED", { facts: null }, "FACT_PACK_AVAILABLE "),
  refused(
    "tasks that wait for each other",
    "BLOCKED",
    { tasks: [task("task_a", { dependencies: ["task_b"] }), task("task_b", { dependencies: ["task_a"] })] },
    "GRAPH_IS_ACYCLIC ",
    "EVERY_NODE_REACHABLE ",
  ),
  refused(
    "a task that waits for itself",
    "BLOCKED",
    { tasks: [task("task_a", { dependencies: ["task_a"] })] },
    "GRAPH_IS_ACYCLIC ",
    "EVERY_NODE_REACHABLE ",
  ),
  refused(
    "more files than the budget",
    "BLOCKED",
    { intent: (i) => (i.budgets.max_files = 0) },
    "BUDGET_EXCEEDED budgets.max_files",
  ),
];

describe("bad inputs [S4-027, S4-071, S4-072, S4-073, S4-074, S4-077, S4-079, S4-080, S4-085, S4-094, S4-098]", () => {
  it("are more than sixty, each with a name of its own", () => {
    expect(CASES.length).toBeGreaterThan(60);
    expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  });

  it.each(CASES.map((c) => [c.name, c] as const))("%s", (_, c) => {
    const out = planWith(c.plan ?? { document: c.document });
    expect({
      state: out.state,
      invalidInput: out.invalidInput,
      reported: out.problems.map(({ code, path }) => `${code} ${path}`),
    }).toEqual({
      state: c.expected === "invalid" ? "BLOCKED" : c.expected,
      invalidInput: c.expected === "invalid",
      reported: c.reported,
    });
    expect(out.problems.every(({ message }) => message.length > 3)).toBe(true);
    expect([out.graph, out.review, out.frozen]).toEqual([null, null, null]);
  });
});

describe("what is wrong with the text never gets as far as a document", () => {
  const text = (intent: unknown = good()) => JSON.stringify(intent);
  it.each([
    ["deep nesting", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, "DOCUMENT_TOO_DEEP"],
    [
      "deep nesting inside a field",
      text().replace('"objective":', `"deep":${'{"a":'.repeat(70)}1${"}".repeat(70)},"objective":`),
      "DOCUMENT_TOO_DEEP",
    ],
    ["a NUL byte", text().replace("Change one file", "Change\0one file"), "DOCUMENT_NUL"],
    ["no JSON", "id: intent_base_plan", "DOCUMENT_SYNTAX"],
    ["half a document", text().slice(0, 100), "DOCUMENT_SYNTAX"],
    ["an empty file", "", "DOCUMENT_SYNTAX"],
  ])("%s [S4-094]", (_, source, code) => {
    const result = parseJson(source);
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.diagnostics[0]?.code).toBe(code);
  });

  it.each([
    ["a duplicate key", text().replace('"title"', '"title":"First","title"')],
    ["__proto__ as a key", text().replace('"title"', '"__proto__":{"run":1},"title"')],
    ["half a surrogate pair", text().replace("Change one file", "Change \\ud800 file")],
    ["an escaped NUL", text().replace("Change one file", "Change \\u0000 file")],
  ])("%s, with its place in the text [S4-094]", (_, source) => {
    const result = parseJson(source);
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.diagnostics[0]?.line).toBe(1);
  });

  it("a key __proto__ that comes from elsewhere is an unknown field, or a red line", () => {
    const own = (inner: string) => JSON.parse(`{"__proto__":${inner},${text().slice(1)}`) as unknown;
    expect(planWith({ document: own("1") })).toMatchObject({ state: "BLOCKED", invalidInput: true });
    expect(planWith({ document: own('{"run":1}') })).toMatchObject({ state: "ABORTED" });
  });
});

it("lists every problem at once, not only the first [S4-094]", () => {
  const document = { ...good(), title: 1, version: "x", extra: 1, another: 2 };
  expect(planWith({ document }).problems.map((p) => p.path)).toEqual(["title", "version", "extra", "another"]);
});
