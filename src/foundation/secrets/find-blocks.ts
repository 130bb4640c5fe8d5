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
const LONGEST_LINE = 400;
/** The text between two lines of a key: an end of line, real or written as `\n`, and how the line is quoted. */
const GAP =
  /(?:[ \t]{0,16}["'`]?[ \t]{0,4}[+.,\\]?[ \t]{0,4})(?:\r?\n|\\r\\n|\\n|\\\\n)[ \t]{0,32}(?:[+>|#*/-]{1,3} ?)?(?:\d{1,6}[ \t:|]{1,3})?[ \t]{0,32}["'`]?/y;
const LINE =
  /[A-Z][A-Za-z]{2,14}(?:-[A-Z][A-Za-z]{2,10}){0,2}: [^\n\\"'`]{0,200}|[A-Za-z0-9+/=]{4,130}(?![A-Za-z0-9+/=])/y;
const BODY_LINE =
  /^[^A-Za-z0-9+/=]{0,40}(?:\d{1,6}[ \t:|]{1,3})?[^A-Za-z0-9+/=]{0,40}[A-Za-z0-9+/=]{16,130}[^A-Za-z0-9+/=]{0,8}$/;

/** Contract: pure and total, linear in the text. */
export function findBlocks(text: string, found: FoundSecret[]): void {
  // Most texts have neither.
  if (text.includes("---")) findPem(text, found);
  if (text.includes("PuTTY-User-Key-File-")) findPutty(text, found);
}

function findPem(text: string, found: FoundSecret[]): void {
  const ends = [...text.matchAll(END)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  const begins = [...text.matchAll(BEGIN)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  let next = 0;
  /** Everything before this is looked at. */
  let done = 0;
  const endsAlone = (upTo: number) => {
    for (let end = ends[next]; end !== undefined && end.start < upTo; end = ends[++next])
      if (end.start >= done) {
        found.push({ shape: "private key", start: linesBefore(text, end.start, done), end: end.end });
        done = end.end;
      }
  };
  begins.forEach((begin, i) => {
    endsAlone(begin.start);
    const end = ends[next];
    const isNext = end !== undefined && end.start < (begins[i + 1]?.start ?? Infinity);
    const whole = isNext && end.start - begin.end <= MOST && !isProse(text.slice(begin.end, end.start));
    done = whole ? end.end : linesEnd(text, begin.end);
    found.push({ shape: "private key", start: begin.start, end: done });
  });
  endsAlone(Infinity);
}

/** A text that only names the lines of a key has words between them. */
function isProse(between: string): boolean {
  return (between.match(/\S \S/g)?.length ?? 0) > 8 + between.length / 40;
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
    const window = text.slice(Math.max(least, start - LONGEST_LINE), start);
    const line = window.slice(window.lastIndexOf("\n", window.length - 2) + 1);
    if (line.length === LONGEST_LINE || !BODY_LINE.test(line.trimEnd())) return start;
    start -= line.length;
  }
  return start;
}

/** Each up to and with its `Private-MAC`, or as far as its lines go. */
function findPutty(text: string, found: FoundSecret[]): void {
  const macs = [...text.matchAll(/Private-MAC: ?[0-9a-f]{0,128}/g)];
  let next = 0;
  let done = 0;
  for (const { index, 0: header } of text.matchAll(PUTTY)) {
    if (index < done) continue;
    while (next < macs.length && (macs[next]?.index ?? 0) < index) next++;
    const mac = macs[next];
    const first = text.indexOf("\n", index);
    const isNear = mac !== undefined && mac.index - index <= MOST;
    done = isNear ? mac.index + mac[0].length : linesEnd(text, first === -1 ? index + header.length : first);
    found.push({ shape: "private key", start: index, end: done });
  }
}
