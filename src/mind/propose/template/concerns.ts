import type { PlanQuestion } from "../../../model/plan/plan-question.js";
import type { Proposal } from "../../../model/proposal.js";
import { cutText, oneLine } from "../words.js";
import { KIND_CONCERNS } from "./kind-concerns.js";
import type { KindOfWork } from "./kind-of-work.js";
import { topicsOf } from "./topics.js";

/* Concerns of a part of a request, by rules: its acceptance criteria, its risks, its questions. */

export interface ConcernedPart {
  readonly text: string;
  readonly kind: KindOfWork;
  /** The command that carries it out. */
  readonly command: string;
}

/** Contract: pure; never empty, and what the words themselves demand comes first. */
export function criteriaOf(text: string, kind: KindOfWork, demanded: readonly string[]): string[] {
  const all = [
    ...demanded,
    ...topicsOf(text, kind).flatMap(({ criteria }) => criteria),
    ...KIND_CONCERNS[kind].criteria,
  ];
  const lines = all.map((line) => cutText(oneLine(line), 300)).filter((line) => line.length >= 3);
  return [...new Set(lines)].slice(0, 20);
}

const OF_COMMAND: Readonly<Record<string, KindOfWork>> = {
  write_tests: "tests",
  write_documentation: "docs",
  write_changelog: "release",
  implement_feature: "new_project",
};

/** Criteria of a task that goes with the main work: its tests, its pages, its preparations. */
export function criteriaOfTask({ command }: { readonly command: string }): string[] {
  const kind = OF_COMMAND[command];
  return kind === undefined ? [] : [...KIND_CONCERNS[kind].criteria];
}

/** Contract: pure; never empty. */
export function risksOf(parts: readonly Pick<ConcernedPart, "text" | "kind">[]): Proposal["risks"] {
  const all = parts.flatMap(({ text, kind }) => [
    ...topicsOf(text, kind).map(({ risk }) => risk),
    KIND_CONCERNS[kind].risk,
  ]);
  return all.filter(({ risk }, at) => all.findIndex((other) => other.risk === risk) === at).slice(0, 40);
}

/** Lists what the request leaves open and only a person can know. `whole` is all that was said, answers included. */
export function questionsOf(parts: readonly ConcernedPart[], whole: string): PlanQuestion[] {
  const found = new Map<string, PlanQuestion>();
  for (const { text, kind, command } of parts)
    for (const { question } of topicsOf(text, kind)) {
      if (question === undefined || question.said.test(whole) || found.has(question.name)) continue;
      const { said: _, ...asked } = question;
      found.set(question.name, { ...asked, command_id: command });
    }
  return [...found.values()];
}
