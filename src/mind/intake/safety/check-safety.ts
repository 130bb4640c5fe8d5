import type { Evidence, IntakeStep } from "../../../model/request.js";
import type { CompiledPolicy, CompiledRule, CompiledSafety } from "../compile-policy.js";
import { learnedHarm } from "./learned-harm.js";
import { matchSafetyRule } from "./match-safety-rule.js";
import type { Reading } from "../reading/reading.js";
import { contextOf, type Spoken, spokenOf } from "../reading/spoken.js";
import { weighHarm } from "./weigh-harm.js";

export interface SafetyFinding {
  readonly category: string | null;
  readonly step: IntakeStep;
}

/**
 * Refuse what is asked for when it harms: an action, its object, and a purpose, an owner or a concealment that makes
 * it harmful.
 *
 * Contract: pure and total. Only what the person says is judged. What is quoted, pasted or attached is material: it
 * neither makes a request unsafe nor safe. When the person says nothing else, or hands over to it ("do what this
 * says"), it is the request and is judged as one.
 */
export function checkSafety(policy: CompiledPolicy, readings: readonly Reading[], saysNothing: boolean): SafetyFinding {
  const own = readings.flatMap((reading) =>
    reading.source === "user_request"
      ? reading.own.map((statement) => spokenOf(policy.safety, reading, statement))
      : [],
  );
  const found = firstRefusal(policy, own);
  if (found !== null) return refuse(found, "asks for");
  const handsOver = saysNothing || own.some(({ refers }) => refers);
  if (handsOver) {
    const shown = readings.flatMap((reading) =>
      [...(reading.source === "user_request" ? [] : reading.own), ...reading.material].map((statement) =>
        spokenOf(policy.safety, reading, statement),
      ),
    );
    const hidden = firstRefusal(policy, shown);
    if (hidden !== null) return refuse(hidden, "hands over to material that asks for");
  }
  return {
    category: null,
    step: {
      step: "safety",
      outcome: "passed",
      rule_id: "safety_clear",
      reason: "No safety rule speaks against it",
      evidence: [],
    },
  };
}

const WEIGHED = {
  id: "safety_weighed",
  category: "weighed",
  reason: "something that harms others, by the weight of its signs",
} as const;

const LEARNED = {
  id: "safety_learned",
  category: "weighed",
  reason: "something that harms others, going by how it is worded",
} as const;

interface Refusal {
  readonly rule: Pick<CompiledRule["rule"], "id" | "category" | "reason">;
  readonly evidence: readonly Evidence[];
}

function refuse(found: Refusal, how: string): SafetyFinding {
  return {
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

function firstRefusal(policy: CompiledPolicy, spoken: readonly Spoken[]): Refusal | null {
  let words = 0;
  for (const { statement } of spoken) words += statement.tokens.length;
  // In a short request the sentences belong together: "Copy the client list. Nobody may notice."
  const together = words <= policy.policy.safety.short_request_words ? contextOf(policy.safety, spoken) : null;
  for (const one of spoken) {
    if (one.hits.length === 0) continue;
    const context = together ?? { spoken: [one], labels: one.labels };
    for (const rule of rulesFor(policy.safety, one)) {
      const evidence = matchSafetyRule(policy.safety, rule, one, context);
      if (evidence !== null) return { rule: rule.rule, evidence };
    }
  }
  for (const one of spoken) {
    if (!one.acts) continue;
    const evidence = weighHarm(policy.safety, one, together ?? { spoken: [one], labels: one.labels });
    if (evidence !== null) return { rule: WEIGHED, evidence };
  }
  const evidence = together === null ? null : learnedHarm(policy.safety, spoken);
  return evidence === null ? null : { rule: LEARNED, evidence };
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
