import { diagnosticsOf } from "../../model/diagnostic.js";
import { type IntakePolicy, type IntakeStrategy } from "../../model/intake-policy.js";
import { type IntakeDecision, type IntakeStep, type RepositoryFacts, UserRequest } from "../../model/request.js";
import { checkClarity } from "./check-clarity.js";
import { checkFeasibility } from "./check-feasibility.js";
import type { ClarificationAnswer } from "./answers.js";
import { checkSafety, SAFETY_QUESTIONS, safetyQuestions } from "./safety/check-safety.js";
import type { HarmModel } from "./safety/judge-harm.js";
import { judgeSafetyAnswers, safetyAnswers } from "./safety/judge-purpose.js";
import { checkSupport } from "./check-support.js";
import { chooseApproach } from "./choose-approach.js";
import { type CompiledPolicy, compilePolicy } from "./compile-policy.js";
import { detectProjectType } from "./detect-project-type.js";
import { parseIntent } from "./parse-intent.js";
import { type Reading, read } from "./reading/reading.js";

/**
 * Decide whether a request is taken on: approved, rejected or questioned.
 *
 * Contract: pure and total, for any value given as a request. It never throws, equal inputs give equal decisions, and
 * nothing given is changed. The steps run in the specification's order (parse, safety, clarity, feasibility, support)
 * and the first that fails decides. A request that safety holds needs clarification until a person has said what it is
 * for and who agreed.
 */
export function intake(
  policy: IntakePolicy,
  request: unknown,
  facts?: RepositoryFacts,
  safetyParts: SafetyParts = {},
): IntakeDecision {
  const parsed = UserRequest.safeParse(request);
  if (!parsed.success) return refuseMalformed(request, diagnosticsOf(parsed.error, "INVALID_REQUEST"));
  return judge(compilePolicy(policy), parsed.data, facts, safetyParts);
}

/** The inputs of safety beside the words. */
export interface SafetyParts {
  /** Without it rules alone decide, and nothing is held. */
  readonly harm?: HarmModel | null;
  /** People's answers to the questions of safety; answers to other questions are part of the words. */
  readonly answers?: readonly ClarificationAnswer[];
}

function judge(
  policy: CompiledPolicy,
  request: UserRequest,
  facts: RepositoryFacts | undefined,
  { harm = null, answers = [] }: SafetyParts,
): IntakeDecision {
  const reading = read(policy.vocabulary, request.user_request);
  const found = parseIntent(policy, reading);
  const type = detectProjectType(policy, reading, found.intent.places, request.context?.project_type, facts);
  const approach = chooseApproach(policy, reading);
  const strategy = strategyFor(policy.policy, type.finding.type);
  const readings = [reading, ...readAttachments(policy, request)];
  const before = checkSafety(policy, readings, found.intent.object === null, harm);
  const said = safetyAnswers(answers);
  const answered =
    before.verdict === "refuse" || said.size === 0 ? null : judgeSafetyAnswers(policy, harm, { reading, before }, said);
  const safety = answered === null ? before : { category: before.category, ...answered };
  const steps: IntakeStep[] = [found.step, type.step, approach.step, safety.step];
  const decide = (
    decision: IntakeDecision["decision"],
    last: IntakeStep,
    more: Partial<IntakeDecision> = {},
  ): IntakeDecision => ({
    request_id: request.request_id,
    decision,
    rule_id: last.rule_id,
    reason: last.reason,
    safety_category: safety.verdict === "pass" ? null : safety.category,
    intent: found.intent,
    project_type: type.finding,
    approach: approach.approach,
    workflow_id: approach.workflow_id,
    gates: [...(strategy.gates ?? [])],
    estimate: null,
    questions: [],
    steps,
    ...more,
  });
  if (safety.verdict === "refuse") return decide("rejected", safety.step);
  if (safety.verdict === "hold") {
    const open = answered?.verdict === "hold" ? answered.open : SAFETY_QUESTIONS;
    return decide("needs_clarification", safety.step, { questions: safetyQuestions(safety.category, open) });
  }

  const clarity = checkClarity(
    policy,
    reading,
    found,
    strategy.min_object_words ?? 1,
    harm !== null && policy.safety.learned !== null,
  );
  steps.push(clarity.step);
  if (clarity.step.outcome === "failed")
    return decide("needs_clarification", clarity.step, { questions: [...clarity.questions] });

  const preferences = request.context?.preferences;
  const { estimate, step } = checkFeasibility(policy, { reading, found, approach, strategy, preferences });
  steps.push(step);
  if (step.outcome === "failed") return decide("rejected", step, { estimate });

  const support = checkSupport(policy, type.finding);
  steps.push(support);
  if (support.outcome === "failed") return decide("rejected", support, { estimate });
  return decide(
    "approved",
    { ...support, rule_id: "intake_approved", reason: "Request approved for processing" },
    { estimate },
  );
}

/** The default holds for every field that a type leaves out. */
function strategyFor(policy: IntakePolicy, type: string | null): IntakeStrategy {
  const own = type !== null && Object.hasOwn(policy.strategies, type) ? policy.strategies[type] : undefined;
  return { ...policy.default_strategy, ...own };
}

function readAttachments({ vocabulary }: CompiledPolicy, request: UserRequest): Reading[] {
  return (request.attachments ?? []).flatMap((attachment, index) => {
    // An image is pixels, and an address is not what stands there.
    const text =
      attachment.type === "file" ? `${attachment.description}\n\n${attachment.content}` : attachment.description;
    return text.trim() === "" ? [] : [read(vocabulary, text, `attachments[${index}]`)];
  });
}

/** A document that is not a request is the user's error: they are asked for what is missing. */
function refuseMalformed(request: unknown, problems: ReturnType<typeof diagnosticsOf>): IntakeDecision {
  const id = typeof request === "object" && request !== null && "request_id" in request ? request.request_id : null;
  const reason = `Malformed request: ${problems
    .slice(0, 5)
    .map(({ path, message }) => `${path === "" ? "request" : path} ${message}`)
    .join("; ")}`;
  return {
    request_id: typeof id === "string" ? id : null,
    decision: "needs_clarification",
    rule_id: "request_malformed",
    reason,
    safety_category: null,
    intent: { action: null, object: null, purpose: null, places: [], acceptance: [] },
    project_type: { type: null, source: "none", confidence: 0, candidates: [] },
    approach: null,
    workflow_id: null,
    gates: [],
    estimate: null,
    questions: problems.slice(0, 5).map(({ path, message }) => ({
      id: "field" as const,
      question: `What should ${path === "" ? "the request" : path} be? It ${message}.`,
    })),
    steps: [{ step: "parse", outcome: "failed", rule_id: "request_malformed", reason, evidence: [] }],
  };
}
