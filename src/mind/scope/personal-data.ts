import type { DiffLine } from "./unified-diff.js";

/*
 * Data of people in added lines. One number counts when its own check digits say that it is one and it is written as such
 * numbers are, or stands beside a word that says so; addresses and telephone numbers count when there are many. A number
 * of few different digits is an example. No shape backtracks: each is a bounded run of characters.
 */

export interface FoundPersonalData {
  readonly line: number;
  /** Its shape in words. */
  readonly shape: string;
}

interface Shape {
  readonly name: string;
  readonly pattern: RegExp;
  readonly valid: (plain: string) => boolean;
  /** The line must have one of these words, because other numbers look the same. */
  readonly words?: RegExp;
}

const SHAPES: readonly Shape[] = [
  { name: "IBAN", pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, valid: isIban },
  { name: "card number", pattern: /(?<![\d.-])\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?![\d-])/g, valid: isCard },
  { name: "card number", pattern: /(?<![\d.-])3[47]\d{2}([ -])\d{6}\1\d{5}(?![\d-])/g, valid: isCard },
  {
    name: "card number",
    pattern: /(?<![\w.-])\d{13,19}(?![\w.-])/g,
    valid: isCard,
    words: /\b(?:credit|debit|card|cards|visa|mastercard|amex|pan|cvc|cvv)\b|card_?(?:no|number)/i,
  },
  {
    name: "social security number",
    pattern: /(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])/g,
    valid: isVaried,
    words: /\bssn\b|social.?security/i,
  },
  {
    name: "national insurance number",
    pattern: /\b[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b/g,
    valid: isVaried,
    words: /\bnino\b|national.?insurance/i,
  },
  { name: "DNI", pattern: /(?<!\w)\d{8}-?[A-HJ-NP-TV-Z](?!\w)/g, valid: isDni },
  { name: "NIR", pattern: /(?<!\d)[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3} ?\d{2}(?!\d)/g, valid: isNir },
  { name: "CPF", pattern: /(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)/g, valid: isCpf },
  { name: "AHV number", pattern: /(?<!\d)756\.\d{4}\.\d{4}\.\d{2}(?!\d)/g, valid: isEan },
  {
    name: "tax id",
    pattern: /(?<!\d)[1-9]\d ?\d{3} ?\d{3} ?\d{3}(?!\d)/g,
    valid: isSteuerId,
    words: /steuer.?(?:id|identifikation|nummer)|tax.?id|\btin\b/i,
  },
  { name: "BSN", pattern: /(?<!\d)\d{9}(?!\d)/g, valid: isBsn, words: /\bbsn\b|burgerservice/i },
  { name: "PESEL", pattern: /(?<!\d)\d{11}(?!\d)/g, valid: isPesel, words: /\bpesel\b/i },
];

const MAX_LINE = 20_000;
/** So many of a kind in one file are a list of people. */
const MANY = 5;

/** Contract: pure and total; in the order of the lines, one finding for a line and shape. */
export function findPersonalData(lines: readonly DiffLine[]): FoundPersonalData[] {
  const found: FoundPersonalData[] = [];
  const people = new Map<string, number>();
  const telephones = new Map<string, number>();
  for (const { line, text: whole } of lines) {
    const text = whole.length > MAX_LINE ? whole.slice(0, MAX_LINE) : whole;
    if (/\d{2}/.test(text)) {
      for (const shape of shapesIn(text)) found.push({ line, shape });
      for (const number of telephonesIn(text)) if (!telephones.has(number)) telephones.set(number, line);
    }
    if (text.includes("@") && hasName(text))
      for (const address of addressesIn(text)) if (!people.has(address)) people.set(address, line);
  }
  const many = (seen: ReadonlyMap<string, number>, shape: string) =>
    seen.size < MANY ? [] : [...new Set(seen.values())].map((line) => ({ line, shape }));
  return [
    ...found,
    ...many(people, "list of names and addresses"),
    ...many(telephones, "list of telephone numbers"),
  ].sort((a, b) => a.line - b.line);
}

function shapesIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const { name, pattern, valid, words } of SHAPES) {
    if (found.has(name) || (words !== undefined && !words.test(text))) continue;
    for (const [match] of text.matchAll(pattern)) if (valid(match.replaceAll(/[ .-]/g, ""))) found.add(name);
  }
  return found;
}

// ------------------------------------------------------------------------------------------------------------- lists

/** Names that are kept free for examples, and machines that nobody reads. */
const NOBODYS =
  /(?:^|\.)(?:example|test|invalid|localhost|local|internal)$|(?:^|\.)example\.(?:com|org|net|edu)$|(?:^|\.)(?:noreply|users\.noreply)\./i;
const NO_PERSON =
  /^(?:no-?reply|info|support|admin|root|git|test|user|hello|contact|security|postmaster|webmaster)\d*$/i;

function addressesIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w.+-])([\w.+-]{1,64})@([A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4})/g)].flatMap(
    ([address, name = "", host = ""]) => {
      const real = /\.[A-Za-z]{2,}$/.test(host) && !NOBODYS.test(host) && !NO_PERSON.test(name);
      return real ? [address.toLowerCase()] : [];
    },
  );
}

/** Two words that begin with a capital: what stands beside an address when a person does. */
function hasName(text: string): boolean {
  return /(?<!\w)\p{Lu}\p{Ll}{1,30}['"]?,?[ \t"',;]{1,4}\p{Lu}\p{Ll}{1,30}(?!\w)/u.test(text);
}

/** Written with a country, or in groups behind an area code in brackets. Those that are kept free for stories are none. */
function telephonesIn(text: string): string[] {
  const international = text.matchAll(
    /(?<![\w+.])\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}(?![\w.])/g,
  );
  const bracketed = text.matchAll(/(?<![\w(]|\+\d{1,3} )\(\d{3}\) ?\d{3}-\d{4}(?!\w)/g);
  return [...international, ...bracketed]
    .map(([match]) => match.replaceAll(/\D/g, ""))
    .filter((digits) => digits.length >= 8 && digits.length <= 15 && !/55501\d\d$/.test(digits) && isVaried(digits));
}

// ------------------------------------------------------------------------------------------------------ check digits

const digitsOf = (text: string) => Array.from(text, Number);
const weightedSum = (digits: readonly number[], weights: readonly number[]) =>
  weights.reduce((sum, weight, i) => sum + weight * (digits[i] ?? 0), 0);

/** Examples repeat themselves. */
function isVaried(text: string): boolean {
  const digits = text.replaceAll(/\D/g, "");
  return new Set(digits).size >= 4 && !"01234567890123456789".includes(digits);
}

function isIban(text: string): boolean {
  if (text.length < 15 || text.length > 34 || !isVaried(text.slice(2))) return false;
  const moved = text.slice(4) + text.slice(0, 4);
  let rest = 0;
  for (const sign of moved) for (const digit of String(parseInt(sign, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

function isCard(text: string): boolean {
  return /^(?:3[47]|4|5[1-5]|6(?:011|5)|2[2-7])/.test(text) && isVaried(text) && new Set(text).size >= 5 && luhn(text);
}

function luhn(text: string): boolean {
  const sum = digitsOf(text)
    .toReversed()
    .reduce((all, digit, i) => all + (i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2), 0);
  return sum % 10 === 0;
}

function isDni(text: string): boolean {
  return isVaried(text) && "TRWAGMYFPDXBNJZSQVHLCKE"[Number(text.slice(0, 8)) % 23] === text[8];
}

function isNir(text: string): boolean {
  const month = Number(text.slice(3, 5));
  return (
    month >= 1 &&
    month <= 12 &&
    isVaried(text) &&
    97 - Number(BigInt(text.slice(0, 13)) % 97n) === Number(text.slice(13))
  );
}

function isCpf(text: string): boolean {
  const digits = digitsOf(text);
  const check = (length: number) => {
    const rest =
      (weightedSum(
        digits,
        Array.from({ length }, (_, i) => length + 1 - i),
      ) *
        10) %
      11;
    return rest === 10 ? 0 : rest;
  };
  return isVaried(text) && check(9) === digits[9] && check(10) === digits[10];
}

function isEan(text: string): boolean {
  const digits = digitsOf(text);
  return (
    isVaried(text.slice(3)) &&
    (10 - (weightedSum(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10 === digits[12]
  );
}

function isSteuerId(text: string): boolean {
  let product = 10;
  for (const digit of digitsOf(text.slice(0, 10))) {
    const sum = (digit + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return isVaried(text) && (11 - product) % 10 === Number(text[10]);
}

function isBsn(text: string): boolean {
  return isVaried(text) && weightedSum(digitsOf(text), [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;
}

function isPesel(text: string): boolean {
  return isVaried(text) && weightedSum(digitsOf(text), [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
}
