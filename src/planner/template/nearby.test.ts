import { describe, expect, it } from "vitest";
import type { FactPack } from "../../model/packs.js";
import { nearbyOf } from "./nearby.js";

function pack(facts: Readonly<Record<string, readonly string[]>>): FactPack {
  const entries = Object.entries(facts).map(([name, value]) => [name, { value: [...value], evidence_ref: "git://x" }]);
  return {
    schema_version: "1.0.0",
    pack_id: "facts_test",
    project_id: "p",
    collected_at: "2026-02-03T04:05:06Z",
    facts: Object.fromEntries(entries) as FactPack["facts"],
  };
}

const FLAT = pack({ source_places: ["src/**"], source_files: ["src/total.ts", "src/list.ts", "src/index.ts"] });
const DEEP = pack({
  source_places: ["src/**"],
  source_files: [
    "src/billing/invoice.ts",
    "src/billing/invoice-lines.ts",
    "src/billing/tax-service.ts",
    "src/billing/taxes/rates.ts",
    "src/users/index.ts",
    "src/users/orderHistory.ts",
    "src/reports/report.ts",
    "src/web/report.ts",
  ],
});
const PACKAGES = pack({
  source_places: ["packages/cli/**", "packages/core/**", "packages/web/**"],
  source_files: ["packages/cli/src/main.ts", "packages/core/src/length.ts", "packages/web/src/main.ts"],
});

describe("the part of the source a request speaks of", () => {
  it.each([
    // A file that is called what is said, and where new files beside it go.
    ["Fix the rounding of the total", FLAT, ["src/total.ts"], ["src/**"]],
    [
      "Fix the tax for invoices abroad",
      DEEP,
      ["src/billing/invoice.ts", "src/billing/tax-service.ts"],
      ["src/billing/**"],
    ],
    ["Sort the invoice lines by date", DEEP, ["src/billing/invoice-lines.ts"], ["src/billing/**"]],
    [
      "OrderHistory.load() returns deleted orders, see the history",
      DEEP,
      ["src/users/orderHistory.ts"],
      ["src/users/**"],
    ],
    // A folder, when no file is.
    ["Let users change their names", DEEP, ["src/users/**"], ["src/users/**"]],
    // A package by its name; inside of it, what is said.
    ["Add a --json flag to the cli", PACKAGES, ["packages/cli/**"], ["packages/cli/**"]],
    ["Round the length in core", PACKAGES, ["packages/core/src/length.ts"], ["packages/core/src/**"]],
  ])("of %j is named", (text, facts, change, extend) => {
    expect(nearbyOf(text, facts)).toMatchObject({ change, extend });
    expect(nearbyOf(text, facts)).toEqual(nearbyOf(text, structuredClone(facts)));
  });

  it.each([
    ["Make the report faster", DEEP, "two files in two folders are called so"],
    ["Fix the crash on startup", DEEP, "nothing is called so"],
    ["Add the index to the main page", FLAT, "every project has an index"],
    ["Let the cli and the web share their settings", PACKAGES, "two packages are named"],
    ["Add a farewell", null, "nothing is known"],
    ["Fix the total", pack({ source_places: ["src/**"] }), "no names are known"],
  ])("of %j is not clear", (text, facts, why) => {
    expect(nearbyOf(text, facts), why).toBeNull();
  });

  it("is in a package whose tests are the ones to write, whether that was named or not", () => {
    expect(nearbyOf("Round the length", PACKAGES)).toMatchObject({ package: "packages/core", because: ["length"] });
    expect(nearbyOf("Fix the total", FLAT)).toMatchObject({ package: null });
  });

  it("is never a name that would be read as a pattern", () => {
    const facts = pack({ source_places: ["src/**"], source_files: ["src/total{a,b}.ts", "src/a/[id].ts"] });
    expect(nearbyOf("Fix the total", facts)).toBeNull();
  });
});
