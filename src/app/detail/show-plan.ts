import { jsonOrUndefined } from "../../foundation/documents/json-or-undefined.js";
import { PLAN_RECORD } from "../../mind/run/record-names.js";
import { CoordinatorError } from "../../model/errors.js";
import type { RunEvent } from "../../model/event.js";
import type { RunGate, RunTask } from "../../model/run.js";
import type { CommandContext } from "../command-context.js";
import { newestFirst } from "../../hands/store/list-runs.js";
import { foldRun } from "../inspect/fold-run.js";
import type { Reader } from "../inspect/runs-at.js";
import { comparePlans, type PlanDifference } from "./compare-plans.js";
import { withWholeRun } from "./read-run.js";

/** The plan of a run, with everything a person reads before they approve it. */
export interface RunPlan {
  readonly type: "run_plan";
  readonly run_id: string;
  readonly request: string;
  readonly plan_id: string;
  readonly plan_checksum: string;
  readonly approved: boolean;
  readonly tasks: readonly (RunTask & { readonly level: number })[];
  readonly gates: readonly RunGate[];
  /** The documents of its folder; null for one that is not there any more. */
  readonly graph: unknown;
  readonly review: unknown;
  readonly manifest: unknown;
  readonly questions: unknown;
  /** The questions whose answers the plan needed, and who answered them. */
  readonly asked: readonly AskedBefore[];
  /** The plan as text for people, in Markdown. */
  readonly text: string | null;
  /** Other plans that were made for the same words, newest first. */
  readonly others: readonly OtherPlan[];
}

interface AskedBefore {
  readonly id: string;
  readonly question: string;
  /** Null while nobody has answered. */
  readonly answer: string | null;
  readonly by: string | null;
}

interface OtherPlan {
  readonly run_id: string;
  readonly plan_id: string;
  readonly at: string | null;
  readonly status: string;
}

export interface PlansCompared extends PlanDifference {
  readonly type: "plans_compared";
  readonly run_id: string;
  readonly with: string;
}

/**
 * Shows the plan of a run, with its review, its questions and the other plans of its request.
 *
 * Contract: changes nothing. A plan whose folder is gone is shown as far as the log tells it. Throws NOT_FOUND for a run
 * that is not there or has no plan.
 */
export function showPlan(wanted: string, context: CommandContext): Promise<RunPlan> {
  return withWholeRun(wanted, context, async ({ run, events, records, reader }) => {
    const { run_id, request, state } = run;
    if (state.layout === null) throw noPlan(run_id);
    const { plan, level } = state.layout;
    const kept = (await records.read(PLAN_RECORD)) as { readonly folder?: string } | null;
    // A plan that was removed or changed is still known from the log.
    const files = kept?.folder === undefined ? null : await context.parts.plans.read(kept.folder).catch(() => null);
    const json = (name: string) => parseArtefact(files?.get(name)?.text);
    return {
      type: "run_plan",
      run_id,
      request,
      plan_id: plan.plan_id,
      plan_checksum: plan.plan_checksum,
      approved: state.plan_approved,
      tasks: plan.tasks.map((task, i) => ({ ...task, level: level[i] ?? 0 })),
      gates: plan.gates,
      graph: json("graph.json"),
      review: json("review.json"),
      manifest: json("manifest.json"),
      questions: json("questions.json"),
      asked: listAskedBefore(events.map(({ event }) => event)),
      text: files?.get("plan.md")?.text ?? null,
      others: await plansFor(request, run_id, reader),
    };
  });
}

/**
 * Compares the plans of two runs.
 *
 * Contract: as `showPlan`, for both.
 */
export function compareRunPlans(wanted: string, other: string, context: CommandContext): Promise<PlansCompared> {
  return withWholeRun(wanted, context, ({ run }) =>
    withWholeRun(other, context, async ({ run: before }) => {
      if (run.state.layout === null) throw noPlan(run.run_id);
      if (before.state.layout === null) throw noPlan(before.run_id);
      return {
        type: "plans_compared",
        run_id: run.run_id,
        with: before.run_id,
        ...comparePlans(before.state.layout.plan.tasks, run.state.layout.plan.tasks),
      };
    }),
  );
}

const MOST_OTHERS = 20;

async function plansFor(request: string, runId: string, reader: Reader): Promise<OtherPlan[]> {
  const found: OtherPlan[] = [];
  if (request === "") return found;
  for (const { run_id, first_at } of await newestFirst(reader)) {
    if (run_id === runId || found.length >= MOST_OTHERS) continue;
    let words: string | null = null;
    for await (const { event } of reader.read(run_id, { to: 1 }))
      if (event.type === "request_received") words = event.request;
    if (words !== request) continue;
    const { state } = await foldRun(reader, run_id);
    if (state.layout === null) continue;
    found.push({ run_id, plan_id: state.layout.plan.plan_id, at: first_at, status: state.status });
  }
  return found;
}

/** Questions of no task: those of the request and of its plan. */
function listAskedBefore(events: readonly RunEvent[]): AskedBefore[] {
  const answers = new Map(
    events.flatMap((event) => (event.type === "question_answered" ? [[event.question_id, event] as const] : [])),
  );
  return events.flatMap((event) => {
    if (event.type !== "question_asked" || event.task_id !== null) return [];
    const answered = answers.get(event.question_id);
    const { question_id: id, question } = event;
    return [{ id, question, answer: answered?.answer ?? null, by: answered?.decider.by ?? null }];
  });
}

function noPlan(runId: string): CoordinatorError {
  return new CoordinatorError("NOT_FOUND", `${runId} has no plan yet`, {
    fix: `coordinator status ${runId} shows its state.`,
  });
}

function parseArtefact(text: string | undefined): unknown {
  return text === undefined ? null : (jsonOrUndefined(text) ?? null);
}
