import { diagnosticsOf } from "../../model/diagnostic.js";
import {
  type ContextDocument,
  type ContextLogEntry,
  type InputType,
  type RoutingCategory,
  type RoutingClassification,
  type RoutingDecision,
  type RoutingExplanation,
  RoutingInput,
  type RoutingReason,
  type RoutingTarget,
  type TriedRule,
} from "../../model/routing.js";
import type { LearnedModel } from "../../foundation/learned/model.js";
import { Held } from "../../foundation/conditions/compile-condition.js";
import { type CompiledPolicy, compilePolicy } from "./compile-policy.js";
import { childScope } from "./child-scope.js";
import { type Reading, readBody } from "./facts.js";
import { askLearned, NOT_ASKED, tellLearned } from "./learned-route.js";
import { selectContext } from "./select-context.js";
import { tellSignals } from "./tell-signals.js";

// The policy was compiled before; a decision does not parse it again.
const Envelope = RoutingInput.omit({ policy: true }).loose();

const nothingTold = (): RoutingExplanation => ({ signals: [], rules_tried: [] });

/** The operator's own classification decides without looking at the text. */
const BY_TYPE: Readonly<Record<InputType, { readonly target: RoutingTarget; readonly category: RoutingCategory }>> = {
  technical: { target: "dev", category: "technical_explicit" },
  product: { target: "product", category: "business" },
  ambiguous: { target: "product", category: "ambiguous" },
};

/**
 * Decide where a request goes: to product, to dev, or back to a person.
 *
 * Contract: pure and total. It never throws, changes nothing it is given, keeps nothing, and equal inputs give equal
 * decisions. The operator's type decides first; then the rules are tried in the order of the policy and the first match
 * decides. There is no default route: an input that no rule matches, a malformed input and a rule in error are escalated.
 * `documents` describes the entries of the context registry that are given as mere references.
 */
export function route(
  policy: CompiledPolicy,
  input: unknown,
  documents: readonly ContextDocument[] = [],
): RoutingDecision {
  const parsed = Envelope.safeParse(input);
  if (!parsed.success) {
    const problems = diagnosticsOf(parsed.error, "DOCUMENT_INVALID").map(
      (p) => `${p.path || "the input"} ${p.message}`,
    );
    return refuseRoute("escalated", input, { code: "malformed_input", message: problems.join("; "), rule_id: null });
  }
  const task = parsed.data;
  const { limits, explicit } = policy.policy;
  if (task.input.body.length > limits.max_body_chars) {
    const message = `input.body has ${task.input.body.length} characters, the policy's limit is ${limits.max_body_chars}`;
    return refuseRoute("escalated", input, { code: "malformed_input", message, rule_id: null });
  }
  if (task.context_registry.length > limits.max_registry_documents) {
    const message = `context_registry has ${task.context_registry.length} entries, the policy's limit is ${limits.max_registry_documents}`;
    return refuseRoute("escalated", input, { code: "malformed_input", message, rule_id: null });
  }
  const reading = readBody(task.input.body);
  const { type } = task.input;
  if (type !== undefined) {
    const { target, category } = BY_TYPE[type];
    const classification = { category, confidence: "deterministic", rule_id: explicit[type] } as const;
    return dispatch(policy, input, task, reading, target, classification, nothingTold(), documents);
  }
  return classify(policy, input, task, reading, documents);
}

/** Compile the policy that comes with the input, then route. A policy in error escalates. */
export function routeWithPolicy(
  input: unknown,
  documents: readonly ContextDocument[] = [],
  learned: LearnedModel | null = null,
): RoutingDecision {
  const compiled = compilePolicy(isRecord(input) ? input["policy"] : undefined, learned);
  if (compiled.ok) return route(compiled.policy, input, documents);
  const problems = compiled.problems.map((p) => `policy${p.path === "" ? "" : `.${p.path}`} ${p.message}`);
  return refuseRoute("escalated", input, { code: "policy_error", message: problems.join("; "), rule_id: null });
}

type Task = ReturnType<typeof Envelope.parse>;

function classify(
  policy: CompiledPolicy,
  input: unknown,
  task: Task,
  reading: Reading,
  documents: readonly ContextDocument[],
): RoutingDecision {
  const tried: TriedRule[] = [];
  const explanation: RoutingExplanation = {
    signals: tellSignals(reading, policy.policy.limits.evidence_per_signal),
    rules_tried: tried,
  };
  let opinion = NOT_ASKED;
  for (const { rule, condition, asksLearned } of policy.rules) {
    // Where a rule decides before, the learned layer is not asked at all.
    if (asksLearned && opinion === NOT_ASKED) {
      opinion = askLearned(policy.learned, reading);
      explanation.signals.push(...tellLearned(opinion, reading, policy.policy.limits.evidence_per_signal));
    }
    const outcome = condition.evaluate(
      opinion === NOT_ASKED ? reading.facts : { ...reading.facts, learned: opinion.chances },
    );
    const reads = [...condition.reads];
    if (outcome instanceof Held) {
      // INVARIANT: a rule in error holds the request; skipping it could let a laxer rule pass it on.
      tried.push({ rule_id: rule.id, outcome: "error", reads, message: outcome.message });
      const reason: RoutingReason = { code: "rule_error", message: outcome.message, rule_id: rule.id };
      return refuseRoute("escalated", input, reason, { task_id: task.task_id, explanation });
    }
    tried.push({ rule_id: rule.id, outcome: outcome ? "matched" : "not_matched", reads });
    if (!outcome) continue;
    const classification = { category: rule.category, confidence: rule.confidence, rule_id: rule.id };
    return dispatch(policy, input, task, reading, rule.target, classification, explanation, documents);
  }
  const message = "no rule of the policy matches this input";
  return refuseRoute(
    "escalated",
    input,
    { code: "no_rule_matched", message, rule_id: null },
    { task_id: task.task_id, explanation },
  );
}

function dispatch(
  policy: CompiledPolicy,
  input: unknown,
  task: Task,
  reading: Reading,
  target: RoutingTarget,
  classification: RoutingClassification,
  explanation: RoutingExplanation,
  documents: readonly ContextDocument[],
): RoutingDecision {
  const registry = task.context_registry;
  const selection = selectContext(
    policy,
    { task_id: task.task_id, target, category: classification.category, reading },
    registry,
    documents,
  );
  if (!selection.ok) {
    const { status, reason, log } = selection;
    return refuseRoute(status, input, reason, { task_id: task.task_id, explanation, classification, log });
  }
  return {
    task_id: task.task_id,
    status: "routed",
    routed_to: target,
    injected_context: [...selection.injected],
    classification,
    child_scope: childScope(policy.policy, target),
    explanation,
    context_log: [...selection.log],
  };
}

interface Known {
  readonly task_id?: string;
  readonly classification?: RoutingClassification;
  readonly explanation?: RoutingExplanation;
  readonly log?: readonly ContextLogEntry[];
}

function refuseRoute(
  status: "escalated" | "failed",
  input: unknown,
  reason: RoutingReason,
  known: Known = {},
): RoutingDecision {
  return {
    task_id: known.task_id ?? taskIdOf(input),
    status,
    routed_to: null,
    injected_context: [],
    classification: known.classification ?? null,
    child_scope: null,
    reason,
    returned_input: input,
    explanation: known.explanation ?? nothingTold(),
    context_log: [...(known.log ?? [])],
  };
}

function taskIdOf(input: unknown): string | null {
  const id = isRecord(input) ? input["task_id"] : null;
  return typeof id === "string" && id !== "" ? id : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
