import { z } from "zod";
import type { CommandContext } from "../app/command-context.js";
import { useCases } from "../app/coordinator.js";
import type { HandedRequest } from "../app/hand-over/hand-over.js";
import { Entry, entryOf, NextStep, Problem, QUOTED, expectReport, stepFor } from "./shared.js";

/** The state of a request, as tools report it. */
export const RequestResult = z.object({
  request_id: z.string(),
  state: z.enum(["working", "ended"]),
  run_id: z.string().nullable().describe("The run it became, or the record of a request that is not a run yet."),
  status: z.string().nullable().describe("The status of that run."),
  reason: z.string().nullable().describe("Why it has that status, quoted."),
  waiting: z.array(Entry),
  problem: Problem.nullable().describe("Why there is no run."),
  note: z.string(),
  next_step: NextStep,
});

export async function describeRequest(
  { request_id, state, run_id, problem }: HandedRequest,
  context: CommandContext,
): Promise<z.infer<typeof RequestResult>> {
  const base = { request_id, state, run_id, status: null, reason: null, waiting: [], problem, note: QUOTED };
  if (run_id === null) {
    const next_step =
      state === "working"
        ? `It is being planned. Call status with request_id ${request_id} in a while.`
        : `It did not become a run. ${problem?.fix ?? "Tell the person why, and submit it again in other words."}`;
    return { ...base, next_step };
  }
  const { overview } = expectReport(await useCases.showRun(run_id, context), "run_status");
  const waiting = overview.needs_you.map((entry) => entryOf(entry, context));
  const after =
    waiting.length === 0 ? "" : ` Afterwards call run with run_id ${run_id}; it goes on by itself where a server runs.`;
  return {
    ...base,
    status: overview.status,
    reason: overview.reason,
    waiting,
    next_step:
      waiting.length > 0
        ? `${stepFor(waiting)}${after}`
        : overview.status === "failed"
          ? `It was not taken on. Tell the person why: coordinator response ${run_id}`
          : `Call status with run_id ${run_id} in a while.`,
  };
}
