import type {
  ContextDocument,
  ContextLimits,
  ContextLogEntry,
  RoutingCategory,
  RoutingReason,
  RoutingTarget,
} from "../../model/routing.js";
import { Held } from "../../foundation/conditions/compile-condition.js";
import type { CompiledPolicy } from "./compile-policy.js";
import type { Reading } from "./facts.js";
import { documentOfRef, isNamed, isRelated, type Mentions, mentionsOf } from "./relate-document.js";

export interface ContextTask {
  readonly task_id: string;
  readonly target: RoutingTarget;
  readonly category: RoutingCategory;
  readonly reading: Reading;
}

export type Selection =
  | { readonly ok: true; readonly injected: readonly string[]; readonly log: readonly ContextLogEntry[] }
  | {
      readonly ok: false;
      readonly status: "escalated" | "failed";
      readonly reason: RoutingReason;
      readonly log: readonly ContextLogEntry[];
    };

interface Chosen {
  readonly place: number;
  readonly ref: string;
  readonly rule_id: string;
  readonly mandatory: boolean;
  readonly named: boolean;
  readonly size: number;
}

/**
 * Select what the child may see of the registry, by the policy's context rules and limits.
 *
 * Contract: pure and total. The log has one entry for each entry of the registry, in its order, with the rule that
 * decided. A registry of more documents than the policy's `whole_registry_above` is never selected whole. Mandatory
 * documents that the limits cannot hold fail the decision: a child without them would work on insufficient input.
 */
export function selectContext(
  policy: CompiledPolicy,
  task: ContextTask,
  registry: readonly (string | ContextDocument)[],
  documents: readonly ContextDocument[],
): Selection {
  const log: ContextLogEntry[] = [];
  const chosen: Chosen[] = [];
  if (registry.length === 0) return { ok: true, injected: [], log };
  const known = new Map(documents.map((document) => [document.ref, document]));
  const mentions = mentionsOf(task.reading.doc);
  const { signals } = task.reading;
  const modifies =
    signals.file_paths.length + signals.symbols.length + signals.stack_frames.length + signals.diffs.length > 0;
  const taskFacts = { category: task.category, modifies_existing: modifies };
  const seen = new Set<string>();
  for (const entry of registry) {
    const ref = typeof entry === "string" ? entry : entry.ref;
    const document = typeof entry === "string" ? (known.get(entry) ?? documentOfRef(entry)) : entry;
    const exclude = (rule_id: string, reason: string): unknown =>
      log.push({ ref, decision: "excluded", rule_id, reason });
    if (seen.has(ref)) {
      exclude("duplicate_reference", "the registry lists it before");
      continue;
    }
    seen.add(ref);
    if (document === null) {
      exclude("unknown_document", "nothing tells what kind of document this is");
      continue;
    }
    const facts = { ...task.reading.facts, task: taskFacts, document: documentFacts(document, mentions, task.task_id) };
    const verdict = decide(policy, task.target, facts);
    if (verdict instanceof HeldRule) {
      const reason: RoutingReason = { code: "context_rule_error", message: verdict.message, rule_id: verdict.rule_id };
      return { ok: false, status: "escalated", reason, log };
    }
    if (verdict === null) exclude("no_context_rule", `no context rule for ${task.target} matches`);
    else if (verdict.decision === "exclude") exclude(verdict.id, "excluded by the rule");
    else {
      const { id: rule_id, requirement } = verdict;
      chosen.push({
        place: log.length,
        ref,
        rule_id,
        mandatory: requirement === "mandatory",
        named: facts.document.named,
        size: document.size,
      });
      log.push({ ref, decision: "included", rule_id, reason: requirement });
    }
  }
  return applyLimits(policy.policy.context_limits, chosen, registry.length, log);
}

class HeldRule {
  readonly rule_id: string;
  readonly message: string;
  constructor(rule_id: string, message: string) {
    this.rule_id = rule_id;
    this.message = message;
  }
}

function decide(policy: CompiledPolicy, target: RoutingTarget, facts: Readonly<Record<string, unknown>>) {
  for (const { rule, condition } of policy.contextRules) {
    if (rule.target !== target) continue;
    const outcome = condition.evaluate(facts);
    if (outcome instanceof Held) return new HeldRule(rule.id, outcome.message);
    if (outcome) return rule;
  }
  return null;
}

function documentFacts(document: ContextDocument, mentions: Mentions, taskId: string) {
  const { kind, status, domain, tags, title, size, ref } = document;
  return {
    kind,
    status,
    domain,
    tags,
    title,
    size,
    project_wide: domain === "",
    related: isRelated(document, mentions),
    named: isNamed(document, mentions),
    for_task: tags.includes(taskId) || ref.includes(taskId),
  };
}

/** Keep what matters most within the limits; what is dropped is logged with the limit that dropped it. */
function applyLimits(
  limits: ContextLimits,
  chosen: readonly Chosen[],
  registrySize: number,
  log: ContextLogEntry[],
): Selection {
  const order = chosen.toSorted((a, b) => rank(a) - rank(b) || a.place - b.place);
  const kept: Chosen[] = [];
  let bytes = 0;
  for (const document of order) {
    const tooMany = kept.length + 1 > limits.max_documents;
    if (!tooMany && bytes + document.size <= limits.max_bytes) {
      kept.push(document);
      bytes += document.size;
      continue;
    }
    const rule_id = tooMany ? "limit_documents" : "limit_bytes";
    const limit = tooMany ? `${limits.max_documents} documents` : `${limits.max_bytes} bytes`;
    drop(log, document, rule_id, `over the limit of ${limit}`);
    if (document.mandatory) {
      const message = `the mandatory document ${document.ref} does not fit: the limit is ${limit}`;
      return { ok: false, status: "failed", reason: { code: "mandatory_context_over_limit", message, rule_id }, log };
    }
  }
  // INVARIANT: context is curated, not dumped.
  if (kept.length === registrySize && registrySize > limits.whole_registry_above) {
    const last = kept.pop();
    if (last !== undefined) drop(log, last, "limit_whole_registry", "the whole registry is never injected");
  }
  const injected = kept.toSorted((a, b) => a.place - b.place).map((document) => document.ref);
  return { ok: true, injected, log };
}

/** Mandatory first, then what the task names. */
function rank(document: Chosen): number {
  return (document.mandatory ? 0 : 2) + (document.named ? 0 : 1);
}

function drop(log: ContextLogEntry[], document: Chosen, rule_id: string, reason: string): void {
  log[document.place] = { ref: document.ref, decision: "excluded", rule_id, reason };
}
