import type { IntakePolicy, SafetyRule } from "../model/request.js";
import { type Bend, Lexicon } from "./lexicon.js";

/** A policy made ready for reading texts: every word list is one look-up. */
export interface CompiledPolicy {
  readonly policy: IntakePolicy;
  readonly safety: CompiledSafety;
  readonly types: CompiledTypes;
  readonly approaches: Lexicon;
  readonly actions: Lexicon;
  readonly choices: Lexicon;
  readonly decided: Lexicon;
  readonly toUs: Lexicon;
  /** Words that say nothing about what a request is about: function words, vague and generic ones. */
  readonly functionWords: Lexicon;
  /** What a word that names no certain thing is: nothing to work on, or something too general. */
  readonly plainWords: ReadonlyMap<string, "nothing" | "generic">;
}

export interface CompiledSafety {
  readonly lexicon: Lexicon;
  readonly classNames: readonly string[];
  readonly kinds: readonly ("action" | "thing" | "harmful" | "harmful_alone" | "mark")[];
  readonly rules: readonly CompiledRule[];
  /** Those that a statement can meet in which nothing is asked for. */
  readonly rulesWithoutAction: readonly CompiledRule[];
  readonly points: CompiledPoints | null;
  /** Words that may follow a noun without making it part of a longer name. */
  readonly afterNoun: Lexicon;
  /** Labels of the classes of harmful things. */
  readonly harmful: ReadonlySet<number>;
}

/** Labels as a list to go through and as marks to look up. */
export interface LabelSet {
  readonly list: readonly number[];
  readonly marks: Uint8Array;
}

export interface CompiledPoints {
  readonly refuse_at: number;
  readonly min_groups: number;
  readonly groups: readonly { readonly name: string; readonly points: ReadonlyMap<number, number> }[];
  readonly relief: ReadonlyMap<number, number>;
}

export interface CompiledRule {
  readonly rule: SafetyRule;
  readonly action: LabelSet;
  readonly object: LabelSet;
  readonly with: readonly LabelSet[];
  readonly unless: LabelSet;
}

export type Strength = "strong" | "medium" | "weak";

export interface CompiledTypes {
  readonly lexicon: Lexicon;
  readonly names: readonly string[];
  readonly cues: readonly { readonly type: number; readonly strength: Strength; readonly cue: string }[];
  readonly structure: ReadonlyMap<string, readonly { readonly type: number; readonly weight: number }[]>;
  readonly dependencies: ReadonlyMap<string, readonly number[]>;
}

/** Labels of the safety lexicon that are no classes. */
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
  const approaches = new Lexicon();
  policy.approaches.forEach((entry, label) => approaches.add(label, entry.patterns, "verb"));
  return {
    policy,
    safety: compileSafety(policy),
    types: compileTypes(policy),
    approaches,
    actions: lexiconOf(clarity.actions, "verb"),
    choices: lexiconOf(clarity.choices, "none"),
    decided: lexiconOf(clarity.decided, "none"),
    toUs: lexiconOf(clarity.to_us, "verb"),
    functionWords: lexiconOf(clarity.function_words, "none"),
    plainWords: plainWordsOf(clarity),
  };
}

function plainWordsOf(clarity: IntakePolicy["clarity"]): ReadonlyMap<string, "nothing" | "generic"> {
  const words = new Map<string, "nothing" | "generic">();
  for (const word of lexiconOf(clarity.generic, "noun").singles()) words.set(word, "generic");
  for (const word of lexiconOf(clarity.vague, "verb").singles()) words.set(word, "nothing");
  for (const word of lexiconOf(clarity.function_words, "none").singles()) words.set(word, "nothing");
  return words;
}

function lexiconOf(patterns: readonly string[], bend: Bend): Lexicon {
  const lexicon = new Lexicon();
  lexicon.add(0, patterns, bend);
  return lexicon;
}

function compileSafety({ safety, clarity }: IntakePolicy): CompiledSafety {
  const lexicon = new Lexicon();
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
  const labelsOf = (names: readonly string[]): LabelSet => {
    const list = names.map((name) => labels.get(name) ?? HARMLESS);
    const marks = new Uint8Array(classNames.length + FIRST_CLASS);
    for (const label of list) marks[label] = 1;
    return { list, marks };
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
            groups: Object.entries(points.groups).map(([name, group]) => ({ name, points: pointsOf(group) })),
            relief: pointsOf(points.relief),
          },
    afterNoun: lexiconOf(clarity.function_words, "none"),
    harmful: new Set(
      classNames.flatMap((name, index) =>
        safety.classes[name]?.kind.startsWith("harmful") ? [index + FIRST_CLASS] : [],
      ),
    ),
    classNames,
    kinds: classNames.map((name) => safety.classes[name]?.kind ?? "mark"),
    rules,
    rulesWithoutAction: rules.filter(({ action }) => action.list.length === 0),
  };
}

function compileTypes(policy: IntakePolicy): CompiledTypes {
  const lexicon = new Lexicon();
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
