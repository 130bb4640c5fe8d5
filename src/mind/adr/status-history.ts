import type { AdrStatus } from "../../model/adr.js";

/** The status one line states. */
export interface LineReading {
  readonly status: AdrStatus;
  readonly partly: boolean;
  readonly raw: string;
  /** The day it names, in a form that can be compared. */
  readonly day: string | null;
  /** The line is nothing but a status. */
  readonly bare: boolean;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = String.raw`(${MONTHS.join("|")})[a-z]{0,6}\.?`;
const DAY_FIRST = new RegExp(String.raw`\b(\d{1,2})(?:st|nd|rd|th)?\.? ${MONTH},? (\d{4})\b`);
const MONTH_FIRST = new RegExp(String.raw`\b${MONTH} (?:(\d{1,2})(?:st|nd|rd|th)?,? )?(\d{4})\b`);

/** The day that folded words name, as `2024-05-01`; null where they name none. */
export function dayIn(words: string): string | null {
  const [iso = null] = /\d{4}-\d{2}-\d{2}/.exec(words) ?? [];
  if (iso !== null) return iso;
  const dayFirst = DAY_FIRST.exec(words);
  if (dayFirst !== null) return dayOf(dayFirst[3], MONTHS.indexOf(dayFirst[2] ?? "") + 1, dayFirst[1]);
  const monthFirst = MONTH_FIRST.exec(words);
  if (monthFirst !== null) return dayOf(monthFirst[3], MONTHS.indexOf(monthFirst[1] ?? "") + 1, monthFirst[2]);
  const [, day, month, year] = /\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b/.exec(words) ?? [];
  return year === undefined ? null : dayOf(year, Number(month), day);
}

function dayOf(year = "0000", month: number, day = "1"): string {
  return `${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
}

/** A history of dated states ends in the one that holds. */
export function findLatest(readings: readonly LineReading[]): LineReading | undefined {
  const dated = readings.filter(({ day }) => day !== null);
  if (dated.length < 2) return undefined;
  return dated.reduce((last, reading) => ((reading.day ?? "") >= (last.day ?? "") ? reading : last));
}

const WAY: readonly AdrStatus[] = ["proposed", "accepted", "rejected", "deprecated", "superseded"];

/** States without days, one to a line, in whatever order: the one that comes last on the way of a record. */
export function findFurthest(readings: readonly LineReading[]): LineReading | undefined {
  const bare = readings.filter((reading) => reading.bare);
  if (bare.length < 2) return undefined;
  return bare.reduce((last, reading) => (WAY.indexOf(reading.status) > WAY.indexOf(last.status) ? reading : last));
}
