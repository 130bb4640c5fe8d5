import type { Block } from "../../foundation/markdown/blocks.js";
import { fold, plain } from "./fold.js";
import type { Section } from "./sections.js";
import { readStatus } from "./status.js";

const KEYS: Readonly<Record<string, RegExp>> = {
  status:
    /^(?:(?:adr|rfc|decision|current|record|document|approval)[- ])?(?:status|state)$|^stage$|^lifecycle$|^(?:etat|statut|estado|estatus|stato|статус|상태|stan|stav|durum|tila|trang thai|situacao|zustand|toestand|状态|狀態|状態|ステータス|状況|決定状況|决策状态)$/,
  id: /^(?:adr|rfc|decision)?[- ]?(?:id|number|nr|no\.?|num)$|^(?:adr|rfc)$|^(?:nummer|numero|编号|番号)$/,
  title: /^(?:title|titre|titel|titulo|titolo|subject|name|标题|タイトル|件名)$/,
  "superseded-by":
    /^(?:superseded|superceded|replaced|obsoleted)(?:[- ]by)?$|^(?:remplacee? par|ersetzt durch|abgelost durch|reemplazad[oa] por|sustituid[oa] por|substituid[oa] por|sostituit[oa] da|vervangen door|被取代|取代者|后继)$/,
  supersedes:
    /^(?:supersedes|supercedes|replaces|obsoletes|remplace|ersetzt|reemplaza a?|sustituye a?|substitui|sostituisce|vervangt|取代|置き換え)$/,
  related:
    /^(?:related(?:[- ](?:to|adrs?|decisions?))?|relates[- ]to|depends[- ]on|amends|amended[- ]by|see[- ]also|links)$/,
};

/** Metadata that stands this far down is text. */
const MOST_LINES = 40;

/**
 * The fields a record states by name: in front matter, in lines `**Status:** Accepted`, in lists and tables at its
 * top. The first that says something counts, front matter before all.
 */
export function metadataOf(
  frontMatter: ReadonlyMap<string, string>,
  sections: readonly Section[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const take = (name: string, value: string) => {
    const key = keyOf(name);
    if (key === null || value.trim() === "" || (found.has(key) && !isBetter(key, found.get(key) ?? "", value))) return;
    if (key === "id" && number(value) === null) return;
    found.set(key, key === "id" ? (number(value) ?? "") : value.trim());
  };
  for (const [name, value] of frontMatter) take(name.replaceAll("-", " "), value);
  for (const section of sections) {
    if (section.named && section.role !== "status" && section.role !== "links" && section.role !== "context") break;
    // "## Title" over the words of the title.
    const [first] = section.blocks;
    if (first?.kind === "paragraph" && keyOf(section.heading) === "title") take("title", first.lines[0] ?? "");
    for (const block of section.blocks) {
      if (block.line > MOST_LINES) break;
      // A section Status states it as a whole; only its other lines are looked at by name.
      for (const [name, value] of pairsOf(block)) if (section.role !== "context" || isTop(block)) take(name, value);
    }
  }
  return found;
}

/** A table may have its names in a row: what stands beside "Status" there is no status, and what stands below is one. */
function isBetter(key: string, before: string, value: string): boolean {
  return key === "status" && readStatus([before]).status === null && readStatus([value]).status !== null;
}

function isTop({ line }: Block): boolean {
  return line <= 12;
}

function keyOf(name: string): string | null {
  const folded = fold(plain(name))
    // Pictures in front of it say nothing.
    .replace(/^(?:#\+|!?\[|[^\p{L}\p{N}]+)/u, "")
    .replaceAll(/[*_]/g, "")
    .replace(/\s*[:：]$/, "")
    // "Status (2024-05-01)", "Status as of May".
    .replace(/\s+(?:\([^()]*\)|as of\s.*)$/, "")
    .trim();
  return Object.entries(KEYS).find(([, pattern]) => pattern.test(folded))?.[0] ?? null;
}

function number(value: string): string | null {
  return /(?:^|[A-Za-z][-_ ]?)#?(\d{1,6})\s*$/.exec(plain(value))?.[1] ?? null;
}

function* pairsOf(block: Block): Generator<readonly [string, string]> {
  if (block.kind === "paragraph" || block.kind === "quote")
    for (const [at, line] of block.lines.entries()) {
      yield* pairIn(line);
      // A bold name, its value on the next line.
      const [, , name] = /^\s*(\*\*|__)([^*_:：]{1,40})\1\s*[:：]?\s*$/.exec(line) ?? [];
      if (name !== undefined) yield [name, block.lines[at + 1] ?? ""];
      // A list of definitions: the name, and its value behind a colon on the next line.
      const [, value] = /^\s*[:：]\s+(\S.*)$/.exec(block.lines[at + 1] ?? "") ?? [];
      if (value !== undefined) yield [line, value];
    }
  if (block.kind === "paragraph") {
    // A table of tags: the cell behind a name is its value.
    const cells = [...block.lines.join(" ").matchAll(/<t[hd]\b[^<>]{0,200}>([^<>]{0,300})<\/t[hd]>/gi)].map(
      ([, cell]) => cell ?? "",
    );
    for (const [at, name] of cells.entries()) yield [name, cells[at + 1] ?? ""];
  }
  if (block.kind === "item") yield* pairIn(block.text);
  if (block.kind !== "table") return;
  const [head = [], ...rows] = block.rows;
  for (const row of block.rows) if (row.length >= 2) yield [row[0] ?? "", row[1] ?? ""];
  // Names in the first row, values in the second.
  if (rows.length === 1) for (const [at, name] of head.entries()) yield [name, rows[0]?.[at] ?? ""];
}

function* pairIn(line: string): Generator<readonly [string, string]> {
  const badge = /!\[[^\]]*\]\([^)]*\/badge\/(?:(?:adr[_-]?)?status|adr|decision)[-/]([A-Za-z]+)/i.exec(line);
  if (badge !== null) yield ["status", badge[1] ?? ""];
  // A badge of nothing but the word for it.
  const [, word = ""] = /!\[[^\]]*\]\([^)]*\/badge\/([A-Za-z]+)-[a-z]+(?:\.svg)?[?)]/.exec(line) ?? [];
  if (badge === null && word !== "" && readStatus([word]).status !== null) yield ["status", word];
  const [, bar] = DASHED.exec(line) ?? [];
  if (bar !== undefined) yield ["status", bar];
  // Several on one line: "**Status:** Accepted | **Date:** 2024-01-01".
  for (const part of partsOf(line)) {
    const [, name, value] = /^[\s>*_-]{0,12}([^:：|]{1,40}?)[*_\s]{0,12}[:：][*_]{0,12}\s*(.*)$/.exec(part) ?? [];
    if (name !== undefined && value !== undefined) yield [name, value.trimEnd()];
    // A bold name without a colon.
    const [, , bare, words] =
      name === undefined ? (/^[\s>-]{0,12}(\*\*|__)([^*_]{1,40})\1\s+[–—-]?\s*(\S.*)$/.exec(part) ?? []) : [];
    if (bare !== undefined && words !== undefined) yield [bare, words.trimEnd()];
  }
}

/** A name without a colon: "Status - Accepted", "**Status** | Accepted". */
const DASHED = /^[\s>*_-]{0,12}(?:status|statut|estado|stato)[*_]{0,4}\s+[-–—|=]\s+(\S.*)$/i;

/** The choices of a template stay together: "Status: [proposed | accepted]". */
function partsOf(line: string): readonly string[] {
  const parts = line.split(/ [|·•] /);
  const choices =
    parts.length > 1 && /[:：]/.test(parts[0] ?? "") && parts.slice(1).every((part) => !/[:：\d]/.test(part));
  return choices ? [line] : parts;
}
