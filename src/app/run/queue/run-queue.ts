import { resolve } from "node:path";
import type { Finished } from "../../report.js";
import type { RequestOptions } from "../../request/request-options.js";
import { isAutomatic } from "../../project/contract.js";
import type { Approval, RequestContext } from "../../request/plan-and-run.js";
import { queueRequest, queueFileOf, readQueue } from "./queue-request.js";
import type { RunArguments } from "../run-arguments.js";
import { runFromWords } from "../../request/run-words.js";

/** So many lines of what is not carried out are told. */
const MOST_TOLD = 50;

/**
 * Carry out the open tasks of a work queue: of the file that is named, or of the project's own.
 *
 * Contract: the file is only read. Where the project's contract assigns tasks by itself, anyone who orders this has approved
 * it, up to a plan of medium risk; otherwise the plan is approved like that of any request.
 */
export async function runQueue(
  named: string | null,
  asking: Omit<RequestOptions, "out">,
  run: RunArguments,
  approval: Approval,
  around: RequestContext,
): Promise<Finished> {
  const { context } = around;
  const { project } = context;
  const { configuration } = await project.settings();
  const file = named === null ? queueFileOf(project.root, configuration) : resolve(context.cwd, named);
  const given = await readQueue(file, context);
  if ("exitCode" in given) return given;
  for (const line of given.told.slice(0, MOST_TOLD)) context.warn(line);
  if (given.told.length > MOST_TOLD) context.warn(`and ${given.told.length - MOST_TOLD} more of ${given.file}`);
  const asked = queueRequest(given, asking);
  if (!asked.ok) return asked.finished;
  const inForce = await project.contractInForce(context.approved);
  const approved = isAutomatic(inForce) ? { standing: "command" as const, ...approval } : approval;
  return runFromWords(asked.asking, run, approved, around);
}
