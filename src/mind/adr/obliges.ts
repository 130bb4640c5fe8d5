import { fold, plain } from "./fold.js";
import { ordersChange } from "./wording.js";

/*
 * Whether a sentence obliges somebody to change something: "We will need to provision …", "The runbook has to be updated".
 * Prose says much that sounds like it, so this is one sign among others.
 */

const MADE =
  "adapted|added|adjusted|amended|archived|backfilled|built|changed|configured|converted|created|decommissioned|defined|deleted|deployed|deprecated|disabled|documented|dropped|enabled|encrypted|exposed|extended|extracted|fixed|generated|implemented|installed|introduced|migrated|moved|pinned|ported|provided|provisioned|proxied|published|refactored|regenerated|removed|renamed|replaced|revisited|reworked|rewritten|set up|split|stored|switched|updated|upgraded|written";
const OURS =
  /^(?:(?:also|then|first|next|finally|therefore|in addition|as a result|consequently|for this|to do so|this means(?: that)?|so),? )?(?:we|i|the team|our team|developers|teams) (?:(?:will|shall|'ll)(?: also| now| then| therefore)? (?:(?:need|have) to )?|(?:also |now |therefore )?(?:need to|have to|must|should|are going to) )(?:also |now |then |first )?/;
const PASSIVE = new RegExp(
  String.raw`^(?!no\b|none\b)[^;]{3,160}? (?:(?:must|should|will|shall)(?: also| now| first| then)? be|(?:will )?(?:needs?|ha(?:s|ve)) to(?: also| now| first)? be|will need to be) (?:\w+ly )?(?:${MADE})\b`,
);
const NEEDS =
  /\b(?:requires?|will require|needs?|will need) (?:an? |the |some )?(?:\w+ )?(?:upgrade|update|migration|change|refactoring|rewrite|adding|training|support for|new )|\b(?:migration|upgrade|update|change|refactoring|rewrite) (?:is )?(?:required|needed|necessary)\b|\b(?:must|need to|needs to|have to|has to) (?:be )?(?:update|adapt|change|migrate|add|implement|provide|create|remove|handle|use)/;
/** The infinitive comes last in German and Dutch, and right behind the verb in the others. */
const OTHERS =
  /^(?:(?:dazu|dafur|ausserdem|zudem|anschliessend) )?(?:wir mussen|mussen wir|we moeten) .{3,160} (?!lernen|leren)\p{L}{3,}(?:en|ern|eln)\b|^[^;]{3,160} (?:muss|mussen|moet|moeten) (?:.{0,120} )?(?:\p{L}*ge\p{L}+ werden|worden \p{L}+)|\b(?:il (?:faudra|faut)|nous dev(?:ons|rons)|on devra|doi(?:t|vent)) (?!apprendre|accepter|former)[a-z-]{3,}(?:er|ir|re)\b|\b(?:hay que|habra que|debe(?:mos|n)?|tenemos que|tendremos que) (?!aprender|aceptar)[a-z]{3,}(?:ar|er|ir)\b|\b(?:precisamos|precisaremos|deve(?:mos|m)?|teremos de|teremos que|sera (?:preciso|necessario)) (?!aprender|aceitar)[a-z]{3,}(?:ar|er|ir)\b|\b(?:dobbiamo|bisogna|occorre|si deve) [a-z]{3,}(?:are|ere|ire)\b|(?:необходимо|нужно|требуется|следует) \p{L}+(?:ть|ти)(?!\p{L})|(?:需要|必须|应当).{1,30}(?:更新|修改|添加|实现|迁移|部署|删除|配置)|(?:する必要がある|しなければならない)/u;
/** A sentence about every time, or about some times, is a rule and not a piece of work. */
const RULE =
  /\b(?:if|when|whenever|unless|each time|every time|always|never|any (?:new|future|change)|new (?:\w+ ){0,3}(?:must|need|have)|in (?:the )?future|a future|once|regardless|from now on|going forward|in case|each new|every new|wenn|falls|immer|jedes mal|si|lorsque|chaque fois|toujours|cuando|cada vez|siempre|quando|sempre)\b/;

export type Obligation = "ours" | "passive" | "needs" | "other";

/** How a sentence obliges somebody; null when it does not. Contract: pure, total, linear. */
export function obligationIn(sentence: string): Obligation | null {
  const words = fold(plain(sentence)).slice(0, 400);
  if (/[?？]$/.test(words) || RULE.test(words)) return null;
  const [ours = ""] = OURS.exec(words) ?? [];
  if (ours !== "" && ordersChange(words.slice(ours.length))) return "ours";
  if (PASSIVE.test(words)) return "passive";
  if (NEEDS.test(words)) return "needs";
  return OTHERS.test(words) ? "other" : null;
}
