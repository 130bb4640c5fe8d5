import type { AdrStatus } from "../../model/adr.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { Block } from "../../foundation/markdown/blocks.js";
import { readBlocks } from "../../foundation/markdown/read-blocks.js";
import { type Consequence, consequencesOf } from "./consequences.js";
import { plain } from "./fold.js";
import { asMarkdown } from "./markup.js";
import { metadataOf } from "./metadata.js";
import { cutTitle, type FileName, isDated, type Kind, nameOf, readFileName, slugOf } from "./adr-names.js";
import { findRelations } from "./relations.js";
import { cutSections, type Section } from "./sections.js";
import { statusOf } from "./status-place.js";

/** A decision record as it was read. */
export interface ParsedAdr {
  readonly file: string;
  /**
   * The number without zeros in front, with its series where there are several; the name of a file that is filed by
   * date; null where a record has neither.
   */
  readonly id: string | null;
  /** The label it is shown and cited by: `ADR-007`, or made of its file's name. */
  readonly label: string;
  readonly title: string;
  readonly status: AdrStatus | null;
  readonly statusText: string | null;
  /** Superseded in parts: what is left of it stands. */
  readonly partly: boolean;
  readonly supersededBy: string | null;
  readonly supersedes: readonly string[];
  readonly related: readonly string[];
  readonly consequences: readonly Consequence[];
  readonly sections: readonly Section[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Read a decision record in any of the forms people write: Nygard, adr-tools, MADR, RFCs, tables, front matter.
 *
 * Contract: pure and total. A field that cannot be read is null and has a diagnostic; nothing is guessed.
 */
export function parseAdr(text: string, file: string): ParsedAdr {
  const { frontMatter, blocks } = readBlocks(asMarkdown(text, file));
  const sections = cutSections(blocks);
  const metadata = metadataOf(frontMatter, sections);
  const name = readFileName(file);
  const { title, number } = titleOf(blocks, sections, metadata, name);
  const written = number ?? metadata.get("id") ?? name.number;
  const id = idOf(written, name);
  const reading = statusOf(metadata, sections, firstHeading(blocks));
  const relations = findRelations({ id, kind: kindOf(blocks, file), sections, metadata, status: reading.status });
  // Somebody replaced it and nobody wrote so in the status.
  const status = reading.status ?? (relations.declared ? "superseded" : null);
  return {
    file,
    id,
    label: labelOf(id, name, written),
    title,
    status,
    statusText: reading.raw,
    partly: status === "superseded" && reading.partly,
    supersededBy: status === "superseded" ? relations.supersededBy : null,
    supersedes: relations.supersedes,
    related: relations.related,
    consequences: consequencesOf(sections),
    sections,
    diagnostics: diagnosticsOf({ file, title, status, raw: reading.raw, sections }),
  };
}

function idOf(written: string | null, name: FileName): string | null {
  if (written === null) return isDated(name.slug) ? name.slug : null;
  const counted = name.number !== null && nameOf(name.number) === nameOf(written);
  return counted && name.series !== null ? name.series : nameOf(written);
}

/** `ADR-0007` where that is how its heading writes it, or else its file; at least three digits. */
function labelOf(id: string | null, name: FileName, written: string | null): string {
  if (id === null) return `ADR-${slugOf(name.slug)}`;
  if (!/^\d+$/.test(id)) return id === name.series ? id.slice(0, 40) : `ADR-${slugOf(id)}`;
  const own = [written, name.number].find((number) => number !== null && number.length >= 3 && nameOf(number) === id);
  return `ADR-${own ?? id.padStart(3, "0")}`;
}

/** A record of a series of RFCs points to others as RFCs. */
function kindOf(blocks: readonly Block[], file: string): Kind {
  return /\brfcs?\b/i.test(file) || /^\W*RFC\b/.test(firstHeading(blocks)) ? "RFC" : "ADR";
}

function firstHeading(blocks: readonly Block[]): string {
  const first = blocks.find(({ kind }) => kind === "heading");
  return first?.kind === "heading" ? first.text : "";
}

function titleOf(
  blocks: readonly Block[],
  sections: readonly Section[],
  metadata: ReadonlyMap<string, string>,
  name: FileName,
): { readonly title: string; readonly number: string | null } {
  const headings = blocks.filter((block) => block.kind === "heading");
  const top = Math.min(...headings.map(({ level }) => level));
  // The title is the first heading when that is not the name of a section: an RFC may begin with "Summary".
  const first = headings[0];
  const section =
    first === undefined ? undefined : sections.find(({ line, level }) => line === first.line && level > 0);
  // Front matter names a record that has no first heading of its own.
  const titled = first !== undefined && (first.level === 1 || !metadata.has("title"));
  if (titled && first.level === top && section?.role === null) {
    const cut = cutTitle(first.text, name);
    if (cut.title !== "" && !isKindOnly(cut.title)) return cut;
    // "# ADR 5" and "# Architecture Decision Record" alone: the words are elsewhere.
    const words = metadata.get("title") ?? below(sections, first.line) ?? name.words;
    return { number: cut.number, ...(words === "" ? cut : { title: plain(words) }) };
  }
  const given = metadata.get("title");
  if (given !== undefined && given !== "") return cutTitle(given, name);
  return { title: plain(name.words), number: null };
}

/** Says what it is and not what it is about. */
function isKindOnly(title: string): boolean {
  return /^(?:(?:markdown )?(?:any |architectur(?:e|al) )?decision records?|adr|rfc|request for comments?)(?: \(adrs?\))?$/i.test(
    title,
  );
}

/** The heading under the first one, where it names no section. */
function below(sections: readonly Section[], line: number): string | null {
  const second = sections.find((section) => section.line > line && section.level > 0);
  return second === undefined || second.role !== null || second.level > 6 ? null : cutTitle(second.heading).title;
}

interface Found {
  readonly file: string;
  readonly title: string;
  readonly status: AdrStatus | null;
  readonly raw: string | null;
  readonly sections: readonly Section[];
}

function diagnosticsOf({ file, title, status, raw, sections }: Found): Diagnostic[] {
  const statusLine = sections.find(({ role }) => role === "status")?.line ?? 1;
  const found: (Diagnostic & { readonly holds: boolean })[] = [
    {
      holds: title === "",
      code: "ADR_TITLE_MISSING",
      path: "",
      message: "has no title",
      line: 1,
      fix: "Begin the record with a heading that names it.",
    },
    {
      holds: status === null && raw === null,
      code: "ADR_STATUS_MISSING",
      path: "",
      message: "states no status",
      line: statusLine,
      fix: "Add a section Status, or status in its front matter.",
    },
    {
      holds: status === null && raw !== null,
      code: "ADR_STATUS_UNKNOWN",
      path: "",
      message: `states a status that says nothing known: ${(raw ?? "").slice(0, 80)}`,
      line: statusLine,
      fix: "Write proposed, accepted, rejected, deprecated or superseded.",
    },
    {
      holds: !sections.some(({ role }) => role === "decision" || role === "work"),
      code: "ADR_DECISION_MISSING",
      path: "",
      message: "has no section that decides",
      line: 1,
      fix: "Add a section Decision.",
    },
  ];
  return found.filter(({ holds }) => holds).map(({ holds: _, ...problem }) => ({ ...problem, file, column: 1 }));
}
