/*
 * The kind of a value that a name is given: a secret looks like chance, and everything else looks like something:
 * a word, a path, a reference to where the secret really is, an example, a checksum.
 */

/**
 * The cost, in half bits, of one letter after another in words and names of programs; the last row is for the
 * first letter of a word. Counted over words of public source code and its documentation.
 */
const COSTS = [
  "e989gdajald6a6n9m685bcfgch",
  "6aab6bhk7cj4cg7ff99c7gfrcm",
  "6eae6ek79k88gl4hjac69kltdo",
  "7bca3ddj5eibde8eib8e9egiel",
  "9e86bbcheii9a6ebd568gce9gl",
  "7cbc67hm4me8gg6lk9db8mhjbm",
  "8ged4e987qlac89eq68c8fgkfi",
  "5hih4mqj6jmdbf5hk9c8ajjqck",
  "ac899baljlg8947cia87kapeva",
  "5edb4lhlbgldlh6cec5h7ddgfd",
  "9acb3feo6hh9cbdcif6abkaobi",
  "6fe94ehj5lh7fg6elia9aejm7l",
  "5agg4jhl6jicag76sgae9lkkdk",
  "8g877c5h8hddfb9fih65bckkek",
  "cc99edbjcgd884a9n59a8baegj",
  "6hgd5heb9of6hh68s5a8ajhocm",
  "emgemmgmhmg7mmfgme9f1mdmim",
  "6gcb4ecj6odbab7ela88adgubq",
  "ai9g5ef96lebdf98df758idkcn",
  "7ibf4gh84pocfh8eq78abkfkah",
  "999d8dbo9oj785e8s676foshmk",
  "5ggg2pgj5pjlig8hljfgeiihfj",
  "5kfd5hf86oabf86fg78cikejjk",
  "9c6b6bhb7fndadf5nec5ednbcn",
  "ac9d7cbf8nn98795nc68ddagdc",
  "6gei2fdh6mmdfd9fmiegfgdca8",
  "897889bb9dea9ba8e879acbfgg",
].map((row) => Float64Array.from(row, (cost) => Number.parseInt(cost, 36) / 2));
const FIRST = 26;

/** The cost of a change from small letters to digits and so on, beside that of the character itself. */
const CHANGE = 1.5;
const DIGIT = 3.3;
const OTHER = 4;

/**
 * How surprising a text is, in bits per character: words and names of programs are near 3, chance is near 5 and more.
 *
 * Contract: pure, total and linear; 0 for an empty text.
 */
export function surpriseOf(value: string): number {
  let bits = 0;
  let last = FIRST;
  let kind = 0;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    const lower = code | 32;
    const now =
      lower >= 97 && lower <= 122 ? (code === lower ? 1 : 2) : code >= 48 && code <= 57 ? 3 : isJoint(code) ? 0 : 4;
    if (now === 1 || now === 2) {
      // A name goes on in small letters after a capital one, and begins a word with a capital one.
      if (now === 2 && kind === 1) last = FIRST;
      if (kind === 3 || kind === 4 || (now === 2 && kind === 1)) bits += CHANGE;
      bits += COSTS[kind === 3 || kind === 0 || kind === 4 ? FIRST : last]?.[lower - 97] ?? OTHER;
      last = lower - 97;
    } else {
      if (now === 3) bits += DIGIT + (kind === 3 || kind === 0 ? 0 : CHANGE);
      else if (now === 4) bits += OTHER;
      else bits += 1;
      last = FIRST;
    }
    kind = now;
  }
  return value.length === 0 ? 0 : bits / value.length;
}

/** `-`, `_`, `.`, `/`, `:` and spaces put words together. */
function isJoint(code: number): boolean {
  return code === 45 || code === 95 || code === 46 || code === 47 || code === 58 || code === 32;
}

const PLACEHOLDER =
  /example|sample|placeholder|change.?me|your[-_ ]|yourself|_here\b|-here\b|dummy|fake|mock|redacted|insert|replace|todo|fixme|foobar|foo.?bar|lorem|secret.?key.?here|x{4,}|\*{3,}|\.{3}|…|0{8}|1234567|abcdef(?:gh|12)|qwerty|^test|^my[-_]?|<[^<>]*>|process\.env|os\.environ|import\.meta|getenv/i;

/** Contract: for tokens of a known shape: only what cannot stand in one by chance. */
const EXAMPLE =
  /example|placeholder|changeme|redacted|your_|your-|x{6,}|\*{3,}|\.{3}|…|0{10}|123456789|abcdefghij|ABCDEFGHIJ|<[^<>]*>|\$\{|\{\{/i;

/** Contract: pure and total; true for what stands where a secret would be put. */
export function isExample(value: string): boolean {
  return EXAMPLE.test(value) || distinct(value) < Math.min(5, value.length / 2);
}

function distinct(value: string): number {
  return new Set(value.length > 400 ? value.slice(0, 400) : value).size;
}

/** References that only say where the secret is, or that there is one. */
const REFERENCE =
  /^(?:[$<{[(,;)=:|>]|env[.:]|vault:|op:\/\/|ssm:|arn:|secret:|ref\+|sops:|enc[:[]|projects\/|https?:|file:|data:|s3:)|\$\{|\$\(|\{\{|\{[\w.]*\}|%\(|#\{|\\\(/i;
/** So do these before a name; before chance they are a part of a password. */
const MAY_REFER = /^(?:[%@&*!#~?+]|\.{0,2}\/)/;

const CHECKSUM =
  /^(?:sha\d{1,3}|md5|crc32|blake\w{1,4})[-:=]|^(?:pbkdf2|scrypt|argon2|bcrypt|sha\d)\w{0,16}\$|^(?:h1|go\.sum):/i;
const UUID = /^(?:urn:uuid:|\{)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$/i;
/** A name in capitals. */
const CONSTANT = /^[A-Z][A-Z]+\d?(?:_[A-Z]+\d?)+$/;
const NUMBER = /^[+-]?(?:[\d.,_:/-]+|0x[0-9a-f]{1,16})[a-z%]{0,2}$/i;
const CODE = /^[\w.$]+[([]|=>|::|->|^\w+(?:\.\w+)*\?|&&|\|\|/;

/** Tuned on public repositories; `docs/evaluation.md` says what they find in others. */
const SURPRISING = 4.05;
const SURPRISING_PASSWORD = 3.8;

/** Contract: pure and total; true for a value that is not the secret itself. */
export function isNoSecret(value: string): boolean {
  return (
    PLACEHOLDER.test(value) ||
    REFERENCE.test(value) ||
    (MAY_REFER.test(value) && surpriseOf(value) < SURPRISING + 0.4) ||
    CHECKSUM.test(value) ||
    UUID.test(value) ||
    CONSTANT.test(value) ||
    NUMBER.test(value) ||
    CODE.test(value) ||
    distinct(value) < 5
  );
}

/** Whether a value that a name calls a key or a token looks like chance. */
export function isChance(value: string): boolean {
  if (value.length < 12) return false;
  if (/^[0-9a-f]{16,}$/i.test(value)) return /\d/.test(value) && /[a-f]/i.test(value);
  return surpriseOf(value) >= (/\d/.test(value) ? SURPRISING : SURPRISING + 0.4);
}

/** `password1`, `new_password`, `adminpass`: nothing is left of them but what they are called. */
const SAYS_WHAT_IT_IS =
  /pass(?:word|wd|phrase)?|passw|secret|token|admin|user|login|valid|invalid|wrong|correct|complex|new|old|any|some|[\s_.-]|\d{1,4}$/gi;

/** People choose passwords that are shorter and easier to read. */
export function isLikelyPassword(value: string): boolean {
  if (value.length < 8) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9_.\s/:-]/].filter((kind) => kind.test(value)).length;
  if (kinds >= 4) return true;
  if (value.replaceAll(SAYS_WHAT_IT_IS, "").length < 6) return false;
  if (kinds === 3 && /\d/.test(value) && surpriseOf(value) >= 3.6) return true;
  return surpriseOf(value) >= (kinds >= 2 && /\d/.test(value) ? SURPRISING_PASSWORD : SURPRISING + 0.4);
}
