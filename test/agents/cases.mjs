// What is asked of each real agent. A case returns what it saw, for the report, or throws.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { createAgent } from "../../dist/hands/agents/create-agent.js";
import { programPaths } from "../../dist/hands/attempts/agent-program.js";
import { AgentSettings } from "../../dist/model/settings/agent-config.js";
import { attemptOnce as attempt, PLENTY } from "../../dist/testing/agent-suite.js";
import { createPlainSandbox } from "../../dist/testing/plain-sandbox.js";
import { openSandbox } from "../../dist/hands/sandbox/open-sandbox.js";
import { giveWay } from "./give-way.mjs";
import { handOverThroughMcp } from "./mcp.mjs";
import { useThePlugin } from "./plugin.mjs";
import { carryOutAPlan } from "./story.mjs";
import { doWhatWordsAsk, writeWhileOnlyLooking } from "./words.mjs";

/** A script has few steps: an agent that makes more calls than this goes round in circles. */
const attemptOnce = (agent, request) => attempt(agent, { budget: { ...PLENTY, api_calls: 25 }, ...request });

const script = (...steps) => `SCRIPT:${JSON.stringify(steps)}END`;

/** A sandbox with a fresh repository in it, as every task finds one. */
function sandboxWithRepository() {
  const sandbox = createPlainSandbox();
  const git = (...args) =>
    execFileSync("git", ["-C", sandbox.root, ...args], { env: { PATH: process.env.PATH }, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  mkdirSync(join(sandbox.root, "src"));
  git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "base");
  return sandbox;
}

/** What is in the workspace and was not: the truth, whatever the agent reported. */
function changedFiles(sandbox) {
  const args = ["-C", sandbox.root, "status", "--porcelain", "-uall"];
  const lines = execFileSync("git", args, { env: { PATH: process.env.PATH }, encoding: "utf8" }).split("\n");
  return lines.filter((line) => line !== "").map((line) => line.slice(3));
}

async function inSandbox(work) {
  const sandbox = sandboxWithRepository();
  try {
    return await work(sandbox);
  } finally {
    await sandbox.close();
  }
}

const completed = ({ ending }) => assert.equal(ending.outcome.kind, "completed", JSON.stringify(ending.outcome));
const named = (seen) => seen.uses.flatMap(({ paths }) => paths.map(({ path }) => path));

/** A model that each agent has and does not use by itself. */
const OTHER_MODEL = {
  claude: "sonnet",
  codex: "gpt-5.4",
  gemini: "gemini-2.5-pro",
  goose: "gpt-4.1-mini",
  opencode: "other-model",
  copilot: "gpt-5-mini",
};

export const CASES = [
  {
    name: "works with the model that was chosen, and not at all with one it does not have",
    run: ({ name, command, settings, model }) =>
      inSandbox(async (sandbox) => {
        const withModel = (chosen) =>
          createAgent(name, AgentSettings.parse({ ...settings, command, model: chosen }), { modelUrl: model.url });
        const steps = script({ write: [join(sandbox.root, "src/a.txt"), "hello\n"] }, { say: "done" });
        const chosen = OTHER_MODEL[name];
        model.asked();
        completed(await attemptOnce(withModel(chosen), { prompt: steps, sandbox }));
        const asked = model.asked();
        assert.ok(asked.length > 0, "no model was asked");
        for (const each of asked) assert.ok(String(each).includes(chosen), `${each} was asked instead of ${chosen}`);
        const { ending } = await attemptOnce(withModel("no-such-model"), { prompt: steps, sandbox });
        const others = model.asked().filter((each) => !String(each).includes("no-such-model"));
        assert.deepEqual(others, [], `another model was asked: ${others.join(", ")}`);
        const { outcome } = ending;
        return `${asked.join(", ")}; for one it does not have: ${outcome.kind === "structural" ? outcome.error : `${outcome.kind}, asked for by its name`}`;
      }),
  },
  {
    name: "does a task; its path is seen before it happens; tokens are counted",
    run: ({ agent, model }) =>
      inSandbox(async (sandbox) => {
        const before = model.calls();
        const steps = script({ write: [join(sandbox.root, "src/a.txt"), "hello\n"] }, { say: "done" });
        const seen = await attemptOnce(agent, { prompt: steps, sandbox });
        completed(seen);
        assert.equal(readFileSync(join(sandbox.root, "src/a.txt"), "utf8"), "hello\n");
        const asked = seen.uses.filter(({ stage }) => stage === "request").flatMap(({ paths }) => paths);
        assert.deepEqual(asked[0], { path: "src/a.txt", access: "write" });
        const { amounts } = seen.ending.usage;
        assert.ok(amounts.tokens >= 2100, `${amounts.tokens} tokens`);
        assert.ok(amounts.cost_usd > 0, "a cost of zero");
        const { tokens, cost } = seen.ending.accounting;
        return `${amounts.tokens} tokens ${tokens}, $${amounts.cost_usd.toFixed(5)} ${cost}, ${model.calls() - before} calls`;
      }),
  },
  {
    name: "honours a refusal",
    run: ({ agent }) =>
      inSandbox(async (sandbox) => {
        const steps = script({ write: [join(sandbox.root, "other.txt"), "x\n"] }, { say: "done" });
        const seen = await attemptOnce(agent, { prompt: steps, sandbox });
        completed(seen);
        assert.equal(existsSync(join(sandbox.root, "other.txt")), false);
        assert.deepEqual(
          seen.ending.rejected?.map(({ use }) => use.paths.map(({ path }) => path)),
          [["other.txt"]],
        );
        return `then ${seen.events.findLast(({ type }) => type === "stopped").reason}`;
      }),
  },
  {
    name: "a shell's write outside of the scope is caught by the difference of the workspace",
    run: ({ agent, name }) =>
      inSandbox(async (sandbox) => {
        const seen = await attemptOnce(agent, {
          prompt: script({ bash: "echo x > outside.txt" }, { say: "done" }),
          sandbox,
          judge: () => ({ decision: "allow", rule_id: "test", reason: "only the difference is to see it" }),
        });
        completed(seen);
        const changed = changedFiles(sandbox);
        // Codex lets nothing be written in the mode in which it asks, and says so to nobody.
        if (name === "codex") assert.deepEqual(changed, []);
        else assert.deepEqual(changed, ["outside.txt"]);
        const told = named(seen).includes("outside.txt") ? "told" : "not told";
        return name === "codex" ? "blocked by its own sandbox" : `the path was ${told} by the agent`;
      }),
  },
  {
    name: "is cancelled while the model's stream hangs",
    run: ({ agent, model, preset }) =>
      inSandbox(async (sandbox) => {
        const abort = new AbortController();
        let asked = 0;
        model.onHang(() => {
          asked = performance.now();
          abort.abort();
        });
        const seen = await attemptOnce(agent, { prompt: script({ hang: 1 }), sandbox, signal: abort.signal });
        assert.deepEqual(seen.ending.outcome, { kind: "cancelled" });
        const took = performance.now() - asked;
        const heard = seen.events.some(({ type }) => type === "stopped");
        assert.equal(heard, preset.cancel === "prompt", heard ? "it heard the cancel" : "it had to be killed");
        return `${heard ? "by itself" : "killed"} after ${Math.round(took)} ms`;
      }),
  },
  {
    name: "leaves nothing running when it is killed with a child that left its session",
    run: ({ agent, model }) =>
      inSandbox(async (sandbox) => {
        const abort = new AbortController();
        model.onHang(() => abort.abort());
        const steps = script({ bash: "setsid sleep 300 >/dev/null 2>&1 < /dev/null & sleep 0.2" }, { hang: 1 });
        const judge = () => ({ decision: "allow", rule_id: "test", reason: "it is a test" });
        const seen = await attemptOnce(agent, { prompt: steps, sandbox, signal: abort.signal, judge });
        assert.deepEqual(seen.ending.outcome, { kind: "cancelled" });
        assert.deepEqual(sandbox.alive(), []);
      }),
  },
  {
    name: "goes on with its session after SIGKILL, or is given a handoff",
    run: ({ agent, preset, model }) =>
      inSandbox(async (sandbox) => {
        const abort = new AbortController();
        model.onHang(() => abort.abort());
        const before = script({ write: [join(sandbox.root, "src/a.txt"), "first\n"] }, { hang: 1 });
        const first = await attemptOnce(agent, { prompt: before, sandbox, signal: abort.signal });
        const session_id = first.ending.session_id;
        const steps = script({ write: [join(sandbox.root, "src/b.txt"), "again\n"] }, { say: "done" });
        const seen = await attemptOnce(agent, { prompt: steps, sandbox, session_id });
        completed(seen);
        assert.equal(readFileSync(join(sandbox.root, "src/b.txt"), "utf8"), "again\n");
        const same = seen.ending.session_id === session_id;
        assert.equal(same, preset.resume || preset.load, same ? "the same session" : "another session");
        return same ? "the same session" : "a new session with a handoff";
      }),
  },
  {
    name: "is stopped when it has used what was set aside",
    run: ({ agent, preset }) =>
      inSandbox(async (sandbox) => {
        const writes = Array.from({ length: 6 }, (_, i) => ({ write: [join(sandbox.root, `src/${i}.txt`), "x\n"] }));
        const prompt = script(...writes, { say: "done" });
        const seen = await attemptOnce(agent, { prompt, sandbox, budget: { ...PLENTY, api_calls: 3 } });
        assert.equal(seen.ending.outcome.kind, "resource", JSON.stringify(seen.ending.outcome));
        const done = changedFiles(sandbox).length;
        assert.ok(done <= 3, `${done} files were written`);
        return `${done} of 6 files written, ${preset.name}`;
      }),
  },
  {
    name: "works in a real sandbox: it sees nothing but the workspace and its model, and never the key",
    run: ({ name, command, settings, model }) =>
      inRealSandbox({ name, command, url: model.url, settings }, async ({ agent, sandbox, workspace }) => {
        const look =
          "cat /proc/1/environ /proc/self/environ 2>/dev/null | tr '\\0' '\\n' > src/seen.txt; ls / >> src/seen.txt";
        const steps = script(
          { write: [join(sandbox.root, "src/a.txt"), "hello\n"] },
          ...(name === "codex" ? [] : [{ bash: look }]),
          { say: "done" },
        );
        const judge = () => ({ decision: "allow", rule_id: "test", reason: "it is a test" });
        const seen = await attemptOnce(agent, { prompt: steps, sandbox, judge });
        completed(seen);
        assert.equal(readFileSync(join(workspace, "src/a.txt"), "utf8"), "hello\n");
        if (name !== "codex") {
          const what = readFileSync(join(workspace, "src/seen.txt"), "utf8");
          assert.equal(what.includes(KEY), false, "the key was seen inside");
          assert.equal(/^(root|work)$/m.test(what), false, `it saw ${what}`);
        }
        const [{ requests, input_tokens, refused }] = Object.values(sandbox.traffic().models);
        assert.ok(requests > 0 && input_tokens > 0, "the proxy counted nothing");
        return `${sandbox.grade}; the proxy counted ${requests} calls and ${input_tokens} tokens in, refused ${refused}`;
      }),
  },
  {
    name: "carries out a plan, as people call it",
    // Others do so too; these two start quickest.
    for: ["goose", "codex"],
    run: ({ name, command, settings, model }) => carryOutAPlan({ name, command, settings, url: model.url }),
  },
  {
    name: "gives way to another real agent when its model is limited, and is not started with confidential data",
    for: ["codex"],
    run: (under) => giveWay(under, OTHER_MODEL),
  },
  {
    name: "specifies, plans and builds what one sentence asks for; a malformed answer is asked for again",
    for: ["goose", "codex"],
    run: doWhatWordsAsk,
  },
  {
    name: "hands a request over through MCP, watches the run and reports it",
    for: ["claude", "opencode"],
    run: handOverThroughMcp,
  },
  {
    name: "takes Coordinator as its plugin: skill, server, permissions for a person, handoff before compaction",
    for: ["claude"],
    run: useThePlugin,
  },
  {
    name: "is stopped when it writes where it may only look, as product agent",
    for: ["goose", "codex"],
    run: (under) => writeWhileOnlyLooking(under, "product"),
  },
  {
    name: "is stopped when it writes where it may only look, as planner",
    for: ["goose", "codex"],
    run: (under) => writeWhileOnlyLooking(under, "planner"),
  },
];

const KEY = "canary-that-no-agent-may-see";

/** The sandbox the product makes: no network but the way to one model, with the key put in outside. */
async function inRealSandbox({ name, command, url, settings }, work) {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-real-sandbox-"));
  const workspace = join(folder, "workspace");
  mkdirSync(join(workspace, "src"), { recursive: true });
  execFileSync("git", ["-C", workspace, "init", "-q", "-b", "main"], { env: { PATH: process.env.PATH } });
  const allow = settings.auth.routes.map((route) => ({ method: route.split(" ")[0], path: route.split(" ")[1] }));
  const sandbox = await openSandbox({
    workspace,
    writable: "whole",
    readOnly: programPaths(command, process.env.PATH, command.slice(1)),
    home: join(folder, "home"),
    records: join(folder, "records"),
    network: { keyProxies: { model: { upstream: url, allow, headers: { "x-key": KEY } } } },
  });
  const inside = command.map((word) => (isAbsolute(word) && existsSync(word) ? (sandbox.inside(word) ?? word) : word));
  try {
    const agent = createAgent(name, AgentSettings.parse({ ...settings, command: inside }), {
      modelUrl: "http://127.0.0.1:8787",
    });
    // The namespace takes everything with it: there is nobody to count.
    return await work({ agent, sandbox: { ...sandbox, alive: () => [] }, workspace });
  } finally {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
