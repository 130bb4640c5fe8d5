import { imageIn } from "../../model/attached-image.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { ExecutionIntent } from "../../model/plan/intent.js";
import type { BriefDraft, IntentSpec } from "../../model/intent-spec.js";
import type { AdrSource, OpenQuestion, RequestAnswer, RequestOrigin } from "../../model/request-origin.js";
import type { FactPack, MemoryPack } from "../../model/settings/packs.js";
import type { ExecutionPolicy } from "../../model/plan/policy.js";
import type { Registry } from "../../model/plan/registry.js";
import type { IntakeDecision, IntakePolicy, RepositoryFacts, UserRequest } from "../../model/request.js";
import type { ContextDocument, InputType, RouteContext, RoutedDecision, RoutingDecision } from "../../model/routing.js";
import type { Decider, Usage } from "../../model/run.js";
import { sealBrief } from "../plan/inputs/brief.js";
import { checksumOf, type Services } from "../plan/services.js";
import { judgeAnswered } from "./judge-answered.js";
import { affordable, compareWorkers, workedBy } from "../propose/budget-question.js";
import { draftIntent } from "../propose/draft-intent.js";
import { estimateWork, type WorkEstimate } from "../propose/estimates.js";
import type { Planner } from "../propose/planner.js";
import { proposeFromTemplate } from "../propose/template/template-planner.js";
import { boundsOf } from "../route/child-scope.js";
import type { CompiledPolicy } from "../route/compile-policy.js";
import { criteriaToShow } from "../run/decide/criteria.js";
import { route } from "../route/route.js";
import { answeredRequest, type AnsweredRequest, numberQuestions } from "./answered.js";
import { requestMessage, responseMessage } from "./messages.js";
import { isOnlyForSpec, isOverruling, overrulingAnswer } from "./overrule.js";

/*
 * The way from words to an intent: judged, routed, specified where product is asked, planned, drafted. Whoever calls
 * hands the intent to the plan engine, which alone decides whether there is a plan.
 */

/** What product makes of a request: an Intent Spec, or what it has to know first. */
export type Specify = (
  input: {
    readonly request: UserRequest;
    /** What people answered beside the words. */
    readonly answers: readonly RequestAnswer[];
    /** What they answered that is in the words already. */
    readonly clarified: readonly RequestAnswer[];
    readonly intake: IntakeDecision;
    readonly routing: RoutedDecision;
  },
  signal: AbortSignal,
) => Promise<
  /** Without a spec the words stand as they are, and `told` says why that is enough. */
  | {
      readonly status: "specified";
      readonly spec: IntentSpec | null;
      readonly usage: Usage | null;
      readonly told?: string;
    }
  | { readonly status: "questions"; readonly questions: readonly OpenQuestion[] }
  | { readonly status: "failed"; readonly problems: readonly Diagnostic[] }
>;

/** A decision record that is given because work is done by it, whatever the context registry says. */
export interface GivenRecord {
  readonly ref: string;
  readonly text: string;
  readonly rule_id: "decision_record" | "decision_record_related";
}

export interface FlowInput {
  readonly request: UserRequest;
  /** What was asked about it before, and what people answered. */
  readonly answers?: readonly RequestAnswer[];
  /** Who asks. */
  readonly by: string;
  readonly intakePolicy: IntakePolicy;
  readonly repository: RepositoryFacts | undefined;
  readonly routingPolicy: CompiledPolicy;
  readonly context: readonly (string | ContextDocument)[];
  /** Contract: the texts of exactly these documents. */
  readonly read: (refs: readonly string[]) => Promise<readonly { readonly ref: string; readonly text: string }[]>;
  /** An operator's own classification: it decides before the rules do. `decider` when a person gave it for this request. */
  readonly inputType?: InputType;
  readonly decider?: Decider;
  readonly registry: Registry;
  readonly policy: ExecutionPolicy;
  readonly facts: FactPack;
  readonly memory: MemoryPack | null;
  readonly planner: Planner;
  /** Contract: what goes to product is not planned before this has specified it. */
  readonly specify: Specify;
  /** The decision record behind the request. */
  readonly adr?: AdrSource;
  /** A decision record or a work queue has cut the work into tasks: what it has to show was settled there. */
  readonly cut?: boolean;
  /** That record and those it speaks of, for whoever builds. */
  readonly records?: readonly GivenRecord[];
  readonly signal: AbortSignal;
  /** Called as soon as intake has decided: whoever has a clock stamps it. */
  readonly decided?: () => void;
}

export type FlowOutcome =
  /** Not taken on: rejected, or questions for whoever asks. */
  | { readonly status: "refused"; readonly intake: IntakeDecision }
  | { readonly status: "unrouted"; readonly routing: Exclude<RoutingDecision, RoutedDecision> }
  | { readonly status: "questions"; readonly by: string; readonly questions: readonly OpenQuestion[] }
  | { readonly status: "failed"; readonly by: string; readonly problems: readonly Diagnostic[] }
  | {
      readonly status: "drafted";
      readonly intent: ExecutionIntent;
      /** What the plan is made with: the policy that was given, with the workers that a person chose. */
      readonly policy: ExecutionPolicy;
      readonly opening: RequestOrigin;
      /** What a person should know of the way here, one line each. */
      readonly told: readonly string[];
    };

/** Contract: decides by rules alone; only `specify` and the planner may be slow, and both end with the signal. */
export async function planRequest(input: FlowInput, services: Services): Promise<FlowOutcome> {
  const overruling = overrulingAnswer(input.answers ?? []);
  const words = answeredRequest(
    input.request,
    (input.answers ?? []).filter((answer) => !isOverruling(answer)),
  );
  const judged = judgeAnswered(input.intakePolicy, { request: input.request, words }, input.repository);
  input.decided?.();
  if (judged.decision !== "approved") return { status: "refused", intake: judged };
  const type = input.inputType ?? (overruling === null ? undefined : "technical");
  const decider = input.decider ?? overruling?.decider;
  const routing = routeAnswered(input, words, type);
  if (routing.status !== "routed") return { status: "unrouted", routing };
  const specified = await specification(input, words, judged, routing);
  if (specified.status !== "specified") return { ...specified, by: "product" };
  const { spec, usage, told } = specified;
  const known = { words, judged, routing, decider, spec, specifying: usage, specifiedHow: told };
  return proposeAndDraft({ ...input, request: words.whole }, known, services);
}

function routeAnswered(
  { routingPolicy, context }: FlowInput,
  { routed: { request_id, user_request: body } }: AnsweredRequest,
  type: InputType | undefined,
): RoutingDecision {
  return route(
    routingPolicy,
    {
      task_id: request_id,
      input: { body, ...(type === undefined ? {} : { type }) },
      context_registry: context,
    },
    context.filter((entry) => typeof entry !== "string"),
  );
}

/** Whoever builds gets what builders get, also when product was asked first, and the records that work is done by. */
function forBuilders(input: FlowInput, { words, routing }: Judged): RoutedDecision {
  const built = routing.routed_to === "dev" ? routing : routeAnswered(input, words, "technical");
  const { records = [] } = input;
  const given = built.status === "routed" ? built : routing;
  if (records.length === 0) return given;
  const refs = new Set(records.map(({ ref }) => ref));
  const isOther = ({ ref }: { readonly ref: string }) => !refs.has(ref);
  return {
    ...given,
    injected_context: given.injected_context.filter((ref) => !refs.has(ref)),
    context_log: [
      ...records.map(({ ref, rule_id }) => ({ ref, decision: "included" as const, rule_id, reason: RECORDS[rule_id] })),
      ...given.context_log.filter(isOther),
    ],
  };
}

const RECORDS: Readonly<Record<GivenRecord["rule_id"], string>> = {
  decision_record: "it is carried out",
  decision_record_related: "the record that is carried out speaks of it",
};

interface Judged {
  readonly words: AnsweredRequest;
  readonly judged: IntakeDecision;
  readonly routing: RoutedDecision;
  /** Who classified the request instead of the rules. */
  readonly decider: Decider | undefined;
  readonly spec: IntentSpec | null;
  /** What specifying used. */
  readonly specifying: Usage | null;
  readonly specifiedHow: string | undefined;
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

async function proposeAndDraft(input: FlowInput, known: Judged, services: Services): Promise<FlowOutcome> {
  const { request, answers = [], registry, facts, memory, planner } = input;
  const { judged, routing, spec } = known;
  const asked = known.words.asked.user_request;
  const message = requestMessage({ ...input, ...known }, services);
  const given = forBuilders(input, known);
  const withheld = withheldOf(input, given);
  const planned = await planner.plan(
    { message, text: request.user_request, asked, intake: judged, spec, registry, facts, memory, withheld },
    input.signal,
  );
  if (planned.status === "questions")
    return { status: "questions", by: planner.name, questions: numberQuestions(planned.questions, answers) };
  if (planned.status === "failed") return { status: "failed", by: planner.name, problems: planned.problems };
  const preferences = request.context?.preferences;
  const usual = proposeFromTemplate({ text: request.user_request, asked, intake: judged, spec, facts });
  const afforded = affordable({
    proposal: planned.proposal,
    limits: { tokens: preferences?.max_budget_tokens ?? null, seconds: preferences?.max_time_seconds ?? null },
    answers,
    workers: compareWorkers(input.policy),
    estimate: (proposal) => estimateWork({ proposal, usual, estimate: judged.estimate, registry, memory }),
  });
  if ("question" in afforded) return { status: "questions", by: "The plan", questions: [afforded] };
  const { proposal, work, limits } = afforded;
  const policy = workedBy(input.policy, afforded.worker);
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
  const documents = [
    ...records,
    ...(await input.read(given.injected_context)),
    ...attachedDocuments(request, services),
  ];
  return {
    status: "drafted",
    intent,
    policy,
    told: [...planningNotes(input, known), ...overPolicy(judged, work)],
    opening: {
      schema_version: "1.0.0",
      intent_checksum: intent.audit.checksum,
      request_id: request.request_id,
      request: request.user_request,
      answers: [...answers],
      intake: {
        rule_id: judged.rule_id,
        reason: judged.reason,
        gates: bindingGates(input, judged),
      },
      route: {
        routed_to: routing.routed_to,
        rule_id: routing.classification.rule_id,
        ...(known.decider === undefined ? {} : { decider: known.decider }),
        ...contextOf(routing, given),
      },
      bounds: boundsOf(input.routingPolicy.policy, "dev"),
      messages: [message, response],
      used: [
        ...(known.specifying === null ? [] : [{ purpose: "specifying", usage: known.specifying }]),
        ...(planned.usage === null ? [] : [{ purpose: "planning", usage: planned.usage }]),
      ],
      minutes: limits.seconds === null ? null : limits.seconds / 60,
      api_calls: callsWithin(limits.tokens, judged.estimate),
      brief: sealBrief({ request: request.user_request, spec, documents, withheld }, services.sha256),
    },
  };
}

/**
 * The gates of the project's type that bind the run: of a type that the request declares or the repository shows. One that
 * is only guessed from words must not hold anybody up.
 */
function bindingGates({ cut = false }: FlowInput, { project_type, gates }: IntakeDecision): string[] {
  const isSure = project_type.source === "context" || project_type.source === "repository";
  return cut || !isSure ? [] : [...gates];
}

/** As many calls as the tokens are estimated to take, and as many again for each try that may fail. */
const CALLS_ROOM = 4;

function callsWithin(tokens: number | null, estimate: IntakeDecision["estimate"]): number | null {
  if (tokens === null || estimate === null || estimate.tokens === 0) return null;
  return Math.ceil((tokens * estimate.api_calls) / estimate.tokens) * CALLS_ROOM;
}

/** The policy's own limits are intake's to keep; where planning knows better than intake did, whoever reads the plan is told. */
function overPolicy({ estimate }: IntakeDecision, { tokens, seconds }: WorkEstimate): string[] {
  const { max_tokens, max_time_seconds } = estimate?.budget ?? { max_tokens: null, max_time_seconds: null };
  return [
    ...(max_tokens !== null && tokens > max_tokens
      ? [`It takes about ${tokens} tokens, and the intake policy takes on requests up to ${max_tokens}.`]
      : []),
    ...(max_time_seconds !== null && seconds > max_time_seconds
      ? [`It takes about ${seconds} s, and the intake policy takes on requests up to ${max_time_seconds} s.`]
      : []),
  ];
}

/** What whoever asks has handed over: texts, addresses and images. Who takes no images reads what the text says of one. */
function attachedDocuments({ attachments = [] }: UserRequest, { sha256 }: Services): BriefDraft["documents"] {
  return attachments.flatMap(({ type, content, description }, index): BriefDraft["documents"] => {
    const ref = `attachments[${index}]`;
    if (type !== "image") return [{ ref, text: [description, content].filter((part) => part !== "").join("\n\n") }];
    const image = imageIn(content);
    if (image === null) return description === "" ? [] : [{ ref, text: description }];
    const checksum = sha256(image.data);
    const text = `[image ${image.mime_type}, sha256 ${checksum}]${description === "" ? "" : `\n\n${description}`}`;
    return [{ ref, text, image: { ...image, checksum } }];
  });
}

/** Attached images that no agent can be given. */
function unreadableImages({ attachments = [] }: UserRequest): string[] {
  return attachments.flatMap(({ type, content }, index) =>
    type === "image" && imageIn(content) === null ? [`attachments[${index}]`] : [],
  );
}

/** Documents that were not given are in nobody's workspace. Source is: what of it may be read says the scope. */
function withheldOf({ context, records = [] }: FlowInput, { injected_context }: RoutedDecision): string[] {
  const given = new Set([...injected_context, ...records.map(({ ref }) => ref)]);
  return context.flatMap((entry) => {
    const { ref, kind } = typeof entry === "string" ? { ref: entry, kind: "standard" } : entry;
    return given.has(ref) || kind === "source" ? [] : [ref];
  });
}

/** Every document of the registry with the rule that gave it or left it out, for each child that was decided about. */
function contextOf(routing: RoutedDecision, given: RoutedDecision): { context?: RouteContext[] } {
  const own = { target: routing.routed_to, documents: routing.context_log };
  const builders = { target: given.routed_to, documents: given.context_log };
  const context = routing.routed_to === given.routed_to ? [builders] : [own, builders];
  return context.every(({ documents }) => documents.length === 0) ? {} : { context };
}

/** What the intent rests on, by names that lead back to it. */
function evidenceOf(input: FlowInput, { judged, routing, spec }: Judged, services: Services): string[] {
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

function planningNotes(input: FlowInput, known: Judged): string[] {
  const { planner, request, answers = [] } = input;
  const { judged, routing, decider, spec, specifiedHow } = known;
  const toShow = criteriaToShow(bindingGates(input, judged));
  const { category, rule_id } = routing.classification;
  return [
    ...(answers.length === 0 ? [] : [`Answered: ${answers.map(({ id }) => id).join(", ")}`]),
    `Intake: approved, ${judged.approach ?? "enhancement"}`,
    `Route: ${routing.routed_to}, ${category} by ${rule_id}${decider === undefined ? "" : `, said by ${decider.by}`}`,
    ...(specifiedHow !== undefined
      ? [specifiedHow]
      : spec === null
        ? []
        : [`Specified: ${spec.id}, ${spec.requirements.length} requirements`]),
    ...((request.attachments ?? []).some(({ type }) => type === "image")
      ? ["Attached images are shown to agents that take images; describe in words what matters, for those that do not."]
      : []),
    ...unreadableImages(request).map(
      (ref) =>
        `${ref} is not a PNG, JPEG, GIF or WebP image in base64 of at most 5 MB, so only its description is given.`,
    ),
    ...(toShow.length === 0
      ? []
      : [
          `To show before the run ends well (${judged.project_type.type ?? "this type of project"}): ${toShow.join(", ")}. ` +
            "A check does, or a person confirms or waives it.",
        ]),
    `Planner: ${planner.name}`,
  ];
}
