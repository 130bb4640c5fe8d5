import type { FiredSignal } from "../../model/routing.js";
import type { Reading } from "./facts.js";
import { countOf } from "./signals/evidence.js";
import { SIGNAL_NAMES } from "./signals/signals.js";

const SNIPPET = 80;

/** The signals that fired, each with its first few places, for people to read. */
export function tellSignals(reading: Reading, most: number): FiredSignal[] {
  const told: FiredSignal[] = [];
  for (const name of SIGNAL_NAMES) {
    const found = reading.signals[name];
    if (found.length === 0) continue;
    const evidence = found
      .filter((e) => e.again === undefined)
      .slice(0, most)
      .map(({ start, end }) => ({
        start,
        end,
        text: snippet(reading.doc.text, start, end),
      }));
    told.push({ name, count: countOf(found), evidence });
  }
  return told;
}

/** At most 80 characters on one line, never half of a surrogate pair. */
export function snippet(text: string, start: number, end: number): string {
  let most = Math.min(end, start + SNIPPET);
  if (most < end && isHighSurrogate(text.charCodeAt(most - 1))) most--;
  const raw = text.slice(start, most);
  const cut = isOneLine(raw) ? raw : raw.replaceAll(/\s+/g, " ");
  return most < end ? `${cut}…` : cut;
}

/** Whether all white space is single spaces, as far as a quick look tells. */
function isOneLine(text: string): boolean {
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c < 0x20 || c > 0x7e || (c === 0x20 && before === 0x20)) return false;
    before = c;
  }
  return true;
}

function isHighSurrogate(c: number): boolean {
  return c >= 0xd800 && c <= 0xdbff;
}
