import type { Diagnostic } from "../model/diagnostic.js";
import type { ExecutionIntent } from "../model/intent.js";
import type { IntentSpec } from "../model/intent-spec.js";
import type { AdrSource, RequestAnswer, RequestOpening } from "../model/opening.js";
import type { FactPack, MemoryPack } from "../model/packs.js";
import type { ExecutionPolicy } from "../model/policy.js";
import type { Registry } from "../model/registry.js";
import type { IntakeDecision, IntakePolicy, RepositoryFacts, UserRequest } from "../model/request.js";
import type { ContextDocument, InputType, RoutedDecision, RoutingDecision } from "../model/routing.js";
import type { Usage } from "../model/run.js";
import { intake } from "../intake/intake.js";
import { sealBrief } from "../plan/brief.js";
import { checksumOf, type Services } from "../plan/services.js";
import { draftIntent } from "../planner/draft-intent.js";
import type { Planner } from "../planner/planner.js";
import type { CompiledPolicy } from "../route/compile-policy.js";
import { criteriaToShow } from "../run/criteria.js";
import { route } from "../route/route.js";
import { answeredRequest, type AnsweredRequest, numbered, type OpenQuestion } from "./answered.js";
import { requestMessage, responseMessage } from "./messages.js";

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
    readonly intake: IntakeDecision;
    readonly routing: RoutedDecision;
  },
  signal: AbortSignal,
) => Promise<
  | { readonly status: "specified"; readonly spec: IntentSpec; readonly usage: Usage | null }
  | { readonly status: "questions"; readonly questions: readonly OpenQuestion[] }
  | { readonly status: "failed"; readonly problems: readonly Diagnostic[] }
>;

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
  /** An operator's own classification: it decides before the rules do. */
  readonly inputType?: InputType;
  readonly registry: Registry;
  readonly policy: ExecutionPolicy;
  readonly facts: FactPack;
  readonly memory: MemoryPack | null;
  readonly planner: Planner;
  readonly specify: Specify | null;
  /** The decision record behind the request. */
  readonly adr?: AdrSource;
  /** A decision record or a work queue has cut the work into tasks: what it has to show was settled there. */
  readonly cut?: boolean;
  readonly signal: AbortSignal;
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
      readonly opening: RequestOpening;
      /** What a person should know of the way here, one line each. */
      readonly told: readonly string[];
    };

/** Contract: decides by rules alone; only `specify` and the planner may be slow, and both end with the signal. */
export async function planRequest(input: FlowInput, services: Services): Promise<FlowOutcome> {
  const words = answeredRequest(input.request, input.answers ?? []);
  const judged = intake(input.intakePolicy, words.judged, input.repository);
  if (judged.decision !== "approved") return { status: "refused", intake: judged };
  const routing = routed(input, words, input.inputType);
  if (routing.status !== "routed") return { status: "unrouted", routing };
  const specified = await specification(input, words, judged, routing);
  if (specified.status !== "specified") return { ...specified, by: "product" };
  const { spec, usage } = specified;
  return proposed({ ...input, request: words.whole }, { words, judged, routing, spec, specifying: usage }, services);
}

function routed(
  { routingPolicy, context }: FlowInput,
  { judged: { request_id, user_request: body } }: AnsweredRequest,
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

/** Whoever builds gets what builders get, also when product was asked first. */
function forBuilders(input: FlowInput, { words, routing }: Judged): RoutedDecision {
  if (routing.routed_to === "dev") return routing;
  const built = routed(input, words, "technical");
  return built.status === "routed" ? built : routing;
}

interface Judged {
  readonly words: AnsweredRequest;
  readonly judged: IntakeDecision;
  readonly routing: RoutedDecision;
  readonly spec: IntentSpec | null;
  /** What specifying used. */
  readonly specifying: Usage | null;
}

async function specification(
  { specify, signal }: FlowInput,
  { clarified: request, others: answers }: AnsweredRequest,
  judged: IntakeDecision,
  routing: RoutedDecision,
) {
  if (routing.routed_to !== "product" || specify === null)
    return { status: "specified", spec: null, usage: null } as const;
  return specify({ request, answers, intake: judged, routing }, signal);
}

async function proposed(input: FlowInput, known: Judged, services: Services): Promise<FlowOutcome> {
  const { request, answers = [], registry, facts, memory, planner } = input;
  const { judged, routing, spec } = known;
  const message = requestMessage({ ...input, ...known }, services);
  const given = forBuilders(input, known);
  const withheld = withheldOf(input, given);
  const planned = await planner.plan(
    { message, text: request.user_request, intake: judged, spec, registry, facts, memory, withheld },
    input.signal,
  );
  if (planned.status === "questions")
    return { status: "questions", by: planner.name, questions: numbered(planned.questions, answers) };
  if (planned.status === "failed") return { status: "failed", by: planner.name, problems: planned.problems };
  const preferences = request.context?.preferences;
  const drafted = draftIntent(
    {
      proposal: planned.proposal,
      request: {
        request_id: request.request_id,
        text: request.user_request,
        timestamp: request.timestamp,
        by: input.by,
        limits: { tokens: preferences?.max_budget_tokens ?? null, seconds: preferences?.max_time_seconds ?? null },
      },
      spec,
      evidence: evidenceOf(input, known, services),
      acceptance: judged.intent.acceptance,
      registry,
      policy: input.policy,
      facts,
      memory,
      status: input.adr === undefined ? "proposed" : "approved",
    },
    services,
  );
  if (!drafted.ok) return { status: "failed", by: planner.name, problems: drafted.problems };
  const response = responseMessage(message, { ...planned, registry, memory, timestamp: request.timestamp }, services);
  const { intent } = drafted;
  const documents = [...(await input.read(given.injected_context)), ...attached(request)];
  const seconds = preferences?.max_time_seconds;
  return {
    status: "drafted",
    intent,
    told: toldOf(input, known),
    opening: {
      schema_version: "1.0.0",
      intent_checksum: intent.audit.checksum,
      request_id: request.request_id,
      request: request.user_request,
      answers: [...answers],
      intake: {
        rule_id: judged.rule_id,
        reason: judged.reason,
        ...(input.cut === true ? {} : { gates: judged.gates }),
      },
      route: { routed_to: routing.routed_to, rule_id: routing.classification.rule_id },
      messages: [message, response],
      used: [
        ...(known.specifying === null ? [] : [{ purpose: "specifying", usage: known.specifying }]),
        ...(planned.usage === null ? [] : [{ purpose: "planning", usage: planned.usage }]),
      ],
      minutes: seconds === undefined ? null : seconds / 60,
      brief: sealBrief({ request: request.user_request, spec, documents, withheld }, services.sha256),
    },
  };
}

/** What whoever asks has handed over: texts and addresses. Pixels are no text, and agents are given none. */
function attached({ attachments = [] }: UserRequest): { ref: string; text: string }[] {
  return attachments.flatMap(({ type, content, description }, index) =>
    type === "image"
      ? []
      : [{ ref: `attachments[${index}]`, text: [description, content].filter((part) => part !== "").join("\n\n") }],
  );
}

/** Documents that were not given are in nobody's workspace. Source is: what of it may be read says the scope. */
function withheldOf({ context }: FlowInput, { injected_context }: RoutedDecision): string[] {
  const given = new Set(injected_context);
  return context.flatMap((entry) => {
    const { ref, kind } = typeof entry === "string" ? { ref: entry, kind: "standard" } : entry;
    return given.has(ref) || kind === "source" ? [] : [ref];
  });
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

function toldOf(input: FlowInput, { judged, routing, spec }: Judged): string[] {
  const { planner, specify, request, answers = [] } = input;
  const toShow = input.cut === true ? [] : criteriaToShow(judged.gates);
  const { category, rule_id } = routing.classification;
  return [
    ...(answers.length === 0 ? [] : [`Answered: ${answers.map(({ id }) => id).join(", ")}`]),
    `Intake: approved, ${judged.approach ?? "enhancement"}`,
    `Route: ${routing.routed_to}, ${category} by ${rule_id}`,
    ...(routing.routed_to === "product" && spec === null && specify === null
      ? ["No product agent is configured, so the plan is made from the words as they are, without an Intent Spec."]
      : []),
    ...(spec === null ? [] : [`Specified: ${spec.id}, ${spec.requirements.length} requirements`]),
    ...((request.attachments ?? []).some(({ type }) => type === "image")
      ? ["Attached images are given to nobody: describe in words what matters of them."]
      : []),
    ...(toShow.length === 0
      ? []
      : [
          `To show before the run ends well (${judged.project_type.type ?? "this type of project"}): ${toShow.join(", ")}. ` +
            "A check does, or a person confirms or waives it.",
        ]),
    `Planner: ${planner.name}`,
  ];
}
