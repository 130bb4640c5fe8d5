import type { IntakePolicy, SafetyRule } from "../../model/intake-policy.js";
import { addLabel, hasLabel, type Labels, noLabels } from "./reading/labels.js";
import { FOREIGN_WORDS } from "./reading/foreign-words.js";

import { type Bend, Lexicon } from "./reading/lexicon.js";
import { Vocabulary } from "./reading/vocabulary.js";

/** A policy made ready for reading texts: all its word lists are one look-up. */
export interface CompiledPolicy {
  readonly policy: IntakePolicy;
  /** The vocabulary that texts must be read with. */
  readonly vocabulary: Vocabulary;
  readonly safety: CompiledSafety;
  readonly types: CompiledTypes;
  readonly approaches: Lexicon;
  readonly actions: Lexicon;
  readonly choices: Lexicon;
  readonly decided: Lexicon;
  readonly toUs: Lexicon;
  /** Words that say nothing about what a request is about: function words, vague and generic ones. */
  readonly functionWords: Lexicon;
  readonly vague: Lexicon;
  /** Words for something too general to work on. */
  readonly generic: Lexicon;
  /** Small words of other languages. */
  readonly foreign: Lexicon;
}

export interface CompiledSafety {
  readonly lexicon: Lexicon;
  readonly classNames: readonly string[];
  readonly kinds: readonly ("action" | "thing" | "harmful" | "harmful_alone" | "mark")[];
  readonly rules: readonly CompiledRule[];
  readonly candidates: CompiledCandidates;
  readonly points: CompiledPoints | null;
  readonly learned: NonNullable<IntakePolicy["safety"]["learned"]> | null;
  /** Words that may follow a noun without making it part of a longer name. */
  readonly afterNoun: Lexicon;
  /** Labels of the classes of harmful things. */
  readonly harmful: ReadonlySet<number>;
}

/** Which rules speak of a label, as sets of places in the list of rules: most rules are never looked at. */
interface CompiledCandidates {
  readonly byAction: readonly Labels[];
  readonly byObject: readonly Labels[];
  readonly withoutAction: Labels;
  readonly withoutObject: Labels;
}

export interface CompiledPoints {
  readonly refuse_at: number;
  readonly min_groups: number;
  readonly groups: readonly {
    readonly name: string;
    readonly labels: Labels;
    readonly points: ReadonlyMap<number, number>;
  }[];
  readonly relief: ReadonlyMap<number, number>;
}

export interface CompiledRule {
  readonly rule: SafetyRule;
  readonly action: Labels;
  readonly object: Labels;
  readonly with: readonly Labels[];
  readonly unless: Labels;
}

export type Strength = "strong" | "medium" | "weak";

export interface CompiledTypes {
  readonly lexicon: Lexicon;
  readonly names: readonly string[];
  readonly cues: readonly { readonly type: number; readonly strength: Strength; readonly cue: string }[];
  readonly structure: ReadonlyMap<string, readonly { readonly type: number; readonly weight: number }[]>;
  readonly dependencies: ReadonlyMap<string, readonly number[]>;
}

/** Labels of the safety lexicon that are not classes. */
export const HARMLESS = 0;
export const DEFEND = 1;
export const ADVERSARY = 2;
export const REFERS = 3;
export const FIRST_CLASS = 4;

const compiled = new WeakMap<IntakePolicy, CompiledPolicy>();

/**
 * Contract: pure; the result is kept for as long as the policy object lives, so a policy must not be changed after its
 * first use (parse a new one instead).
 */
export function compilePolicy(policy: IntakePolicy): CompiledPolicy {
  const known = compiled.get(policy);
  if (known !== undefined) return known;
  const fresh = compile(policy);
  compiled.set(policy, fresh);
  return fresh;
}

function compile(policy: IntakePolicy): CompiledPolicy {
  const { clarity } = policy;
  const vocabulary = new Vocabulary();
  const lexiconOf = (patterns: readonly string[], bend: Bend): Lexicon => {
    const lexicon = new Lexicon(vocabulary);
    lexicon.add(0, patterns, bend);
    return lexicon;
  };
  const approaches = new Lexicon(vocabulary);
  policy.approaches.forEach((entry, label) => approaches.add(label, entry.patterns, "verb"));
  const functionWords = lexiconOf(clarity.function_words, "none");
  return {
    policy,
    vocabulary,
    safety: compileSafety(policy, new Lexicon(vocabulary), functionWords),
    types: compileTypes(policy, new Lexicon(vocabulary)),
    approaches,
    actions: lexiconOf(clarity.actions, "verb"),
    choices: lexiconOf(clarity.choices, "none"),
    decided: lexiconOf(clarity.decided, "none"),
    toUs: lexiconOf(clarity.to_us, "verb"),
    functionWords,
    vague: lexiconOf(clarity.vague, "verb"),
    generic: lexiconOf(clarity.generic, "noun"),
    foreign: lexiconOf(FOREIGN_WORDS.split(" "), "none"),
  };
}

function compileSafety({ safety }: IntakePolicy, lexicon: Lexicon, functionWords: Lexicon): CompiledSafety {
  lexicon.add(HARMLESS, safety.harmless, "verb");
  lexicon.add(DEFEND, safety.defend, "verb");
  lexicon.add(ADVERSARY, safety.adversary, "noun");
  lexicon.add(REFERS, safety.refers, "none");
  const classNames = Object.keys(safety.classes).sort();
  const labels = new Map(classNames.map((name, index) => [name, index + FIRST_CLASS] as const));
  for (const name of classNames) {
    const wordClass = safety.classes[name];
    if (wordClass === undefined) continue;
    const bend = wordClass.kind === "action" ? "verb" : wordClass.kind === "mark" ? "none" : "noun";
    lexicon.add(labels.get(name) ?? HARMLESS, wordClass.patterns, bend);
  }
  const count = classNames.length + FIRST_CLASS;
  const labelsOf = (names: readonly string[]): Labels => {
    const set = noLabels(count);
    for (const name of names) addLabel(set, labels.get(name) ?? HARMLESS);
    return set;
  };
  const pointsOf = (points: Readonly<Record<string, number>>) =>
    new Map(Object.entries(points).map(([name, value]) => [labels.get(name) ?? HARMLESS, value] as const));
  const { points } = safety;
  const rules = safety.rules.map((rule) => ({
    rule,
    action: labelsOf(rule.action),
    object: labelsOf(rule.object),
    with: rule.with.map(labelsOf),
    unless: labelsOf(rule.unless),
  }));
  return {
    lexicon,
    points:
      points === undefined
        ? null
        : {
            refuse_at: points.refuse_at,
            min_groups: points.min_groups,
            groups: Object.entries(points.groups).map(([name, group]) => ({
              name,
              labels: labelsOf(Object.keys(group)),
              points: pointsOf(group),
            })),
            relief: pointsOf(points.relief),
          },
    learned: safety.learned ?? null,
    afterNoun: functionWords,
    harmful: new Set(
      classNames.flatMap((name, index) =>
        safety.classes[name]?.kind.startsWith("harmful") ? [index + FIRST_CLASS] : [],
      ),
    ),
    classNames,
    kinds: classNames.map((name) => safety.classes[name]?.kind ?? "mark"),
    rules,
    candidates: candidatesOf(rules, count),
  };
}

function candidatesOf(rules: readonly CompiledRule[], count: number): CompiledCandidates {
  const each = Array.from({ length: count }, (_, label) => label);
  const placesOf = (wanted: (rule: CompiledRule) => boolean): Labels => {
    const places = noLabels(rules.length);
    for (const [place, rule] of rules.entries()) if (wanted(rule)) addLabel(places, place);
    return places;
  };
  return {
    byAction: each.map((label) => placesOf(({ action }) => hasLabel(action, label))),
    byObject: each.map((label) => placesOf(({ object }) => hasLabel(object, label))),
    withoutAction: placesOf(({ rule }) => rule.action.length === 0),
    withoutObject: placesOf(({ rule }) => rule.object.length === 0),
  };
}

function compileTypes(policy: IntakePolicy, lexicon: Lexicon): CompiledTypes {
  const names = Object.keys(policy.types);
  const cues: { type: number; strength: Strength; cue: string }[] = [];
  const dependencies = new Map<string, number[]>();
  const structure = new Map<string, { type: number; weight: number }[]>();
  names.forEach((name, type) => {
    const entry = policy.types[name];
    if (entry === undefined) return;
    for (const strength of ["strong", "medium", "weak"] as const) {
      for (const cue of entry.words[strength]) {
        lexicon.add(cues.length, [cue], "noun");
        cues.push({ type, strength, cue });
      }
    }
    for (const dependency of entry.dependencies) listIn(dependencies, dependency.toLowerCase()).push(type);
    for (const [feature, weight] of Object.entries(entry.structure)) listIn(structure, feature).push({ type, weight });
  });
  return { lexicon, names, cues, structure, dependencies };
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const fresh: T[] = [];
  lists.set(key, fresh);
  return fresh;
}
