import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chanceFrom, shapedExamples } from "../../testing/secret-examples.js";
import { findSecrets } from "./find-secrets.js";
import { KINDS } from "./kinds/all.js";
import { redactSecrets } from "./redact.js";
import { ChunkRedactor } from "./redact-chunks.js";
import { Runs } from "./shape.js";
import { tailOf } from "./tail-of.js";

const KEY: string = "KEY";
const edge = (word: string) => `-----${word} RSA PRIVATE ${KEY}-----`;
const tokens = shapedExamples(chanceFrom(3)).map(({ secret }) => secret);
/** Letters that secrets are made of, and texts that stand around them. */
const PIECES = [
  ...KINDS.flatMap(({ shapes }) => shapes.map((shape) => shape.split("{")[0] ?? "")).filter((text) => text.length > 1),

  "password",
  "token",
  "api_key",
  "secret",
  "=",
  ": ",
  '"',
  "'",
  "\\",
  "\n",
  "://",
  "@",
  " ",
  "-----",
  "[",
  "]",
  "(",
  "…",

  edge("BEGIN"),
  edge("END"),
  "PuTTY-User-Key-File-3:",
  "Private-MAC: 00",
  "Bearer ",
  "Basic ",
  "-u a:",
  "é",
  "\u001b[31m",
  "3f9a1c7e5b2d8064",
  "aB3dE5gH7jK9mN2pQ4rS6tU8",
  "xxxx",
  "example",
  "${X}",
  "process.env.X",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.constantFrom(...tokens), fc.string({ maxLength: 12 })), {
    maxLength: 24,
  })
  .map((pieces) => pieces.join(""));

describe("redaction", () => {
  it("changes nothing where nothing is found, and done twice is done once", () => {
    fc.assert(
      fc.property(text, (said) => {
        const redacted = redactSecrets(said);
        if (findSecrets(said).length === 0) expect(redacted).toBe(said);
        expect(findSecrets(redacted)).toEqual([]);
        expect(redactSecrets(redacted)).toBe(redacted);
      }),
      { numRuns: 1000 },
    );
  });

  it("finds each secret in its place, in order, none touching another", () => {
    fc.assert(
      fc.property(text, (said) => {
        let last = -1;
        for (const { start, end } of findSecrets(said)) {
          expect(start).toBeGreaterThan(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(said.length);
          last = end;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("takes steps in proportion to the text, whatever it holds", () => {
    const hostile = [...PIECES, "a", "A1", "eyJ", "xoxb-", "token=", "token: ", "password='", 'key"', "://a:b", "sk-"];
    for (const piece of hostile) {
      const steps = [4_000, 8_000].map((length) => {
        const said = piece.repeat(Math.ceil(length / piece.length));
        const runs = new Runs(said);
        findSecrets(said, runs);
        return runs.steps / said.length;
      });
      const [small = 0, large = 0] = steps;
      // Every alphabet may walk along a run once.
      expect([piece, large < 40 && large < small * 1.2 + 1]).toEqual([piece, true]);
    }
  });

  it("takes steps in proportion to texts made of two such pieces", () => {
    fc.assert(
      fc.property(fc.constantFrom(...PIECES), fc.constantFrom(...PIECES), (one, other) => {
        const said = `${one}${other}`.repeat(Math.ceil(4_000 / (one.length + other.length)));
        const runs = new Runs(said);
        findSecrets(said, runs);
        expect(runs.steps).toBeLessThan(said.length * 60);
      }),
      { numRuns: 150 },
    );
  });
});

describe("text that comes in pieces", () => {
  const key = [edge("BEGIN"), "MIIEpAIBAAKCAQEA0Zx7Qw9Lk2", "Vb3Nc5Mx8Kd1Js6Hf4Gt7Ry0Pq", edge("END")].join("\n");
  const token = tokens[0] ?? "";
  const whole = `first line\nit is ${token} here\n${key}\npassword: ${["3f9a1c7e", "5b2d8064"].join("")}aB\nlast`;

  function inPieces(pieces: readonly string[]): string {
    const redactor = new ChunkRedactor(redactSecrets);
    return pieces.map((piece) => redactor.take(piece)).join("") + redactor.end();
  }

  it("is redacted as the whole is, wherever it is cut", () => {
    const expected = redactSecrets(whole);
    expect(expected).not.toContain(token);
    expect(inPieces(whole.split(""))).toBe(expected);
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
        expect(inPieces(places.slice(1).map((to, i) => whole.slice(places[i], to)))).toBe(expected);
      }),
    );
  });

  it("is not held back without end: a long line goes on, a token in it whole", () => {
    const redactor = new ChunkRedactor(redactSecrets);
    let said = "";
    for (let i = 0; i < 100; i++) said += redactor.take(`${"word ".repeat(200)}${token} `);
    expect(said.length).toBeGreaterThan(50_000);
    expect(said + redactor.end()).not.toContain(token);
    const endless = new ChunkRedactor((piece) => piece);
    let length = 0;
    for (let i = 0; i < 100; i++) length += endless.take("a".repeat(1000)).length;
    expect(length).toBeGreaterThan(50_000);
  });

  it("keeps the end of a long text from where a token cannot have been cut", () => {
    expect(tailOf("short", 10)).toBe("short");
    const tail = tailOf(`${"x".repeat(50)} ${token}${"y".repeat(5)} the end of it`, 30);
    expect(tail).toBe("the end of it");
    expect(tailOf("one\ntwo\nthree", 9)).toBe("three");
    expect(tailOf("a".repeat(100), 10)).toHaveLength(10);
  });
});
