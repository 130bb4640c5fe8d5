import type { Finding, Severity } from "../../../model/settings/check.js";
import { jsonOrUndefined } from "../../../foundation/documents/json-or-undefined.js";

/** Contract: pure. Null when the text is not of this form; what is cut off is read as far as it goes. */
export type ReadReport = (text: string) => Finding[] | null;

/** The most of a message that is kept: enough to see what is wrong. */
const MESSAGE = 2000;

export function test(
  name: string,
  status: Finding["status"],
  about: { message?: string; file?: string | null; line?: number | null } = {},
): Finding {
  return {
    id: `test:${name}`,
    name,
    status,
    message: clip(about.message ?? ""),
    file: about.file ?? null,
    line: about.line ?? null,
  };
}

/**
 * Tests of which only their number is known: each counts, and they are all alike. So a run of fewer is seen, and one of
 * more is none of fewer.
 */
export function unnamedTests(count: number, of = ""): Finding[] {
  const one = test(`a test without a name${of === "" ? "" : ` of ${of}`}`, "passed", { file: of === "" ? null : of });
  return Array.from({ length: Math.min(Math.max(0, count), MOST_UNNAMED) }, () => one);
}

const MOST_UNNAMED = 100_000;

export const isUnnamed = ({ id }: Pick<Finding, "id">): boolean => id.startsWith("test:a test without a name");

/**
 * A report that has no end: what would have come is unknown, and what came is not all. Without it, those that passed
 * would stand for the whole.
 */
export function reportCutOff(of: string): Finding {
  return test(`${of} to its end`, "failed", { message: "the report breaks off before its end" });
}

/**
 * Messages that a program counted and that were not found in what it printed: each counts, and they are all alike, so
 * that one more is seen.
 */
export function reportUnread(program: string, counted: number, found: number): Finding[] {
  const one = problem("", program, `${program} counted more than could be read`, null);
  return Array.from({ length: Math.min(Math.max(0, counted - found), MOST_UNNAMED) }, () => one);
}

/** A message of a compiler or linter. Lines are left out of its id: they move when somebody writes above them. */
export function problem(file: string, code: string, message: string, line: number | null): Finding {
  const path = relative(file);
  return {
    id: `problem:${path}:${code}:${withoutPlaces(message)}`,
    name: `${path}${code === "" ? "" : ` ${code}`}`,
    status: "failed",
    message: clip(message),
    file: path,
    line,
  };
}

/** Messages name other lines too ("first defined on line 3"), and those move as well. */
export function withoutPlaces(message: string): string {
  return message
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/\b(lines?) \d+/gi, "$1 #")
    .replaceAll(/(\.\w{1,5}):\d+(?::\d+)?\b/g, "$1:#");
}

/** Workspaces differ in where they stand; what they hold is named from their root. */
export function relative(file: string, root = "/ws"): string {
  return file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file.replace(/^\.\//, "");
}

interface JsonReports {
  readonly documents: unknown[];
  /** Behind the last whole one begins one that has no end. */
  readonly isCutOff: boolean;
}

/** How often a text may be gone through in search of ends, so that the time taken grows with the text and no faster. */
const MOST_PASSES = 30;

/**
 * All JSON documents with this in them, one after the other, among lines of other things. Each begins a line. Contract:
 * total; the time taken grows with the text, however many lines look like the beginning of one.
 */
export function jsonReports(text: string, mark: string, opening: "{" | "[" = "{"): JsonReports {
  const documents: unknown[] = [];
  if (!text.includes(mark)) return { documents, isCutOff: false };
  const beginning = opening === "{" ? /^\{(?=\s*["}])/gm : /^\[(?=\s*[[{"\]\d])/gm;
  let isCutOff = false;
  let passes = MOST_PASSES * text.length;
  for (let at = beginning.exec(text); at !== null && passes > 0; at = beginning.exec(text)) {
    const end = closingOf(text, at.index);
    passes -= (end < 0 ? text.length : end) - at.index;
    isCutOff = end < 0;
    if (end < 0) continue;
    const piece = text.slice(at.index, end + 1);
    const value = piece.includes(mark) ? jsonOrUndefined(piece) : undefined;
    if (value !== undefined) documents.push(value);
    // A text that only looked like a document may have one inside.
    if (value !== undefined || !piece.includes(mark)) beginning.lastIndex = end + 1;
  }
  return { documents, isCutOff: isCutOff && documents.length > 0 };
}

/** Where what is opened at `begin` is closed; -1 when it is not. */
function closingOf(text: string, begin: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = begin; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (quoted) {
      if (c === 92) at++;
      else if (c === 34) quoted = false;
    } else if (c === 34) quoted = true;
    else if (c === 123 || c === 91) depth++;
    else if ((c === 125 || c === 93) && --depth === 0) return at;
  }
  return -1;
}

/** One thing a scanner found. Its severity is reported and is not part of its id: scanners change their minds about it. */
export function vulnerability(
  severity: Severity,
  about: { id: string; name: string; message: string; file: string | null; line: number | null; counts: boolean },
): Finding {
  const { id, name, message, file, line, counts } = about;
  return {
    id: `problem:${id}`,
    name: `${name} (${severity})`,
    status: counts ? "failed" : "skipped",
    message: clip(message),
    file,
    line,
    severity,
  };
}

function clip(message: string): string {
  const clean = message.trimEnd();
  return clean.length <= MESSAGE ? clean : `${clean.slice(0, MESSAGE)}…`;
}
