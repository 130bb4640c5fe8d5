import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findPersonalData } from "./personal-data.js";

const find = (...texts: string[]) => findPersonalData(texts.map((text, i) => ({ line: i + 1, text })));
const shapes = (...texts: string[]) => find(...texts).map(({ shape }) => shape);

describe("data of people", () => {
  it.each([
    ["IBAN", "  account: DE89 3704 0044 0532 0130 00"],
    ["IBAN", '"iban": "FR1420041010050500013M02606",'],
    ["card number", "paid with 4539 1488 0343 6467"],
    ["card number", "card_number = 4539148803436467"],
    ["social security number", "ssn: 536-22-8145"],
    ["national insurance number", "National insurance QQ 12 34 57 C, AB 12 39 57 C"],
    ["DNI", "dni,54362315K"],
    ["NIR", "1 85 05 78 006 084 91"],
    ["CPF", "529.982.247-25"],
    ["AHV number", "756.9217.0769.85"],
    ["tax id", "Steuer-ID 86 095 742 719"],
    ["BSN", "bsn=123456782"],
    ["PESEL", "pesel: 44051401359"],
  ])("is found: %s in %s", (shape, text) => {
    expect(shapes(text)).toEqual([shape]);
  });

  it.each([
    ["a wrong check digit", "DE88 3704 0044 0532 0130 00"],
    ["a wrong check digit of a card", "4539 1488 0343 6468"],
    ["a number that is not a card", "id = 4539148803436467"],
    ["a part of something longer", "commit 4539148803436467abcdef"],
    ["a part of a larger number", "0.4539148803436467"],
    ["an example of few digits", "card 4242 4242 4242 4242"],
    ["digits in their order", "dni 12345678Z"],
    ["a date and a time", "2026-01-25 11:00:00"],
    ["a version", "1.2.3-45"],
    ["a phone number alone", "call +49 30 901820"],
    ["an address alone", "Ada Lovelace <ada@analytical.uk>"],
    ["an ISBN", "978-3-16-148410-0"],
  ])("is not found in %s: %s", (_, text) => {
    expect(shapes(text)).toEqual([]);
  });

  const people = ["Ada Byron", "Karl Weber", "Mia Rossi", "Jan Novak", "Eva Lund"];
  const host = (name: string) => name.split(" ")[1]?.toLowerCase() ?? "";

  it("is found in lists of names and addresses, line by line", () => {
    const rows = people.map((name) => `${name},${host(name)}@${host(name)}-works.de`);
    expect(find("name,address", ...rows)).toEqual(
      rows.map((_, i) => ({ line: i + 2, shape: "list of names and addresses" })),
    );
    expect(find(...rows.slice(1))).toEqual([]);
  });

  it.each([
    ["names kept for examples", (name: string) => `${name} <${host(name)}@example.com>`],
    ["machines", (name: string, i: number) => `${name} <info${i}@works.de>`],
    ["addresses without names", (name: string) => `${host(name)}@works.de`],
    ["decorators and packages", (name: string) => `import { ${name.replace(" ", "")} } from "@${host(name)}/core";`],
  ])("is not found in lists of %s", (_, row) => {
    expect(find(...people.map(row))).toEqual([]);
  });

  it("is found in lists of telephone numbers, and not in those that are kept for stories", () => {
    const real = ["+49 30 901820", "+44 20 7946 1832", "+33 1 70 18 99 43", "+1 (212) 736-3100", "(212) 736-5000"];
    expect(shapes(...real)).toEqual(real.map(() => "list of telephone numbers"));
    expect(shapes(...real.map((_, i) => `(212) 555-01${i}2`))).toEqual([]);
  });

  it("is looked for in any text without failing, and in time", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 300 }), { maxLength: 20 }), (texts) => {
        for (const { line } of find(...texts)) expect(line).toBeLessThanOrEqual(texts.length);
      }),
    );
    for (const text of ["1 ".repeat(50_000), "a@".repeat(50_000), "+1".repeat(50_000), "AA11".repeat(30_000)])
      find(text);
  });
});
