import type { AdrStatus } from "../model/adr.js";
import { fold, plain } from "./fold.js";

export interface StatusReading {
  readonly status: AdrStatus | null;
  /** Only a part of the record was replaced: the rest of it stands. */
  readonly partly: boolean;
  /** The words it was read from, as they are written; null when there are none. */
  readonly raw: string | null;
}

/* The words for each status, folded, in nine languages. The first one in a text decides. */
const WORDS: readonly (readonly [AdrStatus, RegExp])[] = [
  [
    "superseded",
    /\b(?:superseded|superceded|replaced|obsoleted by|remplacee?|abgelost|ersetzt|uberholt|reemplazad[oa]|sustituid[oa]|substituid[oa]|superad[oa]|sostituit[oa]|superat[oa]|vervangen)\b|取代|替代|替换|置き換え|置換/,
  ],
  [
    "deprecated",
    /\b(?:deprecated|obsolete|retired|archived|outdated|expired|historic(?:al)?|legacy|inactive|revoked|rescinded|reverted|sunset|no longer (?:valid|relevant|used|applicable)|deprecie[e]?|obsolet[oae]?|caduque?|perimee?|veraltet|uberflussig|obsoleto|deprecad[oa]|depreciad[oa]|deprecat[oa]|verouderd|vervallen)\b|弃用|棄用|废弃|廢棄|过时|非推奨|廃止/,
  ],
  [
    "rejected",
    /\b(?:rejected|declined|denied|refused|withdrawn|discarded|cancel?led|abandoned|dropped|closed|wontfix|won't (?:do|fix)|not accepted|not approved|rejetee?|refusee?|abandonnee?|abgelehnt|verworfen|zuruckgezogen|rechazad[oa]|descartad[oa]|rejeitad[oa]|recusad[oa]|rifiutat[oa]|respint[oa]|scartat[oa]|afgewezen|verworpen|afgekeurd|ingetrokken)\b|拒绝|拒絕|否决|驳回|放弃|却下|不採用|棄却|取り下げ/,
  ],
  [
    "proposed",
    /\b(?:proposed|propose|proposal|draft|drafting|pending|under (?:review|discussion|consideration)|in (?:review|discussion|progress|bearbeitung|prufung|behandeling|revision|revisione|revisao|discussione?)|for review|review|to be (?:decided|approved|discussed)|not yet|awaiting|wip|work in progress|tbd|open|rfc|deferred|postponed|on hold|parked|exploring|last call|candidate|request for comments?|idea|provisional|experimental|trial|proposee?|proposition|brouillon|en (?:cours|discussion|attente|revision)|vorgeschlagen|vorschlag|entwurf|offen|propuest[oa]|borrador|pendiente|propost[oa]|rascunho|pendente|bozza|in attesa|voorgesteld|voorstel|concept|ontwerp|ter review)\b|提议|提議|提案|建议|草稿|草案|讨论|待定|拟议|起案|検討中|下書き|審議中|レビュー/,
  ],
  [
    "accepted",
    /\b(?:accepted|accept|approved|endorsed|signed[- ]off|implementable|released|recommended|shipped|deployed|in production|living|agreed|adopted|decided|ratified|confirmed|implemented|done|final|finali[sz]ed|active|effective|in (?:effect|force|use|kraft)|enacted|committed|complete|completed|resolved|live|current|valid|passed|merged|amended|published|acceptee?|approuvee?|valide[e]?|adoptee?|actee?|decidee?|en vigueur|angenommen|akzeptiert|genehmigt|entschieden|beschlossen|umgesetzt|gultig|freigegeben|aceptad[oa]|aprobad[oa]|adoptad[oa]|decidid[oa]|implementad[oa]|vigente|aceit[oa]|aceite|aprovad[oa]|adotad[oa]|accettat[oa]|approvat[oa]|adottat[oa]|decis[oa]|implementat[oa]|geaccepteerd|aanvaard|goedgekeurd|besloten|aangenomen|geimplementeerd)\b|接受|采纳|採納|批准|通过|通過|同意|已实施|已实现|已决定|生效|承認|採用|受理|決定|合意|実装済|確定/,
  ],
];

const PICTURES: readonly (readonly [AdrStatus, RegExp])[] = [
  ["accepted", /[✅✔☑🟢👍]/u],
  ["rejected", /[❌🚫⛔🔴👎]/u],
  ["proposed", /[🚧📝🟡💡🤔]/u],
];

const PARTLY =
  /\b(?:part(?:ly|ial|ially)|in part|partiellement|en partie|teilweise|parcial(?:mente)?|parzial(?:mente|e)|deels|gedeeltelijk)\b|部分|一部/;
const NOT =
  /\b(?:not|never|yet to be|to be|awaiting|pending|waiting for|needs|nicht|noch nicht|non|pas|no|nao|niet)\s+(?:yet\s+|been\s+|be\s+|to be\s+|encore\s+)*$|(?:未|尚未|没有|不)$/;

export const NO_STATUS: StatusReading = { status: null, partly: false, raw: null };

/** Read a status from the words that state it, line by line. Contract: words that state none give null with the words. */
export function readStatus(lines: readonly string[]): StatusReading {
  const given = lines.map((line) => line.trim()).filter((line) => line !== "");
  const raw = given.length === 0 ? null : plain(given[0] ?? "");
  const readings = given.map(readLine).filter((reading) => reading !== null);
  if (given.some(isTemplate) || isDefinition(readings, given)) return { ...NO_STATUS, raw };
  const replaced = readings.find(({ status }) => status === "superseded");
  const dated = latest(readings);
  const chosen = replaced ?? dated ?? readings[0];
  return chosen === undefined
    ? { ...NO_STATUS, raw }
    : { status: chosen.status, partly: chosen.partly, raw: chosen.raw };
}

interface LineReading {
  readonly status: AdrStatus;
  readonly partly: boolean;
  readonly raw: string;
  readonly day: string | null;
}

function readLine(line: string): LineReading | null {
  const [, box, rest] = /^(?:[-*+]\s+)?\[([ xX])\]\s*(.*)$/.exec(line) ?? [];
  if (box === " ") return null;
  const shown = (rest ?? line).replaceAll(/~~[^~]*~~|<(?:del|s)>.*?<\/(?:del|s)>/g, " ");
  const words = fold(plain(shown)).replaceAll(/[_]/g, " ");
  // What stands in brackets is said in passing, unless nothing else is said.
  const outside = words.replaceAll(/\([^()]*\)|（[^（）]*）/g, " ");
  const status =
    (isReplaced(words) ? "superseded" : null) ??
    firstStatus(outside) ??
    firstStatus(words) ??
    PICTURES.find(([, mark]) => mark.test(shown))?.[0] ??
    null;
  if (status === null) return null;
  const [day = null] = /\d{4}-\d{2}-\d{2}/.exec(words) ?? [];
  return { status, partly: status === "superseded" && PARTLY.test(words), raw: plain(shown), day };
}

/** "Accepted, superseded by ADR-9" and "Accepted (replaced by 12)" are over, whatever came first. */
function isReplaced(words: string): boolean {
  const match = /\b(?:superseded|superceded|replaced|obsoleted) by\b/.exec(words);
  if (match === null) return false;
  const before = words.slice(Math.max(0, match.index - 24), match.index);
  return (
    !PARTLY.test(before) &&
    !/\b(?:to|will|may|might|can|could|should|not|never|un\w*) (?:be |yet )?$|\buntil\b|\bif\b/.test(before)
  );
}

function firstStatus(words: string): AdrStatus | null {
  let best: { readonly status: AdrStatus; readonly at: number } | null = null;
  for (const [status, pattern] of WORDS) {
    const match = pattern.exec(words);
    if (match === null || (best !== null && best.at <= match.index)) continue;
    // "Not yet accepted" is a proposal.
    const denied = status === "accepted" && NOT.test(words.slice(0, match.index));
    best = { status: denied ? "proposed" : status, at: match.index };
  }
  return best?.status ?? null;
}

/** A history of dated states ends in the one that holds. */
function latest(readings: readonly LineReading[]): LineReading | undefined {
  const dated = readings.filter(({ day }) => day !== null);
  if (dated.length < 2) return undefined;
  return dated.reduce((last, reading) => ((reading.day ?? "") >= (last.day ?? "") ? reading : last));
}

/** A list of what each status means states none: it names many of them, and none is dated, ticked or struck out. */
function isDefinition(readings: readonly LineReading[], lines: readonly string[]): boolean {
  if (readings.some(({ day }) => day !== null) || lines.some((line) => /\[x\]|~~/i.test(line))) return false;
  return new Set(readings.map(({ status }) => status)).size >= 3;
}

/** The choices of a template that nobody has filled in: several are named, so none is stated. */
function isTemplate(line: string): boolean {
  if (/\[x\]|~~/i.test(line)) return false;
  const words = fold(line);
  const named = WORDS.filter(([, pattern]) => pattern.test(words)).length;
  if (named >= 3 && (/[|/{<]|,.*\bor\b|\bor\b.*,|[?？]\s*$/.test(words) || /^_.*_$/.test(line))) return true;
  // "Proposed or accepted", "Draft | Final": a choice of two.
  return (
    named >= 2 && words.split(/\||\bor\b|\boder\b|\bou\b/).filter((part) => firstStatus(part) !== null).length >= 2
  );
}
