import { withAnswers } from "../intake/answers.js";
import { isBesideWords, type OpenQuestion, questionIds, type RequestAnswer } from "../../model/request-origin.js";
import { ClarificationQuestion, type UserRequest } from "../../model/request.js";
import { isSafetyQuestion } from "../intake/safety/check-safety.js";
import { isOfSpec, isOnlyForSpec } from "./overrule.js";

/* A request with what people answered to questions about it, as each stage is given it. */

export interface AnsweredRequest {
  /** With the answers to intake's questions. Product is given this, and the other answers by their ids. */
  readonly clarified: UserRequest;
  /** People's words and nothing else: what is judged. Questions are not theirs. */
  readonly judged: UserRequest;
  /** The request without words about how the result is verified: it is routed. */
  readonly routed: UserRequest;
  /** Without what only says what must be true of the work: what is split into parts. */
  readonly asked: UserRequest;
  /** With the questions beside the answers: what planners and builders read. */
  readonly whole: UserRequest;
  /** The answers that are in `clarified`. */
  readonly own: readonly RequestAnswer[];
  /** The answers that are not in `clarified`. */
  readonly others: readonly RequestAnswer[];
  /** Answers about purpose and authorisation: judged beside the words, and not part of the request. */
  readonly safety: readonly RequestAnswer[];
}

/** Contract: pure; the same request and answers give the same words. */
export function answeredRequest(request: UserRequest, answers: readonly RequestAnswer[]): AnsweredRequest {
  const isIntakes = ({ id }: RequestAnswer) => ClarificationQuestion.shape.id.safeParse(id).success;
  const safety = answers.filter(({ id }) => isSafetyQuestion(id));
  const own = answers.flatMap(({ id, answer }) => {
    const known = ClarificationQuestion.shape.id.safeParse(id);
    return known.success ? [{ id: known.data, answer }] : [];
  });
  const others = answers.filter(
    (answer) => !isIntakes(answer) && !isBesideWords(answer) && answer.answer.trim() !== "",
  );
  const clarified = withAnswers(request, own);
  return {
    clarified,
    judged: more(
      clarified,
      others.map(({ answer }) => answer.trim()),
    ),
    routed: more(
      clarified,
      others.filter((answer) => !isOnlyForSpec(answer)).map(({ answer }) => answer.trim()),
    ),
    asked: more(
      withAnswers(
        request,
        own.filter((answer) => !isOfSpec(answer)),
      ),
      others.filter((answer) => !isOfSpec(answer)).map(({ answer }) => answer.trim()),
    ),
    whole: more(
      clarified,
      [...safety.filter(({ answer }) => answer.trim() !== ""), ...others].map(
        ({ id, question, answer }) => `${SHORT[id] ?? question} — ${answer.trim()}`,
      ),
    ),
    own: answers.filter((answer) => isIntakes(answer) && !isSafetyQuestion(answer.id)),
    others,
    safety,
  };
}

/** Questions that say more to anyone who answers than to anyone who reads the answer. */
const SHORT: Readonly<Record<string, string>> = {
  proof: "Seen by",
  out_of_scope: "Not asked for",
  purpose: "Purpose",
  authorisation: "Agreed by",
};

function more(request: UserRequest, paragraphs: readonly string[]): UserRequest {
  if (paragraphs.length === 0) return request;
  return { ...request, user_request: [request.user_request, ...paragraphs].join("\n\n") };
}

export function numberQuestions(questions: readonly string[], answers: readonly RequestAnswer[]): OpenQuestion[] {
  const next = questionIds(answers);
  return questions.map((question) => ({ id: next(), question }));
}
