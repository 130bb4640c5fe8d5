import { judge, reasonsFor } from "../../foundation/learned/judge-text.js";
import type { LearnedModel } from "../../foundation/learned/model.js";
import type { Features } from "../../foundation/learned/features.js";
import type { FiredSignal } from "../../model/routing.js";
import type { Reading } from "./facts.js";
import { routingFeatures } from "./learned-features.js";
import { snippet } from "./tell-signals.js";

/** The learned layer's judgement of one request. */
export interface Opinion {
  /** `learned.…` of the rules: chances of 100. */
  readonly chances: { readonly technical: number; readonly business: number; readonly ambiguous: number };
  readonly model: LearnedModel | null;
  readonly features: Features | null;
}

export const NOT_ASKED: Opinion = {
  chances: { technical: 0, business: 0, ambiguous: 0 },
  model: null,
  features: null,
};

/** The facts of the rules, in the order of the model's classes. */
const FACTS = ["technical", "business", "ambiguous"] as const;
const MODEL_CLASSES = ["technical_explicit", "business_strategic", "ambiguous"];

/** Contract: pure and total. Without a model, or with one of other classes, every chance is 0. */
export function askLearned(model: LearnedModel | null, reading: Reading): Opinion {
  if (model === null || model.classes.join() !== MODEL_CLASSES.join()) return { ...NOT_ASKED };
  const features = routingFeatures(model.form, reading);
  const [technical = 0, business = 0, ambiguous = 0] = judge(model, features).chances;
  return { chances: { technical, business, ambiguous }, model, features };
}

/** The chances as signs, the likeliest one with the places in the text that speak most for it. */
export function tellLearned({ chances, model, features }: Opinion, { doc }: Reading, most: number): FiredSignal[] {
  if (model === null || features === null) return [];
  const best = Math.max(chances.technical, chances.business, chances.ambiguous);
  return FACTS.map((name, of) => ({
    name: `learned.${name}`,
    count: chances[name],
    evidence: (chances[name] === best ? reasonsFor(model, features, of, most) : []).map(({ start, end }) => ({
      start,
      end,
      text: snippet(doc.text, start, end),
    })),
  }));
}
