import type { AdrStatus } from "../../model/adr.js";
import { fold, plain } from "./fold.js";
import { dayIn, findFurthest, findLatest, type LineReading } from "./status-history.js";
import { findFirstStatus, statusAtStart, countStatuses } from "./status-words.js";

export interface StatusReading {
  readonly status: AdrStatus | null;
  /** Only a part of the record was replaced: the rest of it stands. */
  readonly partly: boolean;
  /** The words it was read from, as they are written; null when there are none. */
  readonly raw: string | null;
}

const PICTURES: readonly (readonly [AdrStatus, RegExp])[] = [
  ["accepted", /[✅✔☑🟢👍]|:(?:white_check_mark|heavy_check_mark|green_circle|thumbsup|ok):/u],
  ["rejected", /[❌🚫⛔🔴👎]|:(?:x|no_entry|red_circle|thumbsdown):/u],
  ["proposed", /[🚧📝🟡💡🤔]|:(?:construction|memo|yellow_circle|bulb):/u],
];

const PARTLY =
  /\b(?:part(?:ly|ial|ially)|in part|partiellement|en partie|teilweise|parcial(?:mente)?|parzial(?:mente|e)|deels|gedeeltelijk)\b|部分|一部/;

export const NO_STATUS: StatusReading = { status: null, partly: false, raw: null };

/** Read a status from the words that state it, line by line. Contract: words that state none give null with the words. */
export function readStatus(lines: readonly string[]): StatusReading {
  const given = lines.map((line) => takeTicked(line.trim())).filter((line) => line !== "");
  const raw = given.length === 0 ? null : plain(given[0] ?? "");
  const readings = given.map(readLine).filter((reading) => reading !== null);
  if (given.some(isTemplate) || isDefinition(readings, given)) return { ...NO_STATUS, raw };
  const replaced = readings.find(({ status }) => status === "superseded");
  const last = replaced ?? findLatest(readings) ?? findFurthest(readings) ?? readings[0];
  return last === undefined ? { ...NO_STATUS, raw } : { status: last.status, partly: last.partly, raw: last.raw };
}

/** "Proposed | **Accepted** | Rejected": the choices of a template with the one that holds marked among them. */
function takeTicked(line: string): string {
  const choices = line.split(/[|/,·]/).filter((choice) => choice.trim() !== "");
  if (choices.length < 3) return line;
  const marked = choices.filter((choice) => /^\s*(?:(\*\*|__)[^*_]+\1|[✅✔☑].*)\s*$/u.test(choice));
  const [one] = marked;
  return one !== undefined && marked.length === 1 && readLine(one) !== null ? one.trim() : line;
}

const STRUCK = /~~[^~]*~~|<(?:del|s)>.*?<\/(?:del|s)>/g;
/** It replaces another, which in these languages is the word for being replaced, or folds to it. */
const REPLACES =
  /(?:(?<!\p{L})(?:remplace|ersetzt|l[öo]st)|(?<!被.{0,40})(?:取代|替代|替换)了?)\s*[:：]?\s*(?=\[|ADR|RFC|#?\d)|を置き換え[るた]|[을를] 대체(?:한|했)/giu;

/** "Proposed → Accepted": what it came to. */
function takeLast(line: string): string {
  const states = line.split(/\s*(?:→|⟶|➜|⇒|->|=>)\s*/);
  if (states.length === 1 || states.some((state) => findFirstStatus(fold(plain(state))) === null)) return line;
  return states.at(-1) ?? line;
}

function readLine(line: string): LineReading | null {
  const [, box, rest] = /^(?:[-*+]\s+)?\[([ xX])\]\s*(.*)$/.exec(line) ?? [];
  if (box === " ") return null;
  const shown = takeLast((rest ?? line).replaceAll(STRUCK, " ").replaceAll(REPLACES, " "));
  const words = fold(plain(shown)).replaceAll(/[_]/g, " ");
  // Words in brackets are said in passing, unless there are no others.
  const outside = words.replaceAll(/\([^()]*\)|（[^（）]*）/g, " ");
  const status =
    (isReplaced(words) ? "superseded" : null) ??
    findFirstStatus(outside) ??
    findFirstStatus(words) ??
    PICTURES.find(([, mark]) => mark.test(shown))?.[0] ??
    null;
  if (status === null) return null;
  const partly = status === "superseded" && PARTLY.test(words);
  return { status, partly, raw: plain(shown), day: dayIn(words), bare: findBareStatus(line) !== null };
}

/** A line that is nothing but a status, such as "Accepted (2024-05-01)" or "Superseded by ADR-9"; null for other words. */
export function findBareStatus(line: string): string | null {
  const shown = plain(line.replaceAll(STRUCK, " ").replace(/^[\s>]+/, "")).replace(
    /^(?::[a-z_]+:|[^\p{L}\p{N}:]+)\s*/u,
    "",
  );
  if (shown.length > 160) return null;
  const length = statusAtStart(fold(shown));
  if (length === 0 || /^[\p{L}\p{N}]/u.test(shown.slice(length))) return null;
  const rest = shown.slice(length).trim();
  // A name with nothing behind it but that there is nothing: "Replaced by: none".
  if (/^\S+\s*[:：]/.test(rest)) return null;
  return /^(?:[.(–—-].{0,60}|,\s[^.]{0,30}\d.{0,30}|(?:by|par|durch|por|da|door|on|since|in favou?r of)\b.*|\d{4}-\d{2}-\d{2}.*)?$/i.test(
    rest,
  )
    ? shown
    : null;
}

/** "Accepted, superseded by ADR-9" and "Accepted (replaced by 12)" are over, whatever came first. */
function isReplaced(words: string): boolean {
  const match = /\b(?:super[sc]ee?ded|replaced|obsoleted|overridden|subsumed) by\b/.exec(words);
  if (match === null) return false;
  const before = words.slice(Math.max(0, match.index - 24), match.index);
  return (
    !PARTLY.test(before) &&
    !/\b(?:to|will|may|might|can|could|should|not|never|un\w*) (?:be |yet )?$|\buntil\b|\bif\b/.test(before)
  );
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
  const named = countStatuses(words);
  // The way of every record, told by one that has gone none of it.
  if (named >= 3 && /→|->|=>/.test(words) && !/\d/.test(words)) return true;
  if (named >= 3 && (/[|/{<]|,.*\bor\b|\bor\b.*,|[?？]\s*$/.test(words) || /^_.*_$/.test(line))) return true;
  // "Proposed or accepted", "Draft | Final": a choice of two.
  return (
    named >= 2 && words.split(/\||\bor\b|\boder\b|\bou\b/).filter((part) => findFirstStatus(part) !== null).length >= 2
  );
}
