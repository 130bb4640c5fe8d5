import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { IntentV100, type IntentV100 as Intent } from "../../model/plan/intent.js";
import type { Registry } from "../../model/plan/registry.js";
import { draftEntries, type DraftFile } from "./draft-entries.js";
import { builtInRegistryDirectory, loadRegistry } from "./load-registry.js";

const EMPTY: Registry = {
  schema_version: "1.0.0",
  workflows: [],
  agents: [],
  commands: [],
  rules: [],
  facts: [],
  models: [],
};

function planned(command_id: string, ...effects: Intent["planned_commands"][number]["effects"]) {
  return {
    command_id,
    intent: `Carry out: ${command_id} # "now"`,
    effects,
    risk_level: "low" as const,
    evidence_refs: ["scan://x"],
  };
}

const intent: Intent = IntentV100.parse({
  schema_version: "1.0.0",
  id: "intent_draft_example",
  type: "execution_intent",
  title: "An intent about things nobody knows",
  version: "1.0.0",
  status: "draft",
  created_at: "2026-01-25T11:00:00Z",
  lineage: { introduced_in: "1.0.0", derived_from: [], supersedes: [] },
  scope: { project_id: "example", repo_root: ".", targets: { files: [], modules: [], areas: ["backend"] } },
  objective: { goal: "Show what is drafted", success_criteria: ["It loads"], non_goals: [] },
  selected_workflows: [
    { workflow_id: "schema_change", phases: ["design", "implementation", "validation"], reason: "Because: it must" },
    { workflow_id: "hot_fix", phases: ["validation", "operations"] },
    { workflow_id: "schema_change", phases: ["design", "review"] },
  ],
  selected_agents: [
    { agent_id: "reviewer", role: "reviewer", responsibilities: ["Look at it"] },
    { agent_id: "architect", role: "designer", responsibilities: ["Design: tables", "- dashes"] },
  ],
  planned_commands: [
    planned("scan_tables", "read"),
    planned("write_script", "write"),
    planned("write_script", "read", "write"),
    planned("validate_script", "read", "data"),
    planned("deploy_hot_fix", "deploy"),
    planned("review_result", "read"),
    planned("generate_summary", "read"),
  ],
  interaction: { mode: "interactive", question_budget: 5, question_policy: "blockers_only" },
  risk: { overall: "medium", drivers: ["It changes tables"], requires_review: ["data"] },
  budgets: { max_files: 5, max_commits: 2, max_tokens: 1000, max_cost_usd: 1 },
  evidence_refs: ["scan://x"],
  constraints: {
    execution: "forbidden",
    no_fabrication: true,
    registry_only: true,
    lock_scope: { mode: "none", paths: [] },
  },
  audit: { created_by: "someone", source: "human", checksum: "0".repeat(64) },
});

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "drafts-"));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

async function written(name: string, drafts: readonly DraftFile[]): Promise<string> {
  for (const { path, yaml } of drafts) {
    await mkdir(dirname(join(root, name, path)), { recursive: true });
    await writeFile(join(root, name, path), yaml);
  }
  return join(root, name);
}

describe("draftEntries", () => {
  test("drafts what is missing so that it loads without a problem [S4-022]", async () => {
    const drafts = draftEntries(intent, EMPTY);
    expect(drafts.map(({ path }) => path)).toEqual([
      "agents/architect.yaml",
      "agents/reviewer.yaml",
      "commands/deploy_hot_fix.yaml",
      "commands/generate_summary.yaml",
      "commands/review_result.yaml",
      "commands/scan_tables.yaml",
      "commands/validate_script.yaml",
      "commands/write_script.yaml",
      "workflows/hot_fix.yaml",
      "workflows/schema_change.yaml",
    ]);
    const { registry, diagnostics } = await loadRegistry({ directories: [await written("all", drafts)] });
    expect(diagnostics).toEqual([]);

    expect(Object.fromEntries(registry.commands.map(({ id, phase }) => [id, phase]))).toEqual({
      deploy_hot_fix: "operations",
      generate_summary: "design",
      review_result: "review",
      scan_tables: "design",
      validate_script: "validation",
      write_script: "implementation",
    });
    expect(registry.commands.find(({ id }) => id === "write_script")).toMatchObject({
      version: "0.1.0",
      status: "active",
      title: "Write script",
      owner: "reviewer",
      effects: ["write", "read"],
      estimate: { tokens_in: 12_000, tokens_out: 3_000, minutes: 10 },
    });
    for (const agent of registry.agents)
      expect(agent.phases).toEqual(["design", "implementation", "validation", "operations", "review"]);
    expect(registry.workflows.find(({ id }) => id === "schema_change")).toMatchObject({
      description: "Because: it must",
      phases: [
        { phase: "design", commands: ["scan_tables", "generate_summary"] },
        { phase: "implementation", commands: ["write_script"] },
        { phase: "validation", commands: ["validate_script"] },
        { phase: "review", commands: ["review_result"] },
      ],
    });
  });

  test("drafts nothing the registry has, and gives commands an owner who works in their phase", async () => {
    const builtIn = await loadRegistry({ directories: [builtInRegistryDirectory()] });
    const drafts = draftEntries(intent, builtIn.registry);
    expect(drafts.map(({ path }) => path)).not.toContain("agents/reviewer.yaml");
    const directories = [builtInRegistryDirectory(), await written("rest", drafts)];
    const { registry, diagnostics } = await loadRegistry({ directories });
    expect(diagnostics).toEqual([]);
    const owners = new Map(registry.commands.map(({ id, owner }) => [id, owner]));
    expect(owners.get("write_script")).toBe("architect");
    expect(owners.get("review_result")).toBe("reviewer");
    expect(draftEntries(intent, registry)).toEqual([]);
  });

  test("asks for a review in every file", () => {
    for (const { yaml } of draftEntries(intent, EMPTY))
      expect(yaml).toMatch(/^# Drafted from intent_draft_example\. Review every field/);
  });
});
