import { fold } from "./fold.js";

/** The purpose of a section of a decision record. */
export type Role =
  | "status"
  | "context"
  | "decision"
  | "options"
  | "reasons"
  | "consequences"
  | "work"
  /** May plan work or may describe: each entry has to ask for something by itself. */
  | "plan"
  | "future"
  | "links"
  | "other";

export type Polarity = "positive" | "negative" | null;

/*
 * The headings people use, folded (lower case, no accents), by what they are for. A heading is looked up whole; where
 * that fails, by the patterns below. English, French, German, Spanish, Portuguese, Italian, Dutch, Chinese, Japanese.
 */
const NAMES: Readonly<Record<Exclude<Role, "other">, string>> = {
  status: `status|state|estatus|entscheidungsstatus|statut de l'adr|estado de la decision|estado da decisao|статус|состояние|상태|stan|adr status|rfc status|etat|statut|statut de la decision|estado|stato|situacao|zustand
    |toestand|stand|stav|durum|tila|trang thai|status history|decision status|状态|狀態|状態|状況|ステータス|現状`,
  context: `контекст|проблема|배경|맥락|kontekst|context|contexte|kontext|contexto|contesto|background|problem|problem statement|question|issue|motivation|summary
    |introduction|overview|scope|goals|non-goals|assumptions|requirements|constraints|tl;dr|abstract|problematique|probleme
    |enjeux|hintergrund|problemstellung|ausgangslage|zusammenfassung|ziele|problema|antecedentes|resumen|resumo|problematica
    |sommario|probleem|probleemstelling|achtergrond|samenvatting|背景|上下文|语境|问题|問題|目标|概述|コンテキスト|コンテクスト|課題|概要|目的
    |context and problem statement|current state|situation|terminology|glossary|definitions`,
  decision: `решение|결정|decyzja|decision|decisions|decision outcome|outcome|resolution|chosen option|choosen option|chosen alternative|solution|proposed solution|chosen solution
    |proposal|decision taken|final decision|conclusion|conclusions|fazit|schlussfolgerung|conclusao|conclusione|conclusie|结论|結論|resultat de la decision|solution retenue|choix|entscheidung|entscheid|beschluss
    |entscheidungen|losung|ergebnis der entscheidung|decision tomada|solucion|resultado de la decision|propuesta|decisao|solucao
    |resultado da decisao|decisione|soluzione|esito della decisione|beslissing|besluit|oplossing|beslissingsuitkomst
    |决策|决定|决议|決策|決定|决策结果|决定结果|方案选择|決定事項|決定内容|決議|解决方案|解決策`,
  options: `альтернативы|варианты|대안|alternatywy|options|considered options|options considered|alternatives|alternatives considered|considered alternatives
    |other options|options explored|evaluated options|pros and cons of the options|rejected alternatives|rejected options
    |discarded options|prior art|comparison|options envisagees|options considerees|alternatives envisagees|solutions envisagees
    |avantages et inconvenients des options|optionen|betrachtete optionen|alternativen|betrachtete alternativen|opciones
    |vor- und nachteile der optionen|opciones consideradas|alternativas|alternativas consideradas|opcoes|opcoes consideradas
    |opzioni|opzioni considerate|alternative|alternative considerate|opties|overwogen opties|alternatieven
    |overwogen alternatieven|选项|备选方案|候选方案|考虑的选项|考虑的方案|可选方案|替代方案|選択肢|検討した選択肢|代替案|検討案|他の選択肢`,
  reasons: `reason|reasons|rationale|reasoning|justification|why|argument|arguments|argumentation|decision drivers|drivers
    |decision criteria|criteria|evaluation|analysis|discussion|pros|cons|pros and cons|advantages|disadvantages|benefits
    |drawbacks|trade-offs|tradeoffs|risks|raison|raisons|motifs|facteurs de decision|avantages|inconvenients|criteres
    |begrundung|grunde|entscheidungstreiber|kriterien|vorteile|nachteile|vor- und nachteile|justificacion|razones|motivos
    |ventajas|desventajas|criterios|justificativa|razoes|vantagens|desvantagens|direcionadores da decisao|motivazione
    |motivazioni|vantaggi|svantaggi|criteri|motivatie|redenen|redenering|voordelen|nadelen|onderbouwing|beslissingsfactoren
    |理由|原因|决策驱动因素|优点|缺点|优缺点|論拠|根拠|メリット|デメリット|決定要因|判断基準`,
  consequences: `последствия|결과|konsekwencje|consequence|consequences|implications|implication|impact|impacts|results|effects|effect|ramifications
    |positive consequences|negative consequences|neutral consequences|resulting context|consequences and risks|consequences positives
    |consequences negatives|repercussions|konsequenzen|konsequenz|auswirkungen|folgen|positive konsequenzen|negative konsequenzen
    |positive auswirkungen|negative auswirkungen|consecuencias|consecuencias positivas|consecuencias negativas|consequencias
    |consequencias positivas|consequencias negativas|implicacoes|impactos|conseguenze|conseguenze positive|conseguenze negative
    |gevolgen|consequenties|positieve gevolgen|negatieve gevolgen|impact analysis|后果|影响|结果|後果|影響|結果|帰結|积极影响|消极影响
    |正面影响|负面影响|正面后果|负面后果|良い影響|悪い影響|ポジティブな影響|ネガティブな影響|肯定的な結果|否定的な結果`,
  work: `реализация|план внедрения|план реализации|задачи|следующие шаги|구현|구현 계획|다음 단계|wdrozenie|nastepne kroki|zadania|implementation|implementation notes|implementation plan|implementation details|implementation approach
    |implementation steps|implementation strategy|implementation tasks|implementing|action|actions|action items|action plan
    |action points|tasks|task list|task breakdown|to do|to-do|todo|todos|next steps|steps|follow up|follow-up|follow-ups
    |follow-up actions|followup|work plan|work items|workplan|rollout|rollout plan|roll-out|migration|migration plan
    |migration path|migration steps|migration strategy|transition plan|deliverables|milestones|proposed workflow|required changes
    |proposed changes|changes required|changes needed|adoption plan|plan for adoption|execution plan|delivery plan|follow-up work|follow-up tasks
    |follow-up items|next actions|remaining work|outstanding work|work required|required work|work to do|what needs to be done|plan of action
    |mise en oeuvre|mise en œuvre|implementation technique|plan d'action|actions a mener|actions|taches|etapes|prochaines etapes
    |plan de mise en oeuvre|plan de migration|suites a donner|travaux|umsetzung|implementierung|massnahmen|aufgaben|nachste schritte
    |umsetzungsplan|umsetzungsschritte|implementierungshinweise|umsetzungshinweise|aktionspunkte|migrationsplan|arbeitsschritte|vorgehen|implementacion
    |notas de implementacion|plan de implementacion|plan de accion|acciones|tareas|proximos pasos|siguientes pasos|pasos|plan de migracion
    |implementacao|notas de implementacao|plano de implementacao|plano de acao|acoes|tarefas|proximos passos|passos|plano de migracao
    |implementazione|note di implementazione|attuazione|piano di implementazione|azioni|attivita|prossimi passi|passi
    |piano di migrazione|piano d'azione|implementatie|implementatienotities|implementatienotas|implementatieplan|acties|actiepunten|taken
    |volgende stappen|stappen|vervolgstappen|uitvoering|migratieplan|plan van aanpak|实施|实现|实施计划|实施步骤|实施说明|实施方案|实现计划|实现细节
    |实现步骤|落地计划|行动项|行动计划|任务|任务列表|待办|待办事项|下一步|后续步骤|后续工作|迁移计划|執行計畫|実装|実装計画|実装方針|実装メモ|実装ノート|実装手順|実施計画
    |実施手順|作業|作業項目|タスク|アクション|アクションアイテム|次のステップ|フォローアップ|今後の対応|対応|対応事項|やること|移行計画|移行手順|手順`,
  plan: `plan|approach|proposed approach|changes|how|work|roadmap|design|detailed design|technical design|technical details|details
    |specification|architecture|strategy|process|workflow|guidelines|principles|policy|conception|details techniques|vorgehensweise
    |entwurf|diseno|detalles|detalhes|dettagli|progettazione|ontwerp|设计|详细设计|設計|詳細|詳細設計`,
  future: `future|future work|future developments|future development|future steps|future considerations|future improvements
    |later|travaux futurs|evolutions futures|zukunft|ausblick|trabajo futuro|trabalhos futuros|sviluppi futuri|toekomst|toekomstig werk
    |未来工作|将来の課題|今後の課題|今後の展望`,
  links: `links|link|related|related decisions|related adrs|references|reference|see also|more information|further reading|sources
    |resources|related documents|related artifacts|notes|note|appendix|liens|references|voir aussi|plus d'informations|annexes|verweise
    |weiterfuhrende informationen|weitere informationen|referenzen|quellen|enlaces|referencias|mas informacion|notas|ligacoes|mais informacoes
    |anexos|riferimenti|collegamenti|maggiori informazioni|note|verwijzingen|referenties|meer informatie|bronnen|链接|参考|参考资料|相关|相关链接
    |更多信息|備考|参照|関連|関連リンク|リンク|参考資料|補足|changelog|change log|history|revision history|version history|authors|author|deciders
    |decision makers|decision-makers|participants|stakeholders|consulted|informed|date|meta|metadata|document control|keywords|tags|confirmation|validation|compliance
    |open questions|questions|unresolved questions|known issues|out of scope|not in scope|exclusions|abgrenzung|nicht im umfang|hors perimetre|fuera de alcance
    |fora do escopo|fuori ambito|buiten scope|faq|comments|feedback|contents|table of contents|version`,
};

const BY_NAME: ReadonlyMap<string, Role> = new Map(
  Object.entries(NAMES).flatMap(([role, names]) =>
    names.split("|").map((name): [string, Role] => [name.trim(), role as Role]),
  ),
);

/** Tried in order on a heading that has no entry. */
const PATTERNS: readonly (readonly [RegExp, Role])[] = [
  [
    /^(?:option|alternative|alternativa|variant|variante|opcion|opcao|opzione|optie|solution|solucion|losung|approach|candidate|choice|选项|方案|選択肢|案)\s*(?:n°|no\.?|nr\.?|#)?\s*(?:\d+|[a-z]\b|[一二三四五]|[:：])/,
    "options",
  ],
  [
    /\b(?:rejected|discarded|considered|not chosen|other|alternative) (?:options?|alternatives?|approach(?:es)?|solutions?)\b/,
    "options",
  ],
  [/\b(?:pros|cons|advantages?|disadvantages?|benefits?|drawbacks?|trade-?offs?)\b/, "reasons"],
  [/\b(?:reasons?|rationale|justification|why|motivation)\b/, "reasons"],
  [
    /\b(?:consequences?|implications?|consecuencias|consequencias|conseguenze|gevolgen|konsequenzen|auswirkungen)\b|(?:后果|影响|影響)$/,
    "consequences",
  ],
  [/\b(?:history|changelog|release signoff)\b|履歴|历史/, "links"],
  [/\b(?:future|later|futur|future?s|futuras?|futuros?|kunftig\w*|toekomstig\w*)\b|今後|未来|будущ/, "future"],
  [
    /\bto (?:be )?(?:add|chang|creat|delet|deprecat|do\b|implement|introduc|migrat|mov|remov|renam|replac|updat|writ)/,
    "work",
  ],
  [
    /\b(?:implementation|action items?|action plan|next steps?|next actions?|follow[- ]?ups?|to-?dos?|migration (?:plan|steps|path)|rollout|roll-out|tasks|work items?|umsetzung|implementierung|implementacion|implementacao|implementazione|implementatie|mise en oeuvre|naechste schritte)\b|(?:实施|实现)(?:计划|步骤|方案|细节)|実装/,
    "work",
  ],
  [/\bstatus\b/, "status"],
  [/^(?:决策|决定|決定|決策|решени|decisao|decision|decisione|entscheidung|besluit|beslissing)/, "decision"],
  [/缓解措施|対策|mitigat|mitigacion|mitigacao|massnahmen/, "work"],
  [/\bdecision outcome\b|^decision\b|^(?:our|the|final|proposed) decision\b/, "decision"],
  [/\b(?:considered options|alternatives|options)\b/, "options"],
  [/\b(?:context|background|problem)\b/, "context"],
];

/** `Phase 2: …`, `Step 1`, `Étape 3`, `第1阶段`: a heading that orders the work under it. */
const STAGE =
  /^(?:phase|step|stage|milestone|etape|schritt|etappe|paso|fase|etapa|passo|stap|阶段|步骤|フェーズ|ステップ)\s*#?\s*(\d+|[ivx]+)\b|^第\s*([\d一二三四五六七八九]+)\s*(?:阶段|步|段階|フェーズ)/;

const POSITIVE =
  /\b(?:positive?s?|positiv\w*|positief|easier|good|pros?|advantages?|benefits?|avantages?|vorteile?|ventajas?|vantagens|vantaggi|voordelen|upsides?|gains?|wins?)\b|优点|正面|积极|好处|良い|メリット|ポジティブ|肯定/;
const NEGATIVE =
  /\b(?:negative?s?|negativ\w*|negatief|harder|difficult|bad|cons?|disadvantages?|drawbacks?|risks?|inconvenients?|nachteile?|desventajas?|desvantagens|svantaggi|nadelen|downsides?|limitations?|costs?)\b|缺点|负面|消极|坏处|悪い|デメリット|ネガティブ|否定/;

/** The purpose of a heading that is nothing but the name of a section. */
export function namedRole(heading: string): Role | null {
  return BY_NAME.get(headingName(heading)) ?? null;
}

/** The purpose of a heading; null when it is not a known one. */
export function roleOf(heading: string): Role | null {
  const name = headingName(heading);
  if (name === "") return null;
  const whole = namedRole(heading);
  if (whole !== null) return whole;
  // Bilingual headings: "决策 (Decision)", "Status / Statut", "Entscheidung – Decision".
  for (const part of name.split(/\s*[/|()（）［］[\]【】]\s*|\s+[-–—]\s+|[:：]\s*/)) {
    const role = BY_NAME.get(part.trim());
    if (role !== undefined) return role;
  }
  return PATTERNS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

export function polarityOf(heading: string): Polarity {
  const name = headingName(heading);
  if (NEGATIVE.test(name)) return "negative";
  return POSITIVE.test(name) ? "positive" : null;
}

/** The number of the stage a heading opens; null when it opens none. */
export function stageOf(heading: string): string | null {
  const match = STAGE.exec(headingName(heading));
  return match === null ? null : (match[1] ?? match[2] ?? null);
}

/** A heading without numbering, marks and pictures in front, and without its colon. */
function headingName(heading: string): string {
  return fold(heading)
    .replaceAll(/[*_`]/g, "")
    .replace(/\{#[^}]*\}\s*$/, "")
    .replace(/^(?:[^\p{L}\p{N}]+)/u, "")
    .replace(/^(?:\d+(?:\.\d+)*[.):、]?|[ivx]+[.)])\s+(?=\p{L})/u, "")
    .replace(/[\s:：.?？]+$/, "")
    .trim();
}
