import { ClarificationQuestion, type UserRequest } from "../../model/request.js";
import { ANSWER_HEADINGS } from "./questions.js";
import { isSafetyQuestion } from "./safety/check-safety.js";

export interface ClarificationAnswer {
  readonly id: ClarificationQuestion["id"];
  readonly answer: string;
}

/**
 * The request with the answers in it, to be judged again from the start: an answer counts as the person's own words,
 * for safety as for clarity. An answer to a question of safety says why the words are asked: it is judged beside
 * them, and is not among them.
 *
 * Contract: pure; the request given is not changed, and blank answers add nothing.
 */
export function withAnswers(request: UserRequest, answers: readonly ClarificationAnswer[]): UserRequest {
  const lines = answers
    .filter(
      ({ id, answer }) =>
        ClarificationQuestion.shape.id.safeParse(id).success && !isSafetyQuestion(id) && answer.trim() !== "",
    )
    .map(({ id, answer }) => `${ANSWER_HEADINGS[id]}: ${answer.trim()}`);
  if (lines.length === 0) return request;
  return { ...request, user_request: `${request.user_request}\n\n${lines.join("\n\n")}` };
}
