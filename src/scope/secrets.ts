/*
 * Keys, tokens and passwords in a line of text: well-known shapes, and values that are given to a name like `password`
 * and look like chance. Placeholders, references to the environment and examples are not secrets. No shape backtracks:
 * each is anchored on a fixed beginning and a bounded run of characters.
 */

export interface FoundSecret {
  /** What kind of secret it looks like. */
  readonly shape: string;
  readonly start: number;
  readonly end: number;
}

interface Shape {
  readonly name: string;
  readonly pattern: RegExp;
  /** The least chance per character of what was found, in bits. */
  readonly entropy?: number;
  /** Words of small letters are none. */
  readonly mixed?: boolean;
}

const SHAPES: readonly Shape[] = [
  { name: "private key", pattern: /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g },
  { name: "AWS access key", pattern: /\b(?:AKIA|ASIA|AROA|AIDA)[A-Z2-7]{16}\b/g, entropy: 2.5 },
  { name: "GitHub token", pattern: /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g, entropy: 3 },
  { name: "GitHub token", pattern: /\bgithub_pat_[A-Za-z0-9_]{50,255}\b/g, entropy: 3 },
  { name: "GitLab token", pattern: /\bgl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_-]{20,64}/g, entropy: 3 },
  { name: "Slack token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,250}/g, entropy: 3 },
  { name: "Slack webhook", pattern: /hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9+/]{40,80}/g, entropy: 3 },
  { name: "Stripe key", pattern: /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,247}\b/g, entropy: 3 },
  { name: "Google API key", pattern: /\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g, entropy: 3 },
  { name: "Google OAuth secret", pattern: /\bGOCSPX-[A-Za-z0-9_-]{28}\b/g, entropy: 3 },
  { name: "Anthropic key", pattern: /\bsk-ant-[A-Za-z0-9]{2,12}-[A-Za-z0-9_-]{24,200}/g, entropy: 3 },
  { name: "OpenAI key", pattern: /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,200}/g, entropy: 3.5, mixed: true },
  { name: "npm token", pattern: /\bnpm_[A-Za-z0-9]{36}\b/g, entropy: 3 },
  { name: "PyPI token", pattern: /\bpypi-[A-Za-z0-9_-]{50,250}/g, entropy: 3 },
  { name: "SendGrid key", pattern: /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b/g, entropy: 3 },
  { name: "Twilio key", pattern: /\bSK[0-9a-f]{32}\b/g, entropy: 3 },
  { name: "Hugging Face token", pattern: /\bhf_[A-Za-z]{34}\b/g, entropy: 3 },
  { name: "DigitalOcean token", pattern: /\bdo[opr]_v1_[0-9a-f]{64}\b/g, entropy: 3 },
  {
    name: "JWT",
    pattern: /\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{20,1000}/g,
    entropy: 3.5,
  },
  {
    name: "password in an address",
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@'"<>{}$]{1,64}:([^\s:/@'"<>{}$]{3,128})@[\w.-]+/gi,
    entropy: 2,
    mixed: true,
  },
  {
    name: "password or key",
    pattern:
      /(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|apikey|access[_-]?key|auth[_-]?key|private[_-]?key|client[_-]?secret|credential)s?[\w-]{0,24}["']?\s{0,8}(?::=|=>|[:=])\s{0,8}["'`]([^"'`\s]{8,200})["'`]/gi,
    entropy: 3,
  },
];

const MAX_LINE = 20_000;
// Most lines are told apart by this alone; every shape above has one of these in it.
const MAY_HOLD_ONE = /[\w-]{20}|:\/\/\S*@|passw|passphrase|secret|token|key|credential|xox|SG\./i;

/** Contract: pure and total; in the order they stand, none inside another. */
export function findSecrets(line: string): FoundSecret[] {
  const text = line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line;
  if (!MAY_HOLD_ONE.test(text)) return [];
  const found: FoundSecret[] = [];
  for (const { name, pattern, entropy = 0, mixed = false } of SHAPES) {
    for (const match of text.matchAll(pattern)) {
      const value = match[1] ?? match[0];
      const start = match.index + match[0].lastIndexOf(value);
      const end = start + value.length;
      if (isPlaceholder(value) || entropyOf(value) < entropy) continue;
      if (name === "password or key" && !looksRandom(value)) continue;
      if (mixed && !/\d|[A-Z]/.test(value)) continue;
      if (found.some((other) => start < other.end && other.start < end)) continue;
      found.push({ shape: name, start, end });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Contract: the line with each secret in it replaced; nothing of a secret but its kind is left. */
export function redactSecrets(line: string): string {
  let text = "";
  let at = 0;
  for (const { shape, start, end } of findSecrets(line)) {
    text += `${line.slice(at, start)}[${shape}]`;
    at = end;
  }
  return text + line.slice(at);
}

const SEPARATED = String.raw`(?:(?:\r?\n|\\r\\n|\\n)[ \t]{0,16}){1,3}`;
const PEM = (edge: "BEGIN" | "END") => String.raw`-----${edge} (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----`;
const BASE64 = "[A-Za-z0-9+/=]";
/** A private key with all of its lines, as it is printed or as it stands inside of JSON; its end may be cut off. */
const WHOLE_KEY = new RegExp(
  `${PEM("BEGIN")}(?:${SEPARATED}(?:${BASE64}{16,100}|[A-Za-z]{2,8}-?[A-Za-z]{4,8}: [^\\n\\\\]{0,200}))*` +
    `(?:(?:${SEPARATED}${BASE64}{1,15})?${SEPARATED}${PEM("END")})?`,
  "g",
);

/** Text of any length. Contract: as for a line; of a private key nothing is left, its other lines included. */
export function redactText(text: string): string {
  if (!MAY_HOLD_ONE.test(text)) return text;
  return text
    .replace(WHOLE_KEY, "[private key]")
    .split("\n")
    .map((line) => (line.length > MAX_LINE ? redactLong(line) : redactSecrets(line)))
    .join("\n");
}

/** In pieces that end where a secret cannot go on; a run of characters longer than a piece is no secret. */
function redactLong(line: string): string {
  let text = "";
  for (let at = 0; at < line.length;) {
    const most = line.slice(at, at + MAX_LINE);
    const gap = at + MAX_LINE < line.length ? most.search(/\s\S*$/) : -1;
    const piece = gap > 0 ? most.slice(0, gap) : most;
    text += redactSecrets(piece);
    at += piece.length;
  }
  return text;
}

const PLACEHOLDER =
  /example|sample|placeholder|change.?me|your[-_ ]?|dummy|fake|mock|redacted|insert|replace|todo|fixme|foobar|x{4,}|\*{3,}|\.{3}|0{8}|1234567|abcdef(?:gh|12)|<[^>]*>|\$\{|\{\{|%\(|process\.env|os\.environ|import\.meta|getenv/i;

function isPlaceholder(value: string): boolean {
  return (
    PLACEHOLDER.test(value) ||
    /^(?:\$|%|@|#\{|env[.:]|vault:|op:\/\/|ssm:|arn:|secret:)/i.test(value) ||
    new Set(value).size < 4
  );
}

/** A generic value is a secret when it mixes kinds of characters, and is no path, name, sentence or address. */
function looksRandom(value: string): boolean {
  if (/^(?:https?:|\.{0,2}\/|[a-z]+(?:[-_.][a-z]+)*$)/i.test(value)) return false;
  if (/^[A-Za-z]+(?:[A-Z][a-z]+)*$/.test(value) || /^[\w.]+\(/.test(value) || /^[\w-]+(?:\.[\w-]+)+$/.test(value))
    return false;
  const longest = value.split(/[^A-Za-z0-9]+/).reduce((a, b) => (b.length > a.length ? b : a), "");
  if (longest.length >= 8 && /\d/.test(longest) && /[A-Za-z]/.test(longest)) return true;
  return /\d/.test(value) && /[A-Za-z]/.test(value) && /[!#$%^&*?+=~]/.test(value);
}

/** Shannon's: bits per character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
