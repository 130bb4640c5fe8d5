import { findRoot, stateFolder } from "../project/state-folder.js";
import type { Finished } from "../report.js";
import { adrAsking, type AdrWanted } from "./adr-asking.js";
import type { RequestOptions } from "../request/request-options.js";
import type { RunArguments } from "../run/run-arguments.js";
import type { Approval, Around } from "../request/plan-and-run.js";
import { runFromWords } from "../request/run-words.js";

/**
 * Carry out a decision record. Whoever approves the record approves its work: they are asked again only for a plan of
 * high or critical risk.
 *
 * Contract: the same record, unchanged, is carried out once unless `run.again`.
 */
export async function runAdr(
  wanted: AdrWanted,
  asking: Omit<RequestOptions, "out">,
  run: RunArguments,
  approval: Approval,
  around: Around,
): Promise<Finished> {
  const asked = await adrAsking(wanted, asking, stateFolder(findRoot(around.context.cwd)), around.context);
  if (!asked.ok) return asked.finished;
  return runFromWords(asked.asking, run, wanted.approve ? { ...approval, standing: "command" } : approval, around);
}
