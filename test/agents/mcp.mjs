// Real agents as people talk to them: they hand a request over to Coordinator through MCP, watch it and report it. What each
// says is scripted; the tools it calls, the program behind them and the run are real. A person approves in between.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { program } from "./story.mjs";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const ASK = "Document src/reports.mjs in README.md";
const ENDS_MS = 240_000;

/** How a program of an agent is started in a project that has Coordinator registered, and what it calls its tools. */
export const PROGRAMS = {
  claude: {
    binary: at("node_modules/@anthropic-ai/claude-agent-sdk-linux-x64/claude"),
    tool: (name) => `mcp__coordinator__${name}`,
    args: (prompt) => [
      "-p",
      prompt,
      "--output-format",
      "stream-json",
      "--verbose",
      "--model",
      "claude-sonnet-4-5",
      "--mcp-config",
      ".mcp.json",
      "--strict-mcp-config",
      "--allowedTools",
      "mcp__coordinator",
    ],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
    }),
  },
  opencode: {
    binary: at("node_modules/opencode-linux-x64/bin/opencode"),
    tool: (name) => `coordinator_${name}`,
    args: (prompt) => ["run", "--format", "json", prompt],
    env: (url) => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        autoupdate: false,
        share: "disabled",
        snapshot: false,
        enabled_providers: ["loopback"],
        model: "loopback/loopback-model",
        small_model: "loopback/loopback-model",
        provider: {
          loopback: {
            npm: "@ai-sdk/openai-compatible",
            name: "Loopback",
            options: { baseURL: `${url}/v1`, apiKey: "dummy" },
            models: { "loopback-model": { name: "Loopback", limit: { context: 200_000, output: 8000 } } },
          },
        },
      }),
    }),
  },
};

/** A project with Coordinator on the path of those who work in it; `work` calls programs there. Removed in the end. */
export async function inDesk(work, settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-mcp-"));
  const project = join(folder, "project");
  const bin = join(folder, "bin");
  mkdirSync(join(folder, "tmp"), { recursive: true });
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    TMPDIR: join(folder, "tmp"),
    LANG: "C.UTF-8",
    TERM: "dumb",
  };
  const call = (what, ...words) => spawnSync(what, words, { cwd: project, encoding: "utf8", env });
  const coordinator = (...words) => call(process.execPath, program, ...words);
  try {
    writeProject(folder, project, bin, settings);
    for (const words of [
      ["init", "-q", "-b", "main"],
      ["add", "-A"],
    ])
      call("git", ...words);
    call("git", "-c", "user.name=ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "Begin");
    return await work({ project, env, call, coordinator });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function handOverThroughMcp({ name, model }) {
  const { binary, tool, args, env: more } = PROGRAMS[name];
  return inDesk(async ({ project, env, call, coordinator }) => {
    const registered = coordinator("init", "--mcp", name);
    assert.equal(registered.status, 0, registered.stderr);
    const talk = async (steps) => {
      const script = [...steps.map(([one, input]) => ({ tool: [tool(one), input] })), { say: "REPORTED" }];
      const said = await follow(binary, args(`SCRIPT:${JSON.stringify(script)}END`), {
        cwd: project,
        env: { ...env, ...more(model.url) },
      });
      assert.match(said, /REPORTED/, said.slice(-3000));
      return said;
    };
    await submitAndApprove(talk, coordinator);
    const wait = ["status", { run_id: "last", wait_seconds: 30 }];
    let last = await talk([["run", { run_id: "last" }], wait, wait]);
    for (let more = 0; more < 6 && !isCompleted(coordinator); more++) last = await talk([wait, wait]);
    assert.ok(isCompleted(coordinator), last.slice(-3000));
    const report = await talk([
      ["status", { run_id: "last" }],
      ["diff", { run_id: "last" }],
    ]);
    assert.match(report, /completed/);
    assert.match(report, /Reports, documented/);
    assert.match(report, /coordinator merge run_/);
    assert.equal(coordinator("verify", "last").status, 0, "the tape does not verify");
    const removed = coordinator("init", "--remove");
    assert.equal(removed.status, 0, removed.stderr);
    assert.equal(call("git", "status", "--porcelain").stdout, "", "something is left in the project");
    return "submitted, approved by a person, watched and reported";
  });
}

/** `talk` has the agent call tools. The agent is told what a person types, and calling `run` before that begins nothing. */
export async function submitAndApprove(talk, coordinator) {
  const first = await talk([
    ["submit", { text: ASK }],
    ["plan", { run_id: "last" }],
    ["run", { run_id: "last" }],
  ]);
  const [entry] = JSON.parse(coordinator("inbox", "--json").stdout).entries;
  assert.equal(entry?.kind, "plan_approval", first.slice(-3000));
  assert.ok(first.includes(entry.commands[0]), `${entry.commands[0]} was not told: ${first.slice(-3000)}`);
  const approved = coordinator(...entry.commands[0].split(" ").slice(1));
  assert.equal(approved.status, 0, approved.stderr);
}

export const isCompleted = (coordinator) =>
  JSON.parse(coordinator("status", "last", "--json").stdout).status === "completed";

function writeProject(folder, project, bin, settings) {
  const files = {
    "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
    "README.md": "# Reports\n",
    "src/reports.mjs": "export const reports = [];\n",
    "test/reports.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
    ".gitignore": ".coordinator/\n",
    "coordinator.yaml": JSON.stringify({ checks: [{ name: "test", kind: "test", run: "node --test" }], ...settings }),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(project, path, ".."), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  // Who carries it out follows a script, too: this is about the agent that people talk to.
  const script = join(folder, "script.json");
  const steps = [
    { write: "README.md", text: "# Reports, documented\n" },
    { usage: { in: 100, out: 20, cost_usd: 0.001 } },
    { say: "DONE" },
  ];
  writeFileSync(
    script,
    JSON.stringify({ tasks: [{ prompt_has: `Your task: ${ASK}\n`, steps }], otherwise: [{ ask: "What am I to do?" }] }),
  );
  const agent = at("../../dist/hands/agents/scripted/scripted-agent.mjs");
  const command = [process.execPath, agent, "--script", script];
  mkdirSync(join(folder, ".config", "coordinator"), { recursive: true });
  writeFileSync(
    join(folder, ".config", "coordinator", "config.yaml"),
    JSON.stringify({ agents: { scripted: { preset: "scripted", command } }, workspace: { tools: [script] } }),
  );
  mkdirSync(bin);
  const start = `"${process.execPath}" "${program}" "$@"`;
  // How the call of a hook ended is not told by the program that started it.
  const noted = `*handoff*) ${start}; ended=$?; echo "$ended $*" >> "${folder}/handoffs"; exit $ended;;`;
  writeFileSync(join(bin, "coordinator"), `#!/bin/sh\ncase "$*" in ${noted} *) exec ${start};; esac\n`);
  chmodSync(join(bin, "coordinator"), 0o755);
}

/** What a program prints until it ends. */
export function follow(file, args, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
    const late = setTimeout(() => child.kill("SIGKILL"), ENDS_MS);
    child.on("error", reject);
    child.on("exit", () => {
      clearTimeout(late);
      resolve(said);
    });
  });
}
