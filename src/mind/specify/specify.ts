import { z } from "zod";
import type { Check } from "../../model/settings/check.js";
import { InsufficientInput, IntentSpec } from "../../model/intent-spec.js";
import { questionIds } from "../../model/request-origin.js";
import type { FactPack, MemoryPack } from "../../model/settings/packs.js";
import type { Amounts, Escalation, Usage } from "../../model/run.js";
import { inquire, type Inquired, type InquiryOptions, describeFailure } from "../propose/inquire.js";
import type { Proposer } from "../propose/proposer.js";
import type { SpecFinding } from "./finding.js";
import { judgeSpec } from "./judge-spec.js";
import { SPECIFY_SYSTEM, specifyPrompt } from "./specify-prompt.js";

/*
 * From what a person asks to an Intent Spec. Anyone who is asked sees the request, the injected documents, the facts and
 * the answers people gave, and nothing else; what comes back is judged by rules.
 */

export interface SpecifyInput {
  /** Names this execution: the run's or the request's id. */
  readonly about: string;
  /** The request, word for word. */
  readonly request: string;
  /** Documents that the routing decision injects, with their text. */
  readonly documents: readonly { readonly ref: string; readonly text: string }[];
  readonly facts: FactPack | null;
  /** Rules choose the notes that matter here. They inform; nothing may rest on them. */
  readonly memory: Pick<MemoryPack, "notes"> | null;
  /** Answers of people to earlier questions. */
  readonly answers: readonly GivenAnswer[];
  readonly checks: readonly Check[];
}

export interface GivenAnswer {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
}

export interface SpecQuestion {
  /** Under this id the answer is given, and named as a source. */
  readonly id: string;
  readonly question: string;
  readonly why: string;
}

/** The facts for a person to decide when no Intent Spec came about: unchanged, not summarised. */
export type SpecPackage = Escalation["package"];

export type Specified = { readonly usage: Usage | null; readonly by: string } & (
  | { readonly status: "spec"; readonly spec: IntentSpec }
  | { readonly status: "questions"; readonly questions: readonly SpecQuestion[] }
  | {
      readonly status: "failed";
      readonly failure: "structural" | "semantic" | "resource" | "safety" | "cancelled";
      readonly message: string;
      readonly findings: readonly SpecFinding[];
      readonly package: SpecPackage;
    }
);

export interface SpecifyParts extends InquiryOptions {
  /** In the order in which they are asked. */
  readonly proposers: readonly Proposer[];
  readonly budget: Amounts;
}

export type Specify = (input: SpecifyInput, signal: AbortSignal) => Promise<Specified>;

const Answer = z.union([IntentSpec, InsufficientInput]);

/**
 * Contract of what it makes: never rejects but for a mistake in the program. Malformed answers are asked for anew, three
 * times at most; an Intent Spec that does not keep the rules is never asked for again by itself.
 */
export function createSpecify({ proposers, budget, ...options }: SpecifyParts): Specify {
  return async (input, signal) => {
    const asked = await inquire(
      proposers,
      {
        purpose: "specify",
        about: input.about,
        system: SPECIFY_SYSTEM,
        prompt: specifyPrompt(input),
        documents: input.documents,
        sees: "documents",
        withheld: [],
        answer: Answer,
        budget,
      },
      options,
      signal,
    );
    return judgeAnswer(input, asked);
  };
}

function judgeAnswer(input: SpecifyInput, asked: Inquired): Specified {
  const { by, usage } = asked;
  if (asked.status === "asks")
    return questions(input, asked, [{ question: asked.question, why: "It cannot go on without." }]);
  if (asked.status === "failed")
    return failedSpecification(input, asked, kindOf(asked.failure), describeFailure(asked.failure), []);
  const answer = Answer.parse(asked.value);
  if ("insufficient" in answer) return questions(input, asked, answer.insufficient);
  const findings = judgeSpec(answer, {
    request: input.request,
    documents: input.documents.map(({ ref }) => ref),
    facts: input.facts,
    answers: input.answers.map(({ id }) => id),
    checks: input.checks,
  });
  if (findings.length === 0) return { status: "spec", spec: answer, usage, by };
  const [first] = findings;
  const more = findings.length === 1 ? "" : ` (and ${findings.length - 1} more)`;
  return failedSpecification(
    input,
    asked,
    "semantic",
    `The Intent Spec breaks a rule: ${first?.message}${more}`,
    findings,
  );
}

function questions(
  { answers }: SpecifyInput,
  { by, usage }: Inquired,
  asked: readonly { readonly question: string; readonly why: string }[],
): Specified {
  const next = questionIds(answers);
  return {
    status: "questions",
    questions: asked.map(({ question, why }) => ({ id: next(), question, why })),
    by,
    usage,
  };
}

type FailedStatus = Extract<Specified, { status: "failed" }>;

function kindOf(failure: Extract<Inquired, { status: "failed" }>["failure"]): FailedStatus["failure"] {
  switch (failure.kind) {
    case "structural":
    case "resource":
    case "safety":
    case "cancelled":
      return failure.kind;
    case "environment":
      return "structural";
    // Anyone who may write and run nothing has no scope to be widened; one who refuses will refuse again.
    case "semantic":
    case "scope_request":
    case "quality":
      return "semantic";
  }
}

function failedSpecification(
  { request, documents }: SpecifyInput,
  { by, usage, output, tried }: Inquired,
  failure: FailedStatus["failure"],
  message: string,
  findings: readonly SpecFinding[],
): FailedStatus {
  const violation = [
    message,
    ...tried.map((each) => `before: ${each.by}: ${each.message}`),
    ...findings.map(({ rule_id, path, message: what, fix }) => `${rule_id} ${path}: ${what} ${fix}`),
  ].join("\n");
  const injected_context = documents.map(({ ref }) => ref);
  return {
    status: "failed",
    failure,
    message,
    findings,
    by,
    usage,
    package: { input: request, injected_context, output, violation },
  };
}
