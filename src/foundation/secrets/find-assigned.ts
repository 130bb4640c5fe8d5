import { allBut, findAlphabet, isIn } from "./alphabet.js";
import type { FoundSecret } from "./found.js";
import { namedKindOf } from "./named-kind-of.js";
import { secrecyOf, type Secrecy } from "./secret-names.js";
import { nextWord } from "./next-word.js";
import { Runs } from "./shape.js";
import { isChance, isLikelyPassword, isNoSecret } from "./values.js";

/*
 * Values that are given to a name that speaks of a secret: `DB_PASSWORD=…`, `password: …`, `"apiKey": "…"`, `--token …`,
 * `?api_key=…`, `<password>…</password>`, `setHeader("X-Api-Key", "…")`, "the password is …".
 */

const NAME = findAlphabet("base64url") as Uint8Array;
const MOST_NAME = 80;
const MOST_VALUE = 2000;

/** Contract: pure and total, linear in the text. */
export function findAssigned(text: string, found: FoundSecret[], runs = new Runs(text)): void {
  for (let at = nextWord(text, 0); at !== -1;) {
    const name = nameAround(text, at);
    const value = name.end - name.start > MOST_NAME ? null : secretAfter(text, name.start, name.end, runs);
    if (value !== null) found.push(value);
    // The value is the secret, whatever words are in it.
    at = nextWord(text, Math.max(name.end, value?.end ?? 0));
  }
}

function secretAfter(text: string, start: number, end: number, runs: Runs): FoundSecret | null {
  const said = nameSaid(text, start, end);
  const secrecy = secrecyOf(said);
  if (secrecy === null) return null;
  const value = valueAfter(text, start, end, runs);
  // "Pass it on" is not a password.
  if (value?.loose === true && /^pass$/i.test(said)) return null;
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

/** Text that may be between a name and its value; sticky, and of bounded length. */
const BETWEEN =
  /[\\"'`\])]{0,4}[ \t]{0,12}(?:(?::=|\?=|\+=|=>|->|={1,3}|!={1,2}|:{1,2}|\|\||\?\?|>)[ \t]{0,12}|,[ \t]{0,4}(?=[\\"'`])|\((?=[\\"'`])|[ \t]value=(?=["'])| (?:is|was)[ :]{1,2}|[ \t]+BY[ \t]+(?=')| )/iy;
const TYPE =
  /(?:[A-Za-z_][\w.]{0,40}(?:\[[\w., |]{0,40}\]|<[\w., |]{0,40}>)?[?!]?(?: ?\| ?(?:None|null|undefined))?)(?:[ \t]{1,4}=[ \t]{0,4}(?!=)|=(?=["'`]))/y;
const OPENING = /\(?(?:[bBrRuUfF$@]{1,2}(?=["'`]))?(\\{0,4}["'`]{1,3})?(?:(?:Bearer|Basic|Token|ApiKey)[ \t]+)?/y;

function valueAfter(text: string, nameStart: number, nameEnd: number, runs: Runs): Value | null {
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
  const end = quote === undefined ? bareEnd(text, at, nameStart, runs) : quotedEnd(text, at, quote, runs);
  if (end === null || end - at < 8 || end - at > MOST_VALUE) return null;
  return { text: text.slice(at, end), start: at, loose };
}

const IN_QUOTES = new Map(['"', "'", "`"].map((mark) => [mark, allBut(`${mark}\n\r`)] as const));

function quotedEnd(text: string, at: number, quote: string, runs: Runs): number | null {
  const mark = quote.slice(-1);
  const end = runs.endOf(IN_QUOTES.get(mark) as Uint8Array, at);
  // The end of it may be cut off with the text; a line that ends before it is not a value.
  if (end < text.length && text.charAt(end) !== mark) return null;
  return quote.startsWith("\\") && text.charCodeAt(end - 1) === 92 ? end - backslashes(text, end) : end;
}

function backslashes(text: string, at: number): number {
  let count = 0;
  while (count < 4 && text.charCodeAt(at - 1 - count) === 92) count++;
  return count;
}

/** Variables of a shell are capitals right before `=`: there only a space ends a value. */
const SHELL_VALUE = allBut(" \t\n\r\f\v\"'`");
const BARE_VALUE = allBut(" \t\n\r\f\v\"'`,;)}]<>&|\\");

function bareEnd(text: string, at: number, nameStart: number, runs: Runs): number | null {
  const shell = text.charCodeAt(at - 1) === 61 && /^[A-Z0-9_]+=$/.test(text.slice(nameStart, at));
  let end = runs.endOf(shell ? SHELL_VALUE : BARE_VALUE, at);
  if (end - at > MOST_VALUE) return null;
  // A sentence or a statement ends in these.
  while (end > at && /[.,;:!?]/.test(text.charAt(end - 1))) end--;
  if (text.charAt(end) === "(") return null;
  return text.charAt(end) === "<" && text.charAt(end + 1) !== "/" ? null : end;
}

const MOST_NAMED = 500;

/** The kind of secret a whole text is, by the name it has; null when it is none. */
export function kindGivenTo(name: string, text: string): string | null {
  if (text.length < 8 || text.length > MOST_NAMED || name.length > MOST_NAME) return null;
  const secrecy = secrecyOf(name);
  return secrecy === null ? null : kindOf(name, secrecy, text, false);
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
