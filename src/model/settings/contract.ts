import { z } from "zod";

/*
 * The contract of the Coordinator: `governance/contracts/coordinator.yaml`. It says what the Coordinator may do by
 * itself, what it must not do at all, and what a person has to approve first. An action in none of the lists, itself
 * or as a part of an action that is in one (`mind/contract/stands-for.ts`), needs approval.
 */

/** Done by people or agents, or by the Coordinator only on a person's word. */
const FOR_OTHERS = [
  "write_code",
  "make_decisions",
  "modify_adr",
  "bypass_ralph",
  "delete_without_approval",
  "delete_task",
  "change_priority",
  "reassign_task",
  "skip_task",
] as const;

/** Everything the Coordinator does, by name. A name that is not here is a slip of the pen in a contract. */
export const ACTIONS = [
  "read_adr",
  "create_task",
  "assign_task",
  "update_project_hq",
  "create_handoff",
  "manage_queue",
  "read_codebase",
  ...FOR_OTHERS,
  "judge_request",
  "create_plan",
  "seal_intent",
  "build_memory",
  "draft_registry",
  "carry_out_run",
  "stop_attempt",
  "verify_result",
  "integrate_result",
  "review_level",
  "take_decision",
  "merge_run",
  "publish_run",
  "clean_workspaces",
  "try_agent",
  "set_up_project",
  "export_tape",
  "anchor_run",
  "notify_person",
] as const;
export const ContractAction = z.enum(ACTIONS);
export type ContractAction = z.infer<typeof ContractAction>;

const isForOthers: ReadonlySet<ContractAction> = new Set(FOR_OTHERS);

/** The actions that the Coordinator does by itself by default: the allowed actions of the shipped contract. */
export const BY_ITSELF: readonly ContractAction[] = ACTIONS.filter((action) => !isForOthers.has(action));

export const ContractTrigger = z.enum([
  "adr_approved",
  "task_complete",
  "task_blocked",
  "session_end",
  "resume_session",
]);
export type ContractTrigger = z.infer<typeof ContractTrigger>;

const Actions = z.array(ContractAction).max(ACTIONS.length).default([]);

const Behaviors = z.strictObject({
  auto_update_project_hq: z.boolean().default(true).describe("PROJECT_HQ.md follows what happens to the tasks."),
  auto_create_handoff: z.boolean().default(true).describe("The end of a session leaves a handoff."),
  auto_assign_tasks: z
    .boolean()
    .default(true)
    .describe("Ready tasks are given to their builders; when false, each waits for `coordinator approve assign:TASK`."),
  respect_dependencies: z
    .literal(true, { error: "must be true: the dependencies of a frozen plan always hold" })
    .default(true),
});

export const CONTRACT_LISTS = ["allowed_actions", "forbidden_actions", "requires_approval"] as const;

export const Contract = z
  .strictObject({
    name: z.literal("coordinator"),
    version: z.string().regex(/^\d+\.\d+$/, { error: 'must be like "1.0"' }),
    mode: z.literal("autonomous").default("autonomous"),
    domain: z.literal("project orchestration").default("project orchestration"),
    autonomy_level: z.literal("L2").default("L2"),
    triggers: z.array(ContractTrigger).default([...ContractTrigger.options]),
    allowed_actions: Actions,
    forbidden_actions: Actions,
    requires_approval: Actions,
    limits: z
      .strictObject({
        max_concurrent_tasks: z.int().min(1).max(1000).default(3),
        max_queue_size: z.int().min(1).max(100_000).default(50).describe("Tasks of all runs that are not over."),
      })
      .prefault({}),
    behaviors: Behaviors.prefault({}),
  })
  .check((ctx) => {
    const seen = new Map<string, string>();
    for (const list of CONTRACT_LISTS)
      for (const [at, action] of ctx.value[list].entries()) {
        const before = seen.get(action);
        if (before === undefined) seen.set(action, list);
        else
          ctx.issues.push({
            code: "custom",
            message: `stands in ${before} already: an action stands in one list`,
            path: [list, at],
            input: action,
          });
      }
  });
export type Contract = z.infer<typeof Contract>;
