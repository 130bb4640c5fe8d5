import { describe, expect, it } from "vitest";
import type { ModelPrice, UsageRule } from "../../model/settings/agent-config.js";
import { Account } from "./accounting.js";
import { limitFailure } from "./limit-errors.js";
import { pricesOf } from "./prices.js";

const price: ModelPrice = { usd_per_million_in: 3, usd_per_million_out: 15, as_of: "2026-01-01" };

function account(usage: UsageRule, more: { price?: ModelPrice | null; reports_cost?: boolean } = {}) {
  const made = new Account({ usage, price: more.price ?? null, reports_cost: more.reports_cost ?? false });
  made.countPrompt("x".repeat(400));
  return made;
}

describe("what an attempt used", () => {
  it("is what the agent says of the whole turn", () => {
    const used = account({ updates: "each_call", result: "turn" }, { price });
    used.update(1050, null);
    used.countAnswer({ usage: { inputTokens: 3000, outputTokens: 150, totalTokens: 3150 } });
    expect(used.amounts(1)).toMatchObject({ tokens: 3150, cost_usd: 0.01125 });
    expect(used.accounting()).toEqual({ tokens: "reported", cost: "priced" });
    expect(used.usage(1).source).toBe("estimated");
  });

  it("is the sum of its turns, of which a session tells the cost from its beginning", () => {
    const used = account({ updates: "each_call", result: "turn" }, { reports_cost: true });
    used.update(1100, { amount: 0.25, currency: "USD" });
    used.countAnswer({ usage: { inputTokens: 1000, outputTokens: 100, totalTokens: 1100 } });
    used.endTurn();
    used.countPrompt("go on");
    used.update(2200, { amount: 0.75, currency: "USD" });
    used.countAnswer({ usage: { inputTokens: 2000, outputTokens: 200, totalTokens: 2200 } });
    expect(used.amounts(1)).toMatchObject({ tokens: 3300, cost_usd: 0.75, api_calls: 2 });
    expect(used.accounting()).toEqual({ tokens: "reported", cost: "reported" });
  });

  it("counts cached tokens, which were sent too", () => {
    const used = account({ updates: "none", result: "turn" });
    used.countAnswer({
      usage: { inputTokens: 10, cachedReadTokens: 5, cachedWriteTokens: 3, outputTokens: 2, totalTokens: 20 },
    });
    expect(used.amounts(0).tokens).toBe(20);
  });

  it("is never the last call alone: that one is the largest, and stands for each", () => {
    const used = account({ updates: "turn_end", result: "last_call" });
    used.toolCalled();
    used.toolCalled();
    used.update(1050, null);
    used.countAnswer({ usage: { inputTokens: 1000, outputTokens: 50, totalTokens: 1050 } });
    expect(used.amounts(0)).toMatchObject({ tokens: 3150, api_calls: 3 });
    expect(used.accounting().tokens).toBe("estimated");
  });

  it("adds the updates of each call up, and takes several within one call for one", () => {
    const each = account({ updates: "each_call", result: "turn" });
    for (const used of [1050, 1050, 1050]) each.update(used, null);
    const within = account({ updates: "within_call", result: "turn" });
    for (let call = 0; call < 3; call++) {
      within.update(1001, null);
      within.toolCalled();
      within.update(1050, null);
      within.toolDone();
    }
    expect([each.amounts(0).tokens, within.amounts(0).tokens]).toEqual([3150, 3150]);
  });

  it("is estimated from what was seen when the agent says nothing, and never zero", () => {
    const used = account({ updates: "none", result: "none" });
    expect(used.amounts(0).tokens).toBe(100);
    used.countOutput("y".repeat(4000));
    expect(used.amounts(0).tokens).toBe(1100);
    expect(used.amounts(0).cost_usd).toBeGreaterThan(0);
    expect(used.usage(0).source).toBe("estimated");
  });

  it("does not take a cost of zero from an agent that does not know the price", () => {
    const used = account({ updates: "each_call", result: "turn" }, { price, reports_cost: true });
    used.update(1000, { amount: 0, currency: "USD" });
    expect(used.cost()).toEqual({ usd: 0.003, how: "priced" });
    used.update(1000, { amount: 7, currency: "EUR" });
    expect(used.cost().how).toBe("priced");
    used.update(1000, { amount: 0.5, currency: "USD" });
    expect(used.cost()).toEqual({ usd: 0.5, how: "reported" });
  });

  it("leaves out what a session that goes on had cost before", () => {
    const used = new Account({ usage: { updates: "each_call", result: "turn" }, price, reports_cost: true });
    used.update(0, { amount: 2, currency: "USD" });
    used.countPrompt("go on");
    used.update(10, { amount: 2.5, currency: "USD" });
    expect(used.cost().usd).toBe(0.5);
  });
});

describe("the prices of a registry", () => {
  it("are found with and without the provider", () => {
    const entry = { kind: "model", id: "acme/large", version: "1.0.0", status: "active", title: "Large" } as const;
    const rest = {
      provider: "acme",
      location: "cloud",
      capabilities: ["coding"],
      quality: 3,
      context_tokens: 1e5,
    } as const;
    const priceOf = pricesOf([{ ...entry, ...rest, capabilities: [...rest.capabilities], price }]);
    expect([priceOf("acme/large"), priceOf("large"), priceOf("other/large"), priceOf("small")]).toEqual([
      price,
      price,
      price,
      undefined,
    ]);
  });
});

describe("a provider's limit", () => {
  const clocks = { wall: () => Date.parse("2026-01-01T00:00:00Z"), run: () => 1000 };
  it.each<[string, unknown, string | null, number | undefined]>([
    ["429 Too Many Requests", undefined, "rate_limit", undefined],
    ["Rate limit reached", { retry_after: 30 }, "rate_limit", 31_000],
    ["Overloaded, try again in 5 seconds", undefined, "rate_limit", 6000],
    ["You have hit your usage limit", { resets_at: "2026-01-01T01:00:00Z" }, "usage_limit", 3_601_000],
    ["Usage limit reached until 2026-01-01T00:01:00Z", undefined, "usage_limit", 61_000],
    ["insufficient_quota", { error: { code: 429 } }, "usage_limit", undefined],
    ["The file does not exist", undefined, null, undefined],
    ["Internal error", { details: "boom" }, null, undefined],
  ])("%s %j", (message, data, error, wait_until_ms) => {
    const failure = limitFailure(message, data, clocks);
    expect(failure?.error ?? null).toBe(error);
    expect(failure?.wait_until_ms).toBe(wait_until_ms);
  });
});
