import type { Evidence } from "../../model/request.js";
import type { Reading } from "./reading/reading.js";

const MOST_TEXT = 120;

/** The place of a finding in what was given, short enough to show. */
export function evidenceOf(reading: Reading, start: number, end: number, says: string): Evidence {
  const from = reading.place(start);
  return {
    source: reading.source,
    start: from,
    end: Math.max(from, reading.place(Math.max(start, end - 1)) + 1),
    text: shorten(reading.text.slice(start, end), MOST_TEXT),
    says,
  };
}

/** At most `most` characters, never half of a pair. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const c = text.charCodeAt(most - 2);
  return `${text.slice(0, c >= 0xd800 && c <= 0xdbff ? most - 2 : most - 1)}…`;
}
