import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentSettings } from "../../../model/settings/agent-config.js";
import { AGENT_CASES, attemptOnce } from "../../../testing/agent-suite.js";
import { createPlainSandbox } from "../../../testing/plain-sandbox.js";
import type { AttemptRequest } from "../agent.js";
import { createAgent } from "../create-agent.js";

const shell = (script: string, ...args: string[]) =>
  createAgent("shell", AgentSettings.parse({ protocol: "command", command: ["/bin/sh", "-c", script, "sh", ...args] }));

async function ended(agent: ReturnType<typeof shell>, request: Partial<AttemptRequest> = {}) {
  const seen = await attemptOnce(agent, { prompt: "Do it.", ...request });
  await seen.sandbox.close();
  return seen.ending;
}

describe.concurrent("a program that takes a prompt and ends", () => {
  it("gets the prompt on its standard input, or as an argument", async () => {
    const context = [{ ref: "a.md", text: "first" }];
    const [input, argument] = await Promise.all([
      ended(shell("cat"), { context }),
      ended(shell('printf %s "$1"', "{prompt}"), { context }),
    ]);
    for (const { outcome, output } of [input, argument]) {
      expect(outcome.kind).toBe("completed");
      expect(output).toMatch(/^<document ref="a\.md">\nfirst\n<\/document>\n\nDo it\./);
    }
  });

  it("is started anew for each further turn, with its task, what it said and what is missing; all turns are counted", async () => {
    const prompts = ["Mend the test.", null];
    const said: string[] = [];
    const { output, usage } = await ended(shell('echo "turn of $$"; cat'), {
      next: async (turn) => {
        said.push(turn.output);
        return prompts.shift() ?? null;
      },
    });
    expect(said).toHaveLength(2);
    expect(said[0]).toMatch(/^turn of \d+\nDo it\./);
    expect(output).toMatch(/^turn of \d+\nDo it\.[^]*You ended with:\n\nturn of \d+[^]*Mend the test\.$/);
    expect(usage.amounts.api_calls).toBe(2);
  });

  it("has nothing of our environment", async () => {
    process.env["COORDINATOR_TEST_SECRET"] = "canary";
    const { output } = await ended(shell("env"));
    delete process.env["COORDINATOR_TEST_SECRET"];
    expect(output).toContain("HOME=");
    expect(output).not.toContain("canary");
  });

  it("reports what it used as JSON, in one document or in its last lines", async () => {
    const usage = '"usage":{"input_tokens":100,"output_tokens":10}';
    const [whole, lines] = await Promise.all([
      ended(shell(`echo '{"result":"done",${usage}}'`)),
      ended(shell(`echo '{"type":"start"}'; echo '{"item":{"text":"done"}}'; echo '{"type":"end",${usage}}'`)),
    ]);
    for (const ending of [whole, lines])
      expect(ending).toMatchObject({
        output: "done",
        usage: { amounts: { tokens: 110 } },
        accounting: { tokens: "reported" },
      });
  });

  it.each([
    ["a code", "echo no >&2; exit 4", { kind: "structural", error: "crash" }],
    ["a rate limit", "echo 'HTTP 429 too many requests' >&2; exit 1", { kind: "structural", error: "rate_limit" }],
    ["a question", "echo 'NEEDS_ANSWER: which one?'", { kind: "clarification", question: "which one?" }],
    ["a flood", "yes", { kind: "structural", error: "malformed_output" }],
  ])("ends with %s", async (_, script, outcome) => {
    expect((await ended(shell(script))).outcome).toMatchObject(outcome);
  });

  it("is held to the schema of its answer", async () => {
    const output_schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const [good, bad] = await Promise.all([
      ended(shell(`echo 'So: {"n": 3}'`), { output_schema }),
      ended(shell("echo three"), { output_schema }),
    ]);
    expect(good).toMatchObject({ outcome: { kind: "completed" }, structured: { n: 3 } });
    expect(bad.outcome).toMatchObject({ kind: "structural", error: "malformed_output" });
  });

  it("finds its files in its private home, and the texts of them nowhere else", async () => {
    const preset = { preset: "codex", protocol: "command", auth: { type: "none" } };
    const agent = createAgent(
      "files",
      AgentSettings.parse({ ...preset, command: ["/bin/sh", "-c", 'head -1 "$HOME/.codex/config.toml"; env'] }),
    );
    const { output } = await ended(agent);
    expect(output).toMatch(/^model = "gpt-5\.5"\n/);
    expect(output).not.toMatch(/COORDINATOR_FILE|approval_policy/);
  });
});

describe.concurrent("what every agent must do: a program that takes a prompt", () => {
  it.each(AGENT_CASES)("$name", async ({ run }) => {
    // The last line of the prompt's task is what this program does.
    const agent = shell('task=$(grep -m1 "^DO " | cut -c4-); mkdir -p src; eval "$task"');
    await run({
      agent,
      write: (path, text) => `DO printf %s ${text} > ${path}`,
      hang: "DO echo started; sleep 600",
      crash: "DO kill -9 $$",
      daemon: "DO setsid sleep 600 >/dev/null 2>&1 </dev/null & echo left",
      isRunning: ({ type }) => type === "message",
    });
  });
});

describe("a sandbox for tests", () => {
  it("gives each attempt a home of its own", async () => {
    const sandbox = createPlainSandbox();
    mkdirSync(join(sandbox.root, "src"));
    const seen = await attemptOnce(shell("pwd; echo $HOME"), { prompt: "x", sandbox });
    expect(seen.ending.output).toBe(`${sandbox.root}\n${sandbox.home}`);
    await sandbox.close();
  });
});
