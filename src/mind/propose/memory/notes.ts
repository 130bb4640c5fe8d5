import { byCodeUnit } from "../../../model/by-code-unit.js";
import type { MemoryPack } from "../../../model/settings/packs.js";
import type { RunStatus, RunTask } from "../../../model/run.js";

/* Notes of a decision, a run and a handoff: their text, cut to the size that a pack may hold. */

export type MemoryNote = MemoryPack["notes"][number];

const MOST_CHARACTERS = 4000;
const MOST_FILES = 200;
const MOST_NOTES = 1000;
const MOST_REF = 256;

export function decisionNote(adr: {
  readonly file: string;
  readonly label: string;
  readonly title: string;
  readonly text: string;
}): MemoryNote {
  const text = cutNote(`Decided (${adr.label}): ${adr.title}. ${adr.text}`);
  return { ref: ref(`decision:${adr.file}`), kind: "decision", text };
}

export interface PastRun {
  readonly run_id: string;
  readonly request: string;
  readonly status: RunStatus;
  readonly reason: string;
  readonly at: string | null;
  readonly tasks: readonly Pick<RunTask, "title" | "scope">[];
}

export function runNote({ run_id, request, status, reason, at, tasks }: PastRun): MemoryNote {
  const titles = tasks.map(({ title }) => title).join("; ");
  const files = [...new Set(tasks.flatMap(({ scope }) => scope?.write ?? []))].sort(byCodeUnit).slice(0, MOST_FILES);
  const why = reason === "" ? "" : ` (${reason})`;
  return {
    ref: ref(`run:${run_id}`),
    kind: "run",
    text: cutNote(`Asked: ${request} — ${status}${why}.${titles === "" ? "" : ` Tasks: ${titles}`}`),
    ...(at === null ? {} : { at }),
    ...(files.length === 0 ? {} : { files }),
  };
}

export function handoffNote(file: string, text: string): MemoryNote {
  const [date] = /\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])/.exec(file) ?? [];
  return {
    ref: ref(`handoff:${file}`),
    kind: "handoff",
    text: cutNote(text),
    ...(date === undefined ? {} : { at: `${date}T00:00:00Z` }),
  };
}

/**
 * The notes of a pack with those that were found now. Contract: what a person wrote stays as it is; of everything else
 * there are the notes found and none that are gone. Finding the notes again gives equal notes.
 */
export function mergeNotes(known: readonly MemoryNote[], found: readonly MemoryNote[]): MemoryNote[] {
  const own = known.filter(({ kind }) => kind === undefined);
  const taken = new Set(own.map((note) => note.ref));
  const others = [...new Map(found.map((note) => [note.ref, note])).values()]
    .filter((note) => !taken.has(note.ref) && note.text.trim() !== "")
    // Decisions hold for longer than runs; of runs and handoffs the youngest matter most.
    .sort((a, b) => rank(a) - rank(b) || byCodeUnit(b.at ?? "", a.at ?? "") || byCodeUnit(a.ref, b.ref));
  return [...own, ...others.slice(0, Math.max(0, MOST_NOTES - own.length))];
}

const rank = ({ kind }: MemoryNote) => (kind === "decision" ? 0 : 1);
const ref = (text: string) => Array.from(text).slice(0, MOST_REF).join("");
const cutNote = (text: string) => Array.from(text.replace(/\s+/g, " ").trim()).slice(0, MOST_CHARACTERS).join("");
