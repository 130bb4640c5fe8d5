import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { baseIntent, intentWith, plannedCommand, task } from "../../testing/plan-fixtures.js";
import { IntentV091, IntentV100 } from "./intent.js";

type Change = (intent: IntentV091) => void;
const fits = (change: Change, extra: object = {}) => {
  const intent = baseIntent();
  change(intent);
  return (Object.keys(extra).length === 0 ? IntentV091 : IntentV100).safeParse({ ...intent, ...extra }).success;
};
const many = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const x = (length: number) => "x".repeat(length);

/** Where a limit stands, and how to fill the field up to a size. */
const LIMITS: readonly [name: string, least: number, most: number, fill: (i: IntentV091, size: number) => void][] = [
  ["title", 5, 160, (i, n) => (i.title = x(n))],
  ["description", 0, 4000, (i, n) => (i.description = x(n))],
  ["derived_from", 0, 16, (i, n) => (i.lineage.derived_from = many(n, (k) => `intent_parent_${k}`))],
  ["project_id", 1, 128, (i, n) => (i.scope.project_id = x(n))],
  ["repo_root", 1, 512, (i, n) => (i.scope.repo_root = x(n))],
  ["files", 0, 200, (i, n) => (i.scope.targets.files = many(n, (k) => `src/${k}.ts`))],
  ["a file's name", 1, 512, (i, n) => (i.scope.targets.files = [x(n)])],
  ["modules", 0, 100, (i, n) => (i.scope.targets.modules = many(n, (k) => `module ${k}`))],
  ["areas", 0, 8, (i, n) => (i.scope.targets.areas = many(n, () => "docs"))],
  ["goal", 5, 2000, (i, n) => (i.objective.goal = x(n))],
  ["success_criteria", 1, 20, (i, n) => (i.objective.success_criteria = many(n, (k) => `It works ${k}`))],
  ["non_goals", 0, 20, (i, n) => (i.objective.non_goals = many(n, (k) => `Not this ${k}`))],
  [
    "workflows",
    1,
    18,
    (i, n) => (i.selected_workflows = many(n, (k) => ({ workflow_id: `work_${k}`, phases: ["setup"] }))),
  ],
  ["phases", 1, 12, (i, n) => (i.selected_workflows = [{ workflow_id: "work", phases: many(n, () => "setup") }])],
  [
    "agents",
    1,
    13,
    (i, n) =>
      (i.selected_agents = many(n, (k) => ({ agent_id: `agent_${k}`, role: "Role", responsibilities: ["Work"] }))),
  ],
  ["role", 2, 80, (i, n) => (i.selected_agents = [{ agent_id: "agent", role: x(n), responsibilities: ["Work"] }])],
  [
    "responsibilities",
    1,
    12,
    (i, n) =>
      (i.selected_agents = [{ agent_id: "agent", role: "Role", responsibilities: many(n, (k) => `Work ${k}`) }]),
  ],
  ["commands", 0, 80, (i, n) => (i.planned_commands = many(n, (k) => plannedCommand(`command_${k}`)))],
  ["a command's intent", 3, 800, (i, n) => (i.planned_commands = [plannedCommand("do_it", { intent: x(n) })])],
  ["effects", 1, 6, (i, n) => (i.planned_commands = [plannedCommand("do_it", { effects: many(n, () => "read") })])],
  [
    "a command's evidence",
    1,
    30,
    (i, n) => (i.planned_commands = [plannedCommand("do_it", { evidence_refs: many(n, (k) => `scan://${k}`) })]),
  ],
  ["question_budget", 0, 50, (i, n) => (i.interaction.question_budget = n)],
  ["drivers", 1, 20, (i, n) => (i.risk.drivers = many(n, (k) => `Driver ${k}`))],
  ["max_files", 0, 500, (i, n) => (i.budgets.max_files = n)],
  ["max_commits", 0, 50, (i, n) => (i.budgets.max_commits = n)],
  ["max_tokens", 0, 2_000_000, (i, n) => (i.budgets.max_tokens = n)],
  ["max_cost_usd", 0, 10_000, (i, n) => (i.budgets.max_cost_usd = n)],
  ["evidence_refs", 1, 200, (i, n) => (i.evidence_refs = many(n, (k) => `ticket://${k}`))],
  ["locked paths", 0, 200, (i, n) => (i.constraints.lock_scope.paths = many(n, (k) => `src/${k}.ts`))],
  ["created_by", 1, 128, (i, n) => (i.audit.created_by = x(n))],
];

describe("v0.9.1 [S4-027]", () => {
  it.each(LIMITS)("%s takes %d to %d and nothing beyond", (_, least, most, fill) => {
    const at = (size: number) => fits((i) => fill(i, size));
    expect([at(least), at(most), at(most + 1)]).toEqual([true, true, false]);
    if (least > 0) expect(at(least - 1)).toBe(false);
  });

  const objects: (readonly string[])[] = [
    [],
    ["lineage"],
    ["scope"],
    ["scope", "targets"],
    ["objective"],
    ["selected_workflows", "0"],
    ["selected_agents", "0"],
    ["planned_commands", "0"],
    ["interaction"],
    ["risk"],
    ["budgets"],
    ["constraints"],
    ["constraints", "lock_scope"],
    ["audit"],
  ];

  it.each(objects.map((path) => [path.join(".") || "the document", path] as const))(
    "%s is closed [S4-098]",
    (_, path) => {
      fc.assert(
        fc.property(
          fc.oneof(fc.constantFrom("extra", "__proto__", "constructor", "toString"), fc.string()),
          fc.jsonValue(),
          (key, value) => {
            const intent = baseIntent();
            let at = intent as unknown as Record<string, unknown>;
            for (const segment of path) at = at[segment] as Record<string, unknown>;
            if (Object.hasOwn(at, key) || ["description", "reason"].includes(key)) return;
            Object.defineProperty(at, key, { value, enumerable: true, configurable: true, writable: true });
            expect(IntentV091.safeParse(intent).success).toBe(false);
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it.each([
    [["write"], [], false],
    [["deploy", "read"], [], false],
    [["read", "network", "security", "data"], [], true],
    [["write"], ["cost"], true],
  ] as const)("effects %j with reviews %j: %s", (effects, requires_review, ok) => {
    expect(
      fits((i) => {
        i.planned_commands = [plannedCommand("do_it", { effects: [...effects] })];
        i.risk.requires_review = [...requires_review];
      }),
    ).toBe(ok);
  });

  it.each([
    ["full_auto", 0, "never", "low", true],
    ["full_auto", 0, "never", "medium", true],
    ["full_auto", 0, "never", "high", false],
    ["full_auto", 0, "never", "critical", false],
    ["full_auto", 1, "never", "low", false],
    ["full_auto", 0, "blockers_only", "low", false],
    ["semi_auto", 0, "never", "critical", true],
    ["interactive", 50, "conceptual_only", "critical", true],
  ] as const)(
    "%s with budget %d, policy %s and %s risk: %s [S4-053, S4-080]",
    (mode, question_budget, question_policy, overall, ok) => {
      expect(
        fits((i) => {
          i.interaction = { mode, question_budget, question_policy };
          i.risk.overall = overall;
        }),
      ).toBe(ok);
    },
  );
});

describe("v1.0.0", () => {
  it("takes what v0.9.1 takes, tasks and registry versions beside it", () => {
    expect(IntentV100.safeParse(intentWith({ tasks: [task("T-1")] })).success).toBe(true);
    expect(fits(() => undefined, { schema_version: "1.0.0" })).toBe(true);
    expect(
      fits(() => undefined, {
        schema_version: "1.0.0",
        registry_versions: { workflows: {}, agents: {}, commands: { a_command: "1.0.0" }, rules: {} },
      }),
    ).toBe(true);
    expect(fits(() => undefined, { schema_version: "1.0.0", registry_versions: { workflows: {} } })).toBe(false);
  });

  it("leaves the length of its lists to the policy", () => {
    expect(
      fits((i) => (i.planned_commands = many(500, (k) => plannedCommand(`command_${k}`))), { schema_version: "1.0.0" }),
    ).toBe(true);
  });
});
