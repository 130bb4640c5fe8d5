import { join, resolve } from "node:path";
import type { Diagnostic } from "../../model/diagnostic.js";
import { CoordinatorError } from "../../model/errors.js";
import { AnswerPack, QuestionPack } from "../../model/plan/questions.js";
import { checksumOf } from "../../mind/plan/services.js";
import type { CommandContext } from "../command-context.js";
import { type Input, isThere, readInput } from "../project/read-input.js";

/** An AnswerPack out of `question_id=text` pairs, for the questions that wait in a plan's folder. */
export async function answerPackFrom(
  folder: string,
  pairs: readonly string[],
  now: string,
  { parts, cwd }: CommandContext,
): Promise<Input<AnswerPack>> {
  const file = join(folder, "questions.json");
  if (!(await isThere(resolve(cwd, file))))
    throw new CoordinatorError("PLAN_NOT_FOUND", `There are no questions in ${folder}`, {
      fix: "Name a folder in which a plan waits for answers.",
    });
  const questions = await readInput(file, QuestionPack, cwd);
  if (!questions.ok) return questions;
  const answers = pairs.map((pair) => {
    const at = pair.indexOf("=");
    return { question_id: pair.slice(0, Math.max(at, 0)), answer_text: pair.slice(at + 1) };
  });
  const bad = answers.flatMap(({ question_id, answer_text }, i): Diagnostic[] =>
    question_id !== "" && answer_text !== ""
      ? []
      : [{ code: "ANSWER_INVALID", path: `--answer ${pairs[i] ?? ""}`, message: "must be QUESTION_ID=TEXT" }],
  );
  if (bad.length > 0) return { ok: false, problems: bad };
  const { pack_id } = questions.value;
  const checksum = checksumOf({ pack_id, answers }, parts);
  const pack = AnswerPack.safeParse({
    pack_id: `apack_${checksum.slice(0, 24)}`,
    schema_version: "0.9.2",
    question_pack_id: pack_id,
    answers: answers.map((answer) => ({
      ...answer,
      answer_type: "text",
      provided_at: now,
      provided_by: "human",
    })),
    provided_at: now,
  });
  if (pack.success) return { ok: true, value: pack.data, file, locate: () => ({ line: 1, column: 1 }) };
  const problems = pack.error.issues.map(({ path, message }): Diagnostic => ({
    code: "ANSWER_INVALID",
    path: `--answer ${pairs[Number(path[1])] ?? ""}`,
    message,
  }));
  return { ok: false, problems };
}
