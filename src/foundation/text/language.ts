import type { Word } from "./words.js";

/*
 * Which language a text is in, by its script and by the small words every sentence has. Names of code and loan words are in
 * every language, so only what most of the text says counts.
 */

/** The languages whose requests are judged. `other` is known to be none of them; `unknown` is too short to tell. */
export type Language = "en" | "de" | "fr" | "es" | "pt" | "zh" | "ja" | "other" | "unknown";

/** Small words by language; `other` stands for Italian, Dutch, Polish, Turkish and the Nordic languages. */
const SMALL_WORDS: Readonly<Record<Exclude<Language, "zh" | "ja" | "unknown">, string>> = {
  en: "the a an per of to and in is are be it its this that these those with for on at by from as when should would could can cannot will not do does don't i we you my our your they their if there have has but or so please what how add fix make use after before instead into which some any more no only also all",
  de: "der die das den dem des ein eine einen einem einer eines und oder nicht ist sind war wird werden wurde wenn ich wir sie es man mit auf für von vom zu zum zur bei aus nach dass auch bitte kann können soll sollte sollten muss ohne im ins am beim als wie noch nur mehr bis über unter keine kein sich hat haben statt damit",
  fr: "le la les des du une un et ou est sont pas que qui quand avec sans dans sur vous nous mon ma mes au aux ce cette ces je il elle on ne se peut doit veuillez pour par plus lors être soit afin lorsque c'est l'utilisateur d'un d'une n'est leur même aussi ajouter",
  es: "el los las del un una unos unas y no es son cuando con sin por para como mi su sus se lo al este esta esto puede debe debería favor que qué en pero más si hay ya está están ser desde hasta también cuando al añadir",
  pt: "o os um uma uns umas do da dos das ao aos à não é são quando com sem em no na nos nas meu minha seu sua pelo pela pode deve deveria você que para por mais se está estão ser isso este esta também foi tem já ou e adicionar",
  other:
    "il lo gli di dei degli della delle nel nella che non sono per ogni puo deve het een niet zijn wordt als ik wij met voor naar aan uit toe graag moet zonder van nie jest oraz gdy dla bez proszę który og ikke er som til uten att och inte ett utan ve bir için ile değil",
};

const LANGUAGES = Object.keys(SMALL_WORDS) as (keyof typeof SMALL_WORDS)[];
const IN_LANGUAGES: ReadonlyMap<string, readonly number[]> = indexOf();

function indexOf(): Map<string, number[]> {
  const index = new Map<string, number[]>();
  for (const [at, language] of LANGUAGES.entries())
    for (const word of new Set(SMALL_WORDS[language].split(" "))) index.set(word, [...(index.get(word) ?? []), at]);
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
