import type { AdrRecord } from "../adr-reports.js";

const UNREAD = { id: null, title: null, status: null, superseded_by: null, related: [], tasks: [], consequences: [] };

/** One decision record as one JSON object. */
export function adrJson(record: AdrRecord) {
  if (!record.ok) {
    const [first] = record.problems;
    return {
      type: "error" as const,
      file: record.file,
      code: first?.code,
      message: first?.message,
      problems: record.problems,
      // As of a record that was read, so that anyone who reads them all need not tell them apart first.
      ...UNREAD,
      diagnostics: record.problems,
    };
  }
  const { adr, breakdown } = record;
  return {
    type: "adr" as const,
    file: adr.file,
    id: adr.id,
    adr: adr.label,
    title: adr.title,
    status: adr.status,
    status_text: adr.statusText,
    superseded_by: adr.supersededBy,
    supersedes: adr.supersedes,
    related: adr.related,
    /** Why the tasks may not be queued; null when they may. */
    held: breakdown.held,
    tasks: breakdown.tasks,
    omitted: breakdown.omitted,
    /** Why each task was taken for one, in their order: a list of work, an obligation, or its wording with its chance of 100. */
    why: breakdown.why,
    /** Sentences that may oblige somebody and were not made into tasks. */
    unclear: breakdown.unclear,
    consequences: adr.consequences.map(({ text }) => text),
    positive: adr.consequences.filter(({ effect }) => effect === "positive").map(({ text }) => text),
    negative: adr.consequences.filter(({ effect }) => effect === "negative").map(({ text }) => text),
    checksum: record.checksum,
    taken: record.taken,
    diagnostics: adr.diagnostics,
  };
}
