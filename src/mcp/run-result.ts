import { z } from "zod";
import type { CommandContext } from "../app/command-context.js";
import { useCases } from "../app/coordinator.js";
import { runInBackground } from "../app/hand-over/hand-over.js";
import { Entry, entryOf, NextStep, Problem, QUOTED, expectReport, stepFor } from "./shared.js";

const Counts = z.object({
  total: z.int(),
  done: z.int(),
  running: z.int(),
  waiting: z.int(),
  blocked: z.int(),
  failed: z.int(),
});

/** A run, as tools say it. */
export const RunResult = z.object({
  run_id: z.string(),
  request: z.string().describe("What was asked for, quoted."),
  status: z.string(),
  phase: z.string(),
  reason: z.string(),
  worked_on: z.boolean().describe("A process works on it now."),
  events: z.int(),
  tasks: Counts,
  running: z.array(z.object({ task_id: z.string(), title: z.string(), agent: z.string(), stage: z.string() })),
  failed: z.array(z.object({ task_id: z.string(), title: z.string(), reason: z.string() })),
  waiting: z.array(Entry),
  cost_usd: z.number(),
  tokens: z.int(),
  delivered: z.array(z.string()).describe("What was delivered, once it is over, quoted."),
  trouble: Problem.nullable().describe("Why the process in the background ended."),
  note: z.string(),
  next_step: NextStep,
});
export type RunResult = z.infer<typeof RunResult>;

export async function describeRun(wanted: string, context: CommandContext): Promise<RunResult> {
  const shown = expectReport(await useCases.showRun(wanted, context), "run_status");
  const { overview, worker, response } = shown;
  const { run_id, request, status, phase, reason, events, tasks, running, failed, spend } = overview;
  const waiting = overview.needs_you.map((entry) => entryOf(entry, context));
  const over = status === "completed" || status === "failed";
  const background = runInBackground(run_id, context);
  const worked_on = worker !== null || (!over && background.alive);
  const { total, done, running: at, waiting: left, blocked, failed: lost } = tasks;
  return {
    run_id,
    request,
    status,
    phase,
    reason,
    worked_on,
    events,
    tasks: { total, done, running: at, waiting: left, blocked, failed: lost },
    running: running.map(({ task_id, title, agent, stage }) => ({ task_id, title, agent, stage })),
    failed: failed.map(({ task_id, title, reason: why }) => ({ task_id, title, reason: why })),
    waiting,
    cost_usd: spend.used.cost_usd,
    tokens: spend.used.tokens,
    delivered: over ? (response?.deliverables ?? []).map(({ path, description }) => `${path}: ${description}`) : [],
    trouble: over || worked_on ? null : background.trouble,
    note: QUOTED,
    next_step: stepAfter({ run_id, status, waiting, worked_on, can_go_on: overview.can_go_on }),
  };
}

function stepAfter({
  run_id,
  status,
  waiting,
  worked_on,
  can_go_on,
}: Pick<RunResult, "run_id" | "status" | "waiting" | "worked_on"> & { readonly can_go_on: boolean }): string {
  if (status === "completed")
    return `It is done and proven. Report to the person what was delivered and show diff; they take it with: coordinator merge ${run_id}`;
  if (status === "failed")
    return `It ended without a result. Tell the person why; coordinator replay ${run_id} --events shows all.`;
  if (waiting.length > 0) return stepFor(waiting);
  if (worked_on) return `It is being worked on. Call status with run_id ${run_id} and wait_seconds 50.`;
  return can_go_on
    ? `Nobody works on it. Call run with run_id ${run_id}.`
    : `Call status with run_id ${run_id} in a while.`;
}

/** A run in a list. */
export const RunsResult = z.object({
  run_id: z.string(),
  status: z.string(),
  request: z.string(),
  done: z.int(),
  total: z.int(),
  needs_you: z.int(),
});

const MOST_RUNS = 20;

export async function listRuns(
  context: CommandContext,
): Promise<{ readonly runs: z.infer<typeof RunsResult>[]; readonly next_step: string }> {
  const { finished } = await useCases.pageOfRuns({ limit: MOST_RUNS, after: undefined }, context);
  const runs = expectReport(finished, "runs").runs.flatMap((line) =>
    "problem" in line
      ? []
      : [
          {
            run_id: line.overview.run_id,
            status: line.overview.status,
            request: line.overview.request,
            done: line.overview.tasks.done,
            total: line.overview.tasks.total,
            needs_you: line.overview.needs_you.length,
          },
        ],
  );
  const next_step =
    runs.length === 0 ? "There is no run yet. Call submit with what is wanted." : "Call status with a run_id for more.";
  return { runs, next_step };
}
