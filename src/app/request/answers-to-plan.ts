import type { PlanReport, PlanRequest } from "../plan/planning.js";
import type { ClarificationAnswer } from "../../mind/intake/answers.js";
import type { RequestAnswer } from "../../model/request-origin.js";
import { QuestionId } from "../../model/primitives.js";
import { AnswerPack, type QuestionPack } from "../../model/plan/questions.js";
import { checksumOf } from "../../mind/plan/services.js";
import type { CommandContext } from "../command-context.js";

/* Answers that people gave on the way to a plan. */

/** Splits answers: those to questions of the plan's own rules belong to the plan, all others to the request. */
export function bySide(answers: readonly RequestAnswer[]) {
  const isOfPlan = ({ id }: RequestAnswer) => QuestionId.safeParse(id).success;
  return { flow: answers.filter((answer) => !isOfPlan(answer)), plan: answers.filter(isOfPlan) };
}

/** Reads answers to questions of intake from a file that was written beforehand. */
export function clarifications(answers: readonly ClarificationAnswer[], by: string): RequestAnswer[] {
  const decider = { by, how: "person" } as const;
  return answers.map(({ id, answer }) => ({ id, question: `What intake asks: ${id}`, answer, decider }));
}

/**
 * A plan with the answers to its own questions. Contract: the same answers give the same bytes, whenever they were given;
 * a round of questions that is not answered whole waits.
 */
export async function planWithAnswers(
  request: PlanRequest & { readonly now: string },
  answers: readonly RequestAnswer[],
  { coordinator, parts }: Pick<CommandContext, "coordinator" | "parts">,
): Promise<PlanReport> {
  const planner = await coordinator();
  const given: AnswerPack[] = [];
  for (;;) {
    const made = await planner.plan({ ...request, answers: given });
    const open = made.outcome.questions.at(-1);
    if (made.outcome.state !== "AWAITING_ANSWERS" || made.outcome.invalidInput || open === undefined) return made;
    const pack = packOf(open, answers, request.now, parts);
    if (pack === null || given.some(({ question_pack_id }) => question_pack_id === pack.question_pack_id)) return made;
    given.push(pack);
  }
}

function packOf(
  { pack_id, questions }: QuestionPack,
  answers: readonly RequestAnswer[],
  now: string,
  parts: CommandContext["parts"],
): AnswerPack | null {
  const said = questions.flatMap(({ question_id }) => {
    const answer = answers.findLast(({ id }) => id === question_id);
    return answer === undefined ? [] : [{ question_id, answer_text: answer.answer }];
  });
  if (said.length < questions.length || said.length === 0) return null;
  const checksum = checksumOf({ pack_id, answers: said }, parts);
  const pack = AnswerPack.safeParse({
    pack_id: `apack_${checksum.slice(0, 24)}`,
    schema_version: "0.9.2",
    question_pack_id: pack_id,
    answers: said.map((answer) => ({ ...answer, answer_type: "text", provided_at: now, provided_by: "human" })),
    provided_at: now,
  });
  return pack.success ? pack.data : null;
}
