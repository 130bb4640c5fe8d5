import type { RequestAnswer } from "../../model/request-origin.js";
import { AnswerPack, QuestionPack } from "../../model/plan/questions.js";

/* Who answered the rules of a frozen plan. The plan holds what was answered; by whom, only the request it was asked in. */

type Files = ReadonlyMap<string, { readonly text: string }>;

/**
 * Everything that was answered before a run: what its request knows, and what only its plan knows.
 *
 * Contract: pure. Where the two disagree the plan counts, for it is what is carried out.
 */
export function answersBefore(known: readonly RequestAnswer[], files: Files): RequestAnswer[] {
  const others = answersIn(files).filter(({ id, answer }) => known.findLast((one) => one.id === id)?.answer !== answer);
  const disputed = new Set(others.map(({ id }) => id));
  return [...known.filter(({ id }) => !disputed.has(id)), ...others];
}

function answersIn(files: Files): RequestAnswer[] {
  const questions = new Map(
    [...files]
      .filter(([name]) => /^questions(?:-\d+)?\.json$/.test(name))
      .flatMap(([, { text }]) => parseWith(QuestionPack, text)?.questions ?? [])
      .map(({ question_id, question_text }) => [question_id, question_text]),
  );
  return [...files]
    .filter(([name]) => /^inputs\/answers-\d+\.json$/.test(name))
    .flatMap(([, { text }]) => {
      const pack = parseWith(AnswerPack, text);
      return (pack?.answers ?? []).map((one): RequestAnswer => {
        const { question_id: id, answer_text: answer, provided_by, provided_at: at } = one;
        const by = provided_by === "human" ? (pack?.metadata?.answerer_id ?? "a person") : provided_by;
        const decider = {
          by: by.slice(0, 200) || "a person",
          how: provided_by === "human" ? "person" : "rule",
        } as const;
        return { id, question: questions.get(id) ?? "", answer, decider, at };
      });
    });
}

function parseWith<T>(schema: { safeParse: (value: unknown) => { data?: T } }, text: string): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
