import { z } from "zod";
import {
  AgentId,
  Checksum,
  CommandId,
  DateTime,
  IntentEffect,
  IntentId,
  Mode,
  Phase,
  ReviewCategory,
  RiskLevel,
  SemVer,
  text,
  WorkflowId,
} from "../primitives.js";
import { PlanQuestion } from "./plan-question.js";
import { IntentTask } from "../task.js";

/*
 * The ExecutionIntent: the machine form a plan is made from. Two versions are read.
 *
 * v0.9.1 has no schema_version and is closed: it accepts and refuses exactly what the published contract does.
 * v1.0.0 says so in schema_version and adds tasks and registry_versions. Its lists have no fixed maximum here:
 * the policy's limits bound them, and a plan over one is refused with the limit's name.
 */

const list = <T extends z.ZodType>(item: T, max: number | null) =>
  max === null ? z.array(item) : z.array(item).max(max);

/** Both versions share these fields; only the bounds of the lists differ. */
function intentShape(bounded: boolean) {
  const most = (max: number) => (bounded ? max : null);
  return {
    id: IntentId,
    type: z.literal("execution_intent"),
    title: text(5, 160),
    description: text(0, 4000).optional(),
    version: SemVer,
    status: z.enum(["draft", "proposed", "approved", "rejected", "superseded"]),
    created_at: DateTime,
    lineage: z.strictObject({
      introduced_in: SemVer,
      derived_from: z.array(IntentId).max(16),
      supersedes: z.array(IntentId).max(16),
    }),
    scope: z.strictObject({
      project_id: text(1, 128),
      repo_root: text(1, 512),
      targets: z.strictObject({
        files: list(text(1, 512), most(200)),
        modules: list(text(1, 128), most(100)),
        areas: z.array(z.enum(["frontend", "backend", "infra", "docs", "tests", "ops", "security", "data"])).max(8),
      }),
    }),
    objective: z.strictObject({
      goal: text(5, 2000),
      success_criteria: z.array(text(3, 300)).min(1).max(20),
      non_goals: z.array(text(3, 300)).max(20),
    }),
    selected_workflows: z
      .array(
        z.strictObject({
          workflow_id: WorkflowId,
          phases: z.array(Phase).min(1).max(12),
          reason: text(3, 800).optional(),
        }),
      )
      .min(1)
      .max(18),
    selected_agents: z
      .array(
        z.strictObject({
          agent_id: AgentId,
          role: text(2, 80),
          responsibilities: z.array(text(3, 200)).min(1).max(12),
        }),
      )
      .min(1)
      .max(13),
    planned_commands: list(
      z.strictObject({
        command_id: CommandId,
        intent: text(3, 800),
        effects: z.array(IntentEffect).min(1).max(6),
        risk_level: RiskLevel,
        evidence_refs: z.array(text(3, 256)).min(1).max(30),
      }),
      most(80),
    ),
    interaction: z.strictObject({
      mode: Mode,
      question_budget: z.int().min(0).max(50),
      question_policy: z.enum(["conceptual_only", "blockers_only", "never"]),
    }),
    risk: z.strictObject({
      overall: RiskLevel,
      drivers: z.array(text(3, 200)).min(1).max(20),
      requires_review: z.array(ReviewCategory).max(6),
    }),
    budgets: z.strictObject({
      max_files: z
        .int()
        .min(0)
        .max(bounded ? 500 : 1_000_000),
      max_commits: z
        .int()
        .min(0)
        .max(bounded ? 50 : 1_000_000),
      max_tokens: z
        .int()
        .min(0)
        .max(bounded ? 2_000_000 : 1_000_000_000_000),
      max_cost_usd: z
        .number()
        .min(0)
        .max(bounded ? 10_000 : 1_000_000_000),
    }),
    evidence_refs: list(text(3, 256), most(200)).min(1),
    constraints: z.strictObject({
      execution: z.literal("forbidden"),
      no_fabrication: z.literal(true),
      registry_only: z.literal(true),
      lock_scope: z.strictObject({
        mode: z.enum(["none", "task", "files"]),
        paths: list(text(1, 512), most(200)),
      }),
    }),
    audit: z.strictObject({
      created_by: text(1, 128),
      source: z.enum(["human", "octopusos", "imported"]),
      checksum: Checksum,
    }),
  };
}

const VersionsByIdent = z.record(z.string(), SemVer);

/** Which version of each registry entry a document was made against. */
export const RegistryVersions = z.strictObject({
  workflows: VersionsByIdent,
  agents: VersionsByIdent,
  commands: VersionsByIdent,
  rules: VersionsByIdent,
});
export type RegistryVersions = z.infer<typeof RegistryVersions>;

interface Invariants {
  interaction: { mode: string; question_budget: number; question_policy: string };
  risk: { overall: string; requires_review: readonly string[] };
  planned_commands: readonly { effects: readonly string[] }[];
}

interface Checked {
  value: Invariants;
  issues: z.core.$ZodRawIssue[];
}

/** The contract's three cross-field rules. */
function checkInvariants(ctx: Checked): void {
  checkMode(ctx);
  if (writes(ctx.value) && ctx.value.risk.requires_review.length === 0)
    refuseReviews(ctx, "must name a review category when a planned command writes or deploys");
}

/** The check since v1.0.0, where rules of the registry ask for reviews of what is risky: only high risk names its own. */
function checkInvariantsByRisk(ctx: Checked): void {
  checkMode(ctx);
  const { overall, requires_review } = ctx.value.risk;
  const delicate = overall === "high" || overall === "critical";
  if (delicate && writes(ctx.value) && requires_review.length === 0)
    refuseReviews(ctx, `must name a review category when a planned command writes or deploys at ${overall} risk`);
}

function writes({ planned_commands }: Invariants): boolean {
  return planned_commands.some((c) => c.effects.includes("write") || c.effects.includes("deploy"));
}

function refuseReviews({ issues, value }: Checked, message: string): void {
  issues.push({ code: "custom", path: ["risk", "requires_review"], message, input: value });
}

function checkMode(ctx: Checked): void {
  const { interaction, risk } = ctx.value;
  const refuse = (path: string[], message: string) =>
    ctx.issues.push({ code: "custom", path, message, input: ctx.value });
  if (interaction.mode === "full_auto") {
    if (interaction.question_budget !== 0) refuse(["interaction", "question_budget"], "must be 0 in full_auto");
    if (interaction.question_policy !== "never")
      refuse(["interaction", "question_policy"], "must be never in full_auto");
    if (risk.overall === "high" || risk.overall === "critical")
      refuse(["interaction", "mode"], `must not be full_auto when the overall risk is ${risk.overall}`);
  }
}

export const IntentV091 = z.strictObject(intentShape(true)).check(checkInvariants);

export const IntentV100 = z
  .strictObject({
    schema_version: z.literal("1.0.0"),
    ...intentShape(false),
    tasks: z.array(IntentTask).optional(),
    registry_versions: RegistryVersions.optional(),
    open_questions: z.array(PlanQuestion).max(20).optional(),
  })
  .check(checkInvariantsByRisk);

export type IntentV091 = z.infer<typeof IntentV091>;
export type IntentV100 = z.infer<typeof IntentV100>;
export type ExecutionIntent = IntentV091 | IntentV100;
export type PlannedCommand = ExecutionIntent["planned_commands"][number];

/** The lock file `seal` writes beside a v0.9.1 intent, which has no room for registry versions of its own. */
export const IntentLock = z.strictObject({
  schema_version: z.literal("1.0.0"),
  intent_id: IntentId,
  intent_checksum: Checksum,
  registry_versions: RegistryVersions,
});
export type IntentLock = z.infer<typeof IntentLock>;
