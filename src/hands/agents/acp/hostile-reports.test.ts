import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AgentSettings } from "../../../model/settings/agent-config.js";
import { attemptOnce, PLENTY } from "../../../testing/agent-suite.js";
import { createPlainSandbox } from "../../../testing/plain-sandbox.js";
import { createAgent } from "../create-agent.js";

/* Agents that lie about what they use, or tell without end: real programs over real pipes. */

/** An agent that answers a prompt with these lines of JavaScript; `update(x)` sends one update of the session. */
function agentThat(body: string) {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-hostile-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "agent.mjs");
  writeFileSync(
    file,
    `import { createInterface } from "node:readline";
     import { writeSync } from "node:fs";
     const send = (message) => {
       for (let bytes = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n"), at = 0; at < bytes.length;)
         try { at += writeSync(1, bytes, at); } catch (error) { if (error.code !== "EAGAIN") throw error; }
     };
     const update = (update) => send({ method: "session/update", params: { sessionId: "s", update } });
     createInterface({ input: process.stdin }).on("line", (line) => {
       const { id, method } = JSON.parse(line);
       if (method === "initialize") send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
       else if (method === "session/new") send({ id, result: { sessionId: "s" } });
       else if (method === "session/prompt") { ${body} }
     });`,
  );
  const settings = {
    preset: "scripted",
    command: [process.execPath, file],
    mode: null,
    limits: { cancel_grace_seconds: 5 },
  };
  return createAgent("hostile", AgentSettings.parse(settings));
}

async function ended(body: string, budget = PLENTY) {
  const seen = await attemptOnce(agentThat(body), { budget, sandbox: createPlainSandbox() });
  await seen.sandbox.close();
  return seen;
}

const DONE = 'send({ id, result: { stopReason: "end_turn" } });';
const CALL = '{ sessionUpdate: "tool_call", toolCallId: "c" + i, title: "look", kind: "read", status: "completed" }';

describe("a flood of tool calls", () => {
  it.each([
    ["each with an id of its own", `for (let i = 0; i < 30000; i++) update(${CALL}); ${DONE}`],
    [
      "all of one call that changes",
      `update({ sessionUpdate: "tool_call", toolCallId: "c", title: "look", kind: "read" });
       for (let i = 0; i < 30000; i++) update({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed",
         locations: [{ path: "src/" + i }] }); ${DONE}`,
    ],
  ])("%s ends at the limit of the attempt, and no more than that is told", async (_, body) => {
    const { ending, events } = await ended(body, { ...PLENTY, api_calls: 100 });
    expect(ending.outcome).toMatchObject({ kind: "resource", what: "api_calls" });
    expect(events.filter(({ type }) => type === "tool").length).toBeLessThan(100 * 4 + 100);
  });
});

describe("a report of use", () => {
  const reserve = { ...PLENTY, tokens: 5000, cost_usd: 2 };
  it.each([
    ["tokens without end", "used: 1e308, size: 1", 5000, 2],
    ["a cost without end", 'used: 10, size: 1, cost: { amount: 1e308, currency: "USD" }', 5000, 2],
  ])("of %s is not taken: what was set aside is charged, and that is noted", async (_, report, tokens, cost_usd) => {
    const { ending } = await ended(`update({ sessionUpdate: "usage_update", ${report} }); ${DONE}`, reserve);
    expect(ending.usage).toMatchObject({ source: "estimated", amounts: { tokens, cost_usd } });
    expect(ending.notes).toEqual([expect.stringContaining("are impossible")]);
  });

  it.each([
    ["a negative cost", 'used: 10, size: 1, cost: { amount: -5, currency: "USD" }'],
    ["negative tokens", "used: -1000, size: 1"],
  ])("of %s counts for nothing", async (_, report) => {
    const { ending } = await ended(`update({ sessionUpdate: "usage_update", ${report} }); ${DONE}`);
    const { tokens, cost_usd } = ending.usage.amounts;
    expect([tokens >= 1, cost_usd >= 0, Number.isFinite(tokens + cost_usd)]).toEqual([true, true, true]);
  });

  it("of more text than a model says in the time costs no more than was set aside", async () => {
    const text = `const text = "x".repeat(1_000_000); for (let i = 0; i < 20; i++)
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }); ${DONE}`;
    const { ending } = await ended(text, { ...PLENTY, cost_usd: 3 });
    expect(ending.usage.amounts.cost_usd).toBeLessThanOrEqual(9);
  });
});
