import { describe, expect, it } from "vitest";
import { chanceFrom, LETTERS, randomText } from "../../testing/secret-examples.js";
import { findSecrets } from "./find-secrets.js";
import { redactSecrets } from "./redact.js";

const base64 = (text: string) => Buffer.from(text).toString("base64");
/** Apart, so that these lines are not headers of keys. */
const KEY: string = "KEY";
const PUTTY: number = 3;
const SPECIAL = `${LETTERS.alnum}!#%*+_@^~`;

/** Where secrets stand: how it is written, of which characters, and how long. */
const WRITTEN: readonly (readonly [string, (value: string) => string, string, readonly number[]])[] = [
  ["a variable", (v) => `DB_PASSWORD=${v}`, SPECIAL, [12, 16, 24]],
  ["a variable that is exported", (v) => `export APP_SECRET=${v}`, LETTERS.alnum, [16, 32]],
  ["YAML", (v) => `  password: ${v}`, LETTERS.alnum, [12, 16, 24]],
  ["YAML in quotes", (v) => `  secretKey: '${v}'`, LETTERS.alnum, [16, 24]],
  ["an INI file", (v) => `aws_secret_access_key = ${v}`, LETTERS.base64, [40]],
  ["properties", (v) => `spring.datasource.password=${v}`, LETTERS.alnum, [12, 20]],
  ["a bearer header", (v) => `Authorization: Bearer ${v}`, LETTERS.base64url, [24, 40]],
  ["a basic header", (v) => `Authorization: Basic ${base64(`user:${v}`)}`, LETTERS.alnum, [8, 20]],
  ["a header with a key", (v) => `curl -H "X-Api-Key: ${v}" https://api.test`, LETTERS.alnum, [20, 32]],
  ["a header that code sets", (v) => `request.setHeader("X-Auth-Token", "${v}");`, LETTERS.hex, [32]],
  ["a connection string", (v) => `AccountName=x;AccountKey=${v}==;EndpointSuffix=y`, LETTERS.base64, [86]],
  ["a connection string of a database", (v) => `Server=db;User Id=sa;Password=${v};Encrypt=true`, LETTERS.alnum, [12]],
  ["an address with a login", (v) => `postgres://app:${v}@db.test:5432/app`, LETTERS.alnum, [10, 24]],
  ["an address with a password alone", (v) => `redis://:${v}@cache:6379/0`, LETTERS.alnum, [10, 24]],
  ["an address with a token", (v) => `https://${v}@git.test/a.git`, LETTERS.hex, [40]],
  ["a query", (v) => `GET https://api.test/v1?api_key=${v}&page=1`, LETTERS.alnum, [20, 32]],
  ["JSON", (v) => `{"client_secret":"${v}"}`, LETTERS.hex, [32, 40]],
  ["JSON inside of JSON", (v) => `{\\"apiKey\\": \\"${v}\\"}`, LETTERS.alnum, [24]],
  ["an option", (v) => `tool --password ${v} --verbose`, LETTERS.alnum, [14, 20]],
  ["an option with a sign", (v) => `tool --api-key=${v}`, LETTERS.alnum, [20]],
  ["a login option", (v) => `curl -u admin:${v} https://api.test`, LETTERS.alnum, [12]],
  ["XML", (v) => `<password>${v}</password>`, LETTERS.alnum, [14]],
  ["XML attributes", (v) => `<add key="Password" value="${v}" />`, LETTERS.alnum, [14]],
  ["SQL", (v) => `CREATE USER x IDENTIFIED BY '${v}'`, LETTERS.alnum, [14]],
  ["Python with types", (v) => `SECRET_KEY: str = "${v}"`, LETTERS.alnum, [32]],
  ["Go", (v) => `const apiSecret string = "${v}"`, LETTERS.alnum, [24]],
  ["a default", (v) => `const token = process.env.TOKEN || "${v}";`, LETTERS.alnum, [24]],
  ["a default of a call", (v) => `os.getenv("API_TOKEN", "${v}")`, LETTERS.alnum, [24]],
  ["a Dockerfile", (v) => `ENV API_TOKEN ${v}`, LETTERS.alnum, [24]],
  ["a secret of Kubernetes", (v) => `  db-password: ${base64(v)}`, LETTERS.alnum, [20]],
  ["a login of Docker", (v) => `{"auths":{"registry.test":{"auth":"${base64(`user:${v}`)}"}}}`, LETTERS.alnum, [16]],
  ["a sentence", (v) => `The API key is ${v}.`, LETTERS.alnum, [24]],
];

describe("a secret is found by where it stands", () => {
  it.each(WRITTEN)("%s", (_, write, alphabet, lengths) => {
    const chance = chanceFrom(97);
    let missed = 0;
    const all = lengths.length * 100;
    for (const length of lengths)
      for (let i = 0; i < 100; i++) {
        const value = randomText(alphabet, length, chance);
        const line = write(value);
        if (redactSecrets(line).includes(value) || findSecrets(line).length === 0) missed++;
      }
    // Chance makes a word once in a while.
    expect(missed / all).toBeLessThanOrEqual(0.02);
  });
});

describe("private keys of every format leave nothing", () => {
  const chance = chanceFrom(5);
  const body = (lines: number) => Array.from({ length: lines }, () => randomText(LETTERS.base64, 64, chance));
  const edge = (word: string, kind: string) => `-----${word} ${kind}-----`;
  const pem = (kind: string, lines: readonly string[]) => [edge("BEGIN", kind), ...lines, edge("END", kind)];
  const KEYS: readonly (readonly [string, readonly string[]])[] = [
    ["PKCS#8", pem(`PRIVATE ${KEY}`, body(4))],
    ["PKCS#1", pem(`RSA PRIVATE ${KEY}`, body(6))],
    ["SEC 1", pem(`EC PRIVATE ${KEY}`, body(3))],
    ["encrypted", pem(`RSA PRIVATE ${KEY}`, ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,9F3A", "", ...body(4)])],
    ["OpenSSH", pem(`OPENSSH PRIVATE ${KEY}`, body(5))],
    ["PGP", pem(`PGP PRIVATE ${KEY} BLOCK`, ["Version: GnuPG v2", "", ...body(8), "=aB3d"])],
    [
      "PuTTY",
      [
        `PuTTY-User-Key-File-${PUTTY}: ssh-ed25519`,
        "Encryption: none",
        "Comment: me",
        "Private-Lines: 2",
        ...body(2),
        `Private-MAC: ${randomText(LETTERS.hex, 64, chance)}`,
      ],
    ],
  ];
  const secretsOf = (lines: readonly string[]) => lines.filter((line) => line.length === 64);

  it.each(KEYS)("%s: printed, quoted, in JSON, in a diff, cut off", (_, lines) => {
    const said = [
      lines.join("\n"),
      lines.join("\r\n"),
      lines.join("\\n"),
      lines.map((line) => `+${line}`).join("\n"),
      lines.map((line) => `    "${line}\\n" +`).join("\n"),
      lines.map((line, i) => `${i + 1}\t${line}`).join("\n"),
      lines.slice(0, -2).join("\n"),
    ];
    for (const text of said) {
      const redacted = redactSecrets(`before\n${text}\nafter`);
      for (const secret of secretsOf(lines)) expect(redacted).not.toContain(secret);
      expect(redacted.startsWith("before\n")).toBe(true);
    }
  });

  it("without its beginning, too, and a text that only names the lines stays", () => {
    const lines = KEYS[0]?.[1] ?? [];
    const redacted = redactSecrets(lines.slice(2).join("\n"));
    for (const secret of secretsOf(lines.slice(2))) expect(redacted).not.toContain(secret);
    const prose = `${edge("BEGIN", `PRIVATE ${KEY}`)} is how such a file begins.\nIt goes on with lines of base64, as everybody who ever saw one knows,\nand a reader has to find the last of them all by itself.\nIt ends with ${edge("END", `PRIVATE ${KEY}`)}.`;
    expect(redactSecrets(prose)).toContain("It goes on with lines of base64");
  });
});
