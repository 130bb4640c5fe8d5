import { phraseLists } from "../../../foundation/text/phrases.js";
import type { TextDocument } from "../../../foundation/text/read-text.js";
import { changeVerbs } from "./change-verbs.js";
import { codeLines } from "./code-lines.js";
import { commitTitles } from "./commit-titles.js";
import { commands } from "./commands.js";
import { configKeys } from "./config-keys.js";
import { diffs } from "./diffs.js";
import { endpoints } from "./endpoints.js";
import { errors } from "./errors.js";
import { type Detector, type Evidence, PLACES_MOST } from "./evidence.js";
import { filePaths } from "./file-paths.js";
import { flags } from "./flags.js";
import { markup } from "./markup.js";
import { ordersAbroad } from "./orders-abroad.js";
import { PHRASES } from "./phrase-lists.js";
import { questions } from "./questions.js";
import { reproduction } from "./reproduction.js";
import { sourceLines } from "./source-lines.js";
import { stackTraces } from "./stack-traces.js";
import { statements } from "./statements.js";
import { symbols } from "./symbols.js";
import { detectUnfilled } from "./unfilled.js";
import { listUnmeasured } from "./vagueness.js";
import { versions } from "./versions.js";

/** Signs that point at a place in code: something a developer can open. */
const ANCHORS = {
  file_paths: filePaths,
  symbols,
  endpoints,
  errors,
  commands,
  flags,
  config_keys: configKeys,
  markup,
} satisfies Record<string, Detector>;

const ANCHOR_NAMES = Object.keys(ANCHORS) as readonly (keyof typeof ANCHORS)[];

/** A list holds phrases of policy/routing-phrases.yaml; one walk over the words finds those of all lists. */
const DETECTORS = {
  ...ANCHORS,
  source_lines: sourceLines,
  stack_frames: stackTraces,
  code_lines: codeLines,
  commit_titles: commitTitles,
  diffs,
  versions,
  changes: changeVerbs,
  reproduction,
  requirements: PHRASES.requirements,
  user_needs: PHRASES.user_needs,
  outcomes: PHRASES.outcomes,
  priorities: PHRASES.priorities,
  trade_offs: PHRASES.trade_offs,
  metrics: PHRASES.metrics,
  jargon: PHRASES.jargon,
  audience: PHRASES.audience,
  feature_request: PHRASES.feature_request,
  questions,
  complaints: PHRASES.complaints,
  studies: PHRASES.studies,
  uncertainty: PHRASES.uncertainty,
  unfilled: detectUnfilled,
} satisfies Record<string, Detector | readonly string[]>;

type Base = keyof typeof DETECTORS;
const ALL = Object.entries(DETECTORS) as readonly (readonly [Base, Detector | readonly string[]])[];
const SINGLE = ALL.flatMap(([name, detect]) => (typeof detect === "function" ? [{ name, detect }] : []));
const BY_PHRASE = ALL.flatMap(([name, list]) => (typeof list === "function" ? [] : [{ name, list }]));
const findPhrases = phraseLists([
  PHRASES.statements,
  PHRASES.empty_statements,
  PHRASES.comparisons,
  ...BY_PHRASE.map(({ list }) => list),
]);

/** The signals that are counted once more for the first line alone. */
const IN_TITLE = [
  ["title_anchors", "anchors"],
  ["title_changes", "changes"],
  ["title_requests", "feature_request"],
  ["title_complaints", "complaints"],
  ["title_questions", "questions"],
  ["title_unmeasured", "unmeasured"],
  ["title_studies", "studies"],
] as const;

export type SignalName =
  | Base
  | "statements"
  | "unmeasured"
  | "anchors"
  | "anchored_changes"
  | "anchored_statements"
  | "named_changes"
  | (typeof IN_TITLE)[number][0];

export const SIGNAL_NAMES: readonly SignalName[] = [
  ...(Object.keys(DETECTORS) as Base[]),
  "statements",
  "unmeasured",
  "anchors",
  "anchored_changes",
  "anchored_statements",
  "named_changes",
  ...IN_TITLE.map(([name]) => name),
];

export type Signals = Readonly<Record<SignalName, readonly Evidence[]>>;

const NONE: readonly Evidence[] = [];
/** Every signal has its place from the start: filling a known shape is several times faster than growing one. */
const EMPTY = Object.fromEntries(SIGNAL_NAMES.map((name) => [name, NONE])) as Record<SignalName, readonly Evidence[]>;

/** Run every detector once, then join what they found. Contract: pure, total, linear. */
export function readSignals(doc: TextDocument): Signals {
  const found = { ...EMPTY };
  for (const { name, detect } of SINGLE) found[name] = detect(doc);
  const [stated = [], empty = [], compared = [], ...others] = findPhrases(doc.words);
  found.statements = statements(stated, empty).slice(0, PLACES_MOST);
  found.unmeasured = listUnmeasured(doc, compared).slice(0, PLACES_MOST);
  for (const [i, { name }] of BY_PHRASE.entries()) found[name] = others[i]?.slice(0, PLACES_MOST) ?? NONE;
  found.anchors = mergeAnchors(found);
  found.anchored_changes = within(found.changes, found.anchors);
  found.anchored_statements = anchoredSentences(doc, found.statements, found.anchors);
  found.named_changes = ordersAbroad(doc, found.anchors);
  for (const [name, of] of IN_TITLE) found[name] = found[of].filter((e) => e.start < doc.title.end);
  return found;
}

/** All anchors outside of code blocks, each place once, in order. */
function mergeAnchors(base: Signals): readonly Evidence[] {
  const places = new Map<number, Evidence>();
  for (const name of ANCHOR_NAMES) {
    for (const evidence of base[name]) if (!places.has(evidence.start)) places.set(evidence.start, evidence);
  }
  return [...places.values()].sort((a, b) => a.start - b.start);
}

/** The places that hold at least one of the marks; both lists are in order, so one walk is enough. */
function within(places: readonly Evidence[], marks: readonly Evidence[]): readonly Evidence[] {
  let at = 0;
  return places.filter((place) => {
    while (at < marks.length && (marks[at]?.start ?? 0) < place.start) at++;
    const mark = marks[at];
    return mark !== undefined && mark.start < place.end;
  });
}

/** The sentences that state something and name code, themselves or in the sentence before ("… It must be …"). */
function anchoredSentences(
  doc: TextDocument,
  statements: readonly Evidence[],
  anchors: readonly Evidence[],
): readonly Evidence[] {
  const stating = new Set(within(doc.sentences, statements));
  const naming = new Set(within(doc.sentences, anchors));
  return doc.sentences.filter((sentence, i) => {
    const before = doc.sentences[i - 1];
    return stating.has(sentence) && (naming.has(sentence) || (before !== undefined && naming.has(before)));
  });
}
