import { describe, expect, it } from "vitest";
import { findSecrets } from "./find-secrets.js";
import { redactSecrets } from "./redact.js";

// Put together here, so that this file itself holds nothing that looks like a key.
const chance = (length: number, alphabet = "aB3dE5gH7jK9mN2pQ4rS6tU8vW0xYz1") =>
  Array.from({ length }, (_, i) => alphabet[(i * 7 + 3 * (i % 5)) % alphabet.length]).join("");
const pem = (kind: string) => `-----BEGIN ${kind}PRIVATE KEY-----`;
const hex = (length: number) => chance(length, "3f9a1c7e5b2d8064");

const SECRETS: readonly (readonly [string, string])[] = [
  ["private key", pem("RSA ")],
  ["private key", pem("OPENSSH ")],
  ["private key", `key = "${pem("")}"`],
  ["AWS access key", `aws_access_key_id = AKIA${chance(16, "Q7ZX4MPL2VNR5TWJ")}`],
  ["GitHub token", `token: ghp_${chance(36)}`],
  ["GitHub token", `GH=github_pat_${chance(60)}`],
  ["GitLab token", `glpat-${chance(20)}`],
  ["Slack token", `xoxb-${chance(12, "8241936507")}-${chance(24)}`],
  ["Slack webhook", `https://hooks.slack.com/services/T${chance(8)}/B${chance(8)}/${chance(24)}`],
  ["Stripe key", `sk_live_${chance(24)}`],
  ["Google API key", `AIza${chance(35)}`],
  ["Anthropic key", `sk-ant-api03-${chance(80)}`],
  ["OpenAI key", `OPENAI_API_KEY=sk-proj-${chance(48)}`],
  ["npm token", `//registry.npmjs.org/:_authToken=npm_${chance(36)}`],
  ["JWT", `Authorization: Bearer eyJ${chance(30)}.eyJ${chance(60)}.${chance(43)}`],
  ["password in an address", `postgres://app:${chance(12)}@db.internal/app`],
  ["password or key", `password = "${chance(16)}"`],
  ["password or key", `const apiKey = '${chance(32)}';`],
  ["password or key", `"client_secret": "${hex(40)}",`],
  ["password or key", `secretToken := \`${chance(24)}\``],
];

const ORDINARY = [
  'password = "changeme"',
  'password = "example-password-1"',
  'password: "your-password-here-1"',
  'const token = "xxxxxxxxxxxxxxxx1";',
  "const apiKey = process.env.API_KEY;",
  'api_key = os.environ["API_KEY"]',
  'apiKey: "${API_KEY_2}"',
  'secret: "{{ vault.secret1 }}"',
  'password = "<your password 1>"',
  'const tokenType = "bearer_token";',
  'passwordField: "user.password.field"',
  'label: "Password must have 8 characters"',
  'const secretName = "database-credentials";',
  'token = "getNextToken2()"',
  'import { token } from "./tokens/token2.js";',
  'tokenUrl: "https://login.example.com/oauth2/token"',
  "git clone https://user@github.com/org/repo.git",
  "postgres://user:password@localhost/db",
  "redis://localhost:6379/0",
  "mongodb://${USER}:${PASS}@host/db",
  "const key = `${prefix}:${id}`;",
  "integrity sha512-9vX4TzHKeJxPu8WvVxJ0oJbS0hQ3m0oI8Q1rYt2cQnGd0t6k6m4V5o1m2A==",
  'checksum: "d2c7f3a9b1e5c4f8a6d0b3e7c9f1a5d8"',
  "commit 4f9a1c7e5b2d80643f9a1c7e5b2d80643f9a1c7e",
  'id: "550e8400-e29b-41d4-a716-446655440000"',
  "-----BEGIN PUBLIC KEY-----",
  "-----BEGIN CERTIFICATE-----",
  "const AKIA = 1;",
  "sk-learn is a library",
  "tasks-and-risk-management-for-the-whole-organisation-in-one-place",
  'className="sk-circle sk-circle-fade-dot-with-a-long-name"',
  'expect(findSecrets("ghp_short")).toEqual([])',
  'PASSWORD_MIN_LENGTH = "12"',
  'passwordPolicy: "upper,lower,digit8"',
  'credentials: "same-origin"',
  'const tokenizer = "cl100k_base_v2";',
  'secretRef: "arn:aws:secretsmanager:eu:1:secret"',
  'password: "op://vault/item/password1"',
  'AWS_KEY = "AKIAIOSFODNN7EXAMPLE"',
];

describe("findSecrets", () => {
  it.each(SECRETS)("finds a %s", (shape, line) => {
    expect(findSecrets(line).map((found) => found.shape)).toContain(shape);
  });

  it.each(ORDINARY)("leaves %j alone", (line) => {
    expect(findSecrets(line)).toEqual([]);
  });

  it("takes every secret out of what is shown", () => {
    for (const [shape, line] of SECRETS) {
      const [found] = findSecrets(line);
      const secret = line.slice(found?.start, found?.end);
      expect(redactSecrets(line)).not.toContain(secret);
      expect(redactSecrets(line)).toContain(`[${shape}]`);
    }
  });

  it("reads a very long line without stalling", () => {
    expect(findSecrets(`password = "${"a1".repeat(500_000)}`)).toEqual([]);
    expect(findSecrets("eyJ".repeat(300_000))).toEqual([]);
  });
});

describe("secrets in text of any length", () => {
  const token = ["ghp", "R7tq2VbN9xKcW4mZ8sLp3dFh6jGy1aTe5uQo"].join("_");
  const edge = (word: string) => `-----${word} RSA PRIVATE KEY-----`;
  const body = ["MIIEpAIBAAKCAQEA0Zx7Qw9Lk2", "Vb3Nc5Mx8Kd1Js6Hf4Gt7Ry0Pq", "aZ9="];

  it("are taken out of every line, and far along a long one", () => {
    expect(redactSecrets(`a ${token}\nb ${token}`)).toBe("a [GitHub token]\nb [GitHub token]");
    const long = redactSecrets(`${"word ".repeat(20_000)}${token} ${"end ".repeat(20_000)}`);
    expect(long).not.toContain(token);
    expect(long).toContain("[GitHub token] end");
  });

  it.each([
    ["as printed", "\n"],
    ["with Windows line ends", "\r\n"],
    ["as JSON has it", "\\n"],
  ])("nothing is left of a private key %s, and what follows stays", (_, end) => {
    const key = [edge("BEGIN"), ...body, edge("END")].join(end);
    expect(redactSecrets(`before\n${key}\nafter`)).toBe("before\n[private key]\nafter");
    const cut = [edge("BEGIN"), ...body.slice(0, 2)].join(end);
    expect(redactSecrets(`before\n${cut}`)).toBe("before\n[private key]");
  });

  it("is the same text where there is none", () => {
    const text = "1 test failed\n  expected 3, got 4 in src/a-long-path/with-a-key-in-its-name/token.test.ts\n";
    expect(redactSecrets(text)).toBe(text);
  });
});
