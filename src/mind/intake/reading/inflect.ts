/* English word forms, made once when a policy is compiled: looking a word up then needs no guessing at its stem. */

export type VerbForm = "base" | "s" | "ing" | "past";

const IRREGULAR: Readonly<Record<string, readonly string[]>> = {
  break: ["broke", "broken"],
  bring: ["brought"],
  build: ["built"],
  buy: ["bought"],
  catch: ["caught"],
  come: ["came"],
  do: ["did", "done"],
  draw: ["drew", "drawn"],
  eavesdrop: ["eavesdropped"],
  feed: ["fed"],
  find: ["found"],
  forge: ["forged"],
  get: ["got", "gotten"],
  give: ["gave", "given"],
  go: ["went", "gone"],
  hide: ["hid", "hidden"],
  hit: ["hit"],
  hold: ["held"],
  hurt: ["hurt"],
  keep: ["kept"],
  leave: ["left"],
  lose: ["lost"],
  make: ["made"],
  overwrite: ["overwrote", "overwritten"],
  pay: ["paid"],
  put: ["put"],
  read: ["read"],
  rewrite: ["rewrote", "rewritten"],
  run: ["ran", "run"],
  sell: ["sold"],
  send: ["sent"],
  set: ["set"],
  show: ["showed", "shown"],
  shut: ["shut"],
  sneak: ["sneaked", "snuck"],
  speak: ["spoke", "spoken"],
  split: ["split"],
  spread: ["spread"],
  steal: ["stole", "stolen"],
  take: ["took", "taken"],
  tell: ["told"],
  think: ["thought"],
  wipe: ["wiped"],
  write: ["wrote", "written"],
};

/** Short verbs that double their last consonant before -ed and -ing. */
const DOUBLES = /(?:^|[^aeiou])[aeiou][bdgklmnprt]$/;
const NO_DOUBLE = /(?:er|en|or|el|it|et|on|an|al|op)$/;

export function inflectVerb(verb: string): readonly { text: string; form: VerbForm }[] {
  const forms: { text: string; form: VerbForm }[] = [{ text: verb, form: "base" }];
  const put = (text: string, form: VerbForm) => {
    if (!forms.some((known) => known.text === text)) forms.push({ text, form });
  };
  put(sForm(verb), "s");
  const stem = verb.endsWith("e") ? verb.slice(0, -1) : verb;
  const past = verb.endsWith("y") && !/[aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${stem}ed`;
  put(verb.endsWith("ee") ? `${verb}ing` : `${stem}ing`, "ing");
  for (const form of IRREGULAR[verb] ?? [past]) put(form, "past");
  if (DOUBLES.test(verb) && (verb.length <= 4 || !NO_DOUBLE.test(verb))) {
    put(`${verb}${verb.at(-1) ?? ""}ing`, "ing");
    if (IRREGULAR[verb] === undefined) put(`${verb}${verb.at(-1) ?? ""}ed`, "past");
  }
  return forms;
}

export function inflectNoun(noun: string): readonly string[] {
  if ((noun.endsWith("s") && !noun.endsWith("ss")) || noun.length < 3) return [noun];
  return [noun, sForm(noun)];
}

function sForm(word: string): string {
  if (word.endsWith("y") && !/[aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
