import { uuidOf } from "../../model/uuid-of.js";
import type { FlowOutcome } from "../../mind/request/request-flow.js";
import { toResponse } from "../../mind/intake/respond.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import type { RequestOptions } from "./request-options.js";

/** Reports that there is no draft, and why. */
export function reportUnplanned(
  outcome: Exclude<FlowOutcome, { status: "drafted" }>,
  { again }: RequestOptions,
  timestamp: string,
  policyId: string,
  { parts }: CommandContext,
): Finished {
  switch (outcome.status) {
    case "refused": {
      const { intake: decision } = outcome;
      const response_id = uuidOf(parts.sha256(JSON.stringify([timestamp, decision])));
      return finish(decision.decision === "rejected" ? EXIT.refused : EXIT.waiting, {
        type: "intake",
        decision,
        response: toResponse(decision, { response_id, timestamp }),
        policyId,
        problems: [],
        screen: null,
        again: `${again} --clarify answers.yaml`,
      });
    }
    case "unrouted":
      return finish(outcome.routing.status === "failed" ? EXIT.failed : EXIT.waiting, {
        type: "route",
        decision: outcome.routing,
        policyId,
        contextFile: null,
        description: null,
        problems: [],
        screen: null,
      });
    case "questions":
      return fail(EXIT.waiting, "QUESTIONS_OPEN", `${outcome.by} has to know more before there can be a plan`, {
        problems: outcome.questions.map(({ id, question }) => ({
          code: "QUESTION_UNANSWERED",
          path: id,
          message: question,
        })),
        fix: "Ask again with the answers in the words, or with `coordinator run`, whose questions can be answered.",
      });
    case "failed":
      return notProposed(outcome);
  }
}

/** Nothing came about, which may go better another time, or something came about that a rule refuses. */
function notProposed({ by, problems }: Extract<FlowOutcome, { status: "failed" }>): Finished {
  const all = (code: string) => problems.length > 0 && problems.every((problem) => problem.code === code);
  const fix = "Mend what is named, or let somebody else do it: planner and product in coordinator.yaml.";
  if (all("PROPOSAL_FAILED")) return fail(EXIT.failed, "PROPOSAL_FAILED", `${by} made no proposal`, { problems, fix });
  if (all("SPEC_FAILED")) return fail(EXIT.failed, "SPEC_FAILED", `${by} made no Intent Spec`, { problems, fix });
  if (all("SPEC_REFUSED"))
    return fail(EXIT.refused, "SPEC_REFUSED", `The Intent Spec of ${by} breaks rules`, { problems, fix });
  return fail(EXIT.refused, "PROPOSAL_REFUSED", `What ${by} proposed cannot be planned`, { problems, fix });
}
