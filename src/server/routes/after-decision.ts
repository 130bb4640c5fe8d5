import type { Finished } from "../../app/report.js";
import type { DecisionSent } from "../../app/run-reports.js";
import type { OpenPlace, ServerContext } from "../context.js";
import { HttpProblem, makeProblem } from "../problem.js";
import { answerOf } from "./shared.js";

/** A decision that was taken moves the run on; one that came too late is told who was first. */
export async function afterDecision(
  finished: Finished,
  { project }: OpenPlace,
  { worker }: ServerContext,
): Promise<object> {
  const sent = answerOf(finished) as DecisionSent;
  if (sent.status === "refused")
    throw new HttpProblem(
      makeProblem(409, "DECISION_REFUSED", `${sent.id} was not decided: ${sent.reason ?? "it was refused"}`, {
        fix: "Look at the inbox again.",
      }),
    );
  await worker.wake(project, sent.run_id);
  return { ...sent, project: project.id };
}
