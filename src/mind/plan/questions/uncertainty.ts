import type { Fact } from "../../../model/settings/packs.js";
import type { ReviewCategory, RiskLevel } from "../../../model/primitives.js";
import type { Question, QuestionType } from "../../../model/plan/questions.js";
import { clip } from "../transition.js";

/** The unknown thing itself. The answer is read back by this. */
type Subject =
  | { readonly kind: "fact"; readonly fact: string; readonly type: "bool" | "number" | "string" | "strings" }
  | { readonly kind: "evidence"; readonly fact: string; readonly values: readonly Fact[] }
  | { readonly kind: "parameter"; readonly command: string; readonly parameter: string; readonly closed: boolean }
  | { readonly kind: "reviewer"; readonly category: ReviewCategory }
  | { readonly kind: "scope"; readonly action: string; readonly paths: readonly string[] };

/** Something the plan depends on and nobody has said. It becomes a question, or a fallback settles it. */
export interface Uncertainty {
  readonly id: string;
  readonly subject: Subject;
  readonly type: QuestionType;
  readonly blockingLevel: RiskLevel;
  readonly question: string;
  readonly context: string;
  readonly evidence: readonly string[];
  readonly suggested: NonNullable<Question["suggested_answers"]>;
  /** The assumption when nobody answers; null when nothing safe can be. */
  readonly fallback: { readonly answer: string; readonly strategy: string } | null;
  /** The actions it touches, by their place in the plan. */
  readonly actions: readonly number[];
}

/** How the disputed values of a fact are offered as answers, and read back. A long one is cut and has its number. */
export function offeredValues(values: readonly Fact[]): string[] {
  return values.map(({ value }, i) => {
    const whole = JSON.stringify(value);
    return whole.length <= 1000 ? whole : clip(`${i + 1}: ${whole}`, 1000);
  });
}
