import { z } from "zod";
import type { CommandContext } from "../app/command-context.js";
import { useCases } from "../app/coordinator.js";
import type { Finished } from "../app/report.js";
import type { PlanMade } from "../app/plan-reports.js";
import { NextStep, QUOTED, expectReport } from "./shared.js";
import { NO_REQUEST_OPTIONS } from "../app/request/request-options.js";

/** A plan, as tools say it. */
export const PlanResult = z.object({
  plan_id: z.string().nullable(),
  plan_checksum: z.string().nullable(),
  run_id: z.string().nullable().describe("The run that has this plan; null for a plan that was only tried."),
  state: z.string().describe("planned, questions, or not_planned."),
  approved: z.boolean(),
  tasks: z.array(
    z.object({
      task_id: z.string(),
      title: z.string(),
      agent: z.string().nullable(),
      dependencies: z.array(z.string()),
    }),
  ),
  questions: z.array(z.object({ id: z.string(), question: z.string() })),
  problems: z.array(z.string()).describe("Why there is no plan, quoted."),
  note: z.string(),
  next_step: NextStep,
});
type PlanResult = z.infer<typeof PlanResult>;

const NOTHING = {
  plan_id: null,
  plan_checksum: null,
  run_id: null,
  approved: false,
  tasks: [],
  questions: [],
  problems: [],
  note: QUOTED,
} satisfies Partial<PlanResult>;

/** The plan that would be made for these words. Contract: nothing is recorded. */
export async function planWords(words: string, context: CommandContext): Promise<PlanResult> {
  const asking = {
    ...NO_REQUEST_OPTIONS,
    words,
    again: "coordinator plan",
  };
  return resultOf(await useCases.planOnly(asking, undefined, null, context));
}

const CLEARER = "Call plan or submit again with the answers in the text.";

function resultOf(finished: Finished): PlanResult {
  const { report } = finished;
  if (report.type === "plan") return madeResult(report);
  if (report.type === "intake") {
    const { decision, questions, reason } = report.decision;
    if (decision === "needs_clarification") return { ...NOTHING, state: "questions", questions, next_step: CLEARER };
    const next_step = "Tell the person that it was refused, and why.";
    return { ...NOTHING, state: "not_planned", problems: [reason], next_step };
  }
  if (report.type === "route") {
    const { decision } = report;
    const why = "reason" in decision && decision.reason !== undefined ? [decision.reason.message] : [];
    const next_step = "Rules do not say who does this. submit puts the question into the inbox for a person.";
    return { ...NOTHING, state: "not_planned", problems: why, next_step };
  }
  if (report.type === "error" && report.code === "QUESTIONS_OPEN") {
    const questions = report.problems.map(({ path, message }) => ({ id: path, question: message }));
    return { ...NOTHING, state: "questions", questions, next_step: CLEARER };
  }
  expectReport(finished, "plan");
  return { ...NOTHING, state: "not_planned", next_step: CLEARER };
}

function madeResult({ outcome, bundle, problems }: PlanMade): PlanResult {
  const { state, graph, questions } = outcome;
  const open = questions.at(-1)?.questions ?? [];
  const waits = state === "AWAITING_ANSWERS";
  const tasks = (graph?.nodes ?? []).flatMap((node) =>
    node.node_type === "action_proposal"
      ? [
          {
            task_id: node.node_id,
            title: node.label,
            agent: null,
            dependencies: [] as string[],
          },
        ]
      : [],
  );
  return {
    ...NOTHING,
    plan_id: bundle?.manifest.plan_id ?? null,
    plan_checksum: bundle?.manifest.plan_checksum ?? null,
    state: state === "DONE" ? "planned" : waits ? "questions" : "not_planned",
    tasks,
    questions: waits ? open.map(({ question_id: id, question_text: question }) => ({ id, question })) : [],
    problems: problems.map(({ message }) => message),
    next_step:
      state === "DONE"
        ? "Call submit with the same text to have it done. Nothing runs before a person approves."
        : CLEARER,
  };
}

export async function planOfRun(runId: string, context: CommandContext): Promise<PlanResult> {
  const { plan_id, plan_checksum, run_id, approved, tasks } = await useCases.showPlan(runId, context);
  return {
    ...NOTHING,
    plan_id,
    plan_checksum,
    run_id,
    approved,
    state: "planned",
    tasks: tasks.map(({ task_id, title, agent, dependencies }) => ({
      task_id,
      title,
      agent,
      dependencies: [...dependencies],
    })),
    next_step: approved
      ? `Call status with run_id ${run_id}.`
      : `A person approves it: coordinator approve plan:${plan_id} --run ${run_id}. No tool does.`,
  };
}
