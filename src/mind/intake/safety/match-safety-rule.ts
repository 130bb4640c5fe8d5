import type { Evidence } from "../../../model/request.js";
import type { CompiledRule, CompiledSafety } from "../compile-policy.js";
import { isCaused } from "../reading/frame.js";
import { hasLabel, haveCommon, type Labels } from "../reading/labels.js";
import type { Hit } from "../reading/lexicon.js";
import { CLAUSE_START, REFERRING } from "../roles.js";
import type { Token } from "../reading/tokens.js";
import { type Context, evidenceFor, overlap, type Spoken, type Use } from "../reading/spoken.js";

/** The words that make a rule speak, or null: an asked action near its object, every mark, and nothing that excuses it. */
export function matchSafetyRule(
  safety: CompiledSafety,
  sets: CompiledRule,
  one: Spoken,
  { spoken: context, labels }: Context,
): Evidence[] | null {
  for (const wanted of sets.with) if (!haveCommon(wanted, labels)) return null;
  if (haveCommon(sets.unless, labels)) return null;
  for (const pair of pairsOf(sets, one, safety.harmful)) {
    const used: Use[] = pair.map((hit) => ({ spoken: one, hit }));
    const complete = sets.with.every((wanted) => {
      const mark = anyHit(wanted, one, context, used);
      if (mark !== null) used.push(mark);
      return mark !== null;
    });
    if (complete) return evidenceFor(safety, used);
  }
  return null;
}

/** Actions with an object near them. Rules may name only one of the two. */
function* pairsOf(
  { rule, action, object }: CompiledRule,
  { statement: { tokens }, hits }: Spoken,
  harmful: ReadonlySet<number>,
): Generator<readonly Hit[]> {
  if (rule.action.length === 0 || rule.object.length === 0) {
    const wanted = rule.action.length === 0 ? object : action;
    for (const hit of hits) if (hasLabel(wanted, hit.label)) yield [hit];
    return;
  }
  const { reach } = rule;
  for (const verb of hits) {
    if (!hasLabel(action, verb.label)) continue;
    const from = verb.at + verb.length;
    for (const noun of hits) {
      if (!hasLabel(object, noun.label)) continue;
      // A pattern with a gap ("knock … offline") may hold its object inside.
      const after =
        noun.at > verb.at &&
        noun.at - from < reach &&
        !(harmful.has(noun.label) && clauseBetween(tokens, from, noun.at));
      const before =
        noun.at < verb.at &&
        verb.at - noun.at < reach &&
        (verb.form === "past" || ((tokens[from]?.word.roles ?? 0) & REFERRING) !== 0 || isCaused(tokens, verb.at));
      if (after || before) yield [verb, noun];
    }
  }
}

/** The object of a verb does not stand in another clause. */
function clauseBetween(tokens: readonly Token[], from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (((tokens[at]?.word.roles ?? 0) & CLAUSE_START) !== 0) return true;
  return false;
}

function anyHit(wanted: Labels, one: Spoken, context: readonly Spoken[], taken: readonly Use[]): Use | null {
  // INVARIANT: no word speaks twice in one rule; "fake login" alone is not a fake, a login and a disguise.
  const free = (spoken: Spoken, hit: Hit) => !taken.some((use) => use.spoken === spoken && overlap(use.hit, hit));
  for (const spoken of one === context[0] ? context : [one, ...context]) {
    const hit = spoken.hits.find((found) => hasLabel(wanted, found.label) && free(spoken, found));
    if (hit !== undefined) return { spoken, hit };
  }
  return null;
}
