import type { Diagnostic } from "../../../model/diagnostic.js";
import type { Fact } from "../../../model/settings/packs.js";
import type { Answer, AnswerPack, QuestionPack } from "../../../model/plan/questions.js";
import type { Resolutions } from "./resolutions.js";
import { offeredValues, type Uncertainty } from "./uncertainty.js";

/** One settled uncertainty: by whom, and with what. */
export interface Settled {
  readonly uncertainty: Uncertainty;
  readonly answer: string;
  readonly by: "human" | "fallback" | "policy_default";
}

export interface ReadAnswers {
  readonly settled: readonly Settled[];
  /** Asked and not answered. */
  readonly unanswered: readonly Uncertainty[];
  readonly problems: readonly Diagnostic[];
}

/** Match an AnswerPack with the questions it answers. Every answer that cannot be taken is a problem with its place. */
export function readAnswers(pack: AnswerPack, questions: QuestionPack, asked: readonly Uncertainty[]): ReadAnswers {
  const problems: Diagnostic[] = [];
  const problem = (path: string, message: string) => problems.push({ code: "ANSWER_INVALID", path, message });
  if (pack.question_pack_id !== questions.pack_id)
    problem("question_pack_id", `answers ${pack.question_pack_id}; the open questions are ${questions.pack_id}`);
  const byId = new Map(asked.map((uncertainty) => [uncertainty.id, uncertainty]));
  const settled = new Map<string, Settled>();
  for (const [i, answer] of pack.answers.entries()) {
    const uncertainty = byId.get(answer.question_id);
    if (uncertainty === undefined)
      problem(`answers[${i}].question_id`, `there is no open question ${answer.question_id}`);
    else if (settled.has(answer.question_id))
      problem(`answers[${i}].question_id`, `${answer.question_id} is answered twice`);
    else {
      const wrong =
        answer.answer_type === "fallback"
          ? fallbackProblem(uncertainty)
          : valueProblem(uncertainty, answer.answer_text);
      if (wrong !== null) problem(`answers[${i}].answer_text`, wrong);
      else settled.set(answer.question_id, settle(uncertainty, answer));
    }
  }
  return { settled: [...settled.values()], unanswered: asked.filter(({ id }) => !settled.has(id)), problems };
}

function settle(uncertainty: Uncertainty, answer: Answer): Settled {
  return answer.answer_type === "fallback"
    ? { uncertainty, answer: uncertainty.fallback?.answer ?? "", by: "fallback" }
    : { uncertainty, answer: answer.answer_text.trim(), by: answer.provided_by };
}

function fallbackProblem({ id, fallback }: Uncertainty): string | null {
  return fallback === null ? `${id} has no fallback; it needs an answer` : null;
}

function valueProblem({ subject, suggested }: Uncertainty, text: string): string | null {
  const choices = suggested.map((s) => s.answer_text).join(", ");
  switch (subject.kind) {
    case "fact":
      return factValue(text, subject.type) === undefined
        ? `must be a ${subject.type === "strings" ? "list of strings in JSON" : subject.type}`
        : null;
    case "evidence":
      return offeredValues(subject.values).includes(text.trim()) ? null : `must be one of ${choices}`;
    case "parameter":
      return subject.closed && !suggested.some((s) => s.answer_text === text.trim())
        ? `must be one of ${choices}`
        : null;
    case "scope":
      return text.trim() === "widen" || text.trim() === "stop" ? null : "must be widen or stop";
    case "reviewer":
      return text.trim() === "" ? "must name a person or a role" : null;
  }
}

function factValue(text: string, type: "bool" | "number" | "string" | "strings"): Fact["value"] | undefined {
  const trimmed = text.trim();
  if (type === "string") return trimmed;
  if (type === "bool") return trimmed === "true" ? true : trimmed === "false" ? false : undefined;
  if (type === "number") return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : undefined;
  try {
    const value: unknown = JSON.parse(trimmed);
    return Array.isArray(value) && value.every((v) => typeof v === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The fallbacks of what nobody answered. */
export function fallBack(uncertainties: readonly Uncertainty[]): Settled[] {
  return uncertainties.flatMap((uncertainty) =>
    uncertainty.fallback === null
      ? []
      : [{ uncertainty, answer: uncertainty.fallback.answer, by: "fallback" as const }],
  );
}

/** The resolutions with these settled as well. */
export function resolve(before: Resolutions, settled: readonly Settled[]): Resolutions {
  const facts = new Map(before.facts);
  const parameters = new Map(before.parameters);
  const reviewers = new Map(before.reviewers);
  const scopeWidened = new Set(before.scopeWidened);
  for (const { uncertainty, answer, by } of settled) {
    const { subject } = uncertainty;
    switch (subject.kind) {
      case "fact": {
        // "unknown" is the fallback that keeps the action held: the fact stays unknown.
        const value = by === "fallback" && answer === "unknown" ? undefined : factFrom(answer, subject.type);
        if (value !== undefined) facts.set(subject.fact, value);
        break;
      }
      case "evidence": {
        const stated = subject.values[offeredValues(subject.values).indexOf(answer)];
        if (stated !== undefined) facts.set(subject.fact, stated.value);
        break;
      }
      case "parameter":
        parameters.set(
          subject.command,
          new Map([...(parameters.get(subject.command) ?? []), [subject.parameter, answer]]),
        );
        break;
      case "reviewer":
        reviewers.set(
          subject.category,
          answer
            .split(",")
            .map((name) => name.trim())
            .filter((name) => name !== ""),
        );
        break;
      case "scope":
        if (answer === "widen") scopeWidened.add(subject.action);
        break;
    }
  }
  return { facts, parameters, reviewers, scopeWidened };
}

/** A fallback is written as JSON, an answer as a person writes it: a string fact may come either way. */
function factFrom(answer: string, type: "bool" | "number" | "string" | "strings"): Fact["value"] | undefined {
  if (type !== "string" || !answer.startsWith('"')) return factValue(answer, type);
  try {
    return String(JSON.parse(answer));
  } catch {
    return answer;
  }
}
