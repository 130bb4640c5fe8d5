import { byCodeUnit } from "../../../model/by-code-unit.js";
import type { MemoryPack } from "../../../model/settings/packs.js";
import { statementOf } from "../../../foundation/text/statement.js";

/*
 * Selects the notes of the memory that matter to a request: decided by words and files in common and by age, and by nothing that has to be
 * understood. Little is chosen, so that anyone who reads it reads all of it.
 */

export interface Remembered {
  readonly ref: string;
  readonly text: string;
  /** Why it was chosen, for people. */
  readonly why: string;
}

interface MemoryLimits {
  readonly notes: number;
  readonly characters: number;
}

const LIMITS: MemoryLimits = { notes: 12, characters: 12_000 };
/** A file in common says more than a word in common; being young says less than any relation. */
const FILE_WEIGHT = 3;
const AGE_WEIGHT = 0.5;
/** Two notes that share one common word with the request are not about it. */
const LEAST_SCORE = 0.5;

type Note = MemoryPack["notes"][number];

/**
 * Contract: pure. The most telling first; equal ones by age, then by reference. A word counts for less the more notes
 * have it. What has neither a telling word nor a file in common is never chosen, however young.
 */
export function selectMemory(
  memory: Pick<MemoryPack, "notes"> | null,
  about: { readonly text: string; readonly files: readonly string[] },
  limits: MemoryLimits = LIMITS,
): readonly Remembered[] {
  const notes = memory?.notes ?? [];
  const spoken = notes.map(({ text }) => statementOf(text).words);
  const frequency = new Map<string, number>();
  for (const words of spoken) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const asked = statementOf(about.text).words;
  const files = filesOf(about);
  const young = [...new Set(notes.flatMap(({ at }) => (at === undefined ? [] : [at])))].sort(byCodeUnit);
  const ranked = notes.map((note, i) => {
    const words = [...asked].filter((word) => spoken[i]?.has(word) === true);
    const shared = [...files].filter((file) => touches(note, file));
    const rare = words.reduce((sum, word) => sum + 1 / (frequency.get(word) ?? 1), 0);
    const relation = rare + shared.length * FILE_WEIGHT;
    const age = note.at === undefined ? 0 : (young.indexOf(note.at) + 1) / young.length;
    return { note, words, shared, relation, score: relation + age * AGE_WEIGHT };
  });
  const fitting = ranked
    .filter(({ relation }) => relation >= LEAST_SCORE)
    .sort(
      (a, b) => b.score - a.score || byCodeUnit(b.note.at ?? "", a.note.at ?? "") || byCodeUnit(a.note.ref, b.note.ref),
    );
  const chosen: Remembered[] = [];
  let room = limits.characters;
  for (const { note, words, shared } of fitting) {
    if (chosen.length >= limits.notes) break;
    // One that is too long leaves its place to the next: half a note may say the opposite of the whole.
    if (note.text.length > room) continue;
    room -= note.text.length;
    const files = shared.length === 0 ? "" : `; same files: ${shared.slice(0, 5).join(", ")}`;
    const why = `words in common: ${words.slice(0, 8).join(", ") || "none"}${files}`;
    chosen.push({ ref: note.ref, text: note.text, why });
  }
  return chosen;
}

const PATH = /(?:[\w.@-]+\/)+[\w.@-]+|\b[\w@-]+\.[a-z][a-z0-9]{0,4}\b/g;

const pathsIn = (text: string): readonly string[] => text.match(PATH) ?? [];

/** Files that are named as such, and those the text speaks of. */
function filesOf({ text, files }: { readonly text: string; readonly files: readonly string[] }): Set<string> {
  return new Set([...files, ...pathsIn(text)]);
}

function touches({ files = [], text }: Note, file: string): boolean {
  return files.includes(file) || pathsIn(text).includes(file);
}
