import type { Block } from "../../foundation/markdown/blocks.js";
import { fold, plain } from "./fold.js";
import type { Section } from "./sections.js";
import { findBareStatus, NO_STATUS, readStatus, type StatusReading } from "./status.js";

/**
 * The status is stated in front matter, in a section of its own, or in a line of metadata: the first that says one. A note
 * written over it or into its title when it ended counts more, since nobody takes the old line out.
 */
export function statusOf(
  metadata: ReadonlyMap<string, string>,
  sections: readonly Section[],
  heading: string,
): StatusReading {
  const notice = noticeIn(sections) ?? markIn(heading);
  if (notice !== null && isOver(notice)) return notice;
  const reading = readStatedStatus(metadata, sections);
  return reading.status === null && reading.raw === null && !metadata.has("status") ? (notice ?? reading) : reading;
}

function isOver({ status, partly }: StatusReading): boolean {
  return !partly && (status === "superseded" || status === "deprecated" || status === "rejected");
}

function readStatedStatus(metadata: ReadonlyMap<string, string>, sections: readonly Section[]): StatusReading {
  const stated = metadata.get("status");
  const own = sections
    .filter(({ role, named }) => role === "status" && named)
    .map((section) => [...statusWordsIn(section.heading), ...linesOf(section.blocks)]);
  // A dash was put there on purpose.
  if (stated !== undefined && /^(?:-+|–|—|n\/a|none|null|~)$/i.test(stated)) return NO_STATUS;
  let raw: string | null = null;
  for (const lines of [...(stated === undefined ? [] : [[stated]]), ...own]) {
    const reading = readStatus(lines);
    if (reading.status !== null) return reading;
    raw ??= reading.raw;
  }
  if (raw !== null || stated !== undefined || own.length > 0) return { ...NO_STATUS, raw };
  return readStatus(namelessIn(sections).slice(0, 1));
}

/** A status that stands alone at the top of a record that names none. */
function namelessIn(sections: readonly Section[]): string[] {
  return topLines(sections).flatMap((line) => {
    const whole = findBareStatus(line);
    if (whole !== null) return [whole];
    // "2026-08-06 · Accepted": beside a day.
    const parts = line.split(/ [|·•] /);
    return /\d{4}/.test(line) ? parts.flatMap((part) => findBareStatus(part) ?? []) : [];
  });
}

function topLines(sections: readonly Section[]): string[] {
  const [first, second] = sections;
  const top = [...(first?.blocks ?? []), ...(second !== undefined && !second.named ? second.blocks : [])];
  return linesOf(top.filter(({ kind, line }) => line <= 12 && (kind === "paragraph" || kind === "quote")));
}

const SELF =
  /^(?:(?:note|warning|important|update|notice|caution|attention|hinweis|nota|remarque)\s*[:.!–—-]\s*)?(?:(?:the )?status of this (?:adr|decision|record|rfc|document) is|this (?:(?:architecture )?decision(?: record)?|adr|record|rfc|document|proposal) (?:is|was|has been|have been))(?: now| currently| fully| since been)* (\S.*)$/;
const OVER =
  /^(?:(?:note|warning|important|update|notice|caution)\s*[:.!–—-]\s*)?(super[sc]ee?ded by\s(?:\W?(?:adr|rfc)|#?\d).*)$/;

/** A line over the text that says what became of the record itself: "This ADR has been superseded by ADR-12". */
function noticeIn(sections: readonly Section[]): StatusReading | null {
  for (const line of topLines(sections)) {
    const words = plain(line.replace(/^[\s>]+/, "")).replace(/^[^\p{L}\p{N}]+/u, "");
    const said = (SELF.exec(fold(words)) ?? OVER.exec(fold(words)))?.[1];
    // The statement about it stands first: "This decision is about a draft" says nothing.
    if (said === undefined || findBareStatus(said) === null) continue;
    const reading = readStatus([said]);
    if (reading.status !== null) return { ...reading, raw: words };
  }
  return null;
}

/** `# ADR-7: One queue [Superseded]`, `# DEPRECATED: ADR-7 …`: a mark in the title. */
function markIn(heading: string): StatusReading | null {
  const words = plain(heading);
  const [, before, front, behind] =
    /^(?:[[(]([^\])]{3,60})[\])]\s|(\p{Lu}{5,12})\s*[:–—-]\s)|[[(]([^[\]()]{3,60})[\])]\s*$/u.exec(words) ?? [];
  const mark = before ?? front ?? behind;
  if (mark === undefined || findBareStatus(mark) === null) return null;
  const reading = readStatus([mark]);
  return reading.status === null ? null : reading;
}

/** `## Status: Accepted` states it in the heading. */
function statusWordsIn(heading: string): string[] {
  const [, words] = /^[^:：|–—-]{1,40}[:：|–—-]\s*(\S.*)$/.exec(heading) ?? [];
  return words === undefined ? [] : [words];
}

function linesOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind === "paragraph" || block.kind === "quote") return [...block.lines];
    if (block.kind === "item")
      return [block.ticked === null ? block.text : `[${block.ticked ? "x" : " "}] ${block.text}`];
    return block.kind === "table" ? block.rows.map((row) => row.join(" ")) : [];
  });
}
