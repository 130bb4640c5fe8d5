import type { Diagnostic } from "../../../model/diagnostic.js";
import type { Registry, RuleEntry } from "../../../model/plan/registry.js";
import { type Condition, createConditionCompiler } from "../../../foundation/conditions/compile-condition.js";
import { ruleFactSchema } from "./rule-facts.js";

export interface CompiledRule {
  readonly rule: RuleEntry;
  readonly condition: Condition;
  /** The declared facts its condition reads, without the `facts.` before them. */
  readonly factsRead: readonly string[];
}

export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  /** Rules that are not machine-decidable: each with the place in its condition. */
  readonly undecidable: readonly (Diagnostic & { readonly ruleId: string })[];
}

/**
 * Parse and type-check every active rule against the facts there are.
 *
 * Contract: pure and total. A rule that does not load is reported and never skipped in silence: planning aborts on it.
 */
export function compileRules(registry: Registry): CompiledRules {
  const compile = createConditionCompiler(ruleFactSchema(registry.facts));
  const rules: CompiledRule[] = [];
  const undecidable: (Diagnostic & { ruleId: string })[] = [];
  for (const rule of registry.rules) {
    if (rule.status !== "active") continue;
    const result = compile(rule.when);
    if (result.ok) {
      const factsRead = result.condition.reads.filter((path) => path.startsWith("facts.")).map((path) => path.slice(6));
      rules.push({ rule, condition: result.condition, factsRead });
    } else {
      for (const { message, line, column, kind } of result.problems)
        undecidable.push({
          code: "RULE_UNDECIDABLE",
          ruleId: rule.id,
          path: `rules.${rule.id}.when`,
          message: `${kind}: ${message}`,
          line,
          column,
        });
    }
  }
  return { rules, undecidable };
}
