import { beforeAll, describe, expect, it } from "vitest";
import type { IntentSpec } from "../../model/intent-spec.js";
import type { IntentV100 } from "../../model/plan/intent.js";
import type { FactPack, MemoryPack } from "../../model/settings/packs.js";
import { ExecutionPolicy } from "../../model/plan/policy.js";
import type { Proposal } from "../../model/proposal.js";
import type { Registry } from "../../model/plan/registry.js";
import { prepareRegistry } from "../plan/inputs.js";
import { plan } from "../plan/plan.js";
import { builtInRegistryDirectory, loadRegistry } from "../../hands/registry/load-registry.js";
import { services } from "../../testing/plan-fixtures.js";
import { type DraftInput, draftIntent } from "./draft-intent.js";

const NOW = "2026-02-03T04:05:06Z";
const FACTS: FactPack = {
  schema_version: "1.0.0",
  pack_id: "facts_desk",
  project_id: "desk",
  collected_at: NOW,
  facts: {},
};
const MEMORY: MemoryPack = {
  schema_version: "1.0.0",
  pack_id: "memory_desk",
  project_id: "desk",
  collected_at: NOW,
  notes: [],
  history: [],
  answers: [],
};
const POLICY = ExecutionPolicy.parse({ schema_version: "1.0.0", policy_id: "policy_desk" });

const task = (different: Partial<Proposal["tasks"][number]> = {}): Proposal["tasks"][number] => ({
  id: "build-export",
  title: "Build the export",
  description: "Rows become lines.",
  type: "feature",
  command_id: "implement_feature",
  dependencies: [],
  priority: "P1",
  estimated_iterations: 3,
  files: ["src/export.mjs"],
  tests: ["test/export.test.mjs"],
  ...different,
});
const proposal = (...tasks: Proposal["tasks"]): Proposal => ({
  workflow_id: "feature_delivery",
  reason: "New behaviour.",
  tasks,
  risks: [],
  recommendations: [],
});

let registry: Registry;
beforeAll(async () => {
  ({ registry } = await loadRegistry({ directories: [builtInRegistryDirectory()] }));
});

const input = (different: Partial<DraftInput> = {}): DraftInput => ({
  proposal: proposal(task()),
  request: {
    request_id: "550e8400-e29b-41d4-a716-446655440000",
    text: "Export the reports",
    timestamp: NOW,
    by: "ada",
    limits: { tokens: null, seconds: null },
  },
  spec: null,
  evidence: ["intake://intake_approved"],
  acceptance: [],
  registry,
  policy: POLICY,
  facts: FACTS,
  memory: MEMORY,
  status: "proposed",
  ...different,
});

function drafted(different: Partial<DraftInput> = {}): IntentV100 {
  const result = draftIntent(input(different), services);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.intent as IntentV100;
}

const engine = (intent: IntentV100) =>
  plan(
    {
      intent,
      lock: null,
      policy: POLICY,
      registry: prepareRegistry(registry, services),
      facts: FACTS,
      memory: MEMORY,
      answers: [],
      instants: [NOW],
    },
    services,
  );

describe("draftIntent", () => {
  it("seals an intent that the plan engine takes as it is", () => {
    const intent = drafted();
    expect(engine(intent)).toMatchObject({ state: "DONE", problems: [] });
    expect(intent).toMatchObject({
      title: "Export the reports",
      selected_agents: [{ agent_id: "feature_builder" }],
      planned_commands: [{ command_id: "implement_feature", effects: ["write"], risk_level: "medium" }],
      constraints: { lock_scope: { mode: "files", paths: ["src/export.mjs", "test/export.test.mjs"] } },
      interaction: { mode: "semi_auto", question_policy: "blockers_only" },
      evidence_refs: ["request://550e8400-e29b-41d4-a716-446655440000", "intake://intake_approved", "facts_desk"],
    });
    expect(drafted()).toEqual(intent);
  });

  it("takes its goal and criteria from the Intent Spec when there is one", () => {
    const spec: IntentSpec = {
      schema_version: "1.0.0",
      id: "IS-export",
      version: "1.0.0",
      objective: "Reports can leave as CSV",
      requirements: [
        {
          id: "REQ-1",
          description: "A CSV file is made",
          verification: { kind: "file_exists", path: "src/export.mjs", exists: true },
          source: "request:export",
          priority: "must_have",
        },
      ],
      constraints: [],
      out_of_scope: ["PDF files"],
      assumptions: [],
      context_refs: [],
    };
    expect(drafted({ spec }).objective).toEqual({
      goal: "Reports can leave as CSV",
      success_criteria: ["REQ-1: A CSV file is made", "No check that passed before fails now"],
      non_goals: ["PDF files"],
    });
  });

  it.each([
    ["an unknown command", () => proposal(task({ command_id: "summon_demons" })), "no active command summon_demons"],
    ["an unknown workflow", () => ({ ...proposal(task()), workflow_id: "magic" }), "no active workflow magic"],
    ["a task twice", () => proposal(task(), task()), "build-export stands twice"],
    ["a task that waits for nobody", () => proposal(task({ dependencies: ["other"] })), "cannot wait for other"],
    ["a task that waits for itself", () => proposal(task({ dependencies: ["build-export"] })), "cannot wait for build"],
    ["a path outside", () => proposal(task({ files: ["../../foundation/secrets"] })), "is not a safe path"],
    ["no proposal at all", () => ({ tasks: "all of them" }), "invalid input"],
  ])("refuses %s with the reason", (_, proposed, reason) => {
    const result = draftIntent(input({ proposal: proposed() }), services);
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).toContain(reason);
  });

  it("refuses a command that is frozen, and one whose agent is", () => {
    const command = { ...registry, commands: registry.commands.map((c) => ({ ...c, status: "frozen" as const })) };
    const agents = { ...registry, agents: registry.agents.map((a) => ({ ...a, status: "deprecated" as const })) };
    expect(JSON.stringify(draftIntent(input({ registry: command }), services))).toContain("no active command");
    expect(JSON.stringify(draftIntent(input({ registry: agents }), services))).toContain("nobody active owns");
  });

  it("never allows more tokens than whoever asks, and leaves it to the engine to refuse what does not fit", () => {
    const limits = (tokens: number) => ({ request: { ...input().request, limits: { tokens, seconds: null } } });
    expect(drafted(limits(90_000)).budgets.max_tokens).toBe(90_000);
    expect(engine(drafted(limits(90_000))).state).toBe("DONE");
    const tight = engine(drafted(limits(1000)));
    expect([tight.state, tight.problems[0]?.code]).toEqual(["BLOCKED", "BUDGET_EXCEEDED"]);
  });

  it("leaves a cycle of tasks to the plan engine, which blocks it", () => {
    const cycle = proposal(
      task({ id: "one-task", dependencies: ["two-task"] }),
      task({ id: "two-task", dependencies: ["one-task"] }),
    );
    expect(engine(drafted({ proposal: cycle })).state).toBe("BLOCKED");
  });

  it("plans what earlier runs taught, not only what the registry thinks", () => {
    const history = [
      { command_id: "implement_feature", samples: 5, tokens_in: 200_000, tokens_out: 50_000, minutes: 60, failures: 0 },
    ];
    expect(drafted({ memory: { ...MEMORY, history } }).budgets.max_tokens).toBe(1_000_000);
  });
});
