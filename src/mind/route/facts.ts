import type { FactSchema } from "../../foundation/conditions/fact-schema.js";
import { languageOf } from "../../foundation/text/language.js";
import { readText, type TextDocument } from "../../foundation/text/read-text.js";
import { countOf } from "./signals/evidence.js";
import { readSignals, SIGNAL_NAMES, type Signals } from "./signals/signals.js";

const SIGNAL_FACTS = { object: Object.fromEntries(SIGNAL_NAMES.map((name) => [name, "number" as const])) };

const TEXT_FACTS = {
  object: {
    length: "number",
    words: "number",
    sentences: "number",
    title_words: "number",
    body_words: "number",
    prose_share: "number",
    other_language: "number",
  },
} as const;

/** The learned layer's chances of each category, of 100. */
const LEARNED_FACTS = { object: { technical: "number", business: "number", ambiguous: "number" } } as const;

/** The fields a routing rule may read. */
export const ROUTING_FACTS: FactSchema = { signals: SIGNAL_FACTS, text: TEXT_FACTS, learned: LEARNED_FACTS };

/** The fields a context rule may read: those of a routing rule, the task as classified, and one document of the registry. */
export const CONTEXT_FACTS: FactSchema = {
  signals: SIGNAL_FACTS,
  text: TEXT_FACTS,
  task: { object: { category: "string", modifies_existing: "bool" } },
  document: {
    object: {
      kind: "string",
      status: "string",
      domain: "string",
      tags: { list: "string", max: 32 },
      title: "string",
      size: "number",
      project_wide: "bool",
      related: "bool",
      named: "bool",
      for_task: "bool",
    },
  },
};

/** A body read once: the facts the conditions see and the places behind them. */
export interface Reading {
  readonly doc: TextDocument;
  readonly signals: Signals;
  readonly facts: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const NO_SIGNS: Record<string, number> = Object.fromEntries(SIGNAL_NAMES.map((name) => [name, 0]));

/** The chances before the learned layer was asked. */
const NOT_ASKED = { technical: 0, business: 0, ambiguous: 0 };

/** Contract: pure, total, and linear in the length of the body. */
export function readBody(body: string): Reading {
  const doc = readText(body);
  const signals = readSignals(doc);
  const counts = { ...NO_SIGNS };
  for (const name of SIGNAL_NAMES) counts[name] = countOf(signals[name]);
  return { doc, signals, facts: { signals: counts, text: measure(doc), learned: NOT_ASKED } };
}

function measure(doc: TextDocument): Record<string, number> {
  let prose = 0;
  for (const part of doc.segments) if (part.kind === "prose") prose += part.end - part.start;
  let titleWords = 0;
  while (titleWords < doc.words.length && (doc.words[titleWords]?.end ?? 0) <= doc.title.end) titleWords++;
  return {
    length: doc.text.length,
    words: doc.words.length,
    sentences: doc.sentences.length,
    title_words: titleWords,
    body_words: doc.words.length - titleWords,
    prose_share: doc.text.length === 0 ? 0 : prose / doc.text.length,
    other_language: languageOf(doc.words) === "other" ? 1 : 0,
  };
}
