import type { Finished } from "../report.js";
import { adrRequest, type AdrToRun } from "./adr-request.js";
import type { RequestOptions } from "../request/request-options.js";
import type { RunArguments } from "../run/run-arguments.js";
import type { Approval, RequestContext } from "../request/plan-and-run.js";
import { runFromWords } from "../request/run-words.js";

/**
 * Carry out a decision record. Anyone who approves the record approves its work: they are asked again only for a plan of
 * high or critical risk.
 *
 * Contract: the same record, unchanged, is carried out once unless `run.again`.
 */
export async function runAdr(
  wanted: AdrToRun,
  asking: Omit<RequestOptions, "out">,
  run: RunArguments,
  approval: Approval,
  around: RequestContext,
): Promise<Finished> {
  const asked = await adrRequest(wanted, asking, around.context);
  if (!asked.ok) return asked.finished;
  return runFromWords(asked.asking, run, wanted.approve ? { ...approval, standing: "command" } : approval, around);
}
