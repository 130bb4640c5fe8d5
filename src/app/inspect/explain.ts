import { CoordinatorError } from "../../model/errors.js";
import type { LoggedEvent } from "../../model/event.js";
import { findSimilar } from "../../model/plan/explanation.js";
import { explainRun, idsOfRun } from "./explain/explain-run.js";
import { findRun } from "./find.js";
import { EXIT } from "../exit-codes.js";
import { finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { type Reader, withRuns } from "./runs-at.js";

export interface ExplainArguments {
  readonly plan?: string | undefined;
  readonly run?: string | undefined;
}

/**
 * Say why something is in a plan, or why a run did something.
 *
 * Contract: changes nothing, and asks nobody: a plan and a log hold every reason. Throws USAGE where it is not clear
 * what to explain from, and NOT_FOUND for an id that is not there.
 */
export async function explainId(
  id: string | undefined,
  { plan, run }: ExplainArguments,
  { coordinator, project }: CommandContext,
): Promise<Finished> {
  if ((plan === undefined) === (run === undefined))
    throw new CoordinatorError("USAGE", "Say what to explain from: a plan or a run", {
      fix: "coordinator explain ID --plan DIR, or coordinator explain ID --run RUN.",
    });
  if (run !== undefined) return withRuns(project, (reader) => explainFromLog(id, run, reader));
  if (id === undefined)
    throw new CoordinatorError("USAGE", "Say what of the plan to explain", {
      fix: "coordinator explain ID --plan DIR; the plan shows the ids.",
    });
  const { explain } = await coordinator();
  return finish(EXIT.done, { type: "explanation", explanation: await explain(plan ?? "", id) });
}

async function explainFromLog(id: string | undefined, wanted: string, reader: Reader): Promise<Finished> {
  const runId = await findRun(reader, wanted);
  const events: LoggedEvent[] = [];
  for await (const logged of reader.read(runId)) events.push(logged);
  if (id === undefined)
    return finish(EXIT.done, { type: "explainable", run_id: runId, ids: idsOfRun(events), events: events.length });
  const explanation = explainRun(id, events);
  if (explanation === null) {
    const near = findSimilar(id, idsOfRun(events));
    throw new CoordinatorError("NOT_FOUND", `The log of ${runId} knows no ${id}`, {
      fix: `${near.length === 0 ? "" : `Did you mean ${near.join(", ")}? `}coordinator explain --run ${runId} lists what can be asked for.`,
    });
  }
  return finish(EXIT.done, { type: "explanation", explanation });
}
