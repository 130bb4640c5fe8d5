import { fold, plain } from "./fold.js";

/*
 * Whether words ask for work. Orders begin with a verb in English, stand in the infinitive in the other languages, or say
 * "will" and "must"; reasons praise, blame and describe. Nine languages, folded.
 */

const ORDER =
  /^(?:abandon|add|adapt|adjust|adopt|align|allow|always|amend|annotate|apply|archive|assign|automate|avoid|backfill|benchmark|bootstrap|build|bump|cache|call|centralize|change|check|choose|clean|clone|collect|communicate|complete|configure|connect|consolidate|convert|copy|create|cut|decommission|decouple|define|delete|deliver|deploy|deprecate|derive|design|detect|develop|disable|display|document|drop|emit|enable|encapsulate|encrypt|enforce|ensure|establish|evaluate|execute|expand|expose|extend|extract|finali[sz]e|fix|follow|generate|give|handle|have|hide|host|identify|implement|import|improve|include|inform|inject|install|instrument|integrate|introduce|investigate|invoke|isolate|keep|limit|link|load|log|maintain|make|manually|map|mark|measure|merge|migrate|mock|modify|monitor|move|never|notify|offer|only|open|organi[sz]e|package|parse|perform|pick|pin|plan|prepare|prevent|produce|profile|prohibit|propagate|protect|provide|provision|publish|purge|put|raise|read|rebuild|record|redirect|reduce|refactor|register|release|remove|rename|render|replace|report|request|require|research|resolve|restrict|restructure|return|reuse|review|rework|rewrite|roll|rotate|route|run|schedule|secure|select|send|separate|serve|set|setup|share|ship|show|simplify|split|standardi[sz]e|start|stop|store|streamline|structure|submit|support|switch|sync|synchroni[sz]e|tag|teach|test|trace|track|train|transform|translate|treat|trigger|tune|turn|unify|update|upgrade|upload|use|utili[sz]e|validate|verify|version|wire|wrap|write)\b/;

/** Infinitives at the beginning: "Créer la table", "Crear la tabla", "Criar", "Creare". */
const INFINITIVE = /^(?:se |s')?[a-z-]{2,}(?:er|ir|ire|dre|tre|oir|ar|are|ere)(?:-\w+)?\s/;
const NOT_INFINITIVE =
  /^(?:after|other|either|neither|under|over|never|better|faster|easier|simpler|cheaper|smaller|larger|higher|lower|greater|harder|fewer|newer|older|clear|similar|regular|popular|modular|server|user|users|developer|docker|container|router|controller|helper|adapter|wrapper|parser|handler|worker|manager|consumer|producer|provider|customer|number|order|layer|cluster|folder|header|filter|letter|author|there|where|here|were|are|more|before|software|hardware|four|their|dar|par|sur|premier|dernier|leur|pour|hier|dieser|jeder|einer|per|super|easter|for|her|over)\b/;
/** "Tabelle anlegen", "De tabel aanmaken". */
const LAST_INFINITIVE = /\b[a-z]{3,}(?:en|ern|eln)[.;:]?$/;
const NOT_LAST =
  /\b(?:between|often|token|seven|open|then|when|even|children|children's|screen|green|broken|written|chosen|given|taken|driven|proven|hidden|golden|happen|listen|garden|citizen|kitchen|dozen|daten|kosten|zeiten|teams|kunden|personen|seiten|diensten|gegevens|kolommen|klanten|componenten|kindern|fehlern|servern|nutzern)[.;:]?$/;
const EASTERN =
  /^(?:为|将|把|在|对)?.{0,12}(?:创建|新建|添加|增加|新增|实现|编写|撰写|更新|升级|删除|移除|迁移|部署|配置|修改|引入|重构|建立|设计|替换|优化|拆分|集成|发布|启用|禁用|使用|采用|补充)|(?:する|作成|追加|実装|更新|削除|移行|導入|変更|修正|整備|設定|構築|対応|記述|公開|作る|書く|置く)(?:こと|。|する)?$/;

const WILL =
  /\b(?:will|shall|must|should|need(?:s)? to|ha(?:s|ve) to|going to|is to|are to|be (?:added|created|removed|updated|replaced|moved|migrated|deployed)|nous (?:allons|devons|\w+rons)|on va|sera|seront|doit|doivent|devra|devront|il faut|wir werden|wird|werden|muss|mussen|soll|sollen|vamos a|debe|deben|hay que|\w{3,}remos|vamos|deve|devem|dobbiamo|devono|verra|verranno|\w{3,}remo|we gaan|we zullen|moet|moeten|zal|zullen|wordt|worden)\b|将|需要|应该|应当|必须|べき|必要|する/;
const PERHAPS =
  /\b(?:may|might|could|optionally|optional|eventually|later|possibly|consider|nice to have|peut-etre|pourrait|konnte|eventuell|spater|podria|poderia|potrebbe|eventueel|zou kunnen|misschien)\b|可能|可以考虑|かもしれ|将来/;

const REASON =
  /^(?:good\b|bad\b|neutral\b|pros?\b|cons?\b|because\b|since\b|due to\b|\+|there (?:is|are|was|were)\b|it (?:is|was|has|would|does|can|also|allows|provides|will)\b|it's\b|this (?:is|was|allows|gives|means|makes|would|will)\b|these (?:are|were)\b|we (?:already|have|had|don't|do not|didn't|did not|felt|feel|found|liked?|prefer(?:red)?|are(?! (?:only|going|now)\b)|were|can|could|know|believe|think|want|need)\b|they (?:are|have|can)\b|that (?:is|was)\b|no\b|not\b|none\b|n\/a|easy|easier|easily|simple|simpler|simplicity|fast|faster|less\b|more\b|better\b|lower\b|higher\b|fewer\b|reduces|reduced|increases|increased|improves|improved|avoids|provides|allows|enables|helps|supports|makes|gives|requires|offers|has\b|is\b|can\b|well\b|widely|popular|lack\b|lacks\b|cost\b|il (?:y a|est)\b|c'est\b|ce (?:n'|sont)|permet|evite|facilite|parce que\b|car\b|es (?:ist|gibt)\b|weil\b|da\b|keine?\b|einfach|bietet|ermoglicht|hay\b|porque\b|permite|facilita|e\b|evita|c'e\b|perche\b|permette|het (?:is|geeft)\b|er (?:is|zijn)\b|omdat\b|geen\b|maakt)/;
const COMPARES =
  /\b(?:easier|simpler|faster|cheaper|harder|slower|better|worse) (?:to|than|for)\b|\bmore (?:difficult|complex|flexible|efficient)\b/;
const DESCRIBES = /^(?:[*_]{2}[^*_]+[*_]{2}|`[^`]+`|[*_]{2}`[^`]+`[*_]{2})\s*(?:\([^)]*\)\s*)?(?:[:：—–-]|\s*$)/;

/** A list that is announced like this gives reasons, weighs, or names what was looked at. */
const REASON_INTRO =
  /\b(?:because|since|reasons?|rationale|due to|advantages?|disadvantages?|benefits?|drawbacks?|downsides?|upsides?|pros|cons|why|trade-?offs?|criteria|drivers?|concerns?|risks?|problems?|issues?|limitations?|compared|alternatives?|(?<!chosen )options?|considered|evaluated|assum\w+|justif\w+|parce que|raisons?|car|avantages?|inconvenients?|weil|grunde?n?|vorteile?n?|nachteile?n?|porque|razones|motivos|ventajas|desventajas|razoes|vantagens|desvantagens|perche|motivi|ragioni|vantaggi|svantaggi|omdat|redenen|voordelen|nadelen)\b|因为|原因|理由|优点|缺点|メリット|根拠/;
const DONE_INTRO =
  /\b(?:we|was|were|has been|have been|had) (?:implemented|built|added|done|completed|introduced|already)\b/;

/** A list of examples or of names and what they mean asks for nothing. */
const EXAMPLE_INTRO =
  /\b(?:examples?|for instance|exemples?|beispiele?|ejemplos?|exemplos?|esempi|voorbeelden)\b|例如|示例|例えば/;
const DEFINES = /^`[^`]+`\s*(?:\([^)]*\)\s*)?(?:[:：—–]|-\s|\s-\s|$)/;

/** "The flow is:": what is listed behind it is how something goes. */
const FLOW_INTRO =
  /^(?!.*\b(?:will|must|chang\w+|new|steps|add)\b).*\b(?:flow|lifecycle|flujo|fluxo|flusso|ablauf|deroulement)\b[^.:：]{0,40}[:：]\s*$/;

/** "The following changes will be made:": what is listed behind it is to be done. */
const WORK_INTRO =
  /\b(?:following|these|next) (?:steps|tasks|actions|changes|work|items)\b|\b(?:changes?|work|clean-?up|steps?|tasks?|actions?|migration) (?:will|must|should|shall|needs?|have|has|to)\b|\bwe (?:will|need to|have to|must|shall|are going to)[:：]|\b(?:to do|todo|action items?)\b|(?:schritte|massnahmen|aufgaben|etapes|taches|pasos|tareas|passos|tarefas|passi|stappen|taken)[:：]|(?:步骤|任务|手順|タスク)/;

/** Verbs that change something, as opposed to those that keep it running. */
const CHANGES =
  /^(?:add|adapt|adopt|amend|build|change|configure|convert|create|decommission|define|delete|deploy|deprecate|design|develop|disable|document|drop|enable|establish|extend|extract|fix|implement|install|integrate|introduce|migrate|modify|move|port|provision|publish|refactor|remove|rename|replace|rewrite|set ?up|split|switch|update|upgrade|write)\b/;
const OUR =
  /^(?:we|the team|our team|developers) (?:will|shall|must|should|need to|have to|are going to)(?: also| now| then| need to| have to)* /;

/** The kind of an entry, by its words alone. */
export type Wording = "order" | "reason" | "description" | "open";

export function wordingOf(text: string): Wording {
  const words = fold(plain(text)).replace(/^[^\p{L}\p{N}+]+/u, "");
  if (OUR.test(words) && isOrder(words.replace(OUR, ""))) return "order";
  if (REASON.test(words) || COMPARES.test(words)) return "reason";
  if (isOrder(words) || isOrder(afterLabel(words)) || WILL.test(words)) return "order";
  return DESCRIBES.test(text) ? "description" : "open";
}

/** Whether it begins like an order: without "will", which is said of anything. */
export function beginsWithVerb(text: string): boolean {
  return isOrder(bare(text));
}

function isOrder(words: string): boolean {
  if (ORDER.test(words) || EASTERN.test(words)) return true;
  if (INFINITIVE.test(words) && !NOT_INFINITIVE.test(words)) return true;
  return LAST_INFINITIVE.test(words) && !NOT_LAST.test(words) && words.split(" ").length <= 14;
}

/** "Backend: add the table": the order stands behind the label. */
function afterLabel(words: string): string {
  return words.replace(/^[^:：—–]{1,60}(?:[:：]|\s[—–-])\s*/, "");
}

export function isTentative(text: string): boolean {
  return PERHAPS.test(fold(plain(text)));
}

export function announcesReasons(intro: string): boolean {
  const words = fold(plain(intro));
  return REASON_INTRO.test(words) || DONE_INTRO.test(words) || EXAMPLE_INTRO.test(words) || FLOW_INTRO.test(words);
}

/** Whether it tells somebody to change something: "Update the guide", "We need to move the files". */
export function ordersChange(text: string): boolean {
  const words = bare(text);
  return CHANGES.test(words) || (OUR.test(words) && CHANGES.test(words.replace(OUR, "")));
}

/** Whether it orders something at all, to us or by its verb. */
export function ordersUs(text: string): boolean {
  const words = bare(text);
  return isOrder(words) || (OUR.test(words) && isOrder(words.replace(OUR, "")));
}

/** "`names`: what it is": a definition, unless what stands behind the name orders something. */
export function isDefinition(text: string): boolean {
  return DEFINES.test(text.trim()) && !isOrder(afterLabel(bare(text)));
}

export function announcesWork(intro: string): boolean {
  return WORK_INTRO.test(fold(plain(intro)));
}

function bare(text: string): string {
  return fold(plain(text)).replace(/^[^\p{L}\p{N}]+/u, "");
}
