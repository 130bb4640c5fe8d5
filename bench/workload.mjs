// A plan of any size: one feature workflow, eight kinds of command, fifty rules, tasks with dependencies and files.
import { defaultParts } from "../dist/app/default-parts.js";
import { prepareRegistry } from "../dist/mind/plan/inputs.js";
import { parseIntent } from "../dist/mind/plan/parse-intent.js";
import { intentChecksumOf } from "../dist/mind/plan/rules/precheck.js";
import { ExecutionPolicy } from "../dist/model/plan/policy.js";
import { Registry } from "../dist/model/plan/registry.js";

export const services = defaultParts();

const PHASES = ["analysis", "design", "implementation", "validation"];
const EFFECTS = [["read"], ["read"], ["write"], ["read", "data"]];

const head = (kind, id) => ({ kind, id, version: "1.0.0", status: "active", title: `Entry ${id}` });

/** Ten shapes of condition, five constants each; all allow or warn, so that every action is judged by all of them. */
export function rules() {
  const shapes = [
    (i) => `command.risk_level == "${["low", "medium", "high", "critical", "low"][i]}" && "write" in command.effects`,
    (i) => `command.phase == "${PHASES[i % 4]}" && size(command.writes) > ${i}`,
    (i) => `command.writes.exists(p, p.startsWith("protected${i}/"))`,
    (i) => `intent.mode == "full_auto" && command.effects.exists(e, e == "deploy") && size(command.writes) > ${i}`,
    (i) => `command.risk_level in ["high", "critical"] && !command.has_rollback && command.failure_rate > 0.${i}`,
    (i) => `command.writes.exists(p, p.glob("migrations${i}/**"))`,
    (i) => `facts.coverage_percent < ${i * 10} && "write" in command.effects`,
    (i) => `command.owner == "agent_${i}" && command.data_sensitivity == "restricted"`,
    (i) => `size(command.undeclared_effects) > ${i}`,
    (i) => `!command.in_lock_scope && intent.lock_mode == "files" && command.failure_rate >= 0.${i}`,
  ];
  return Array.from({ length: 50 }, (_, n) => ({
    ...head("rule", `rule_${n}`),
    when: shapes[n % 10](Math.floor(n / 10)),
    then: {
      decision: n % 10 === 2 ? "warn" : "allow",
      reason: `Rule ${n} says so.`,
      mandatory: false,
      alternatives: [],
    },
  }));
}

export function registry() {
  const entries = {
    schema_version: "1.0.0",
    workflows: [
      {
        ...head("workflow", "feature_flow"),
        phases: PHASES.map((phase) => ({ phase, purpose: `Do the ${phase}`, commands: [] })),
      },
    ],
    agents: [0, 1, 2, 3].map((i) => ({
      ...head("agent", `agent_${i}`),
      phases: PHASES,
      responsibilities: ["Do the work"],
      writes: [],
    })),
    commands: Array.from({ length: 8 }, (_, i) => ({
      ...head("command", `command_${i}`),
      phase: PHASES[i % 4],
      owner: `agent_${i % 4}`,
      effects: EFFECTS[i % 4],
      needs: [],
      reads: [],
      writes: [],
      parameters: [],
      equivalents: [],
      capability: "coding",
      estimate: { tokens_in: 8000, tokens_out: 2000, minutes: 5 },
      rollback: "Revert the commit.",
    })),
    rules: [
      ...rules(),
      {
        ...head("rule", "zz_allow"),
        when: "true",
        then: { decision: "allow", reason: "Everything else.", mandatory: false, alternatives: [] },
      },
    ].slice(1),
    facts: [
      { ...head("fact", "coverage_percent"), type: "number", question: "What is the coverage?", blocking_level: "low" },
    ],
    models: [
      {
        ...head("model", "cloud-a"),
        provider: "a",
        location: "cloud",
        capabilities: ["coding"],
        quality: 4,
        context_tokens: 200000,
        price: { usd_per_million_in: 1, usd_per_million_out: 5, as_of: "2026-01-01" },
      },
      {
        ...head("model", "cloud-b"),
        provider: "b",
        location: "cloud",
        capabilities: ["coding"],
        quality: 3,
        context_tokens: 200000,
        price: { usd_per_million_in: 0.5, usd_per_million_out: 2, as_of: "2026-01-01" },
      },
    ],
  };
  return prepareRegistry(Registry.parse(entries), services);
}

/** The text of a sealed intent with so many tasks. */
export function intentText(tasks) {
  const intent = {
    schema_version: "1.0.0",
    id: "intent_bench_plan",
    type: "execution_intent",
    title: "A plan of many tasks",
    version: "1.0.0",
    status: "approved",
    created_at: "2026-01-01T00:00:00Z",
    lineage: { introduced_in: "1.0.0", derived_from: [], supersedes: [] },
    scope: { project_id: "bench", repo_root: ".", targets: { files: [], modules: [], areas: ["backend"] } },
    objective: { goal: "Measure the planner", success_criteria: ["A plan is frozen"], non_goals: [] },
    selected_workflows: [{ workflow_id: "feature_flow", phases: PHASES }],
    selected_agents: [0, 1, 2, 3].map((i) => ({
      agent_id: `agent_${i}`,
      role: "builder",
      responsibilities: ["Do the work"],
    })),
    planned_commands: Array.from({ length: 8 }, (_, i) => ({
      command_id: `command_${i}`,
      intent: `Do part ${i} of the work`,
      effects: EFFECTS[i % 4],
      risk_level: ["low", "low", "medium", "low"][i % 4],
      evidence_refs: ["scan://repository/tree", "doc://plan"],
    })),
    interaction: { mode: "semi_auto", question_budget: 0, question_policy: "never" },
    risk: { overall: "medium", drivers: ["Many tasks"], requires_review: ["architecture"] },
    budgets: { max_files: 1_000_000, max_commits: 1_000_000, max_tokens: 1_000_000_000_000, max_cost_usd: 1_000_000 },
    evidence_refs: ["scan://repository/tree"],
    constraints: {
      execution: "forbidden",
      no_fabrication: true,
      registry_only: true,
      lock_scope: { mode: "none", paths: [] },
    },
    audit: { created_by: "bench", source: "human", checksum: "0".repeat(64) },
    tasks: Array.from({ length: tasks }, (_, i) => task(i)),
  };
  const parsed = parseIntent(intent);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems.slice(0, 3)));
  intent.audit.checksum = intentChecksumOf(parsed.parsed.intent, services);
  return JSON.stringify(intent);
}

function task(i) {
  const command = i % 8;
  // Dependencies reach back by multiples of eight, so that they stay in one phase or point to an earlier one.
  const dependencies = [i - 8, i - 24].filter((d) => d >= 0).map((d) => `TASK-${String(d).padStart(6, "0")}`);
  return {
    id: `TASK-${String(i).padStart(6, "0")}`,
    command_id: `command_${command}`,
    title: `Carry out part ${i} of the work`,
    type: "feature",
    dependencies,
    priority: "P2",
    estimated_iterations: 3,
    completion_promise: "DONE",
    files: command % 4 === 2 ? [`src/module${i % 97}/file${i}.ts`] : [],
    tests: [],
  };
}

export const policy = ExecutionPolicy.parse({
  schema_version: "1.0.0",
  policy_id: "policy_bench",
  reviewers: { architecture: ["architects"], data: ["data team"] },
  limits: { max_nodes: 1_000_000, max_tasks: 1_000_000, max_files: 1_000_000 },
});

const pack = { schema_version: "1.0.0", project_id: "bench", collected_at: "2026-01-01T00:00:00Z" };
export const facts = {
  ...pack,
  pack_id: "facts_bench",
  facts: { coverage_percent: { value: 80, evidence_ref: "scan://coverage" } },
};
export const memory = { ...pack, pack_id: "memory_bench", notes: [], history: [], answers: [] };
