import { z } from "zod";
import { useCases } from "../../app/coordinator.js";
import { text } from "../../model/primitives.js";
import { lookUntil } from "../look-until.js";
import { describeRequest, RequestResult } from "../request-result.js";
import { describeRun, listRuns, RunResult, RunsResult } from "../run-result.js";
import { entryOf, NextStep, expectReport, RunId, stepFor } from "../shared.js";
import { READS, tool, type Tool, WRITES } from "../tool.js";

/* Runs: worked on, and how they stand. */

const MOST_WAIT_SECONDS = 50;

export const RUNS: readonly Tool[] = [
  tool({
    name: "run",
    title: "Work on a run",
    description:
      "Have a run worked on whose plan a person has approved, or resume one that has stalled. Returns at once: a server of " +
      "the person, or a process in the background, does the work. A plan that waits for approval is not begun.",
    command: "run",
    input: z.strictObject({
      run_id: RunId,
      agent: text(1, 200).optional().describe("The agent of coordinator.yaml that plays every builder."),
    }),
    output: z.object({
      run_id: z.string(),
      state: z.enum(["started", "working", "waiting", "over"]),
      by: z.string().nullable().describe("Who works on it."),
      next_step: NextStep,
    }),
    annotations: WRITES,
    handle: async ({ run_id: wanted, agent }, { context }) => {
      const { run_id, state, by } = await useCases.resumeRun(wanted, context, agent);
      const poll = `Call status with run_id ${run_id} and wait_seconds ${MOST_WAIT_SECONDS} until it is over or waits.`;
      if (state !== "waiting")
        return { run_id, state, by, next_step: state === "over" ? `Call status with run_id ${run_id}.` : poll };
      const { overview } = expectReport(await useCases.showRun(run_id, context), "run_status");
      return { run_id, state, by, next_step: stepFor(overview.needs_you.map((entry) => entryOf(entry, context))) };
    },
  }),
  tool({
    name: "status",
    title: "How runs stand",
    description:
      "How one run stands: tasks, what waits on whom, what failed, what it cost and what it delivered. With request_id: what " +
      "became of a submitted request. Without either: the newest runs. wait_seconds waits until the run is over, waits or changes.",
    command: "status",
    input: z.strictObject({
      run_id: RunId.optional(),
      request_id: z.uuid().optional(),
      wait_seconds: z.int().min(0).max(MOST_WAIT_SECONDS).default(0),
    }),
    output: z.object({
      run: RunResult.nullable(),
      request: RequestResult.nullable(),
      runs: z.array(RunsResult).nullable(),
      next_step: NextStep,
    }),
    annotations: READS,
    handle: async ({ run_id, request_id, wait_seconds }, { context, progress, signal }) => {
      if (request_id !== undefined) {
        const look = async () => {
          const now = await useCases.showRequest(request_id, context);
          return now.state === "ended" ? now : null;
        };
        const ended = await lookUntil(look, wait_seconds * 1000, signal);
        const request = await describeRequest(ended ?? (await useCases.showRequest(request_id, context)), context);
        return { run: null, request, runs: null, next_step: request.next_step };
      }
      if (run_id === undefined) return { run: null, request: null, ...(await listRuns(context)) };
      const first = await describeRun(run_id, context);
      let last = first;
      const look = async () => {
        last = await describeRun(first.run_id, context);
        const { done, total } = last.tasks;
        progress(`${last.status}: ${done} of ${total} tasks done`, done, total);
        return !last.worked_on || last.waiting.length > 0 || last.events !== first.events ? last : null;
      };
      const run = wait_seconds === 0 ? first : ((await lookUntil(look, wait_seconds * 1000, signal)) ?? last);
      return { run, request: null, runs: null, next_step: run.next_step };
    },
  }),
];
