import { expect, it } from "vitest";
import { ModelPrice } from "../../model/settings/agent-config.js";
import type { ModelEntry } from "../../model/plan/registry.js";
import { PRICE_LIST, PRICES_AS_OF } from "./price-list.js";
import { pricesOf } from "./prices.js";

const price = (usd: number, as_of = "2026-01-01"): ModelPrice => ({
  usd_per_million_in: usd,
  usd_per_million_out: usd * 5,
  as_of,
});

it("knows list prices with their date, however a model is written, and no price of a model nobody lists", () => {
  const of = pricesOf([]);
  const sonnet = { usd_per_million_in: 3, usd_per_million_out: 15, as_of: PRICES_AS_OF };
  for (const name of ["claude-sonnet-4-5", "anthropic/claude-sonnet-4.5", "claude-sonnet-4-5-20250929"])
    expect(of(name), name).toEqual(sonnet);
  expect(of("a-model-nobody-lists")).toBeUndefined();
});

it("takes the settings before the registry, and of the registry and the list what is dearer", () => {
  const registry = (usd: number) => [{ id: "anthropic/claude-sonnet-4.5", price: price(usd) } as ModelEntry];
  expect(pricesOf(registry(90))("claude-sonnet-4-5")).toEqual(price(90));
  // A registry may be a clone's: the budget is counted in its prices.
  expect(pricesOf(registry(0))("claude-sonnet-4-5")).toMatchObject({ usd_per_million_in: 3, usd_per_million_out: 15 });
  expect(pricesOf(registry(90), { "claude-sonnet-4-5": price(1) })("claude-sonnet-4-5")).toEqual(price(1));
});

it("lists every model once, with two prices above zero", () => {
  const rows = PRICE_LIST.trim().split("\n");
  expect(rows.length).toBeGreaterThan(100);
  expect(new Set(rows.map((row) => row.split(" ")[0])).size).toBe(rows.length);
  for (const row of rows) {
    const [, into, out] = row.split(" ").map(Number);
    expect(
      ModelPrice.safeParse({ usd_per_million_in: into, usd_per_million_out: out, as_of: PRICES_AS_OF }).success,
      row,
    ).toBe(true);
    expect((into as number) + (out as number), row).toBeGreaterThan(0);
  }
});
