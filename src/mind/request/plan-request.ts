import type { IntakeDecision } from "../../model/request.js";
import type { RoutedDecision } from "../../model/routing.js";
import { sealBrief } from "../plan/inputs/brief.js";
import { checksumOf, type Services } from "../plan/services.js";
import { fitToBudget, compareWorkers, assignWorker } from "../propose/budget-question.js";
import { draftIntent } from "../propose/draft-intent.js";
import { estimateWork } from "../propose/estimates.js";
import { proposeFromTemplate } from "../propose/template/template-planner.js";
import { boundsOf } from "../route/child-scope.js";
import { answeredRequest, type AnsweredRequest, numberQuestions } from "./answered.js";
import { judgeRequest } from "./judge-request.js";
import { requestMessage, responseMessage } from "./messages.js";
import { isOnlyForSpec, isOverruling, findOverrulingAnswer } from "./overrule.js";
import { bindingGates, describeOverPolicy, describePlanning } from "./planning-notes.js";
import {
  describeContext,
  listWithheld,
  readAttachments,
  applyRouteAnswer,
  routeToBuilders,
} from "./request-documents.js";
import type { FlowInput, FlowOutcome, JudgedRequest } from "./request-flow.js";
import { describeOpinion } from "./second-opinion.js";

/*
 * The way from words to an intent: judged, routed, specified where product is asked, planned, drafted. The caller
 * hands the intent to the plan engine, which alone decides whether there is a plan.
 */

/** Contract: decides by rules alone; only `specify` and the planner may be slow, and both end with the signal. */
export async function planRequest(input: FlowInput, services: Services): Promise<FlowOutcome> {
  const overruling = findOverrulingAnswer(input.answers ?? []);
  const words = answeredRequest(
    input.request,
    (input.answers ?? []).filter((answer) => !isOverruling(answer)),
  );
  const { judged, opinion } = await judgeRequest(input, words);
  input.decided?.();
  if (judged.decision !== "approved") return { status: "refused", intake: judged, opinion };
  const type = input.inputType ?? (overruling === null ? undefined : "technical");
  const decider = input.decider ?? overruling?.decider;
  const routing = applyRouteAnswer(input, words, type);
  if (routing.status !== "routed") return { status: "unrouted", routing };
  const specified = await specification(input, words, judged, routing);
  if (specified.status !== "specified") return { ...specified, by: "product" };
  const { spec, usage, told } = specified;
  const known = { words, judged, opinion, routing, decider, spec, specifying: usage, specifiedHow: told };
  return proposeAndDraft({ ...input, request: words.whole }, known, services);
}

async function specification(
  { specify, signal }: FlowInput,
  { clarified: request, others: answers, own: clarified }: AnsweredRequest,
  judged: IntakeDecision,
  routing: RoutedDecision,
) {
  const isAsked = answers.some(isOnlyForSpec);
  if (routing.routed_to !== "product" && !(isAsked && routing.classification.confidence !== "deterministic"))
    return { status: "specified", spec: null, usage: null, told: undefined } as const;
  return specify({ request, answers, clarified, intake: judged, routing }, signal);
}

async function proposeAndDraft(input: FlowInput, known: JudgedRequest, services: Services): Promise<FlowOutcome> {
  const { request, answers = [], registry, facts, memory, planner } = input;
  const { judged, routing, spec } = known;
  const asked = known.words.asked.user_request;
  const message = requestMessage({ ...input, ...known }, services);
  const given = routeToBuilders(input, known);
  const withheld = listWithheld(input, given);
  const planned = await planner.plan(
    { message, text: request.user_request, asked, intake: judged, spec, registry, facts, memory, withheld },
    input.signal,
  );
  if (planned.status === "questions")
    return { status: "questions", by: planner.name, questions: numberQuestions(planned.questions, answers) };
  if (planned.status === "failed") return { status: "failed", by: planner.name, problems: planned.problems };
  const preferences = request.context?.preferences;
  const usual = proposeFromTemplate({ text: request.user_request, asked, intake: judged, spec, facts });
  const afforded = fitToBudget({
    proposal: planned.proposal,
    limits: { tokens: preferences?.max_budget_tokens ?? null, seconds: preferences?.max_time_seconds ?? null },
    answers,
    workers: compareWorkers(input.policy),
    estimate: (proposal) => estimateWork({ proposal, usual, estimate: judged.estimate, registry, memory }),
  });
  if ("question" in afforded) return { status: "questions", by: "The plan", questions: [afforded] };
  const { proposal, work, limits } = afforded;
  const policy = assignWorker(input.policy, afforded.worker);
  const drafted = draftIntent(
    {
      proposal,
      work,
      request: {
        request_id: request.request_id,
        text: request.user_request,
        timestamp: request.timestamp,
        by: input.by,
        limits,
      },
      spec,
      evidence: evidenceOf(input, known, services),
      acceptance: judged.intent.acceptance,
      registry,
      policy,
      facts,
      memory,
      status: input.adr === undefined ? "proposed" : "approved",
    },
    services,
  );
  if (!drafted.ok) return { status: "failed", by: planner.name, problems: drafted.problems };
  const response = responseMessage(
    message,
    { status: planned.status, proposal, work, registry, timestamp: request.timestamp },
    services,
  );
  const { intent } = drafted;
  const records = (input.records ?? []).map(({ ref, text }) => ({ ref, text }));
  const documents = [...records, ...(await input.read(given.injected_context)), ...readAttachments(request, services)];
  return {
    status: "drafted",
    intent,
    policy,
    told: [...describePlanning(input, known), ...describeOverPolicy(judged, work)],
    opening: {
      schema_version: "1.0.0",
      intent_checksum: intent.audit.checksum,
      request_id: request.request_id,
      request: request.user_request,
      answers: [...answers],
      intake: {
        rule_id: judged.rule_id,
        reason: known.opinion === null ? judged.reason : `${judged.reason}. ${describeOpinion(known.opinion)}`,
        gates: bindingGates(input, judged),
      },
      route: {
        routed_to: routing.routed_to,
        rule_id: routing.classification.rule_id,
        ...(known.decider === undefined ? {} : { decider: known.decider }),
        ...describeContext(routing, given),
      },
      bounds: boundsOf(input.routingPolicy.policy, "dev"),
      messages: [message, response],
      used: [
        ...(known.opinion === null || known.opinion.usage === null
          ? []
          : [{ purpose: "second opinion", usage: known.opinion.usage }]),
        ...(known.specifying === null ? [] : [{ purpose: "specifying", usage: known.specifying }]),
        ...(planned.usage === null ? [] : [{ purpose: "planning", usage: planned.usage }]),
      ],
      minutes: limits.seconds === null ? null : limits.seconds / 60,
      api_calls: callsWithin(limits.tokens, judged.estimate),
      brief: sealBrief({ request: request.user_request, spec, documents, withheld }, services.sha256),
    },
  };
}

/** As many calls as the tokens are estimated to take, and as many again for each try that may fail. */
const CALLS_ROOM = 4;

function callsWithin(tokens: number | null, estimate: IntakeDecision["estimate"]): number | null {
  if (tokens === null || estimate === null || estimate.tokens === 0) return null;
  return Math.ceil((tokens * estimate.api_calls) / estimate.tokens) * CALLS_ROOM;
}

/** Lists the evidence of the intent, by names that lead back to it. */
function evidenceOf(input: FlowInput, { judged, routing, spec }: JudgedRequest, services: Services): string[] {
  const { adr, repository, answers = [] } = input;
  return [
    ...(adr === undefined ? [] : [`adr://${adr.label}@sha256:${adr.checksum}`]),
    ...(spec === null ? [] : [`spec://${spec.id}@sha256:${checksumOf(spec, services)}`]),
    ...answers.map(({ id, question, answer }) => `answer://${id}@sha256:${checksumOf([question, answer], services)}`),
    `intake://${judged.rule_id}`,
    `route://${routing.classification.rule_id}`,
    ...(repository === undefined ? [] : ["repo://scan"]),
  ];
}
