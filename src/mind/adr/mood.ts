import { fold } from "./fold.js";

/*
 * How a sentence is meant, by its clauses: does it say what will be, what has to be, what may be, what was, what is kept, or
 * what is not done? Twelve languages, folded. None of these decides by itself: they are signs that are weighed.
 */

/** A sign in a sentence, with its place in the folded text. */
export interface Mood {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const MOODS: readonly (readonly [string, RegExp])[] = [
  [
    "will",
    /\b(?:will|we'll|i'll|shall|(?:is|are|am|'re|'m) going to|is to be|are to be|wird|werden|nous allons|on va|sera|seront|\p{L}{3,}(?:erons|irons|era|eront|ira|iront)|vamos a|van a|va a|\p{L}{3,}(?:aremos|eremos|iremos|ara|eran|aran|iran)|vamos|vai|vao|\p{L}{3,}(?:arao|erao|irao)|saremo|verra|verranno|\p{L}{3,}(?:eremo|iremo|eranno|iranno)|zal|zullen|gaan we|we gaan|będzie|bedzie|beda|будет|будем|будут)\b|将|會|会在|する予定|いく/u,
  ],
  [
    "must",
    /\b(?:must|ha(?:s|ve) to|need(?:s|ed)? to|requires?|required to|ought to|obliged to|muss|mussen|musst|sind zu|ist zu|pflicht|doit|doivent|devons|devra|devront|il faut|il faudra|faut|necessite\p{L}*|debe|deben|debemos|debera|deberan|hay que|habra que|tenemos que|tendra que|requiere|deve|devem|devemos|devera|deverao|precisa\p{L}*|tem que|temos que|necessario|dobbiamo|devono|dovra|dovranno|bisogna|occorre|moet|moeten|dient|dienen|vereist|musi|musza|nalezy|trzeba|должен|должна|должны|должно|нужно|необходимо|требуется)\b|必须|必須|需要|需|须|应当|应该|应|べき|必要|なければ/u,
  ],
  [
    "should",
    /\b(?:should|recommended|soll|sollen|sollte|sollten|devrait|devraient|deberia|deberian|se recomienda|deveria|deveriam|recomenda-se|dovrebbe|dovrebbero|zou moeten|zouden moeten|powinien|powinna|powinny|следует|стоит|рекомендуется)\b|建议|推荐|推奨|望ましい/u,
  ],
  [
    "may",
    /\b(?:may|might|could|would|can|optionally|optional|eventually|later|possibly|potentially|consider|maybe|perhaps|nice to have|peut|peuvent|peut-etre|pourrait|pourraient|kann|konnen|konnte|konnten|eventuell|spater|puede|pueden|podria|podrian|pode|podem|poderia|puo|possono|potrebbe|kan|kunnen|eventueel|misschien|later|moze|moga|может|могут|можно|возможно)\b|可能|可以|かもしれ|可能性|できる/u,
  ],
  [
    "past",
    /\b(?:was|were|has been|have been|had|did|we (?:implemented|built|added|created|introduced|decided|chose|moved|removed|replaced|switched|used)|already|wurde|wurden|bereits|schon|a ete|ont ete|avons|etait|deja|fue|fueron|ha sido|se (?:seleccion|eligi|decidi|cre|implement|adopt)o|hemos|ya|foi|foram|ja|e stato|sono stat[ei]|abbiamo|gia|werd|werden reeds|reeds|zijn|zostal\p{L}*|juz|был|была|были|было|создан\p{L}*|добавлен\p{L}*|удален\p{L}*|выбран\p{L}*|уже|реализован\p{L}*)\b|已经|已|しました|した。|された|済み/u,
  ],
  [
    "done",
    /^\W*(?:[^:：]{1,60}[:：]\W*)?(?:(?:we|i) )?(?:\p{L}{3,}ed\b(?! (?:to|for|on|by|version|state|type|data))|built|written|создан\p{L}*|добавлен\p{L}*|удален\p{L}*|вынесен\p{L}*|реализован\p{L}*|introduit|ajoute|supprime|hinzugefugt|entfernt|erstellt|eliminad\p{L}*|cread[oa]s?|criad[oa]s?|removid\p{L}*|adicionad\p{L}*)\b|✅|✔|☑|\b(?:already|bereits|deja|ya|ja|уже) (?:been )?(?:done|implemented|in place|exists?|umgesetzt|fait|hecho|feito|сделан\p{L}*)\b|реализовано/u,
  ],
  [
    "not",
    /\b(?:not|no longer|never|won't|don't|doesn't|didn't|cannot|can't|shouldn't|mustn't|without|no|none|neither|nor|nicht|kein\p{L}*|nie|niemals|ohne|ne|n'\p{L}+|pas|jamais|aucun\p{L}*|sans|nunca|ningun\p{L}*|sin|nao|nenhum\p{L}*|sem|non|nessun\p{L}*|mai|senza|niet|geen|nooit|zonder|nie|bez|не|нет|без|никогда)\b|不|没有|无需|禁止|ない|しない|なし/u,
  ],
  [
    "refuses",
    /\b(?:(?:we|i|it|they|this) (?:will|shall|do|does|should|must|would|can|have|decided?)?\s*(?:not|never|n't)|we won't|we don't|won't|must not|should not|shall not|will not|not (?:be )?(?:add|adopt|chang|implement|introduc|mov|support|us)\p{L}*|decided (?:not|against)|avoid|refrain|reject(?:s|ed)?|postpone[ds]?|defer(?:red)?|out of scope|verzichten|nicht (?:\p{L}+ )?(?:mehr )?\p{L}+(?:en|t)|werden nicht|kein\p{L}* \p{L}+|on ne|nous ne|n'est pas|no se|no \p{L}+(?:amos|emos|imos)|nao (?:sera|vamos|se|usar)|non (?:si|verra|useremo)|niet (?:\p{L}+ )?\p{L}+en)\b|不再|不采用|不使用|不引入|しない|見送|не (?:использ|добав|вводи)\p{L}*/u,
  ],
  [
    "keeps",
    /\b(?:keep(?:s|ing)?|continu(?:e|es|ing|ed)|remain(?:s|ing)?|stays?|staying|still|unchanged|as is|as-is|retain(?:s|ed)?|leave|preserv\p{L}+|bleib(?:t|en)|beibehalten|weiterhin|unverandert|reste(?:nt|ra)?|conserv\p{L}+|gard(?:er|ons)|continu(?:er|ons)|toujours|mantener\p{L}*|mantien\p{L}+|sigue\p{L}*|continua\p{L}*|manter\p{L}*|mantem|permanece\p{L}*|manten\p{L}+|rimane|rimangono|blijft|blijven|behoud\p{L}*|ongewijzigd|pozostaje|остается|остаются|сохран\p{L}+|оставить)\b|保持|保留|不变|維持|継続|そのまま/u,
  ],
  [
    "if",
    /\b(?:if|when|whenever|unless|in case|as needed|when needed|where (?:possible|appropriate|necessary)|if necessary|once|until|until then|whether|wenn|falls|sobald|sofern|bei bedarf|si|lorsque|quand|des que|en cas de|cuando|cada vez|en caso|se|quando|caso|qualora|als|indien|wanneer|zodra|jesli|gdy|если|когда|при необходимости)\b|如果|若|当|時|場合|とき|なら/u,
  ],
  [
    "rule",
    /\b(?:always|every|each|any|all (?:new|future)|new (?:\p{L}+ ){0,2}(?:must|should|shall|need|will)|from now on|going forward|in (?:the )?future|by default|prefer(?:red|s)?|convention|guideline|principle|policy|immer|jede[rsnm]?|alle neuen|kunftig|ab sofort|grundsatzlich|toujours|chaque|tout(?:e|es|s)?|desormais|siempre|cada|todo(?:s|as)?|a partir de ahora|sempre|ogni|d'ora in poi|altijd|elke|ieder\p{L}*|voortaan|zawsze|kazd\p{L}+|всегда|кажд\p{L}+|любо\p{L}+)\b|每|始终|总是|毎|常に|今後/u,
  ],
  [
    "chooses",
    /\b(?:chosen (?:option|alternative|solution)|choosen|selected option|we (?:have )?(?:chose|choose|select(?:ed)?|pick(?:ed)?|decided?|opt(?:ed)?|settled|agreed|adopt(?:ed)?)|(?:team|it was) (?:has )?decided|decided (?:to|on|that)|gewahlt\p{L}*|wir (?:entscheiden|wahlen|nutzen|verwenden|setzen)|entschieden|option (?:retenue|choisie)|nous (?:avons )?(?:choisi\p{L}*|retenons|decid\p{L}+|adoptons|utilisons)|opcion elegida|se (?:elige|selecciono|decide|decidio|adopta)|elegimos|opcao escolhida|escolh\p{L}+|adota(?:mos|r|-se)?|decidimos|opzione scelta|scegliamo|adottiamo|gekozen|we kiezen|adopteer|wybran\p{L}+|выбран\p{L}*|решено|использовать|принято)\b|采用|选择|选用|決定|採用|選択/u,
  ],
  ["we", /\b(?:we|we'll|we're|our|i|the team|developers|wir|nous|on|nosotros|nos|noi|wij|my|мы)\b|我们|私たち|我々/u],
  [
    "because",
    /\b(?:because|since|due to|so that|in order to|therefore|thus|as (?:it|this|we|they)|which (?:means|allows|makes)|weil|da|damit|um|denn|deshalb|car|parce que|afin|puisque|porque|ya que|para que|pois|para|perche|poiche|omdat|zodat|want|poniewaz|потому|так как|чтобы)\b|因为|因此|以便|ため|ので/u,
  ],
  [
    "compares",
    /\b(?:easier|simpler|faster|cheaper|harder|slower|better|worse|more|less|fewer|greater|higher|lower|increase[sd]?|reduce[sd]?|improve[sd]?|benefits?|advantages?|risks?|complexity|overhead|cost|einfacher|schneller|besser|mehr|weniger|vorteil\p{L}*|nachteil\p{L}*|aufwand|plus|moins|meilleur\p{L}*|avantage\p{L}*|risque\p{L}*|mas|menos|mejor\p{L}*|ventaja\p{L}*|riesgo\p{L}*|mais|menos|melhor\p{L}*|vantagem|risco\p{L}*|piu|meno|migliore|vantaggi\p{L}*|rischi\p{L}*|meer|minder|beter\p{L}*|voordeel|nadeel|проще|больше|меньше|лучше|риск\p{L}*)\b|更|优势|风险|減|増|向上|リスク/u,
  ],
  [
    "made",
    /\b(?:be|been|being|get|gets) (?:\p{L}+ly |also |now |then )?(?:added|adapted|adjusted|amended|archived|backfilled|built|changed|configured|converted|created|decommissioned|defined|deleted|deployed|deprecated|disabled|documented|dropped|enabled|encrypted|exposed|extended|extracted|fixed|generated|implemented|installed|introduced|migrated|moved|pinned|ported|provided|provisioned|published|refactored|removed|renamed|replaced|reworked|rewritten|set|split|stored|switched|updated|upgraded|used|utilized|written)\b/u,
  ],
  ["asks", /[?？]\s*$/u],
  ["announces", /[:：]\s*$/u],
  ["code", /`[^`]+`/u],
  [
    "label",
    /^(?:\*\*|__)[^*_]{1,80}(?:\*\*|__)\s*[:：—–→.-]|^[^\s:：][^:：]{0,40}[:：]\s|^(?:\*\*|__)[^*_]{1,80}[:：.](?:\*\*|__)/u,
  ],
  ["name", /^(?:\*\*|__|`)[^*`]{1,60}(?:\*\*|__|`)\s*$/u],
  ["link", /^\W*\[[^\]]*\]\([^)]*\)\W*$/u],
];

/** Contract: pure and total. `text` is as it is written. */
export function moodsOf(text: string): readonly Mood[] {
  const words = fold(text.slice(0, 1200));
  return MOODS.flatMap(([name, pattern]) => {
    const match = pattern.exec(words);
    return match === null ? [] : [{ name, start: match.index, end: match.index + match[0].length }];
  });
}
