import { fold, plain } from "./fold.js";

/*
 * The statement of a sentence's main clause about what is done: that it is not done, that it stays as it is, that it was done, that
 * it may be done, or that people have to take care. Such a sentence asks for nothing, whatever else it sounds like. Twelve languages, folded.
 */

export type Standing = "refused" | "kept" | "done" | "tentative" | "effort" | "sometimes";

/** Up to so many words may stand before the verb of a main clause: "Basic auth will not be added". */
const BEFORE = String.raw`^(?:(?!because|since|which|that|if|when|weil|dass|car|que|porque|omdat|dat|so|чтобы|instead)[^\s,;:.]+[\s,]+){0,8}?`;

const REFUSED = new RegExp(
  `${BEFORE}(?:(?:will|shall|do|does|should|must|would|can|could|is|are|need)(?: also| now| therefore| then)? (?:not|never|no longer)(?! only)|won't|don't|(?<=we )dont|doesn't|isn't|aren't|shouldn't|mustn't|cannot|can't|(?:decided|decide|chose|choose|agreed|opted)(?: \\S+)? (?:not to|against)|wird nicht|werden nicht|wird kein\\p{L}*|werden kein\\p{L}*|bleibt nicht|verzichten|ne sera pas|ne seront pas|ne \\p{L}+ (?:pas|plus)|no se \\p{L}+|no \\p{L}+(?:amos|emos|imos)|nao (?:se|sera|serao|vamos|\\p{L}+(?:amos|emos|imos))|non (?:si|sara|saranno|\\p{L}+(?:iamo|remo))|wordt niet|worden niet|wordt geen|worden geen|nie (?:będzie|bedzie|beda|\\p{L}+my)|не (?:будет|будем|будут|\\p{L}+(?:ем|им|ть|ются|ется)))(?![\\p{L}\\p{N}])`,
  "u",
);
const REFUSED_FIRST =
  /^(?:do not|don't|never|avoid|no (?!longer)|not |without |kein\p{L}* |nicht |pas de |ne pas |aucun\p{L}* |sin |ningun\p{L}* |sem |nenhum\p{L}* |nessun\p{L}* |geen |niet |bez |не |без )|(?:不再|不采用|不使用|不引入|不做|暂不|无需)|(?:しない|見送る|行わない)[。.]?$/u;
const KEPT = new RegExp(
  `${BEFORE}(?:(?:will |shall |should |must |to |can )?(?:continue|continues|keep|keeps|remain|remains|stay|stays|retain|retains|leave|leaves)|bleibt|bleiben|behalten|beibehalten|reste(?:nt|ra|ront)?|conserv(?:e|ons|er|era)|gard(?:ons|er|era)|continu(?:e|ons|er|era)|sigue\\p{L}*|continua\\p{L}*|mantien\\p{L}+|mantendr\\p{L}+|mantem|manter\\p{L}*|permanec\\p{L}+|rimane|rimangono|manteniamo|blijft|blijven|behouden|pozostaje|pozostaja|остается|остаются|оставляем|сохраняем)(?![\\p{L}\\p{N}])`,
  "u",
);
const DONE = new RegExp(
  `${BEFORE}(?:was|were|has been|have been|had been|wurde|wurden|a ete|ont ete|fue|fueron|ha sido|han sido|foi|foram|e stat[oa]|sono stat[ie]|werd|is toegevoegd|zostal\\p{L}*|был|была|были|было)(?![\\p{L}\\p{N}])`,
  "u",
);
const DONE_FIRST =
  /^(?:we|i) (?!decided|chose|selected|opted|agreed|settled|picked|went|adopted|need|used to)\p{L}+ed(?!\p{L})|^(?:создан|добавлен|удален|вынесен|реализован|перенесен|обновлен|настроен)\p{L}*|(?:しました|済み|ました)[。.]?$|^已(?!定)/u;
const TENTATIVE = new RegExp(
  `${BEFORE}(?:may|might|could|could be|pourrai\\p{L}+|konnte|konnten|podria\\p{L}*|poderia\\p{L}*|potrebbe\\p{L}*|zou kunnen|moglby|moglaby|может|могут)(?: also| still| later| then)? (?!set |be set)(?=\\p{L})`,
  "u",
);
/** Things that people have to know, pay or bear, and that nobody builds. */
const EFFORT = new RegExp(
  `${BEFORE}(?:need to|needs to|have to|has to|must|will|should|we'll)(?: also| now| then)? (?:need to |have to )?(?:learn|be (?:careful|aware|able|idempotent|trained)|accept|bear|pay|understand|get up to speed|get used|live with|remember|balance|track updates|(?<=(?:need to|have to|must|has to|needs to) )(?:support|maintain))(?![\\p{L}\\p{N}])`,
  "u",
);
/** A preference, a thing for when it is wanted, an example: nothing that is done once. */
const SOMETIMES =
  /\b(?:as needed|as required|when needed|if necessary|if needed|unless|as a first choice|by preference|bei bedarf|au besoin|si necessaire|si es necesario|se necessario|indien nodig|при необходимости)\b|^(?:for example|examples?|e\.g\.|beispiel|zum beispiel|par exemple|por ejemplo|por exemplo|per esempio|bijvoorbeeld|например)\b|^prefer\b|按需|必要に応じて/;
/** A second clause that does change something. */
const CHANGES_TOO =
  /(?:;|,? (?:and|but|then)|,? und|,? et|,? y|,? e|,? en) (?:we (?:will |'ll )?)?(?:instead )?(?:add|build|change|convert|create|deprecate|disable|drop|implement|introduce|migrate|move|provide|refactor|remove|rename|replace|rewrite|set|switch|update|upgrade|use|write)\b/;

/**
 * How the first sentence of a text stands to what it speaks of; null where it may ask for something.
 *
 * Contract: pure, total; it looks at the first sentence alone, and at a bounded part of it.
 */
export function standingOf(text: string): Standing | null {
  const words = bare(text);
  if (/^(?:for example|examples?|e\.g\.)\b/.test(fold(plain(text.slice(0, 40))))) return "sometimes";
  const standing = stands(words);
  return standing !== null && CHANGES_TOO.test(words) ? null : standing;
}

function stands(words: string): Standing | null {
  if (REFUSED.test(words) || REFUSED_FIRST.test(words)) return "refused";
  if (KEPT.test(words)) return "kept";
  if (DONE.test(words) || DONE_FIRST.test(words)) return "done";
  if (EFFORT.test(words)) return "effort";
  if (SOMETIMES.test(words)) return "sometimes";
  return TENTATIVE.test(words) ? "tentative" : null;
}

/** The first sentence without a label and what joins it to the one before. */
function bare(text: string): string {
  return fold(plain(text.slice(0, 600)))
    .split(/(?<=[.!?。])\s/, 1)
    .join("")
    .slice(0, 300)
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .replace(/^[^:：]{1,40}[:：]\s+(?=\S+\s)/, "")
    .replace(
      /^(?:therefore|instead|so|thus|however|also|then|for now|currently|in addition|additionally|finally),? /,
      "",
    );
}
