import type { FoundSecret } from "./found.js";

/*
 * Private keys of many lines: PEM (PKCS#1, PKCS#8, SEC 1, OpenSSH, PGP) and PuTTY, as they are printed, quoted, put into
 * JSON or shown as a diff. The whole of a key is one secret, whether its end is there or was cut off.
 */

const BEGIN = /-{4,5} ?BEGIN (?:[A-Z0-9]{2,12} ){0,4}(?:PRIVATE|SECRET) KEY(?: BLOCK)? ?-{4,5}/g;
const END = /-{4,5} ?END (?:[A-Z0-9]{2,12} ){0,4}(?:PRIVATE|SECRET) KEY(?: BLOCK)? ?-{4,5}/g;
const PUTTY = /PuTTY-User-Key-File-\d:/g;
/** No key is longer. */
const MOST = 20_000;
/** What stands between two lines of a key: an end of line, real or written as `\n`, and how the line is quoted. */
const GAP =
  /(?:[ \t]{0,16}["'`]?[ \t]{0,4}[+.,\\]?[ \t]{0,4})(?:\r?\n|\\r\\n|\\n|\\\\n)[ \t]{0,32}(?:[+>|#*/-]{1,3} ?)?(?:\d{1,6}[ \t:|]{1,3})?[ \t]{0,32}["'`]?/y;
const LINE =
  /[A-Za-z0-9+/=]{4,130}(?![A-Za-z0-9+/=])|[A-Z][A-Za-z]{2,14}(?:-[A-Z][A-Za-z]{2,10}){0,2}: [^\n\\"'`]{0,200}/y;
const BODY_LINE =
  /^[^A-Za-z0-9+/=]{0,40}(?:\d{1,6}[ \t:|]{1,3})?[^A-Za-z0-9+/=]{0,40}[A-Za-z0-9+/=]{16,130}[^A-Za-z0-9+/=]{0,8}$/;

export function findBlocks(text: string, found: FoundSecret[]): void {
  // Most texts have neither.
  if (text.includes("---")) findPem(text, found);
  if (text.includes("PuTTY-User-Key-File-"))
    for (const match of text.matchAll(PUTTY))
      found.push({ shape: "private key", start: match.index, end: puttyEnd(text, match.index + match[0].length) });
}

function findPem(text: string, found: FoundSecret[]): void {
  const ends = [...text.matchAll(END)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  let next = 0;
  let covered = 0;
  for (const match of text.matchAll(BEGIN)) {
    const start = match.index;
    const from = start + match[0].length;
    while (next < ends.length && (ends[next]?.start ?? 0) < from) next++;
    const end = ends[next];
    const other = text.slice(from, Math.min(end?.start ?? 0, from + MOST)).search(/-{4,5} ?BEGIN /);
    const whole = end !== undefined && end.start - from <= MOST && other === -1;
    const to = whole ? end.end : linesEnd(text, from);
    found.push({ shape: "private key", start, end: to });
    covered = to;
    if (whole) next++;
  }
  for (const { start, end } of ends) {
    if (found.some((one) => one.start <= start && end <= one.end)) continue;
    found.push({ shape: "private key", start: linesBefore(text, start, covered), end });
  }
}

/** Where the lines end that can be lines of a key. */
function linesEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    let after = at;
    // Empty lines stand between headers and the body.
    for (let gaps = 0; gaps < 3; gaps++) {
      GAP.lastIndex = after;
      if (!GAP.test(text)) break;
      after = GAP.lastIndex;
    }
    if (after === at) return at;
    LINE.lastIndex = after;
    if (!LINE.test(text)) return at;
    at = LINE.lastIndex;
  }
}

/** The beginning of a key may be cut off: the lines before its end are it all the same. */
function linesBefore(text: string, end: number, least: number): number {
  let start = end;
  while (start > least && end - start < MOST) {
    const from = Math.max(least, text.lastIndexOf("\n", start - 2) + 1);
    if (from >= start || start - from > 400 || !BODY_LINE.test(text.slice(from, start).trimEnd())) return start;
    start = from;
  }
  return start;
}

/** Up to and with its `Private-MAC`, or as far as its lines go. */
function puttyEnd(text: string, from: number): number {
  const most = text.slice(from, from + MOST);
  const mac = /Private-MAC: ?[0-9a-f]{0,128}/.exec(most);
  if (mac !== null) return from + mac.index + mac[0].length;
  const first = text.indexOf("\n", from);
  return first === -1 ? Math.min(text.length, from + 200) : linesEnd(text, first);
}
