import { alphabetNamed, isIn } from "./alphabet.js";
import type { FoundSecret } from "./found.js";
import { namedKindOf } from "./named-kind-of.js";
import { secrecyOf, type Secrecy } from "./names.js";
import { nextWord } from "./next-word.js";
import { isChance, isLikelyPassword, isNoSecret } from "./values.js";

/*
 * Values that are given to a name that speaks of a secret: `DB_PASSWORD=…`, `password: …`, `"apiKey": "…"`, `--token …`,
 * `?api_key=…`, `<password>…</password>`, `setHeader("X-Api-Key", "…")`, "the password is …".
 */

const NAME = alphabetNamed("base64url") as Uint8Array;
const MOST_NAME = 80;
const MOST_VALUE = 2000;

export function findAssigned(text: string, found: FoundSecret[]): void {
  for (let at = nextWord(text, 0); at !== -1;) {
    const name = nameAround(text, at);
    const value = name.end - name.start > MOST_NAME ? null : secretAfter(text, name.start, name.end);
    if (value !== null) found.push(value);
    // What the value holds is the secret, whatever words are in it.
    at = nextWord(text, Math.max(name.end, value?.end ?? 0));
  }
}

function secretAfter(text: string, start: number, end: number): FoundSecret | null {
  const said = nameSaid(text, start, end);
  const secrecy = secrecyOf(said);
  if (secrecy === null) return null;
  const value = valueAfter(text, start, end);
  const kind = value === null ? null : kindOf(said, secrecy, value.text, value.loose);
  if (value === null || kind === null) return null;
  return { shape: kind, start: value.start, end: value.start + value.text.length, general: true };
}

function nameAround(text: string, at: number): { start: number; end: number } {
  let start = at;
  while (start > 0 && at - start <= MOST_NAME && isIn(NAME, text.charCodeAt(start - 1))) start--;
  let end = at;
  while (end < text.length && isIn(NAME, text.charCodeAt(end))) end++;
  return { start, end };
}

/** `API key` and `secret key` are two words; so is the `n` of `\npassword` none. */
function nameSaid(text: string, start: number, end: number): string {
  const escaped = text.charCodeAt(start - 1) === 92 && /^[nrt]/.test(text.charAt(start)) ? start + 1 : start;
  const name = text.slice(escaped, end);
  if (!/^(?:key|token|secret)s?$/i.test(name)) return name;
  const before = /([A-Za-z]{2,20})[ .]$/.exec(text.slice(Math.max(0, start - 22), start));
  return before === null ? name : `${before[1]}_${name}`;
}

interface Value {
  readonly text: string;
  readonly start: number;
  /** Nothing but a space stands between the name and it. */
  readonly loose: boolean;
}

/** What may stand between a name and its value; sticky, and of bounded length. */
const BETWEEN =
  /[\\"'`\])]{0,4}[ \t]{0,12}(?:(?::=|\?=|\+=|=>|->|={1,3}|!={1,2}|:{1,2}|\|\||\?\?|>)[ \t]{0,12}|,[ \t]{0,4}(?=[\\"'`])|\((?=[\\"'`])|[ \t]value=(?=["'])| (?:is|was)[ :]{1,2}|[ \t]+BY[ \t]+(?=')| )/iy;
const TYPE =
  /(?:[A-Za-z_][\w.]{0,40}(?:\[[\w., |]{0,40}\]|<[\w., |]{0,40}>)?[?!]?(?: ?\| ?(?:None|null|undefined))?)(?:[ \t]{1,4}=[ \t]{0,4}(?!=)|=(?=["'`]))/y;
const OPENING = /\(?(?:[bBrRuUfF$@]{1,2}(?=["'`]))?(\\{0,4}["'`]{1,3})?(?:(?:Bearer|Basic|Token|ApiKey)[ \t]+)?/y;

function valueAfter(text: string, nameStart: number, nameEnd: number): Value | null {
  BETWEEN.lastIndex = nameEnd;
  const between = BETWEEN.exec(text);
  if (between === null) return null;
  let at = BETWEEN.lastIndex;
  const flag = text.startsWith("--", nameStart);
  let loose = /^[ \t]?$/.test(between[0]) && !flag;
  if (loose || between[0].includes(":")) {
    TYPE.lastIndex = at;
    if (TYPE.test(text)) {
      at = TYPE.lastIndex;
      loose = false;
    }
  }
  OPENING.lastIndex = at;
  const quote = OPENING.exec(text)?.[1];
  at = OPENING.lastIndex;
  const end = quote === undefined ? bareEnd(text, at, nameStart) : quotedEnd(text, at, quote);
  if (end === null || end - at < 8) return null;
  return { text: text.slice(at, end), start: at, loose };
}

function quotedEnd(text: string, at: number, quote: string): number | null {
  const mark = quote.charCodeAt(quote.length - 1);
  const most = Math.min(text.length, at + MOST_VALUE);
  for (let i = at; i < most; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) return null;
    if (code === mark) return text.charCodeAt(i - 1) === 92 && quote.startsWith("\\") ? i - backslashes(text, i) : i;
  }
  // The end of it is not there: what was cut off was a part of the value.
  return most === text.length ? most : null;
}

function backslashes(text: string, at: number): number {
  let count = 0;
  while (count < 4 && text.charCodeAt(at - 1 - count) === 92) count++;
  return count;
}

/** Variables of a shell are capitals right before `=`: there only a space ends a value. */
const ENDS_ANYWHERE = /[\s"'`]/;
const ENDS_IN_CODE = /[\s"'`,;)}\]<>&|\\]/;

function bareEnd(text: string, at: number, nameStart: number): number | null {
  const shell = text.charCodeAt(at - 1) === 61 && /^[A-Z0-9_]+=$/.test(text.slice(nameStart, at));
  const ends = shell ? ENDS_ANYWHERE : ENDS_IN_CODE;
  const most = Math.min(text.length, at + MOST_VALUE);
  let end = at;
  while (end < most && !ends.test(text.charAt(end))) end++;
  // A run that goes on and on is no value.
  if (end === most && most < text.length) return null;
  // A sentence or a statement ends in these.
  while (end > at && /[.,;:!?]/.test(text.charAt(end - 1))) end--;
  const next = text.charAt(end);
  return next === "(" || next === "<" ? (next === "<" && text.charAt(end + 1) === "/" ? end : null) : end;
}

const GENERIC = "password or key";

function kindOf(name: string, secrecy: Secrecy, value: string, loose: boolean): string | null {
  if (/\s/.test(value)) return null;
  const named = namedKindOf(name, value);
  if (named !== null) return named;
  if (isNoSecret(value)) return null;
  if (loose) return /\d/.test(value) && /[A-Za-z]/.test(value) && isChance(value) ? GENERIC : null;
  return (secrecy === "password" ? isLikelyPassword(value) : isChance(value)) ? GENERIC : null;
}
