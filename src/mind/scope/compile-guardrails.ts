import type { Diagnostic } from "../../model/diagnostic.js";
import type { GuardrailEntry } from "../../model/plan/registry.js";
import { type Condition, createConditionCompiler } from "../../foundation/conditions/compile-condition.js";
import { compileGlob, globsOverlap } from "../../foundation/globs/glob.js";
import { CORE_RULES, type UseRule } from "./core-rules.js";
import { compileLinePattern, type LinePattern } from "./line-pattern.js";
import { foldPath } from "../../model/fold-path.js";
import { USE_FACTS } from "./use-facts.js";

/** A rule on tool uses; `condition` is null when it did not load, and it then holds every use. */
interface CompiledUseRule {
  readonly rule: UseRule;
  readonly condition: Condition | null;
}

/** A guardrail on results. */
export interface CompiledResultRule {
  readonly entry: GuardrailEntry;
  /** Contract: as the least careful file system sees the path. */
  readonly looksAt: (path: string) => boolean;
  /** Whether something the pattern stands for may be among what it looks at. */
  readonly meets: (pattern: string) => boolean;
  readonly added: readonly LinePattern[];
  readonly removed: readonly LinePattern[];
  /** A line that has one of these is not meant. */
  readonly unless: readonly LinePattern[];
  /** It is about the paths alone. */
  readonly protects: boolean;
}

export interface CompiledGuardrails {
  readonly onUse: readonly CompiledUseRule[];
  readonly onResult: readonly CompiledResultRule[];
  /** Conditions that do not load, each with the place in it. */
  readonly undecidable: readonly (Diagnostic & { readonly guardrailId: string })[];
}

/**
 * Compile the active guardrails, on top of the rules no registry can take away.
 *
 * Contract: pure and total. A condition that does not load is reported, and holds every use until it is mended.
 */
export function compileGuardrails(guardrails: readonly GuardrailEntry[]): CompiledGuardrails {
  const compile = createConditionCompiler(USE_FACTS);
  const undecidable: (Diagnostic & { guardrailId: string })[] = [];
  const onUse: CompiledUseRule[] = [];
  const onResult: CompiledResultRule[] = [];
  const addUseRule = (rule: UseRule): void => {
    const result = compile(rule.when);
    onUse.push({ rule, condition: result.ok ? result.condition : null });
    if (result.ok) return;
    for (const { kind, message, line, column } of result.problems)
      undecidable.push({
        code: "RULE_UNDECIDABLE",
        guardrailId: rule.id,
        path: `guardrails.${rule.id}.when`,
        message: `${kind}: ${message}`,
        line,
        column,
      });
  };
  for (const rule of CORE_RULES) addUseRule(rule);
  for (const entry of guardrails) {
    if (entry.status !== "active") continue;
    if (entry.watches === "result") onResult.push(resultRule(entry));
    else addUseRule(useRule(entry));
  }
  return { onUse, onResult, undecidable };
}

function useRule({ id, severity, reason, when = "" }: GuardrailEntry): UseRule {
  // The schema refuses the milder ones for tool uses; a guardrail that was not checked by it is read in the strictest way.
  return { id, reason, when, severity: severity === "safety" || severity === "block" ? severity : "frozen" };
}

function resultRule(entry: GuardrailEntry): CompiledResultRule {
  const anchored = entry.paths.map(foldPath).filter((pattern) => !pattern.startsWith("**"));
  const paths = entry.paths.map((pattern) => compileGlob(foldPath(pattern)));
  const except = entry.except.map((pattern) => compileGlob(foldPath(pattern)));
  return {
    entry,
    looksAt: (path) => {
      const folded = foldPath(path);
      return paths.some((matches) => matches(folded)) && !except.some((matches) => matches(folded));
    },
    // A pattern that may match at any depth would meet every directory there is.
    meets: (pattern) => anchored.some((own) => globsOverlap(own, foldPath(pattern))),
    added: entry.added.map((text) => compileLinePattern(text)),
    removed: entry.removed.map((text) => compileLinePattern(text)),
    unless: entry.unless.map((text) => compileLinePattern(text)),
    protects: !entry.secrets && !entry.personal_data && entry.added.length === 0 && entry.removed.length === 0,
  };
}
