import type { VerbForm } from "./inflect.js";
import { rolesOf, WORDS_WITH_ROLES } from "../roles.js";

/** A word that some lexicon knows, with all that any of them says of it: a text looks each of its words up once. */
export interface KnownWord {
  readonly text: string;
  /** The form that patterns are compared by. */
  readonly id: number;
  /** Its role in a sentence. */
  readonly roles: number;
  /** By the number of a lexicon as a bit: whether patterns of it start with this word. */
  starts: number;
  /** Whether the word alone is one of its patterns. */
  alone: number;
  /** By the number of a lexicon. */
  readonly heads: (Head | undefined)[];
}

/** Patterns with the same first word. Frequent words start many: those with a fixed second word are found by it. */
interface Head {
  readonly open: Entry[];
  bySecond: Map<number, Entry[]> | null;
}

export interface Entry {
  readonly label: number;
  readonly form: VerbForm;
  readonly rest: readonly Slot[];
  /** The pattern has a gap: words inside it are not its own. */
  readonly loose: boolean;
}

/** Any word, a gap, or one of the words with these ids. */
export type Slot = "any" | "gap" | ReadonlySet<number>;

/** The entry of a word that no lexicon knows. It must never be written to. */
const UNKNOWN: KnownWord = { text: "", id: 0, roles: 0, starts: 0, alone: 0, heads: [] };

/** Lexica of one vocabulary are told apart by bits of a number. */
const MOST_LEXICA = 31;

/** The words of all lexica of a policy. It grows while the policy is compiled and is only read afterwards. */
export class Vocabulary {
  readonly #words = new Map<string, KnownWord>();
  #lexica = 0;

  constructor() {
    for (const text of WORDS_WITH_ROLES) this.learn(text);
  }

  /** The number of a further lexicon. */
  admit(): number {
    if (this.#lexica === MOST_LEXICA) throw new RangeError(`a vocabulary has at most ${MOST_LEXICA} lexica`);
    return this.#lexica++;
  }

  /** The word, known from now on. */
  learn(text: string): KnownWord {
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    const fresh: KnownWord = { text, id: this.#words.size + 1, roles: rolesOf(text), starts: 0, alone: 0, heads: [] };
    this.#words.set(text, fresh);
    return fresh;
  }

  find(norm: string): KnownWord {
    return this.#words.get(norm) ?? UNKNOWN;
  }
}
