import { fold } from "./fold.js";
import { HEADINGS } from "./heading-lists.js";

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

/** The headings people use, folded, by their purpose: policy/adr-headings.yaml. One is looked up whole; where that fails, by the patterns below. */
const NAMES: Readonly<Record<Exclude<Role, "other">, readonly string[]>> = HEADINGS;

const BY_NAME: ReadonlyMap<string, Role> = new Map(
  Object.entries(NAMES).flatMap(([role, names]) => names.map((name): [string, Role] => [name, role as Role])),
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
