import { SMALL_WORDS } from "./small-words.js";
import type { Word } from "./words.js";

/*
 * Which language a text is in, by its script and by the small words every sentence has. Names of code and loan words are in
 * every language, so only what most of the text says counts.
 */

/** The languages whose requests are judged. `other` is known to be none of them; `unknown` is too short to tell. */
export type Language = "en" | "de" | "fr" | "es" | "pt" | "zh" | "ja" | "other" | "unknown";

/** Small words by language: policy/small-words.yaml. */
const BY_LANGUAGE: Readonly<Record<Exclude<Language, "zh" | "ja" | "unknown">, string>> = SMALL_WORDS;

const LANGUAGES = Object.keys(BY_LANGUAGE) as (keyof typeof BY_LANGUAGE)[];
const IN_LANGUAGES: ReadonlyMap<string, readonly number[]> = indexOf();

function indexOf(): Map<string, number[]> {
  const index = new Map<string, number[]>();
  for (const [at, language] of LANGUAGES.entries())
    for (const word of new Set(BY_LANGUAGE[language].split(" "))) index.set(word, [...(index.get(word) ?? []), at]);
  return index;
}

/** The language of a text shows early; more words add nothing but time. */
const MOST_WORDS = 400;

/** Contract: pure, total, linear. `words` are those of the prose alone. */
export function languageOf(words: readonly Word[]): Language {
  const scripts = { latin: 0, kana: 0, han: 0, other: 0 };
  const counts = LANGUAGES.map(() => 0);
  for (const word of words.slice(0, MOST_WORDS)) {
    countScripts(word.text, scripts);
    const known = IN_LANGUAGES.get(word.lower);
    // A word of two languages tells less of each.
    if (known !== undefined) for (const at of known) counts[at] = (counts[at] ?? 0) + 1 / known.length;
  }
  const { latin, kana, han, other } = scripts;
  // One sign of Chinese or Japanese stands for a syllable or a word.
  if (3 * (kana + han) > latin && kana + han >= other) return 4 * kana >= han ? "ja" : "zh";
  if (other > latin) return "other";
  let best = 0;
  for (const [at, count] of counts.entries()) if (count > (counts[best] ?? 0)) best = at;
  const language = LANGUAGES[best] ?? "en";
  const second = Math.max(...counts.filter((_, at) => at !== best));
  return (counts[best] ?? 0) >= 1.5 && (counts[best] ?? 0) > second ? language : "unknown";
}

function countScripts(text: string, scripts: { latin: number; kana: number; han: number; other: number }): void {
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c < 0x250) scripts.latin++;
    else if (c >= 0x3040 && c <= 0x30ff) scripts.kana++;
    else if ((c >= 0x3400 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff)) scripts.han++;
    else if (c >= 0x370) scripts.other += c >= 0xac00 && c <= 0xd7af ? 3 : 1;
  }
}
