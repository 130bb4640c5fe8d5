import type { Evidence } from "../model/request.js";
import type { CompiledRule, CompiledSafety, LabelSet } from "./compile-policy.js";
import { isCaused } from "./frame.js";
import type { Hit } from "./lexicon.js";
import type { Token } from "./reading.js";
import { type Context, evidenceFor, overlap, type Spoken, type Use } from "./spoken.js";

/** The words that make a rule speak, or null: an asked action near its object, every mark, and nothing that excuses it. */
export function matchSafetyRule(
  safety: CompiledSafety,
  sets: CompiledRule,
  one: Spoken,
  { spoken: context, labels }: Context,
): Evidence[] | null {
  if (!speaksOf(sets.action, one.labels) || !speaksOf(sets.object, one.labels)) return null;
  for (const wanted of sets.with) if (!speaksOf(wanted, labels)) return null;
  if (sets.unless.list.length > 0 && speaksOf(sets.unless, labels)) return null;
  for (const pair of pairsOf(sets.action, sets.object, sets.rule.reach, one, safety.harmful)) {
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

/** A quick look before the words are gone through: an empty set asks for nothing. */
function speaksOf({ list }: LabelSet, labels: Uint8Array): boolean {
  if (list.length === 0) return true;
  for (const label of list) if (labels[label] === 1) return true;
  return false;
}

/** Actions with an object near them. Rules may name only one of the two. */
function* pairsOf(
  action: LabelSet,
  object: LabelSet,
  reach: number,
  { statement: { tokens }, hits }: Spoken,
  harmful: ReadonlySet<number>,
): Generator<readonly Hit[]> {
  if (action.list.length === 0 || object.list.length === 0) {
    const wanted = action.list.length === 0 ? object : action;
    for (const hit of hits) if (wanted.marks[hit.label] === 1) yield [hit];
    return;
  }
  for (const verb of hits) {
    if (action.marks[verb.label] !== 1) continue;
    const from = verb.at + verb.length;
    for (const noun of hits) {
      if (object.marks[noun.label] !== 1) continue;
      // A pattern with a gap ("knock … offline") may hold its object inside.
      const after =
        noun.at > verb.at &&
        noun.at - from < reach &&
        !(harmful.has(noun.label) && clauseBetween(tokens, from, noun.at));
      const before =
        noun.at < verb.at &&
        verb.at - noun.at < reach &&
        (verb.form === "past" || REFERRING.has(tokens[from]?.norm ?? "") || isCaused(tokens, verb.at));
      if (after || before) yield [verb, noun];
    }
  }
}

/** "send it", "delete them": the object was named before. */
const REFERRING: ReadonlySet<string> = new Set(["it", "them", "this", "these", "those", "everything"]);

const CLAUSE_STARTS: ReadonlySet<string> = new Set([
  "so",
  "if",
  "when",
  "because",
  "where",
  "before",
  "after",
  "until",
  "unless",
  "whether",
]);

/** What stands in a clause of its own is not what the verb before it makes. */
function clauseBetween(tokens: readonly Token[], from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (CLAUSE_STARTS.has(tokens[at]?.norm ?? "")) return true;
  return false;
}

function anyHit(wanted: LabelSet, one: Spoken, context: readonly Spoken[], taken: readonly Use[]): Use | null {
  // INVARIANT: no word speaks twice in one rule; "fake login" alone is not a fake, a login and a disguise.
  const free = (spoken: Spoken, hit: Hit) => !taken.some((use) => use.spoken === spoken && overlap(use.hit, hit));
  for (const spoken of one === context[0] ? context : [one, ...context]) {
    const hit = spoken.hits.find((found) => wanted.marks[found.label] === 1 && free(spoken, found));
    if (hit !== undefined) return { spoken, hit };
  }
  return null;
}
