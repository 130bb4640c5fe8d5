// Written by `npm run words` from policy/adr-status.yaml. Do not edit.
import type { AdrStatus } from "../../model/adr.js";

interface StatusWords {
  readonly status: AdrStatus;
  /** Whole words. */
  readonly words: string;
  /** Parts of words. */
  readonly parts: string;
  /** Whole texts. */
  readonly alone: string | null;
}

export const STATUS_WORDS: readonly StatusWords[] = [
  {
    status: "superseded",
    words:
      "super[sc]ee?ded|superseed|replaced|obsoleted by|over(?:ridden|ruled) by|subsumed by|absorbed (?:by|into)|(?:folded|merged) into|remplacee?|abgelost|ersetzt|uberholt|reemplazad[oa]|sustituid[oa]|substituid[oa]|superad[oa]|sostituit[oa]|superat[oa]|vervangen|zastapion\\w*|nahrazen\\w*|ersatt|erstattet|korvattu",
    parts: "取代|替代|替换|置き換え|置換|замен[её]н|замінен|대체",
    alone: null,
  },
  {
    status: "deprecated",
    words:
      "deprecated|obsolete|retired|archived|outdated|expired|historic(?:al)?|legacy|inactive|revoked|rescinded|reverted|reversed|rolled back|overturned|repealed|annulled|void|invalid(?:ated)?|stale|lapsed|sunset|no longer (?:valid|relevant|used|applicable|in (?:use|force|effect))|deprecie[e]?|obsolet[oae]?|caduque?|perimee?|archivee?|abrogee?|veraltet|uberflussig|aufgehoben|archiviert|obsoleto|deprecad[oa]|depreciad[oa]|derogad[oa]|revogad[oa]|archivad[oa]|arquivad[oa]|deprecat[oa]|revocat[oa]|archiviat[oa]|verouderd|vervallen|przestarzal\\w*|zastaral\\w*|foraldra[dt]|utdatert",
    parts: "弃用|棄用|废弃|廢棄|过时|作废|失效|归档|非推奨|廃止|無効|устарел|застаріл|폐기",
    alone: null,
  },
  {
    status: "rejected",
    words:
      "rejected|declined|denied|refused|vetoed|withdrawn|discarded|cancel?led|abandoned|dropped|closed|wontfix|won't (?:do|fix)|not (?:accepted|approved|adopted|pursued|chosen|selected)|no-go|rejetee?|refusee?|abandonnee?|annulee?|retiree?|abgelehnt|verworfen|zuruckgezogen|abgebrochen|rechazad[oa]|descartad[oa]|anulad[oa]|cancelad[oa]|retirad[oa]|rejeitad[oa]|recusad[oa]|rifiutat[oa]|respint[oa]|scartat[oa]|annullat[oa]|afgewezen|verworpen|afgekeurd|ingetrokken|odrzucon\\w*|zamitnut\\w*|avvis(?:ad|t)|forkastet|hylatty|reddedildi|ditolak",
    parts: "拒绝|拒絕|否决|驳回|放弃|撤回|取消|却下|不採用|棄却|取り下げ|отклонен|отвергнут|відхилен|거부|기각|철회",
    alone: "no|no go|nein|non|nao",
  },
  {
    status: "proposed",
    words:
      "proposed|propose|proposal|suggested|draft|drafting|pending|under (?:review|discussion|consideration|evaluation|investigation)|in (?:review|discussion|progress|consultation|evaluation|bearbeitung|prufung|arbeit|diskussion|behandeling|revision|revisione|revisao|discussione?|valutazione)|for review|review|to be (?:decided|approved|discussed)|not yet|awaiting|wip|work in progress|tbd|open|rfc|deferred|postponed|on hold|parked|paused|suspended|stalled|blocked|shelved|tabled|planned|exploring|exploratory|investigating|evaluating|undecided|unresolved|unapproved|needs? (?:a )?(?:decision|review|discussion|approval)|last call|candidate|request for comments?|idea|placeholder|backlog|provisional|experimental|trial|proposee?|proposition|brouillon|reportee?|suspendue?|en (?:cours|discussion|attente|revision|evaluacion|discusion|progreso|curso|espera|estudio)|a (?:valider|discuter|trancher|decider|l'etude)|vorgeschlagen|vorschlag|entwurf|offen|zuruckgestellt|aufgeschoben|zur (?:diskussion|prufung|abstimmung)|geplant|propuest[oa]|borrador|pendiente|propost[oa]|rascunho|pendente|em (?:analise|discussao|andamento|avaliacao|revisao|aberto)|adiad[oa]|bozza|in attesa|voorgesteld|voorstel|concept|ontwerp|ter review|propozycja|szkic|robocz\\w*|navrzen\\w*|navrh|foreslag\\w*|foreslatt|utkast|udkast|ehdot\\w+|luonnos|taslak|oneril\\w+|diusulkan|de xuat",
    parts:
      "提议|提議|提案|建议|草稿|草案|讨论|待定|待审|待確認|待确认|待批|拟议|暂缓|搁置|进行中|起案|検討中|下書き|審議中|レビュー|保留|предложен|запропонован|черновик|чернетка|на рассмотрении|제안|초안|검토|보류|proponowan",
    alone: "new|to-?do|to do|stub|not started|started|nouveau|neu|nuevo|novo",
  },
  {
    status: "accepted",
    words:
      "ac{1,3}ept(?:ed|e?)|ap{1,3}roved|endorsed|signed[- ]off|implementable|released|recommended|shipped|deployed|delivered|landed|(?<!not )built(?! on)|in (?:production|place)|operational|living|stable|locked|frozen|settled|selected|chosen|established|enforced|binding|normative|authoritative|agreed|adopted|decided|decision (?:made|taken|documented|recorded)|ratified|confirmed|implemented|done|final|finali[sz]ed|active|effective|in (?:effect|force|use|kraft)|enacted|committed|complete|completed|resolved|live|current|valid|passed|merged|amended|published|greenlit|green-lit|acceptee?|approuvee?|valide[e]?|adoptee?|actee?|actif|tranchee?|retenue?|implementee?|terminee?|realisee?|decidee?|mise? en (?:oeuvre|place)|en (?:vigueur|place|vigor)|angenommen|akzeptiert|genehmigt|entschieden|beschlossen|verabschiedet|bestatigt|umgesetzt|abgeschlossen|erledigt|aktiv|gultig|freigegeben|aceptad[oa]|aprobad[oa]|adoptad[oa]|decidid[oa]|decision (?:documentada|tomada|prise)|implementad[oa]|confirmad[oa]|completad[oa]|activ[oa]|vigente|aceit[oa]|aceite|aprovad[oa]|adotad[oa]|ativ[oa]|concluid[oa]|em vigor|accettat[oa]|approvat[oa]|adottat[oa]|decis[oa]|implementat[oa]|confermat[oa]|completat[oa]|attiv[oa]|in vigore|geaccepteerd|aanvaard|goedgekeurd|besloten|aangenomen|geimplementeerd|vastgesteld|actief|zaakceptowan\\w*|przyjet\\w*|zatwierdzon\\w*|wdrozon\\w*|prijat\\w*|schvalen\\w*|accepterad|godkan[dt]|godkjent|godkendt|antagen|vedtatt|vedtaget|besluttet|akseptert|hyvaksytty|kabul edildi|onaylandi|diterima|disetujui|chap (?:nhan|thuan)",
    parts:
      "接受|采纳|採納|采用|批准|通过|通過|同意|确认|確認済|定稿|已完成|现行|有效|冻结|锁定|已实施|已实现|已决定|生效|承認|採用|採択|受理|決定|合意|実装済|完了|有効|適用|確定|принят|прийнят|прииня|утвержден|затверджен|одобрен|действует|внедрен|승인|채택|확정|수락|결정됨",
    alone: "go|yes|ok|okay|on|documented|recorded|done|ja|oui|si|sim",
  },
];
