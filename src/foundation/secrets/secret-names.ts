/*
 * Which names speak of a secret. A name is taken apart into its words: `dbPassword` and `DB_PASSWORD_1` speak of one,
 * `passwordField`, `token_type` and `publicKey` do not.
 */

/** `password` is chosen by people, a `key` is made by chance. */
export type Secrecy = "password" | "key";

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const PASSWORDS = new Set([
  "password",
  "passwd",
  "passwort",
  "pwd",
  "pw",
  "passphrase",
  "passcode",
  "userpass",
  "psk",
  "pass",
]);
const SECRETS = new Set([
  "secret",
  "secrets",
  "token",
  "tokens",
  "apikey",
  "credential",
  "credentials",
  "creds",
  "pat",
  "authkey",
  "bearer",
  "authtoken",
  "accesstoken",
]);
const ENDINGS =
  /(?:password|passwd|passphrase|pwd|(secret|token|apikey|secretkey|accesskey|privatekey|authkey|accountkey))$/;
/** `key` says nothing by itself: keys of caches, maps and tables are not secrets. */
const KEYED = setOf(
  "api access auth secret private client encryption encrypt encryptionkey signing sign signature master account shared service storage admin root deploy webhook hmac jwt aes app application consumer license bot rest server subscription integration ingest ingestion write read management host function functions sas ssh ssl tls pgp gpg rsa ec crypto cipher session cookie stripe openai anthropic aws azure gcp google github gitlab twilio sendgrid datadog mailgun algolia maps weather",
);
/** Variables in capitals hold secrets more often than not, but for these keys. */
const KEY_OF_DATA = setOf(
  "cache primary foreign sort partition index unique row map object dict lookup group i18n translation query route item node entity idempotency dedupe hash session_store redis sorted config settings context state event message type error field column header meta registry option",
);
/** Words that may follow: `SECRET_KEY_BASE`, `password2`, `TOKEN_PROD`. */
const AFTER = setOf(
  "value val key base string str text raw plain plaintext b64 base64 hex env prod production dev development staging stage test testing live local default old new current previous primary secondary backup main master access id1 data bytes header param arg input",
);
/** A name with one of these speaks about a secret, not of it. */
const ABOUT = setOf(
  "public pub hash hashed digest fingerprint checksum csrf xsrf placeholder cache next page pagination continuation cursor max min total num count length len type kind name names label title url uri path file field column regex pattern format policy strength reset forgot change confirm validator validators required enabled disabled expires expiry expiration ttl lifetime refreshes limit limits usage index position parser lexer syntax tokenizer special eos bos pad unk sep cls mask vocab design theme color",
);

const known = new Map<string, Secrecy | null>();
const MOST_KNOWN = 4096;

/** Contract: pure and total; null for a name that speaks of none. */
export function secrecyOf(name: string): Secrecy | null {
  const found = known.get(name);
  if (found !== undefined) return found;
  const secrecy = decideSecrecy(wordsOf(name), /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(name));
  // The cache changes nothing but the time it takes.
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, secrecy);
  return secrecy;
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])|([A-Za-z])(\d+)$/g, "$1$3$5 $2$4$6")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

function decideSecrecy(words: readonly string[], isVariable: boolean): Secrecy | null {
  for (let i = words.length - 1; i >= 0; i--) {
    const secrecy = secrecyAt(words, i, isVariable);
    if (secrecy !== null) {
      if (words.some((word, at) => at !== i && ABOUT.has(word))) return null;
      return secrecy;
    }
    const word = words[i] as string;
    if (!AFTER.has(word) && !/^\d{1,3}$/.test(word)) return null;
  }
  return null;
}

function secrecyAt(words: readonly string[], i: number, isVariable: boolean): Secrecy | null {
  const word = words[i] as string;
  const before = words[i - 1];
  // Tests pass, too: alone it must be given what looks like chance.
  if (word === "pass" || word === "pw") return before === undefined ? "key" : "password";
  if (PASSWORDS.has(word)) return "password";
  if (SECRETS.has(word)) return word === "pat" && before === undefined ? null : "key";
  if (word === "key" || word === "keys") {
    if (before === undefined) return null;
    return KEYED.has(before) || (isVariable && !KEY_OF_DATA.has(before)) ? "key" : null;
  }
  const ending = word.length <= 40 ? ENDINGS.exec(word) : null;
  return ending === null ? null : ending[1] === undefined ? "password" : "key";
}
