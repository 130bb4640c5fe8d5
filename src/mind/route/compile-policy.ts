import { type Diagnostic, diagnosticsOf, documentPath } from "../../model/diagnostic.js";
import { type ContextRule, RoutingPolicy, type RoutingRule } from "../../model/routing.js";
import {
  type CompileResult,
  type Condition,
  createConditionCompiler,
} from "../../foundation/conditions/compile-condition.js";
import type { LearnedModel } from "../../foundation/learned/model.js";
import { CONTEXT_FACTS, ROUTING_FACTS } from "./facts.js";
import { splitConjunction } from "./split-conjunction.js";

/** A problem of a policy. For a condition, the place within the text of that condition comes with it. */
export interface PolicyProblem extends Diagnostic {
  readonly condition?: { readonly line: number; readonly column: number };
}

export interface CompiledRule {
  readonly rule: RoutingRule;
  readonly condition: Condition;
  /** Whether it asks the learned layer. */
  readonly asksLearned: boolean;
  /** The parts joined by `&&`, so that an explanation can say which of them was missing. */
  readonly terms: readonly Condition[];
}

interface CompiledContextRule {
  readonly rule: ContextRule;
  readonly condition: Condition;
}

/** A policy that loaded: made once, used for any number of decisions. It holds no state. */
export interface CompiledPolicy {
  readonly policy: RoutingPolicy;
  readonly rules: readonly CompiledRule[];
  readonly contextRules: readonly CompiledContextRule[];
  /** The learned model; without it every chance is 0. */
  readonly learned: LearnedModel | null;
}

export type PolicyResult =
  | { readonly ok: true; readonly policy: CompiledPolicy }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

type Compile = (source: string) => CompileResult;

/**
 * Contract: pure and total. Every problem is reported at once, in the order of the document. Without `learned`, a rule that
 * asks the learned layer hears a chance of 0: nothing goes to dev on its word.
 */
export function compilePolicy(document: unknown, learned: LearnedModel | null = null): PolicyResult {
  const parsed = RoutingPolicy.safeParse(document);
  if (!parsed.success) return { ok: false, problems: diagnosticsOf(parsed.error, "DOCUMENT_INVALID") };
  const policy = parsed.data;
  const problems: PolicyProblem[] = [];
  const rules = compileRules(policy.rules, problems);
  const contextRules = compileContextRules(policy.context_rules, problems);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, policy: { policy, rules, contextRules, learned } };
}

function compileRules(rules: readonly RoutingRule[], problems: PolicyProblem[]): readonly CompiledRule[] {
  const compile = createConditionCompiler(ROUTING_FACTS);
  const compiled: CompiledRule[] = [];
  for (const [index, rule] of rules.entries()) {
    const condition = load(compile, rule.when, ["rules", index, "when"], problems);
    if (condition === null) continue;
    const asksLearned = condition.reads.some((path) => path.startsWith("learned."));
    compiled.push({ rule, condition, asksLearned, terms: termsOf(compile, condition) });
  }
  return compiled;
}

function compileContextRules(rules: readonly ContextRule[], problems: PolicyProblem[]): readonly CompiledContextRule[] {
  const compile = createConditionCompiler(CONTEXT_FACTS);
  const compiled: CompiledContextRule[] = [];
  for (const [index, rule] of rules.entries()) {
    const condition = load(compile, rule.when, ["context_rules", index, "when"], problems);
    if (condition !== null) compiled.push({ rule, condition });
  }
  return compiled;
}

function load(compile: Compile, source: string, path: PropertyKey[], problems: PolicyProblem[]): Condition | null {
  const result = compile(source);
  if (result.ok) return result.condition;
  for (const { message, line, column } of result.problems)
    problems.push({ code: "DOCUMENT_INVALID", path: documentPath(path), message, condition: { line, column } });
  return null;
}

function termsOf(compile: Compile, condition: Condition): readonly Condition[] {
  const terms: Condition[] = [];
  for (const source of splitConjunction(condition.source)) {
    const result = compile(source);
    if (!result.ok) return [condition];
    terms.push(result.condition);
  }
  return terms;
}
