import type { Evidence } from "../../../model/request.js";
import { type CompiledSafety, FIRST_CLASS } from "../compile-policy.js";
import { evidenceOf } from "../evidence.js";
import { HARM_BIAS, HARM_WEIGHTS } from "./harm-weights.js";
import type { Spoken } from "../reading/spoken.js";
import type { Token } from "../reading/tokens.js";

/*
 * No list of rules foresees how harm will be worded. What rules miss is judged by what the wording has in common with
 * requests whose answer is known: words, pairs of words and classes of the policy, each with a weight.
 */

const ENDING = /(?:ing|ed|es|s|ly|e)$/;
const MOST_EVIDENCE = 4;

/** What a request has in common with others, each once. The weights were found for exactly these. */
export function harmFeatures({ classNames }: CompiledSafety, spoken: readonly Spoken[]): Set<string> {
  const found = new Set<string>();
  for (const { statement, hits } of spoken) {
    let before: string | null = null;
    for (const { norm } of statement.tokens) {
      const stem = stemOf(norm);
      found.add(stem);
      if (before !== null) found.add(`${before} ${stem}`);
      before = stem;
    }
    for (const { label } of hits) found.add(`#${classNames[label - FIRST_CLASS] ?? ""}`);
  }
  return found;
}

/**
 * The words that speak most for harm when a request as a whole does, or null.
 *
 * Contract: pure. Only what asks for an action is judged, and only short requests: in a long one, words of many matters
 * meet by chance.
 */
export function learnedHarm(safety: CompiledSafety, spoken: readonly Spoken[]): Evidence[] | null {
  const { learned } = safety;
  if (learned === null || !spoken.some(({ acts }) => acts)) return null;
  if (harmOf(weights(), harmFeatures(safety, spoken)) < learned.refuse_at) return null;
  return strongest(spoken);
}

/** How much a request looks like one that harms: above 0 rather so, below 0 rather not. */
function harmOf(known: ReadonlyMap<string, number>, features: ReadonlySet<string>): number {
  let total = 0;
  let count = 0;
  for (const feature of features) {
    const weight = known.get(feature);
    if (weight === undefined) continue;
    total += weight;
    count++;
  }
  return HARM_BIAS + total / Math.sqrt(Math.max(1, count));
}

function strongest(spoken: readonly Spoken[]): Evidence[] {
  const words: { readonly one: Spoken; readonly token: Token; readonly weight: number }[] = [];
  for (const one of spoken)
    for (const token of one.statement.tokens) {
      const weight = weights().get(stemOf(token.norm)) ?? 0;
      if (weight > 0) words.push({ one, token, weight });
    }
  return words
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MOST_EVIDENCE)
    .map(({ one, token }) => evidenceOf(one.reading, token.start, token.end, "speaks for harm"));
}

/** Inline code and addresses have no word of their own: that something is named so exactly is a sign by itself. */
function stemOf(norm: string): string {
  if (norm === "") return "<name>";
  return norm.length > 4 ? norm.replace(ENDING, "") : norm;
}

let read: ReadonlyMap<string, number> | null = null;

/** Read when first needed: most commands judge no request. */
function weights(): ReadonlyMap<string, number> {
  read ??= new Map(
    HARM_WEIGHTS.trim()
      .split("\n")
      .map((line) => {
        const end = line.lastIndexOf(" ");
        return [line.slice(0, end), Number(line.slice(end + 1))] as const;
      }),
  );
  return read;
}
