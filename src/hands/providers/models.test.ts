import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { Configuration } from "../../model/settings/configuration.js";
import { ModelSettings } from "../../model/settings/model-config.js";
import { FailurePolicy } from "../../model/run.js";
import { inquire } from "../../mind/propose/inquire.js";
import type { Inquiry } from "../../mind/propose/proposer.js";
import { policyWith } from "../../testing/plan-fixtures.js";
import { type ModelServer, type Reply, startModelServer } from "../../testing/model-server.js";
import { chooseModels } from "./choose-models.js";
import { createModel } from "./create-model.js";
import { modelProposer } from "./model-proposer.js";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(...replies: readonly Reply[]): Promise<ModelServer> {
  const server = await startModelServer(replies);
  servers.push(server);
  return server;
}

const KEY = "sk-nobodys-to-know";
const environment = { THE_KEY: KEY };
type Provider = ModelSettings["provider"];
const prices = { usd_per_million_in: 3, usd_per_million_out: 15, as_of: "2025-11-01" };

function modelAt(server: ModelServer, provider: Provider, more: Partial<z.input<typeof ModelSettings>> = {}) {
  const settings = ModelSettings.parse({
    provider,
    base_url: server.url,
    model: "a-model",
    key_env: "THE_KEY",
    prices,
    ...more,
  });
  return createModel(provider, { settings, registry: [], environment });
}

const ask = { system: "You answer.", prompt: "How many?", schema: null, maxTokens: 500 };
const forever = new AbortController().signal;
const both: readonly Provider[] = ["anthropic", "openai"];

describe.each(both)("a model behind the API of %s", (provider) => {
  it("is asked with its key, and counted by what it reports", async () => {
    const server = await serve({ text: "Two.", tokens: [1000, 100] });
    const completed = await modelAt(server, provider).complete(ask, forever);
    expect(completed).toMatchObject({
      status: "completed",
      text: "Two.",
      stopped: "end",
      tokens: { in: 1000, out: 100, source: "reported" },
      cost_is: "priced",
      calls: 1,
    });
    expect(completed.cost_usd).toBeCloseTo(0.0045, 10);
    const [request] = server.requests;
    expect(request?.body).toMatchObject({ model: "a-model", max_tokens: 500 });
    expect(request?.headers[provider === "anthropic" ? "x-api-key" : "authorization"]).toContain(KEY);
  });

  it("costs something when it says nothing of tokens, and when nobody knows its price", async () => {
    const server = await serve({ text: "Two." }, { text: "Two.", tokens: [0, 0] });
    const model = modelAt(server, provider, { prices: undefined });
    for (const completed of [await model.complete(ask, forever), await model.complete(ask, forever)]) {
      expect(completed).toMatchObject({ tokens: { source: "estimated" }, cost_is: "estimated" });
      expect(completed.cost_usd).toBeGreaterThan(0);
    }
  });

  it("is asked again when it says when, and its failure is a value otherwise", async () => {
    const busy = { status: 429, headers: { "retry-after": "0" } };
    const patient = await serve(busy, { status: 503, headers: { "retry-after": "0" } }, { text: "Two." });
    expect(await modelAt(patient, provider).complete(ask, forever)).toMatchObject({ status: "completed", calls: 3 });
    const full = await serve(busy);
    expect(await modelAt(full, provider).complete(ask, forever)).toMatchObject({
      failure: { kind: "structural", error: "rate_limit" },
      gone: false,
      tokens: null,
      calls: 3,
    });
    const later = await serve({ status: 429, headers: { "retry-after": "9999" } });
    expect(await modelAt(later, provider).complete(ask, forever)).toMatchObject({ status: "failed", calls: 1 });
    const used = await serve({ status: 429, body: { error: { message: "You exceeded your current quota" } } });
    expect(await modelAt(used, provider).complete(ask, forever)).toMatchObject({ failure: { error: "usage_limit" } });
    const down = await serve({ status: 500 });
    expect(await modelAt(down, provider).complete(ask, forever)).toMatchObject({
      failure: { error: "lost_connection" },
      gone: false,
    });
  });

  it("never has its key in a message, and is not asked again when the key is wrong", async () => {
    const server = await serve({ status: 401, body: { error: { message: `bad key ${KEY}` } } });
    const completed = await modelAt(server, provider).complete(ask, forever);
    expect(completed).toMatchObject({ status: "failed", gone: true, tokens: null });
    expect(JSON.stringify(completed)).not.toContain(KEY);
    const without = createModel("keyless", {
      settings: ModelSettings.parse({ provider, base_url: server.url, model: "m", key_env: "NO_KEY" }),
      registry: [],
      environment,
    });
    expect(await without.complete(ask, forever)).toMatchObject({ gone: true, calls: 0 });
  });

  it("is left when it hangs, and what it may have used is counted", async () => {
    const server = await serve({ hang: true });
    const hung = await modelAt(server, provider, { timeout_seconds: 0.2 }).complete(ask, forever);
    expect(hung).toMatchObject({ failure: { error: "timeout" }, tokens: { out: 500, source: "estimated" } });
    expect(hung.cost_usd).toBeGreaterThan(0);
    const stop = new AbortController();
    const stopped = modelAt(server, provider).complete(ask, stop.signal);
    stop.abort();
    expect(await stopped).toMatchObject({ failure: { kind: "cancelled" } });
  });

  it.each([
    ["no JSON", { raw: "<html>hello</html>" }],
    ["no answer", { raw: '{"choices": [], "content": "x"}' }],
    ["nothing", { raw: "null" }],
  ])("gives %s and is malformed", async (_, reply) => {
    const server = await serve(reply);
    expect(await modelAt(server, provider).complete(ask, forever)).toMatchObject({
      failure: { error: "malformed_output" },
    });
  });

  it("is reached nowhere when nobody listens, and follows no redirect with its key", async () => {
    const server = await serve({ text: "x" });
    await server.close();
    expect(await modelAt(server, provider).complete(ask, forever)).toMatchObject({
      failure: { error: "lost_connection" },
      tokens: null,
    });
    const other = await serve({ text: "stolen" });
    const away = await serve({ status: 307, headers: { location: `${other.url}/v1/messages` } });
    expect(await modelAt(away, provider).complete(ask, forever)).toMatchObject({ status: "failed" });
    expect(other.requests).toEqual([]);
  });
});

// ------------------------------------------------------------------------------------------------------ proposing

const policy = FailurePolicy.parse({ base_delay_ms: 0 });
const options = { policy, seed: 1, wait: async () => undefined };
const budget = { tokens: 50_000, cost_usd: 1, minutes: 1, files: 0, commits: 0, api_calls: 10 };
const inquiry: Inquiry = {
  purpose: "plan",
  about: "a test",
  system: "You answer.",
  prompt: "How many?",
  documents: [{ ref: "docs/a.md", text: "There are two." }],
  sees: "documents",
  withheld: [],
  answer: z.strictObject({ count: z.int() }),
  budget,
};

describe.each(both)("a model of %s as proposer", (provider) => {
  const good: Reply = { json: { count: 2 }, tokens: [100, 10] };
  const proposerAt = (server: ModelServer, more: Partial<z.input<typeof ModelSettings>> = {}) =>
    modelProposer(modelAt(server, provider, more));

  it("answers in the form that was asked for, from the documents it was given", async () => {
    const server = await serve(good);
    const asked = await inquire([proposerAt(server)], inquiry, options, forever);
    expect(asked).toMatchObject({ status: "answered", value: { count: 2 }, usage: { source: "reported" }, tried: [] });
    expect(JSON.stringify(server.requests[0]?.body)).toContain("There are two.");
  });

  it("may answer in a text, in a fence and with words around it", async () => {
    const server = await serve({ text: 'Sure!\n```json\n{"count": 2}\n```\n' });
    const asked = await inquire([proposerAt(server, { answers: "text" })], inquiry, options, forever);
    expect(asked).toMatchObject({ status: "answered", value: { count: 2 } });
    expect(server.requests[0]?.body).not.toHaveProperty("tools");
  });

  it("is asked three times more when it returns prose, each time anew, and then no more", async () => {
    const server = await serve({ text: "There are two of them, I believe.", tokens: [100, 10] });
    const counted: string[] = [];
    const asked = await inquire(
      [proposerAt(server)],
      inquiry,
      { ...options, count: async (purpose) => void counted.push(purpose) },
      forever,
    );
    expect(asked).toMatchObject({ status: "failed", failure: { kind: "structural", error: "malformed_output" } });
    expect(server.requests).toHaveLength(4);
    expect(new Set(server.requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(asked.usage?.amounts.tokens).toBe(440);
    expect(new Set(counted).size).toBe(4);
  });

  it("is stopped by the budget: before it is asked, after it went over, and between two instances", async () => {
    const server = await serve({ json: { count: 2 }, tokens: [60_000, 10] });
    const over = await inquire([proposerAt(server)], inquiry, options, forever);
    expect(over).toMatchObject({ status: "failed", failure: { kind: "resource", what: "tokens" } });
    expect(server.requests).toHaveLength(1);
    const small = { ...inquiry, budget: { ...budget, tokens: 200 } };
    expect(await inquire([proposerAt(server)], small, options, forever)).toMatchObject({
      failure: { kind: "resource" },
      usage: null,
    });
    const poor = { ...inquiry, budget: { ...budget, cost_usd: 0.0001 } };
    expect(await inquire([proposerAt(server)], poor, options, forever)).toMatchObject({
      failure: { kind: "resource" },
    });
    expect(server.requests).toHaveLength(1);
    const prose = await serve({ text: "prose", tokens: [30_000, 10] });
    const spent = await inquire([proposerAt(prose)], inquiry, options, forever);
    expect(spent).toMatchObject({ failure: { kind: "resource" } });
    expect(prose.requests).toHaveLength(2);
  });

  it("does not go on when it refuses, and is left at the end of its time", async () => {
    const refusal =
      provider === "anthropic"
        ? { content: [{ type: "text", text: "I will not." }], stop_reason: "refusal" }
        : { choices: [{ message: { content: null, refusal: "I will not." }, finish_reason: "stop" }] };
    const refusing = await serve({ raw: JSON.stringify(refusal) });
    expect(await inquire([proposerAt(refusing)], inquiry, options, forever)).toMatchObject({
      failure: { kind: "quality" },
    });
    expect(refusing.requests).toHaveLength(1);
    const cut = await serve({ text: '{"count": ', cut: true });
    expect(await inquire([proposerAt(cut)], inquiry, options, forever)).toMatchObject({
      failure: { error: "malformed_output" },
    });
    const hung = await serve({ hang: true });
    const short = { ...inquiry, budget: { ...budget, minutes: 0.005 } };
    const asked = await inquire([proposerAt(hung)], short, options, forever);
    expect(asked).toMatchObject({ failure: { kind: "resource", what: "minutes" }, usage: { source: "estimated" } });
    expect(hung.requests).toHaveLength(1);
  });
});

describe("the primary model and its fallback", () => {
  it("takes the fallback's turn when the primary fails on its way or in its form", async () => {
    const good: Reply = { json: { count: 2 } };
    for (const bad of [{ status: 500 }, { status: 401 }, { text: "prose" }, { raw: "x" }] as const) {
      const [primary, fallback] = [await serve(bad), await serve(good)];
      const chain = [modelProposer(modelAt(primary, "anthropic")), modelProposer(modelAt(fallback, "openai"))];
      const asked = await inquire(chain, inquiry, options, forever);
      expect(asked).toMatchObject({ status: "answered", by: "openai", tried: [{ by: "anthropic" }] });
    }
  });

  it("asks in turn, and not one that cannot answer at all", async () => {
    const [primary, fallback] = [await serve({ status: 401 }), await serve({ text: "prose" })];
    const chain = [modelProposer(modelAt(primary, "anthropic")), modelProposer(modelAt(fallback, "openai"))];
    expect((await inquire(chain, inquiry, options, forever)).status).toBe("failed");
    expect([primary.requests.length, fallback.requests.length]).toEqual([1, 3]);
    const again = await serve({ text: "prose" });
    const second = [modelProposer(modelAt(again, "anthropic")), modelProposer(modelAt(fallback, "openai"))];
    await inquire(second, inquiry, options, forever);
    expect([again.requests.length, fallback.requests.length]).toEqual([2, 5]);
  });

  it("is not asked when nobody is left or it was cancelled", async () => {
    expect(await inquire([], inquiry, options, forever)).toMatchObject({ status: "failed", usage: null });
    const server = await serve({ text: "x" });
    const asked = await inquire([modelProposer(modelAt(server, "openai"))], inquiry, options, AbortSignal.abort());
    expect([asked.status, server.requests.length]).toEqual(["failed", 0]);
  });
});

// ------------------------------------------------------------------------------------------------------- choosing

const anybody = () => ({ allowed: true, reason: "" });
const names = (preference: "claude" | "ollama" | undefined, models: Record<string, unknown> = {}) =>
  chooseModels({
    configuration: Configuration.parse({ models }),
    preference,
    policy: null,
    mayAsk: anybody,
  }).chosen.map(({ name, settings }) => [name, settings.model]);

describe("which models are asked", () => {
  it("is Claude Sonnet 4.5 first and Gemma2 of Ollama after it, unless configured otherwise [S1-129]", () => {
    expect(names(undefined)).toEqual([
      ["claude", "claude-sonnet-4-5"],
      ["ollama", "gemma2"],
    ]);
    const mine = { ollama: { provider: "openai", base_url: "http://127.0.0.1:1/v1", model: "qwen3-coder:30b" } };
    expect(names(undefined, mine)[1]).toEqual(["ollama", "qwen3-coder:30b"]);
  });

  it("is what the request prefers and nothing else [S1-020]", async () => {
    expect([names("claude"), names("ollama")].map((list) => list.map(([name]) => name))).toEqual([
      ["claude"],
      ["ollama"],
    ]);
    // Down to the server that is asked.
    const [claude, ollama] = [await serve({ json: { count: 1 } }), await serve({ json: { count: 2 } })];
    const configuration = Configuration.parse({
      models: {
        claude: { provider: "anthropic", base_url: claude.url, model: "c", key_env: "THE_KEY" },
        ollama: { provider: "openai", base_url: `${ollama.url}/v1`, model: "o" },
      },
    });
    for (const [preference, count] of [
      ["claude", 1],
      ["ollama", 2],
    ] as const) {
      const choice = { configuration, preference, policy: null, mayAsk: anybody };
      const chain = chooseModels(choice).chosen.map(({ name, settings }) =>
        modelProposer(createModel(name, { settings, registry: [], environment })),
      );
      expect(await inquire(chain, inquiry, options, forever)).toMatchObject({ by: preference, value: { count } });
    }
    expect([claude.requests.length, ollama.requests.length]).toEqual([1, 1]);
  });

  it("leaves out what is not configured and what the policy forbids", () => {
    const order = Configuration.parse({ model_order: ["claude", "nobody", "ollama"] });
    const left = (choice: object) => {
      const { chosen, left_out } = chooseModels({
        configuration: order,
        preference: undefined,
        policy: null,
        mayAsk: anybody,
        ...choice,
      });
      return [chosen.map(({ name }) => name), left_out.map(({ name, reason }) => `${name}: ${reason}`)];
    };
    const near = (name: string) => ({ allowed: name === "ollama", reason: "not accepted" });
    const unknown = "nobody: no model of that name is configured";
    expect(left({ mayAsk: near })).toEqual([["ollama"], ["claude: not accepted", unknown]]);
    const denied = ["anthropic/claude-sonnet-4.5"];
    const policy = policyWith((given) => void (given.models.denied = denied));
    expect(left({ policy })).toEqual([["ollama"], [`claude: the policy ${policy.policy_id} denies it`, unknown]]);
  });

  it("is written as the guide shows it", () => {
    const guide = readFileSync("docs/guides/product-and-planner.md", "utf8");
    const [, block = ""] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
    const configuration = Configuration.parse(parse(block));
    expect(configuration.models).toEqual(
      Object.fromEntries(
        chooseModels({
          configuration: Configuration.parse({}),
          preference: undefined,
          policy: null,
          mayAsk: anybody,
        }).chosen.map(({ name, settings }) => [name, settings]),
      ),
    );
  });

  it("sends no key in the clear to another machine", () => {
    const settings = (base_url: string) =>
      ModelSettings.safeParse({ provider: "openai", base_url, model: "m", key_env: "THE_KEY" }).success;
    expect([settings("http://models.example.org/v1"), settings("https://models.example.org/v1")]).toEqual([
      false,
      true,
    ]);
    expect([settings("http://127.0.0.1:8080"), settings("ftp://127.0.0.1/")]).toEqual([true, false]);
  });
});
