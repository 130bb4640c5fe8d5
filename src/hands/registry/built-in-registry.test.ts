import { beforeAll, describe, expect, test } from "vitest";
import type { DecisionKind, Registry, RuleEntry } from "../../model/plan/registry.js";
import { ruleFactSchema } from "../../mind/plan/rules/rule-facts.js";
import { createConditionCompiler, type Condition } from "../../foundation/conditions/compile-condition.js";
import { builtInRegistryDirectory, loadRegistry, type LoadedRegistry } from "./load-registry.js";

let loaded: LoadedRegistry;
let registry: Registry;
let conditions: { rule: RuleEntry; condition: Condition }[];

beforeAll(async () => {
  loaded = await loadRegistry({ directories: [builtInRegistryDirectory()] });
  registry = loaded.registry;
  const compile = createConditionCompiler(ruleFactSchema(registry.facts));
  conditions = registry.rules.map((rule) => {
    const result = compile(rule.when);
    if (!result.ok) throw new Error(`${rule.id}: ${JSON.stringify(result.problems)}`);
    return { rule, condition: result.condition };
  });
});

describe("the built-in registry", () => {
  test("loads without a problem [S4-022] [S4-094]", () => {
    expect(loaded.diagnostics).toEqual([]);
  });

  test("is large enough to start with, and all of it is active", () => {
    const { schema_version: _, ...lists } = registry;
    const counts = Object.fromEntries(Object.entries(lists).map(([name, entries]) => [name, entries.length]));
    expect(counts["workflows"]).toBeGreaterThanOrEqual(8);
    expect(counts["agents"]).toBeGreaterThanOrEqual(14);
    expect(counts["commands"]).toBeGreaterThanOrEqual(35);
    expect(counts["rules"]).toBeGreaterThanOrEqual(30);
    expect(counts["facts"]).toBeGreaterThanOrEqual(15);
    expect(counts["models"]).toBeGreaterThanOrEqual(10);
    for (const entry of Object.values(lists).flat()) expect(entry.status, entry.id).toBe("active");
  });

  test("has a builder for every type of task", () => {
    const builders = new Set(registry.agents.map((agent) => agent.builder));
    for (const type of ["feature", "bugfix", "test", "quality", "docs", "infra"] as const)
      expect(builders.has(type), type).toBe(true);
  });

  test("lets every command stand in its owner's lane and in a workflow of its phase", () => {
    const phasesOf = new Map(registry.agents.map((agent) => [agent.id, agent.phases]));
    const phases = registry.workflows.flatMap((workflow) => workflow.phases);
    for (const { id, owner, phase } of registry.commands) {
      expect(phasesOf.get(owner), `${id} belongs to ${owner}`).toContain(phase);
      expect(
        phases.filter(({ commands }) => commands.includes(id)).map((found) => found.phase),
        id,
      ).toContain(phase);
    }
    const phaseOf = new Map(registry.commands.map((command) => [command.id, command.phase]));
    for (const workflow of registry.workflows)
      for (const { phase, commands } of workflow.phases)
        for (const id of commands) expect(phaseOf.get(id), `${id} in ${workflow.id}`).toBe(phase);
  });

  test("has no cycle among the commands that need each other", () => {
    const needs = new Map(registry.commands.map((command) => [command.id, command.needs]));
    const done = new Set<string>();
    const visit = (id: string, above: readonly string[]): void => {
      expect(above, [...above, id].join(" needs ")).not.toContain(id);
      if (done.has(id)) return;
      for (const need of needs.get(id) ?? []) visit(need, [...above, id]);
      done.add(id);
    };
    for (const id of needs.keys()) visit(id, []);
  });

  test("asks whether a migration runs online or offline, and answers neither by itself", () => {
    const command = registry.commands.find(({ id }) => id === "write_migration");
    const strategy = command?.parameters.find(({ name }) => name === "strategy");
    expect(strategy).toMatchObject({ blocking_level: "critical" });
    expect(strategy?.options.map(({ answer }) => answer)).toEqual(["online", "offline"]);
    expect(strategy).not.toHaveProperty("default");
  });

  test("offers every default among its options", () => {
    for (const { id, parameters } of registry.commands)
      for (const { name, options, default: chosen } of parameters)
        if (chosen !== undefined)
          expect(
            options.map(({ answer }) => answer),
            `${id}.${name}`,
          ).toContain(chosen);
  });

  test("gives every rule a reason, and every review someone to look", () => {
    for (const { id, then } of registry.rules) {
      expect(then.reason, id).not.toBe("");
      if (then.decision === "require_review") expect(then.review, id).toBeDefined();
    }
  });
});

interface Case {
  readonly command?: Record<string, unknown>;
  readonly intent?: Record<string, unknown>;
  readonly facts?: Record<string, unknown>;
}

function scopeOf({ command = {}, intent = {}, facts = {} }: Case) {
  return {
    command: {
      id: "some_command",
      phase: "implementation",
      owner: "dev",
      status: "active",
      effects: ["read"],
      undeclared_effects: [],
      risk_level: "low",
      reads: [],
      writes: [],
      tests: [],
      evidence_refs: ["scan://something"],
      has_rollback: true,
      data_sensitivity: "internal",
      params: {},
      in_lock_scope: true,
      failure_rate: 0,
      ...command,
    },
    intent: {
      id: "intent_example",
      status: "approved",
      mode: "interactive",
      risk: "medium",
      areas: ["backend"],
      requires_review: ["release"],
      workflows: ["feature_delivery"],
      agents: ["dev"],
      commands: ["some_command"],
      lock_mode: "files",
      files: [],
      created_by: "someone",
      source: "human",
      max_files: 10,
      max_commits: 5,
      max_tokens: 100_000,
      max_cost_usd: 10,
      ...intent,
    },
    policy: { id: "policy_example", forbidden_effects: [], review_floor: "high", reviewed: [] },
    facts,
  };
}

const STRICTNESS: readonly DecisionKind[] = ["allow", "warn", "require_review", "deny"];

/** The strictest decision of all rules that fire, and who must look; a rule that cannot decide holds. */
function judge(input: Case): { decision: DecisionKind | "undecided"; reviews: string[]; held: string[] } {
  const scope = scopeOf(input);
  const reviews = new Set<string>();
  const held: string[] = [];
  let strictest = -1;
  for (const { rule, condition } of conditions) {
    const outcome = condition.evaluate(scope);
    if (outcome === false) continue;
    if (outcome !== true) held.push(rule.id);
    const decision = outcome === true ? rule.then.decision : "require_review";
    strictest = Math.max(strictest, STRICTNESS.indexOf(decision));
    if (outcome === true && rule.then.review) reviews.add(rule.then.review);
  }
  return { decision: STRICTNESS[strictest] ?? "undecided", reviews: [...reviews].sort(), held };
}

describe("the built-in rules", () => {
  const write = { effects: ["write"], writes: ["src/app.ts"] };

  test.each<[title: string, input: Case, expected: DecisionKind, reviews?: string[]]>([
    ["read-only in full_auto", { intent: { mode: "full_auto", lock_mode: "none" } }, "allow"],
    [
      "a security scan in full_auto",
      { command: { effects: ["read", "security"] }, intent: { mode: "full_auto", lock_mode: "none" } },
      "allow",
    ],
    ["a low-risk write in a draft", { command: write, intent: { status: "draft" } }, "allow"],
    ["a low-risk write without locks", { command: write, intent: { lock_mode: "none" } }, "allow"],
    ["a medium write with tests", { command: { ...write, risk_level: "medium", tests: ["npm test"] } }, "allow"],
    ["a medium write without tests", { command: { ...write, risk_level: "medium" } }, "warn"],
    ["tests outside the lock", { command: { effects: ["write"], writes: ["test/app.test.ts"] } }, "allow"],
    ["a lookup on the network", { command: { effects: ["read", "network"] } }, "allow"],
    ["a high-risk write", { command: { ...write, risk_level: "high" } }, "require_review", ["architecture"]],
    [
      "a critical write",
      { command: { ...write, risk_level: "critical" } },
      "require_review",
      ["architecture", "compliance"],
    ],
    [
      "a medium check of data in a high-risk intent",
      { command: { effects: ["read", "data"], risk_level: "medium" }, intent: { risk: "high" } },
      "require_review",
      ["data"],
    ],
    ["a write outside the lock", { command: { ...write, in_lock_scope: false } }, "require_review", ["architecture"]],
    [
      "a migration file",
      { command: { effects: ["write"], writes: ["db/migrations/1.sql"] } },
      "require_review",
      ["data"],
    ],
    [
      "a lockfile",
      { command: { effects: ["write"], writes: ["web/package-lock.json"] } },
      "require_review",
      ["security"],
    ],
    [
      "a pipeline in an infrastructure intent",
      { command: { effects: ["write"], writes: [".github/workflows/ci.yml"] }, intent: { areas: ["infra"] } },
      "require_review",
      ["release"],
    ],
    ["a pipeline elsewhere", { command: { effects: ["write"], writes: [".github/workflows/ci.yml"] } }, "deny"],
    [
      "authentication",
      { command: { effects: ["write"], writes: ["src/auth/token.ts"] } },
      "require_review",
      ["security"],
    ],
    ["an .env file", { command: { effects: ["write"], writes: ["api/.env"] } }, "deny"],
    ["an .env file of a stage", { command: { effects: ["write"], writes: [".env.production"] } }, "deny"],
    ["an example .env file", { command: { effects: ["write"], writes: [".env.example"] } }, "allow"],
    ["a key", { command: { effects: ["write"], writes: ["certs/server.pem"] } }, "deny"],
    ["a git hook", { command: { effects: ["write"], writes: [".git/hooks/pre-commit"] } }, "deny"],
    ["the rules themselves", { command: { effects: ["write"], writes: ["governance/registry/rules/a.yaml"] } }, "deny"],
    ["any file", { command: { effects: ["write"], writes: ["**"] } }, "require_review", ["architecture"]],
    ["undeclared effects", { command: { undeclared_effects: ["network"] } }, "require_review", ["compliance"]],
    ["a command that keeps failing", { command: { failure_rate: 0.6 } }, "require_review", ["architecture"]],
    [
      "restricted data on the network",
      { command: { effects: ["read", "network"], data_sensitivity: "restricted" } },
      "deny",
    ],
    ["a deployment", { command: { effects: ["deploy"] } }, "require_review", ["release"]],
    ["a deployment from a draft", { command: { effects: ["deploy"] }, intent: { status: "draft" } }, "deny"],
    ["a deployment in full_auto", { command: { effects: ["deploy"] }, intent: { mode: "full_auto" } }, "deny"],
    ["a deployment in a freeze", { command: { effects: ["deploy"] }, facts: { release_freeze: true } }, "deny"],
    ["a superseded intent", { intent: { status: "superseded" } }, "deny"],
    ["a frozen command", { command: { status: "frozen" } }, "deny"],
    ["a deprecated command", { command: { status: "deprecated" } }, "warn"],
    [
      "uncommitted changes",
      { command: { ...write, risk_level: "medium", tests: ["npm test"] }, facts: { working_tree_clean: false } },
      "warn",
    ],
  ])("%s", (_title, input, expected, reviews = []) => {
    expect(judge(input)).toEqual({
      decision: expected,
      reviews: expected === "require_review" ? reviews : expect.anything(),
      held: [],
    });
  });

  test("hold a production deployment until someone says whether the backup works", () => {
    const command = { id: "deploy_to_production", effects: ["deploy", "network"] };
    expect(judge({ command }).held).toEqual(["deny_production_without_backup"]);
    expect(judge({ command, facts: { backup_verified: false } }).decision).toBe("deny");
    expect(judge({ command, facts: { backup_verified: true } })).toMatchObject({
      decision: "require_review",
      held: [],
    });
  });

  test("hold nothing else for want of a fact", () => {
    for (const { id, effects, phase, writes } of registry.commands) {
      if (id.includes("production")) continue;
      expect(judge({ command: { id, effects, phase, writes } }).held, id).toEqual([]);
    }
  });
});
