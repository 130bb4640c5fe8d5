import type { Block } from "../../foundation/markdown/blocks.js";
import { fold, plain } from "./fold.js";
import type { Section } from "./sections.js";
import { announcesReasons, ordersChange } from "./wording.js";

/*
 * Work that is only said in sentences: "We will need to provision …", "The runbook has to be updated". Prose says much
 * that sounds like it, so a sentence has to oblige somebody to change something, now and without a condition.
 */

const MADE =
  "added|adapted|adjusted|amended|archived|backfilled|built|changed|configured|converted|created|decommissioned|defined|deleted|deployed|deprecated|disabled|documented|enabled|encrypted|extended|extracted|fixed|implemented|installed|introduced|migrated|moved|ported|provisioned|published|refactored|removed|renamed|replaced|reworked|rewritten|set up|split|switched|updated|upgraded|written";
const OBLIGED =
  /^(?:(?:also|then|first|next|finally|therefore|in addition|as a result|consequently|for this|to do so|this means(?: that)?|so),? )?(?:we|the team|our team|developers) (?:(?:will|shall)(?: also| now| then| therefore)? (?:need|have) to|(?:also |now |therefore )?(?:need to|have to|must)) (?:also |now |then |first )?/;
const PASSIVE = new RegExp(
  String.raw`^(?!no\b|none\b)[^,;]{3,120}? (?:must(?: also| now| first)? be|(?:will )?(?:needs?|ha(?:s|ve)) to(?: also| now| first)? be|will need to be) (?:${MADE})\b`,
);
/** The infinitive comes last in German, and right behind the verb in the others. */
const OTHERS =
  /^(?:(?:dazu|dafur|ausserdem|zudem|anschliessend) )?(?:wir mussen|mussen wir) (?:.{3,160}) (?!lernen)\w{3,}(?:en|ern|eln)[.]?$|^[^,;]{3,120} (?:muss|mussen) (?:.{0,120} )?\w*ge\w+ werden[.]?$|^(?:il (?:faudra|faut)|nous dev(?:ons|rons)|on devra) (?!apprendre|accepter|former)[a-z-]{3,}(?:er|ir|re)\b|^(?:hay que|habra que|debemos|tenemos que|tendremos que) (?!aprender|aceptar)[a-z]{3,}(?:ar|er|ir)\b|^(?:precisamos|precisaremos|devemos|teremos de|teremos que|sera (?:preciso|necessario)) (?!aprender|aceitar)[a-z]{3,}(?:ar|er|ir)\b/;
/** What holds every time, or only sometimes, is a rule and no piece of work. */
const RULE =
  /\b(?:if|when|whenever|unless|each time|every time|always|never|any (?:new|future|change)|new (?:\w+ ){0,3}(?:must|need|have)|in (?:the )?future|from now on|going forward|in case|each new|every new|wenn|falls|immer|jedes mal|si|lorsque|chaque fois|toujours|cuando|cada vez|siempre|quando|sempre)\b/;

/** A sentence that asks for work, where it stands. */
export interface Obligation {
  readonly section: Section;
  readonly text: string;
  readonly line: number;
}

/** Who says more than this has written no record. */
const MOST = 200;

/** Contract: only from what follows and from implementation notes, and never from what is weighed as good or bad. */
export function obligationsIn(sections: readonly Section[]): readonly Obligation[] {
  const found = new Map<string, Obligation>();
  for (const section of sections) {
    if ((section.role !== "consequences" && section.role !== "work") || section.polarity !== null) continue;
    for (const block of section.blocks)
      for (const text of sentencesIn(block)) {
        if (found.size === MOST) return [...found.values()];
        if (!found.has(text) && obliges(text)) found.set(text, { section, text, line: block.line });
      }
  }
  return [...found.values()];
}

function sentencesIn(block: Block): readonly string[] {
  if (block.kind !== "paragraph") return [];
  return block.lines
    .map((line) => line.trim())
    .join(" ")
    .split(/(?<=[.!?])\s+(?=[\p{Lu}`*"])/u);
}

function obliges(sentence: string): boolean {
  const words = fold(plain(sentence));
  if (words.length > 300 || /[?:：]$/.test(words) || RULE.test(words) || announcesReasons(sentence)) return false;
  const [ours = ""] = OBLIGED.exec(words) ?? [];
  if (ours !== "") return ordersChange(words.slice(ours.length));
  return PASSIVE.test(words) || OTHERS.test(words);
}
