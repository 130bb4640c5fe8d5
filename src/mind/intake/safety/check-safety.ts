import type { ClarificationQuestion, Evidence, IntakeStep } from "../../../model/request.js";
import type { CompiledPolicy, CompiledRule, CompiledSafety } from "../compile-policy.js";
import type { FeatureForm } from "../../../foundation/learned/features.js";
import { harmFeatures, type HarmReading } from "./harm-features.js";
import type { CompiledHarmSigns } from "./harm-signs.js";
import { categoryOf, type HarmModel, isUnderOrders, judgeHarm, ordersJudge, spansOf } from "./judge-harm.js";
import { thresholdsFor } from "./harm-thresholds.js";
import { matchSafetyRule } from "./match-safety-rule.js";
import { type Reading, read, type Statement } from "../reading/reading.js";
import { type Context, contextOf, type Spoken, markSpoken } from "../reading/spoken.js";
import { weighHarm } from "./weigh-harm.js";

/** Refuse: it harms. Hold: it may harm, and a person has to say what for and who agreed. */
type SafetyVerdict = "pass" | "hold" | "refuse";

export interface SafetyFinding {
  readonly verdict: SafetyVerdict;
  readonly category: string | null;
  readonly step: IntakeStep;
}

/** Subject of the questions about a request that is held. */
export const SAFETY_QUESTIONS = ["purpose", "authorisation"] as const;
export type SafetyQuestionId = (typeof SAFETY_QUESTIONS)[number];

export function isSafetyQuestion(id: string): id is SafetyQuestionId {
  return (SAFETY_QUESTIONS as readonly string[]).includes(id);
}

/**
 * Refuse what is asked for when it harms: an action, its object, and a purpose, an owner or a concealment that makes
 * it harmful. Hold what reads like harm and may be meant honestly.
 *
 * Contract: pure and total. Only what the person says is judged. Text that is quoted, pasted or attached is material: it
 * neither makes a request unsafe nor safe. When the person says nothing else, or hands over to it ("do what this
 * says"), it is the request and is judged as one. Without a model, rules and points alone decide, and nothing is held.
 */
export function checkSafety(
  policy: CompiledPolicy,
  readings: readonly Reading[],
  saysNothing: boolean,
  harm: HarmModel | null = null,
): SafetyFinding {
  const said = readings.flatMap((reading) =>
    reading.source === "user_request"
      ? [{ reading, spoken: reading.own.map((statement) => markSpoken(policy.safety, reading, statement)) }]
      : [],
  );
  const own = judgeSpoken(policy, said, harm, "asks for");
  if (own.verdict === "refuse") return own;
  const handsOver = saysNothing || said.some(({ spoken }) => spoken.some(({ refers }) => refers));
  if (!handsOver) return own;
  const shown = readings.map((reading) => ({
    reading,
    spoken: [...(reading.source === "user_request" ? [] : reading.own), ...reading.material].map((statement) =>
      markSpoken(policy.safety, reading, statement),
    ),
  }));
  const hidden = judgeSpoken(policy, shown, harm, "hands over to material that asks for");
  return hidden.verdict === "pass" ? own : hidden;
}

/** The features of a request that stands alone: the weights are found for exactly these. */
export function harmReadingOf(
  policy: CompiledPolicy,
  signs: CompiledHarmSigns,
  form: FeatureForm,
  text: string,
): HarmReading {
  const reading = read(policy.vocabulary, text);
  const spoken = reading.own.map((statement) => markSpoken(policy.safety, reading, statement));
  const ruled = firstRefusal(policy, spoken);
  const spans = reading.own.flatMap(spansOf(reading));
  return harmFeatures(form, signs, reading.text, spans, ruled === null ? [] : [ruled.sign]);
}

interface SpokenText {
  readonly reading: Reading;
  readonly spoken: readonly Spoken[];
}

const CLEAR: SafetyFinding = {
  verdict: "pass",
  category: null,
  step: {
    step: "safety",
    outcome: "passed",
    rule_id: "safety_clear",
    reason: "No safety rule speaks against it",
    evidence: [],
  },
};

const LEARNED = {
  id: "safety_learned",
  category: "weighed",
  reason: "something that harms others, going by how it is worded",
} as const;

function judgeSpoken(
  policy: CompiledPolicy,
  texts: readonly SpokenText[],
  harm: HarmModel | null,
  how: string,
): SafetyFinding {
  const spoken = texts.flatMap((text) => text.spoken);
  const ruled = firstRefusal(policy, spoken);
  const { learned } = policy.safety;
  if (harm === null || learned === null) return ruled === null ? CLEAR : refuse(ruled, how);
  let held: SafetyFinding | null = null;
  for (const { reading, spoken: one } of texts) {
    if (one.length === 0) continue;
    const before = ruled !== null && one.some(({ reading: of }) => of === ruled.reading) ? [ruled.sign] : [];
    const statements = one.map(({ statement }) => statement);
    const alone = clauseRefusal(policy, one);
    const found = judgeHarm(harm, reading, statements, { whole: before, alone: alone?.statement ?? null });
    if (alone !== null && ordersJudge(harm, found.shown)) return refuse(alone, how);
    const category = categoryOf(harm, found.shown);
    const most = Math.max(found.chance, found.statement);
    if (before.length > 0 && ruled !== null && most >= learned.hold_at) return refuse(ruled, how);
    const { holdAt, refuses } = thresholdsFor(policy, learned, harm, { reading, shown: found.shown });
    // A request that orders its judge and shows harm is refused from half the chance on.
    const orders = isUnderOrders(harm, found.shown);
    if ((found.chance >= learned.refuse_at && refuses) || (orders && 2 * most >= learned.hold_at))
      return refuse({ rule: { ...LEARNED, category }, evidence: found.evidence() }, how);
    if (found.chance >= holdAt || found.statement >= learned.refuse_at || orders)
      held ??= hold(category, found.evidence());
  }
  if (held !== null) return held;
  if (ruled !== null) return hold(ruled.rule.category, ruled.evidence);
  const alone = clauseRefusal(policy, spoken);
  return alone === null ? CLEAR : hold(alone.rule.category, alone.evidence);
}

const WEIGHED = {
  id: "safety_weighed",
  category: "weighed",
  reason: "something that harms others, by the weight of its signs",
} as const;

interface Refusal {
  readonly rule: Pick<CompiledRule["rule"], "id" | "category" | "reason">;
  readonly evidence: readonly Evidence[];
}

interface ClauseRefusal extends Refusal {
  readonly statement: Statement;
}

/** A refusal by rule or by points, as the learned layer is told of it. */
interface RuledRefusal extends Refusal {
  readonly sign: "rule" | "weighed";
  readonly reading: Reading;
}

function refuse(found: Refusal, how: string): SafetyFinding {
  return {
    verdict: "refuse",
    category: found.rule.category,
    step: {
      step: "safety",
      outcome: "failed",
      rule_id: found.rule.id,
      reason: `Request violates safety policies: it ${how} ${found.rule.reason}`,
      evidence: [...found.evidence],
    },
  };
}

export const HELD = "safety_held";

function hold(category: string, evidence: readonly Evidence[]): SafetyFinding {
  return {
    verdict: "hold",
    category,
    step: {
      step: "safety",
      outcome: "failed",
      rule_id: HELD,
      reason: `Held: it reads like ${category.replaceAll("_", " ")} and may be meant honestly; what for and who agreed is not said`,
      evidence: [...evidence],
    },
  };
}

/** The questions to a person about a request that is held. */
export function safetyQuestions(category: string | null, open: readonly SafetyQuestionId[]): ClarificationQuestion[] {
  const like = (category ?? "harm").replaceAll("_", " ");
  const texts: Readonly<Record<SafetyQuestionId, string>> = {
    purpose: `What is this for, and who will use the result? It reads like ${like}; say in a sentence or two what it is instead.`,
    authorisation:
      "Whose data, systems or people does it concern, and who agreed? Name the owner or the person who agreed, and where that is written down.",
  };
  return open.map((id) => ({ id, question: texts[id] }));
}

function firstRefusal(policy: CompiledPolicy, spoken: readonly Spoken[]): RuledRefusal | null {
  let words = 0;
  for (const { statement } of spoken) words += statement.tokens.length;
  // In a short request the sentences belong together: "Copy the client list. Nobody may notice."
  const together = words <= policy.policy.safety.short_request_words ? contextOf(policy.safety, spoken) : null;
  const contextFor = (one: Spoken): Context => together ?? { spoken: [one], labels: one.labels };
  for (const one of spoken) {
    const found = ruleAgainst(policy.safety, one, contextFor(one));
    if (found !== null) return { ...found, sign: "rule", reading: one.reading };
  }
  for (const one of spoken) {
    if (!one.acts) continue;
    const evidence = weighHarm(policy.safety, one, contextFor(one));
    if (evidence !== null) return { rule: WEIGHED, evidence, sign: "weighed", reading: one.reading };
  }
  return null;
}

/** A statement that a rule refuses by itself, whatever stands around it. */
function clauseRefusal({ safety }: CompiledPolicy, spoken: readonly Spoken[]): ClauseRefusal | null {
  if (spoken.length < 2) return null;
  for (const one of spoken) {
    const found = ruleAgainst(safety, one, { spoken: [one], labels: one.labels });
    if (found !== null) return { ...found, statement: one.statement };
  }
  return null;
}

function ruleAgainst(safety: CompiledSafety, one: Spoken, context: Context): Refusal | null {
  if (one.hits.length === 0) return null;
  for (const rule of rulesFor(safety, one)) {
    const evidence = matchSafetyRule(safety, rule, one, context);
    if (evidence !== null) return { rule: rule.rule, evidence };
  }
  return null;
}

/** The rules of whose actions and objects the statement speaks, in their order. */
function rulesFor({ rules, candidates }: CompiledSafety, { hits, acts }: Spoken): readonly CompiledRule[] {
  const found: CompiledRule[] = [];
  for (let at = 0; at < candidates.withoutAction.length; at++) {
    let action = candidates.withoutAction[at] ?? 0;
    let object = candidates.withoutObject[at] ?? 0;
    for (const { label } of hits) {
      if (acts) action |= candidates.byAction[label]?.[at] ?? 0;
      object |= candidates.byObject[label]?.[at] ?? 0;
    }
    for (let both = action & object; both !== 0; both &= both - 1) {
      const rule = rules[at * 32 + 31 - Math.clz32(both & -both)];
      if (rule !== undefined) found.push(rule);
    }
  }
  return found;
}
