// Many attempts at once, each an agent of its own in a real sandbox: how long until all are done, and the memory they hold
// together, beside the same agents with a client that does nothing but ask them. The scripted agent always; goose against a
// model on loopback when `npm run test:agents` has installed it.
//   node bench/sessions.mjs [sessions] [ours|alone]
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { createAgent } from "../dist/hands/agents/create-agent.js";
import { openAgentSandbox } from "../dist/hands/attempts/agent-sandbox.js";
import { AgentSettings } from "../dist/model/settings/agent-config.js";
import { PLENTY } from "../dist/testing/agent-suite.js";
import { watchMemory } from "./tree-memory.mjs";

const [count = "50", only] = process.argv.slice(2);
const sessions = Number(count);
const ROUNDS = 3;
const scripted = fileURLToPath(new URL("../dist/hands/agents/scripted/scripted-agent.mjs", import.meta.url));
const steps = [
  { write: "src/a.txt", text: "hello" },
  { sleep: 1000 },
  { run: "cat src/a.txt > src/b.txt" },
  { say: "Done." },
];
const prompt = `Do it.\n\n\`\`\`script\n${JSON.stringify(steps)}\n\`\`\`\n`;

const SCOPE = { tools: [], commands: [], read: [], write: [], network: [], minutes: 10, output_bytes: 1e7, files: 10 };

async function ours(folder, i, workspace) {
  const { sandbox, settings } = await openAgentSandbox({
    name: "scripted",
    settings: AgentSettings.parse({ preset: "scripted" }),
    workspace,
    home: join(folder, `home-${i}`),
    limits: {},
    hosts: [],
    innerHosts: [],
    tools: [],
    shown: [],
    caches: [],
    records: join(folder, "records"),
    unsafeNoSandbox: false,
    environment: process.env,
  });
  const ending = await createAgent("scripted", settings).attempt({
    prompt,
    context: [],
    scope: SCOPE,
    budget: PLENTY,
    sandbox,
    mcp_servers: [],
    signal: new AbortController().signal,
    judge: () => ({ decision: "allow", rule_id: "bench", reason: "all of it" }),
    onEvent: () => {},
  });
  await sandbox.close();
  if (ending.outcome.kind !== "completed") throw new Error(JSON.stringify(ending.outcome));
}

/** The agent with everything allowed: no sandbox, no judgement, no account. */
async function alone(folder, i, workspace) {
  const env = { PATH: process.env.PATH, HOME: join(folder, `home-${i}`), LANG: "C.UTF-8" };
  mkdirSync(env.HOME, { recursive: true });
  const child = spawn(process.execPath, [scripted], { cwd: workspace, env, stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const app = client({ name: "bench" })
    .onNotification(methods.client.session.update, () => {})
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      const { optionId } = params.options.find(({ kind }) => kind === "allow_once");
      return { outcome: { outcome: "selected", optionId } };
    });
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  await app.connectWith(stream, async (agent) => {
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
    await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] });
    const { stopReason } = await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: prompt }],
    });
    if (stopReason !== "end_turn") throw new Error(`it stopped: ${stopReason}`);
  });
  child.stdin.end();
  await ended;
}

async function measure(session) {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-"));
  const one = async (i) => {
    const workspace = join(folder, String(i));
    mkdirSync(join(workspace, "src"), { recursive: true });
    await session(folder, i, workspace);
    const wrote = existsSync(join(workspace, "src/b.txt")) && readFileSync(join(workspace, "src/b.txt"), "utf8");
    if (wrote !== "hello") throw new Error(`session ${i} wrote nothing`);
  };
  const memory = watchMemory();
  const start = performance.now();
  try {
    await Promise.all(Array.from({ length: sessions }, (_, i) => one(i)));
    return { seconds: (performance.now() - start) / 1000, ...memory.stop() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In a process of its own, whose memory is its own. */
function measureApart(name) {
  const program = fileURLToPath(import.meta.url);
  return JSON.parse(execFileSync(process.execPath, [program, count, name], { encoding: "utf8" }));
}

function measureGoose() {
  const agents = fileURLToPath(new URL("../test/agents", import.meta.url));
  if (!existsSync(join(agents, "node_modules", "@aaif", "goose-binary-linux-x64"))) return [];
  const args = [join(agents, "run.mjs"), "goose", `--many=${sessions}`];
  const output = execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [, megabytes, processes, ms] = /\((\d+) MB, (\d+) processes\) (\d+) ms/.exec(output) ?? [];
  if (ms === undefined) return [];
  return [{ name: "goose", seconds: ms / 1000, megabytes: Number(megabytes), processes: Number(processes) }];
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

if (only !== undefined) console.log(JSON.stringify(await measure({ ours, alone }[only])));
else {
  const rounds = Array.from({ length: ROUNDS }, () => ({ ours: measureApart("ours"), alone: measureApart("alone") }));
  const row = (name, key) => {
    const of = (field) => median(rounds.map((round) => round[key][field]));
    return { name, seconds: of("seconds"), megabytes: of("megabytes"), processes: of("processes") };
  };
  const rows = [row("scripted", "ours"), row("scripted, without us", "alone"), ...measureGoose()];
  console.log(JSON.stringify({ sessions, rows }));
}
