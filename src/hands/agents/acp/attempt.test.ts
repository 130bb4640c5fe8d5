import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../../../test/build.js";
import { type AgentPreset, AgentSettings } from "../../../model/settings/agent-config.js";
import { AGENT_CASES, attemptOnce as attempt, type AttemptSeen, PLENTY } from "../../../testing/agent-suite.js";
import { createPlainSandbox } from "../../../testing/plain-sandbox.js";
import type { Agent, AgentEvent, AttemptRequest } from "../agent.js";
import { createAgent } from "../create-agent.js";
import { PRESETS } from "../presets/presets.js";
import { scripted } from "../presets/scripted.js";
import type { Step } from "../scripted/script.js";

/*
 * The adapter against a real program over real pipes. The program is the scripted agent, which behaves in each way a
 * real agent was seen to behave, and in a few worse ones.
 */

beforeAll(ensureBuilt);

const kept: AttemptSeen["sandbox"][] = [];
afterAll(async () => {
  for (const sandbox of kept) await sandbox.close();
});

type Settings = Readonly<Record<string, unknown>>;

function scriptedAgent(settings: Settings = {}, ...args: string[]): Agent {
  const command = [...scripted.command, ...args];
  return createAgent("scripted", AgentSettings.parse({ preset: "scripted", command, ...settings }));
}

/** The scripted agent in the manner of a real one, read by the rules of that one's preset. */
function imitation(name: AgentPreset, settings: Settings = {}): Agent {
  const command = [...scripted.command, "--profile", name, "--mode", START_MODE[name] ?? "default"];
  const mode = name === "copilot" ? "agent" : PRESETS[name].mode;
  const own = {
    preset: name,
    command,
    mode,
    auth: { type: "none" },
    limits: { cancel_grace_seconds: GRACE[name] ?? 30 },
  };
  const agent = createAgent(name, AgentSettings.parse({ ...own, ...settings }));
  return agent;
}
/** One that does not hear a cancel is killed soon; the others have all the time they need on a busy machine. */
const GRACE: Partial<Record<AgentPreset, number>> = { goose: 0.3 };
/** The mode each starts in: the mode that was asked for has to be set in the ones that begin elsewhere. */
const START_MODE: Partial<Record<AgentPreset, string>> = {
  codex: "agent",
  opencode: "build",
  copilot: "agent",
  goose: "auto",
};

const prompt = (...steps: Step[]) => `Do it.\n\n\`\`\`script\n${JSON.stringify(steps)}\n\`\`\`\n`;

async function attemptOnce(
  agent: Agent,
  request: Partial<AttemptRequest>,
  during?: Parameters<typeof attempt>[2],
): Promise<AttemptSeen> {
  const sandbox = request.sandbox ?? createPlainSandbox();
  const seen = await attempt(agent, { ...request, sandbox }, during);
  kept.push(seen.sandbox);
  return seen;
}

const there = ({ sandbox }: AttemptSeen, path: string) => existsSync(join(sandbox.root, path));
const run = async (agent: Agent, ...steps: Step[]) => attemptOnce(agent, { prompt: prompt(...steps) });

describe.concurrent("an attempt over the Agent Client Protocol", () => {
  it("asks, is allowed, does it, and tells what it used", async () => {
    const seen = await run(
      scriptedAgent(),
      { plan: ["write a", "say so"] },
      { say: "I begin." },
      { write: "src/a.txt", text: "hello" },
      { run: "cat src/a.txt > src/b.txt" },
      { usage: { in: 100, out: 10, cost_usd: 0.25 } },
      { say: "Done." },
    );
    expect(seen.ending).toMatchObject({
      outcome: { kind: "completed" },
      output: "Done.",
      usage: { amounts: { tokens: 110, cost_usd: 0.25, files: 1, api_calls: 3 }, source: "reported" },
    });
    expect(readFileSync(join(seen.sandbox.root, "src/b.txt"), "utf8")).toBe("hello");
    expect(new Set(seen.events.map(({ type }) => type))).toEqual(
      new Set(["session", "plan", "message", "tool", "usage", "stopped"]),
    );
    expect(seen.uses.filter(({ stage }) => stage === "request").map(({ kind, command }) => [kind, command])).toEqual([
      ["edit", null],
      ["execute", "cat src/a.txt > src/b.txt"],
    ]);
  });

  it("refuses what is outside of the scope and goes on", async () => {
    const seen = await run(
      scriptedAgent(),
      { write: "other/a.txt", text: "x" },
      { delete: "package.json" },
      { move: "src/a", to: "lib/a" },
      { run: "forbidden" },
      { fetch: "https://example.org/x" },
      { write: "src/a.txt", text: "x" },
      { say: "Done." },
    );
    expect(seen.ending.outcome.kind).toBe("completed");
    expect(seen.ending.rejected?.map(({ use }) => [use.kind, use.paths.map(({ path }) => path), use.hosts])).toEqual([
      ["edit", ["other/a.txt"], []],
      ["delete", ["package.json"], []],
      ["move", ["src/a", "lib/a"], []],
      ["execute", [], []],
      ["fetch", [], ["example.org"]],
    ]);
    expect([there(seen, "other/a.txt"), there(seen, "src/a.txt")]).toEqual([false, true]);
  });

  it("collects what a person may add to the scope", async () => {
    const seen = await run(
      scriptedAgent(),
      { write: "docs/a.md", text: "x" },
      { write: "docs/b.md", text: "x" },
      { say: "I could not." },
    );
    expect(seen.ending).toMatchObject({
      outcome: { kind: "completed" },
      scope_request: { write: ["docs/**"], commands: [], network: [] },
    });
    expect(there(seen, "docs/a.md")).toBe(false);
  });

  it("kills at once for an effect outside of the scope, and does nothing of what follows [S0-056]", async () => {
    const seen = await run(
      scriptedAgent(),
      { daemon: "sleep 600" },
      { write: "other/a.txt", text: "x", ask: false },
      { sleep: 20_000 },
      { write: "src/after.txt", text: "x" },
      { say: "All is well." },
    );
    expect(seen.ending.outcome).toMatchObject({ kind: "semantic", violation: "scope" });
    expect(there(seen, "src/after.txt")).toBe(false);
  });

  it("ends the run for an effect of the safety class, asked for or done [S1-092]", async () => {
    const seen = await Promise.all([
      run(scriptedAgent(), { run: "destroy everything" }, { say: "x" }),
      run(scriptedAgent(), { run: "echo destroy", ask: false }, { say: "x" }),
    ]);
    expect(seen.map(({ ending }) => ending.outcome.kind)).toEqual(["safety", "safety"]);
  });

  it("takes an agent that leaves its mode for one that does an effect, and judges it", async () => {
    const seen = await run(scriptedAgent(), { mode: "auto" }, { sleep: 20_000 }, { write: "src/a.txt", text: "x" });
    expect(seen.ending.outcome).toMatchObject({ kind: "semantic", violation: "scope" });
    expect(seen.uses[0]).toMatchObject({ kind: "switch_mode", stage: "deed", title: "mode auto" });
  });

  it("lets nothing pass when the judge fails", async () => {
    const seen = await attemptOnce(scriptedAgent(), {
      prompt: prompt({ write: "src/a.txt", text: "x" }),
      judge: () => {
        throw new Error("broken");
      },
    });
    expect(seen.ending.outcome).toMatchObject({ kind: "semantic", violation: "rule" });
    expect(there(seen, "src/a.txt")).toBe(false);
  });

  it("hands a question on", async () => {
    const seen = await run(scriptedAgent(), { say: "Hm." }, { ask: "Which database?" });
    expect(seen.ending.outcome).toEqual({ kind: "clarification", question: "Which database?" });
  });

  it("checks a structured answer, and takes one that does not match for malformed output", async () => {
    const output_schema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
    const [good, bad, none] = await Promise.all([
      attemptOnce(scriptedAgent(), { prompt: prompt({ say: "So:\n" }, { answer: { count: 3 } }), output_schema }),
      attemptOnce(scriptedAgent(), { prompt: prompt({ answer: { count: "three" } }), output_schema }),
      attemptOnce(scriptedAgent(), { prompt: prompt({ say: "no" }), output_schema }),
    ]);
    expect(good.ending).toMatchObject({ outcome: { kind: "completed" }, structured: { count: 3 } });
    for (const { ending } of [bad, none])
      expect(ending.outcome).toMatchObject({ kind: "structural", error: "malformed_output" });
  });

  it("takes the answer of one that was refused something, and says what that was when there is no answer", async () => {
    const output_schema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
    const addition = { write: ["a.txt"], commands: [], network: [] };
    const asks: AttemptRequest["judge"] = () => ({ decision: "ask", rule_id: "test", reason: "not given", addition });
    const denies: AttemptRequest["judge"] = () => ({ decision: "deny", rule_id: "test", reason: "it only looks" });
    const steps = prompt({ write: "a.txt", text: "x" }, { answer: { count: 3 } });
    const [goesOn, givesUp] = await Promise.all([
      attemptOnce(imitation("goose"), { prompt: steps, output_schema, judge: asks }),
      // It ends its whole turn at the first refusal.
      attemptOnce(imitation("codex"), { prompt: steps, output_schema, judge: denies }),
    ]);
    expect(goesOn.ending).toMatchObject({ outcome: { kind: "completed" }, structured: { count: 3 } });
    expect(givesUp.ending.outcome).toMatchObject({
      kind: "structural",
      error: "malformed_output",
      message: expect.stringContaining("It had been refused edit a.txt: it only looks"),
    });
  });

  it.each([
    ["max_tokens", { kind: "structural", error: "malformed_output" }],
    ["max_turn_requests", { kind: "resource", what: "api_calls" }],
    ["refusal", { kind: "quality" }],
    ["something_new", { kind: "structural", error: "malformed_output" }],
    ["cancelled", { kind: "structural", error: "crash" }],
  ])("knows what the stop reason %s stands for", async (reason, outcome) => {
    expect((await run(scriptedAgent(), { stop: reason })).ending.outcome).toMatchObject(outcome);
  });
});

describe.concurrent("an agent that breaks", () => {
  const quick = { limits: { silence_seconds: 3, cancel_grace_seconds: 0.2 } };

  it.each<[string, Step[], object]>([
    ["ends in the middle", [{ say: "x" }, { exit: 7 }], { error: "crash" }],
    ["is killed", [{ write: "src/a", text: "x" }, { kill: true }], { error: "crash" }],
    [
      "ends without an answer after garbage",
      [{ print: '{"jsonrpc":"2.0","id":3,"resu\n' }, { exit: 0 }],
      { error: "malformed_output" },
    ],
    [
      "answers with half a message and waits",
      [{ print: '{"jsonrpc":\n' }, { say: "x" }, { hang: true }],
      { error: "malformed_output" },
    ],
    ["says nothing for ever", [{ hang: true }], { error: "timeout" }],
    ["hits a rate limit", [{ fail: { code: -32603, message: "429 Too Many Requests" } }], { error: "rate_limit" }],
    [
      "loses the model",
      [{ fail: { code: -32603, message: "fetch failed: ECONNREFUSED" } }],
      { error: "lost_connection" },
    ],
  ])("%s", async (_, steps, outcome) => {
    const seen = await run(scriptedAgent(steps.some((step) => "hang" in step) ? quick : {}), ...steps);
    expect(seen.ending.outcome).toMatchObject({ kind: "structural", ...outcome });
  });

  it("has ended when its end is told long after that of its output", async () => {
    const command = ["sh", "-c", "exec >&-; sleep 1.5; exit 7"];
    const agent = createAgent("slow", AgentSettings.parse({ command, mode: null }));
    const { outcome } = (await run(agent, { say: "x" })).ending;
    expect(outcome).toMatchObject({ error: "crash", message: expect.stringContaining("code 7") });
  });

  it.each([
    ["exit", "crash", /code 3/],
    ["silent", "timeout", /not ready/],
    ["protocol", "malformed_output", /version 99/],
    ["no-session", "malformed_output", /names no session/],
  ])("with the fault %s before the first prompt", async (fault, error, message) => {
    const seen = await run(
      scriptedAgent({ limits: { start_seconds: fault === "silent" ? 2 : 60 } }, "--fault", fault),
      { say: "x" },
    );
    expect(seen.ending.outcome).toMatchObject({ kind: "structural", error, message: expect.stringMatching(message) });
  });

  it.each([
    ["says so in the protocol", { fail: { code: -32_000, message: "Who are you?" } }],
    [
      "fails with what the server said",
      { fail: { code: -32_603, message: "Internal error", data: "401 Unauthorized" } },
    ],
    ["fails with words of its own", { fail: { code: -32_603, message: "Not logged in. Please run codex login" } }],
    ["says nothing else", { say: "Invalid API key · Please run /login" }],
  ] satisfies [string, Step][])("is not logged in and %s: a person is told how to log in", async (_, step) => {
    const agent = imitation("codex", { auth: { type: "own", files: [".codex/auth.json"], hosts: [] } });
    const { outcome } = (await run(agent, step)).ending;
    expect(outcome).toMatchObject({ kind: "clarification" });
    expect(outcome).toMatchObject({ question: expect.stringMatching(/codex login.*~\/\.codex\/auth\.json/) });
  });

  it("may write about logins without being taken for one that has none", async () => {
    const seen = await run(scriptedAgent(), {
      say: "The route now answers 401 Unauthorized when the token has expired.",
    });
    expect(seen.ending.outcome.kind).toBe("completed");
  });

  it("is not there", async () => {
    const agent = createAgent("none", AgentSettings.parse({ command: ["/nowhere/agent"], mode: null }));
    expect((await run(agent, { say: "x" })).ending.outcome).toMatchObject({ kind: "structural", error: "crash" });
  });

  it("prints rubbish between its messages, and is understood", async () => {
    const seen = await run(
      scriptedAgent({}, "--fault", "garbage"),
      { print: "warning: something\n[]\n42\nnull\n" },
      { say: "Done." },
    );
    expect(seen.ending).toMatchObject({ outcome: { kind: "completed" }, output: "Done." });
  });

  it("floods, in lines or without an end of line, and is stopped", async () => {
    const scope = {
      tools: [],
      commands: [],
      read: [],
      write: [],
      network: [],
      minutes: 5,
      output_bytes: 400_000,
      files: 1,
    };
    const seen = await Promise.all(
      [true, false].map((line) =>
        attemptOnce(scriptedAgent(), { prompt: prompt({ flood: 3_000_000, line }, { say: "x" }), scope }),
      ),
    );
    for (const { ending } of seen)
      expect(ending.outcome).toMatchObject({ kind: "structural", error: "malformed_output" });
  });

  it("has used its limit up, and waits until the time it says, on the run's clock", async () => {
    const at = Date.now() + 3_600_000;
    const agent = createAgent("scripted", AgentSettings.parse({ preset: "scripted" }), { runClock: () => 5000 });
    const [field, words] = await Promise.all([
      attemptOnce(agent, {
        prompt: prompt({
          fail: { code: 1, message: "Usage limit reached", data: { resetsAt: new Date(at).toISOString() } },
        }),
      }),
      attemptOnce(agent, { prompt: prompt({ say: `Claude AI usage limit reached|${Math.round(at / 1000)}` }) }),
    ]);
    for (const { ending } of [field, words]) {
      expect(ending.outcome).toMatchObject({ kind: "structural", error: "usage_limit" });
      const wait = (ending.outcome as { wait_until_ms?: number }).wait_until_ms ?? 0;
      expect(wait).toBeGreaterThan(5000 + 3_500_000);
      expect(wait).toBeLessThan(5000 + 3_602_000);
    }
  });

  it.each([
    ["mode-ignored", /is auto|is in auto/],
    ["mode-missing", /has no mode ask/],
  ])("is not started in the wrong mode: %s", async (fault, message) => {
    const seen = await run(scriptedAgent({}, "--mode", "auto", "--fault", fault), { write: "src/a.txt", text: "x" });
    expect(seen.ending.outcome).toMatchObject({ kind: "clarification", question: expect.stringMatching(message) });
    expect(there(seen, "src/a.txt")).toBe(false);
  });

  it("does not hear a cancel, and is killed", async () => {
    const abort = new AbortController();
    const request = { prompt: prompt({ say: "x" }, { hang: true, ignore_cancel: true }), signal: abort.signal };
    const seen = await attemptOnce(scriptedAgent(quick), request, ({ type }) => type === "message" && abort.abort());
    expect(seen.ending.outcome).toEqual({ kind: "cancelled" });
  });
});

describe.concurrent("the budget", () => {
  const calls = (n: number): Step[] =>
    Array.from({ length: n }, (): Step => ({ usage: { in: 900, out: 100, cost_usd: 0.01 } }));
  // The call that goes over is followed by a wait, in which the cancel arrives.
  const steps: Step[] = [...calls(3), { sleep: 20_000 }, ...calls(3), { say: "x" }];

  it.each([
    ["tokens", { tokens: 2500 }],
    ["cost_usd", { cost_usd: 0.025 }],
    ["api_calls", { api_calls: 2 }],
  ])("stops the agent in mid-turn at %s, at most one call over it", async (what, limit) => {
    const budget = { ...PLENTY, ...limit };
    const seen = await attemptOnce(scriptedAgent(), { prompt: prompt(...steps), budget });
    expect(seen.ending.outcome).toMatchObject({ kind: "resource", what });
    expect(seen.ending.usage.amounts.tokens).toBe(3000);
  });

  it("holds an agent that reports nothing by what was seen of it", async () => {
    const seen = await attemptOnce(imitation("gemini"), {
      prompt: prompt(...Array.from({ length: 50 }, (): Step => ({ say: "word ".repeat(200) })), { hang: true }),
      budget: { ...PLENTY, tokens: 5000 },
    });
    expect(seen.ending.outcome).toMatchObject({ kind: "resource", what: "tokens" });
    expect(seen.ending).toMatchObject({ accounting: { tokens: "estimated", cost: "estimated" } });
    expect(seen.ending.usage.amounts.cost_usd).toBeGreaterThan(0);
  });
});

describe.concurrent("a session that goes on", () => {
  it.each([
    ["resumed", "plain", true],
    ["loaded, its history left out", "goose", true],
    ["replaced, with a handoff, when the agent keeps none", "gemini", false],
  ])("is %s", async (_, profile, same) => {
    const agent = profile === "plain" ? scriptedAgent() : imitation(profile as AgentPreset);
    const first = await run(agent, { say: "before" }, { kill: true });
    const session_id = first.ending.session_id ?? "";
    const seen = await attemptOnce(agent, { prompt: prompt({ say: "after" }), sandbox: first.sandbox, session_id });
    expect(seen.ending).toMatchObject({ outcome: { kind: "completed" }, output: "after" });
    expect(seen.ending.session_id === session_id).toBe(same);
    expect(seen.events.filter(({ type }) => type === "message")).toEqual([{ type: "message", text: "after" }]);
  });

  it("is a new one when the old one is unknown", async () => {
    const seen = await attemptOnce(scriptedAgent(), { prompt: prompt({ say: "new" }), session_id: "scripted-gone" });
    expect(seen.ending).toMatchObject({ outcome: { kind: "completed" }, output: "new" });
    expect(seen.ending.session_id).not.toBe("scripted-gone");
  });
});

const IMITATED: readonly AgentPreset[] = ["claude", "codex", "opencode", "gemini", "copilot", "goose"];

describe.concurrent.each(IMITATED)("in the manner of %s", (name) => {
  const preset = PRESETS[name];
  const call: Step = { usage: { in: 1000, out: 50, ...(preset.reports_cost ? { cost_usd: 0.01 } : {}) } };

  it("is asked before an edit, the path is known, and the tokens are counted", async () => {
    const seen = await run(
      imitation(name),
      call,
      { write: "src/a.txt", text: "x" },
      call,
      { run: "echo hello" },
      call,
      { say: "Done." },
    );
    expect(seen.ending).toMatchObject({ outcome: { kind: "completed" }, output: "Done." });
    const [request] = seen.uses;
    expect(request).toMatchObject({ stage: "request", kind: "edit", paths: [{ path: "src/a.txt", access: "write" }] });
    expect(seen.uses.find(({ kind }) => kind === "execute")).toMatchObject({ stage: "request", command: "echo hello" });
    expect(seen.ending.usage.amounts).toMatchObject({ tokens: 3150, api_calls: 3 });
    const exact = preset.usage.result === "turn" || preset.usage.result === "quota";
    expect(seen.ending.accounting).toEqual({
      tokens: exact ? "reported" : "estimated",
      cost: preset.reports_cost ? "reported" : "estimated",
    });
    if (preset.reports_cost) expect(seen.ending.usage.amounts.cost_usd).toBeCloseTo(0.03);
    else expect(seen.ending.usage.amounts.cost_usd).toBeGreaterThan(0);
  });

  it("makes of a refusal what that agent makes of it, and no cancel by a person", async () => {
    const seen = await run(imitation(name), { write: "other/a.txt", text: "x" }, { write: "src/b.txt", text: "x" });
    expect(seen.ending.outcome.kind).toBe("completed");
    expect(seen.ending.rejected?.map(({ use }) => use.paths)).toEqual([[{ path: "other/a.txt", access: "write" }]]);
    expect([there(seen, "other/a.txt"), there(seen, "src/b.txt")]).toEqual([
      false,
      preset.reject === "asks_model_again",
    ]);
    const reason = preset.reject === "cancels_turn" ? "cancelled" : "end_turn";
    expect(seen.events.at(-2)).toEqual({ type: "stopped", reason });
  });

  it("is seen when it does without asking, and killed", async () => {
    const seen = await run(
      imitation(name),
      { write: "other/a.txt", text: "x", ask: false },
      { sleep: 20_000 },
      { say: "x" },
    );
    expect(seen.ending.outcome).toMatchObject({ kind: "semantic", violation: "scope" });
  });

  it("is cancelled within the grace it has, or killed", async () => {
    const abort = new AbortController();
    const request = { prompt: prompt({ say: "x" }, { hang: true }), signal: abort.signal };
    const seen = await attemptOnce(imitation(name), request, ({ type }) => type === "message" && abort.abort());
    expect(seen.ending.outcome).toEqual({ kind: "cancelled" });
    const stopped = seen.events.some(({ type }) => type === "stopped");
    expect(stopped).toBe(preset.cancel === "prompt");
  });
});

describe("an agent that does not ask by default", () => {
  it.each(["codex", "goose"] as const)(
    "%s is set to the mode in which it asks, and not started when it stays",
    async (name) => {
      const stays = createAgent(
        name,
        AgentSettings.parse({
          preset: name,
          command: [...scripted.command, "--profile", name, "--fault", "mode-ignored"],
          auth: { type: "none" },
        }),
      );
      const [asked, refused] = await Promise.all([
        run(imitation(name), { write: "other/a.txt", text: "x" }),
        run(stays, { write: "src/a.txt", text: "x" }),
      ]);
      expect(asked.ending.rejected).toHaveLength(1);
      const question = expect.stringMatching(`agents\\.${name}\\.mode in coordinator\\.yaml`);
      expect(refused.ending.outcome).toMatchObject({ kind: "clarification", question });
      expect(there(refused, "src/a.txt")).toBe(false);
    },
  );
});

describe.concurrent("what every agent must do: the scripted agent", () => {
  it("shows attached images to agents that take them, and to no others", async () => {
    const folder = mkdtempSync(join(tmpdir(), "coordinator-images-"));
    const script = join(folder, "script.json");
    const data = "iVBORw0KGgoAAAANSUhEUg==";
    const image = { mime_type: "image/png" as const, data, checksum: "a".repeat(64) };
    const context = [{ ref: "attachments[0]", text: "[image image/png]", image }];
    writeFileSync(
      script,
      JSON.stringify({
        tasks: [{ prompt_has: `[seen image/png of ${data.length} characters]`, steps: [{ say: "I see it." }] }],
        otherwise: [{ say: "I see nothing." }],
      }),
    );
    try {
      const seeing = await attemptOnce(scriptedAgent({}, "--script", script), { prompt: "Look.", context });
      expect(seeing.ending.output).toBe("I see it.");
      const command = [...scripted.command, "--profile", "gemini", "--mode", "default", "--script", script];
      const blind = await attemptOnce(imitation("gemini", { command }), { prompt: "Look.", context });
      expect(blind.ending.output).toBe("I see nothing.");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(AGENT_CASES)("$name", async ({ run: check }) => {
    await check({
      agent: scriptedAgent({ limits: { cancel_grace_seconds: 0.3 } }),
      write: (path, text) => prompt({ write: path, text }),
      hang: prompt({ hang: true }),
      crash: prompt({ kill: true }),
      daemon: prompt({ daemon: "sleep 600" }, { say: "left behind" }),
    });
  });
});

// Alone: nobody else of this process can do anything meanwhile.
describe("an agent whose Coordinator is held up", () => {
  it("is not taken for silent: it spoke while nobody could listen", async () => {
    let heldUp = false;
    const during = ({ type }: AgentEvent) => {
      if (type !== "message" || heldUp) return;
      heldUp = true;
      // Longer than an agent may be silent, as on a machine that has no time for us.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000);
    };
    const steps: Step[] = [{ say: "first" }, { sleep: 500 }, { say: "second" }, { sleep: 500 }, { say: "third" }];
    const { ending } = await attemptOnce(
      scriptedAgent({ limits: { silence_seconds: 3 } }),
      { prompt: prompt(...steps) },
      during,
    );
    expect([heldUp, ending.outcome.kind]).toEqual([true, "completed"]);
  });
});
