import type { FoundSecret } from "./found.js";
import { isChance, isExample, isNoSecret, surpriseOf } from "./values.js";

/* Logins in addresses and on command lines: `postgres://app:…@host`, `https://…@host`, `curl -u user:…`. */

const USER = /[^\s/?#'"`<>\\@]{0,300}@/y;
const MOST = 300;

/** Contract: pure and total, linear in the text. */
export function findLogins(text: string, found: FoundSecret[]): void {
  // Where the next `@` is, asked once for each of them.
  let login = -1;
  for (let at = text.indexOf("://"); at !== -1; at = text.indexOf("://", at + 3)) {
    if (login < at) login = text.indexOf("@", at);
    if (login === -1) break;
    if (login - at <= MOST) findInAddress(text, at + 3, found);
  }
  for (const match of text.matchAll(IDENTIFIED)) {
    const value = match[1] ?? "";
    const start = match.index + match[0].length - value.length - 1;
    if (isPassword(value, "")) found.push({ shape: "password of a login", start, end: start + value.length });
  }
  for (const match of text.matchAll(LOGIN_OPTION)) {
    const value = match[4] ?? "";
    const start = match.index + match[0].length - value.length;
    if (isPassword(value, match[1] ?? ""))
      found.push({ shape: "password of a login", start, end: start + value.length });
  }
}

/** Statements that make users of databases. */
const IDENTIFIED = /identified by (?:password )?['"]([^'"\n]{6,128})['"]/gi;

/** `-u name:password` as curl and others take it; `sshpass -p`; `mysql -p…`. */
const LOGIN_OPTION =
  /(?:(?:\s|^)(?:-u|--user|--proxy-user)[ =]["']?([^\s:'"]{1,64}):|sshpass -p ?["']?()|\bmysql(?:dump|admin)? [^\n]{0,80}? -p()(?! ))([^\s'"]{3,128})/g;

function findInAddress(text: string, from: number, found: FoundSecret[]): void {
  USER.lastIndex = from;
  const match = USER.exec(text);
  if (match === null) return;
  const login = match[0].slice(0, -1);
  const colon = login.indexOf(":");
  const password = login.slice(colon + 1);
  const start = from + colon + 1;
  const end = start + password.length;
  if (colon === -1 ? isToken(login) : isPassword(password, login.slice(0, colon)))
    found.push({ shape: "password in an address", start, end });
}

/** A login without a password is a token when it looks like one. */
function isToken(login: string): boolean {
  return login.length >= 16 && !isNoSecret(login) && isChance(login);
}

const NOT_ONE =
  /^(?:pass(?:word|wd|w|phrase)?|pwd|secret|token|changeme|admin|root|test(?:ing)?|guest|user(?:name)?|postgres|mysql|redis|mongo|rabbitmq|x-oauth-basic|oauth2|key|api[-_]?key|\w+_?pass(?:word)?)$/i;

function isPassword(password: string, user: string): boolean {
  if (password.length < 3 || password === user || NOT_ONE.test(password)) return false;
  if (/^[$%{<[(*]|\$\{|\{\{|\}|^\d{1,5}$/.test(password) || isExample(password)) return false;
  if (/example|placeholder|your[-_]/i.test(password)) return false;
  return /\d/.test(password) ? password.length >= 6 : surpriseOf(password) >= 4.2 && password.length >= 8;
}
