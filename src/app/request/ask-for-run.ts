import type { Check } from "../../model/settings/check.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { IntentSpec } from "../../model/intent-spec.js";
import type { FactPack, MemoryPack } from "../../model/settings/packs.js";
import type { IntakeDecision, UserRequest } from "../../model/request.js";
import type { RoutedDecision, RoutingBounds } from "../../model/routing.js";
import type { FailurePolicy, Usage } from "../../model/run.js";
import type { Planner } from "../../mind/propose/planner.js";
import { proposingPlanner, withFallback } from "../../mind/propose/proposing-planner.js";
import { titleOf } from "../../mind/propose/words.js";
import { specifyByPerson } from "../../mind/specify/person-spec.js";
import {
  createSpecify,
  type GivenAnswer,
  type Specified,
  type Specify,
  type SpecQuestion,
} from "../../mind/specify/specify.js";
import { createSecondOpinion, type SecondOpinion } from "../../mind/request/second-opinion.js";
import { hash32 } from "../../mind/run/seeded.js";
import { systemClock } from "../run/machine.js";
import { chooseProposers, type ProposersOptions } from "./proposers.js";

/* Who specifies and who plans for one run, put together from its configuration. */

export interface AskOptions extends ProposersOptions {
  /** Contract: in the log when it resolves, as `coordination_used`; told twice under the same purpose it is there once. */
  readonly count?: (purpose: string, usage: Usage) => Promise<void>;
  /** The limits of the routing policy for product. */
  readonly bounds?: RoutingBounds;
}

/** Null when nobody is configured to specify. Contract: throws NOT_FOUND for an agent that is not there. */
export function specifierFor(options: AskOptions): Specify | null {
  const { product } = options.configuration;
  if (product === undefined) return null;
  const child = options.bounds?.child_scope;
  return createSpecify({ ...chooseProposers(product, { ...options, child }), ...askAgents(options) });
}

/** Contract: as `specifierFor`. The template plans alone where nobody else is configured to. */
export function plannerFor(options: AskOptions, template: Planner): Planner {
  const { planner, proposing } = options.configuration;
  if (planner === template.name) return template;
  const asking = proposingPlanner({ name: planner, ...chooseProposers(planner, options), ...askAgents(options) });
  return proposing.otherwise === "template" ? withFallback(asking, template) : asking;
}

/** Null when nobody is configured to give one. Contract: as `specifierFor`. */
export function secondOpinionFor(options: AskOptions): SecondOpinion | null {
  const { second_opinion: who } = options.configuration;
  if (who === undefined) return null;
  return createSecondOpinion({ ...chooseProposers(who, options), ...askAgents(options) });
}

/** Everything known when a request has been routed, beside the request itself. */
export interface RoutedGrounds {
  readonly facts: FactPack | null;
  readonly memory: MemoryPack | null;
  readonly checks: readonly Check[];
  /** Contract: the texts of exactly these documents; throws FILE_UNREADABLE and the like. */
  readonly read: (refs: readonly string[]) => Promise<readonly { readonly ref: string; readonly text: string }[]>;
}

type FlowSpecified =
  | { readonly status: "specified"; readonly spec: IntentSpec; readonly usage: Usage | null }
  | { readonly status: "questions"; readonly questions: readonly { readonly id: string; readonly question: string }[] }
  | { readonly status: "failed"; readonly problems: readonly Diagnostic[] };

/** Specifying as the flow from words to a plan asks for it: with a routing decision in, and problems out. */
export function specifierForRoute(specify: Specify, { read, ...grounds }: RoutedGrounds) {
  return async (
    {
      request,
      answers,
      routing,
    }: {
      readonly request: UserRequest;
      /** Answers of people to the questions of an earlier round. */
      readonly answers: readonly GivenAnswer[];
      readonly routing: RoutedDecision;
    },
    signal: AbortSignal,
  ): Promise<FlowSpecified> => {
    const documents = await read(routing.injected_context);
    const about = request.request_id;
    const given = answers.map(({ id, question, answer }) => ({ id, question, answer }));
    const specified = await specify(
      { ...grounds, about, request: request.user_request, answers: given, documents },
      signal,
    );
    switch (specified.status) {
      case "spec":
        return { status: "specified", spec: specified.spec, usage: specified.usage };
      case "questions":
        return { status: "questions", questions: specified.questions.map(withWhy) };
      case "failed":
        return { status: "failed", problems: problemsOf(specified) };
    }
  };
}

/** Specifying by the person who asks, where nobody else is configured to. */
export function specifyWithPerson(checks: readonly Check[]) {
  return ({
    request,
    answers,
    intake,
    routing,
    clarified,
  }: {
    readonly request: UserRequest;
    readonly answers: readonly GivenAnswer[];
    readonly clarified: readonly GivenAnswer[];
    readonly intake: IntakeDecision;
    readonly routing: RoutedDecision;
  }) => {
    const specified = specifyByPerson({
      about: request.request_id,
      title: titleOf(request.user_request),
      request: request.user_request,
      acceptance: intake.intent.acceptance,
      ruleId: routing.classification.rule_id,
      answers: [...clarified, ...answers],
      checks,
    });
    return Promise.resolve(specified.status === "questions" ? specified : { ...specified, usage: null });
  };
}

/** A person who answers should know what for. */
function withWhy({ id, question, why }: SpecQuestion): { readonly id: string; readonly question: string } {
  return { id, question: `${question} (${why})` };
}

function problemsOf({ findings, message }: Extract<Specified, { status: "failed" }>): readonly Diagnostic[] {
  if (findings.length === 0) return [{ code: "SPEC_FAILED", path: "", message }];
  return findings.map(({ rule_id, path, message: what, fix }) => ({
    code: "SPEC_REFUSED",
    path,
    message: `${what} (${rule_id})`,
    fix,
  }));
}

function askAgents({ configuration, runId, count, bounds }: AskOptions) {
  const { failure } = configuration.run;
  const most = bounds?.failure.max_retries ?? failure.max_retries;
  const policy: FailurePolicy = { ...failure, max_retries: Math.min(failure.max_retries, most) };
  return { policy, seed: hash32(runId), wait: systemClock.wait, ...(count === undefined ? {} : { count }) };
}
