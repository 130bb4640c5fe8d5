import { describe, expect, it } from "vitest";
import {
  chanceFrom,
  exampleOf,
  exampleOfKind,
  LETTERS,
  namedExamples,
  randomText,
} from "../../testing/secret-examples.js";
import { findSecrets } from "./find-secrets.js";
import { KINDS } from "./kinds/all.js";
import { NAMED } from "./kinds/named.js";
import { redactSecrets } from "./redact.js";

/** How people and programs come to say a token. */
const SAID: readonly ((token: string) => string)[] = [
  (token) => `it printed ${token} and more`,
  (token) => `"value": "${token}",`,
  (token) => `X=${token}`,
  (token) => `{"text":"a\\n${token}\\nb"}`,
  (token) => `(${token})`,
  (token) => `\u001b[31m${token}\u001b[0m`,
  (token) => token,
];

/** Whether nothing of what makes the token a secret is left. */
function isGone(line: string, token: string, shape: string): boolean {
  const fixed = (shape.split("{")[0] ?? "").length;
  return !redactSecrets(line).includes(token.slice(fixed === token.length ? 0 : fixed));
}

describe("kinds of secrets that are known by their shape", () => {
  it("are more than two hundred", () => {
    expect(KINDS.length + NAMED.length).toBeGreaterThan(200);
  });

  it.each(KINDS)("$name", (kind) => {
    const chance = chanceFrom(kind.name.length * 7919 + kind.shapes.length);
    for (const shape of kind.shapes)
      for (let i = 0; i < 10; i++) {
        const secret = exampleOfKind(kind, shape, chance);
        for (const say of SAID) expect([shape, isGone(say(secret), secret, shape)]).toEqual([shape, true]);
      }
  });

  it("are called by names that redaction can write and leave alone", () => {
    for (const { name } of [...KINDS, ...NAMED]) {
      expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9 .&-]{1,50}$/);
      expect(findSecrets(`password=[${name}] token: [${name}] [${name}]`)).toEqual([]);
    }
  });

  it("are found with the name they are given to, and not without it", () => {
    const chance = chanceFrom(20_261);
    for (let i = 0; i < 20; i++)
      for (const { kind, secret, line } of namedExamples(chance))
        expect([kind, redactSecrets(line).includes(secret)]).toEqual([kind, false]);
    const uuid = exampleOf("{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}", chance);
    expect(findSecrets(`HEROKU_APP_ID=${uuid}`)).toEqual([]);
    expect(findSecrets(`request ${uuid}`)).toEqual([]);
  });
});

/* Values of services that no kind is written for: only their names speak of a secret. */
const UNWRITTEN: readonly (readonly [string, keyof typeof LETTERS, number])[] = [
  ["ADAFRUIT_IO_KEY", "lowernum", 32],
  ["BITTREX_SECRET_KEY", "lowernum", 32],
  ["COINBASE_ACCESS_TOKEN", "base64url", 64],
  ["DRONE_TOKEN", "lowernum", 32],
  ["FACEBOOK_APP_SECRET", "hex", 32],
  ["FASTLY_API_TOKEN", "base64url", 32],
  ["FINICITY_CLIENT_SECRET", "lowernum", 20],
  ["FLICKR_ACCESS_TOKEN", "lowernum", 32],
  ["FRESHBOOKS_ACCESS_TOKEN", "lowernum", 64],
  ["GITTER_ACCESS_TOKEN", "base64url", 40],
  ["INTERCOM_API_KEY", "token", 60],
  ["KRAKEN_ACCESS_TOKEN", "base64", 80],
  ["NYTIMES_API_KEY", "base64url", 32],
  ["RAPIDAPI_ACCESS_TOKEN", "base64url", 50],
  ["SUMOLOGIC_ACCESS_TOKEN", "lowernum", 64],
  ["TWITCH_API_TOKEN", "lowernum", 30],
  ["ZENDESK_SECRET_KEY", "lowernum", 40],
  ["PRIVATEAI_API_TOKEN", "lowernum", 32],
  ["MERAKI_API_KEY", "hex", 40],
  ["CLOUDINARY_API_SECRET", "base64url", 27],
];

describe("values that no kind is written for", () => {
  it("are found by the names they are given to, nearly always", () => {
    const chance = chanceFrom(4711);
    let found = 0;
    let all = 0;
    for (const [name, alphabet, length] of UNWRITTEN)
      for (let i = 0; i < 100; i++) {
        const value = randomText(LETTERS[alphabet], length, chance);
        all++;
        if (!redactSecrets(`${name}=${value}`).includes(value)) found++;
      }
    expect(found / all).toBeGreaterThan(0.99);
  });
});
