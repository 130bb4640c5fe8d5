import type { FactSchema } from "./fact-schema.js";
import { lowerCondition } from "./lower.js";
import type { Run, Scope } from "./lowering.js";
import { Held, type Outcome, failure } from "./outcome.js";
import { createConditionParser } from "./parse-condition.js";
import { type ConditionProblem, Refusal, problemAt } from "./problem.js";

export { Held, type Outcome } from "./outcome.js";
export type { ConditionProblem } from "./problem.js";

/**
 * A condition that loaded.
 *
 * Contract: `evaluate` is pure and total, and takes at most about `cost` steps. `reads` are the facts it
 * may read, sorted.
 */
export type Condition = {
  readonly source: string;
  readonly reads: readonly string[];
  readonly cost: number;
  evaluate(scope: Readonly<Record<string, unknown>>): Outcome;
};

export type CompileResult =
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly problems: readonly ConditionProblem[] };

const DEFAULT_MAX_COST = 100_000;

/**
 * Make the compiler for conditions over these facts: the language of `when` in every policy.
 *
 * Contract: the returned function is total: a source loads as a condition, or comes back with problems.
 * A condition that loads is well-typed for the schema, ends, and stays below `maxCost` for all facts the schema allows.
 * Throws at once for a schema that cannot be declared (a top-level name that CEL reserves).
 */
export function createConditionCompiler(
  schema: FactSchema,
  options: { readonly maxCost?: number } = {},
): (source: string) => CompileResult {
  const { maxCost = DEFAULT_MAX_COST } = options;
  const parse = createConditionParser(schema);
  return (source) => {
    const parsed = parse(source);
    if (!parsed.ok) return parsed;
    try {
      const { lowered, reads } = lowerCondition(schema, parsed.ast);
      const { run, cost } = lowered;
      if (cost > maxCost) {
        const message = `the condition may take ${cost} steps, the limit is ${maxCost}`;
        throw new Refusal("cost", parsed.ast.start, message);
      }
      return { ok: true, condition: { source, reads, cost, evaluate: (scope) => decide(run, scope) } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ok: false, problems: [problemAt(source, error.offset, error.kind, error.message)] };
    }
  };
}

// INVARIANT: nothing but a true or false that was decided leaves as one. Facts are data, but a getter or a
// proxy among them could throw; that holds too.
function decide(run: Run, scope: Scope): Outcome {
  try {
    const answer = run(scope);
    if (typeof answer === "boolean" || answer instanceof Held) return answer;
    return failure("", "the condition gave no bool");
  } catch {
    return failure("", "the facts could not be read");
  }
}
