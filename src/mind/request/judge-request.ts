import type { ClarificationAnswer } from "../intake/answers.js";
import { intake } from "../intake/intake.js";
import { isSafetyQuestion } from "../intake/safety/check-safety.js";
import type { HarmModel } from "../intake/safety/judge-harm.js";
import type { IntakePolicy } from "../../model/intake-policy.js";
import type { IntakeDecision, RepositoryFacts, UserRequest } from "../../model/request.js";
import type { AnsweredRequest } from "./answered.js";
import { isOfSpec } from "./overrule.js";
import type { FlowInput } from "./request-flow.js";
import { type Opinion, withOpinion } from "./second-opinion.js";

/** Rules first; then the configured reader, whose opinion can only make the decision stricter. */
export async function judgeRequest(
  input: FlowInput,
  words: AnsweredRequest,
): Promise<{ readonly judged: IntakeDecision; readonly opinion: Opinion | null }> {
  const { intakePolicy, request, repository, harm = null, secondOpinion = null, signal } = input;
  const ruled = judgeAnswered(intakePolicy, { request, words }, repository, harm);
  const mayPass = ruled.decision === "approved" || (ruled.decision !== "rejected" && ruled.safety_category !== null);
  if (secondOpinion === null || !mayPass) return { judged: ruled, opinion: null };
  const opinion = await secondOpinion({ request: words.judged, answers: words.safety, decision: ruled }, signal);
  return { judged: withOpinion(ruled, opinion), opinion };
}

/**
 * Intake's decision about a request with what people answered.
 *
 * Contract: pure. All words are judged for safety and clarity. A request that was accepted by its own words is not rejected for
 * its size because somebody answered a question about it: an acceptance criterion is not more work, and where other
 * answers make it larger than allowed, planning asks what to do.
 */
function judgeAnswered(
  policy: IntakePolicy,
  { request, words }: { readonly request: UserRequest; readonly words: AnsweredRequest },
  repository: RepositoryFacts | undefined,
  harm: HarmModel | null,
): IntakeDecision {
  const answered = words.safety.flatMap(({ id, answer }): ClarificationAnswer[] =>
    isSafetyQuestion(id) ? [{ id, answer }] : [],
  );
  const all = intake(policy, words.judged, repository, { harm, answers: answered });
  const answers = [...words.own, ...words.others];
  if (answers.length === 0) return all;
  const sizeOnly = all.rule_id === "feasibility_tokens" || all.rule_id === "feasibility_time";
  if (all.decision !== "approved" && !sizeOnly) return all;
  const before = intake(policy, request, repository, { harm, answers: answered });
  if (before.decision !== "approved") return all;
  if (answers.every(isOfSpec)) return sizeOnly ? before : { ...all, estimate: before.estimate };
  return sizeOnly ? { ...before, estimate: all.estimate } : all;
}
