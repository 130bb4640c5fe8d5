// Many attempts at once, each an agent of its own in a real sandbox: how long until all are done, and the memory they hold
// together. The scripted agent always; goose against a model on loopback when `npm run test:agents` has installed it.
//   node bench/sessions.mjs [sessions]
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAgent } from "../dist/hands/agents/create-agent.js";
import { openAgentSandbox } from "../dist/hands/attempts/agent-sandbox.js";
import { AgentSettings } from "../dist/model/settings/agent-config.js";
import { PLENTY } from "../dist/testing/agent-suite.js";
import { watchMemory } from "./tree-memory.mjs";

const [sessions = 50] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-"));
const steps = [
  { write: "src/a.txt", text: "hello" },
  { sleep: 1000 },
  { run: "cat src/a.txt > src/b.txt" },
  { say: "Done." },
];
const prompt = `Do it.\n\n\`\`\`script\n${JSON.stringify(steps)}\n\`\`\`\n`;

const SCOPE = { tools: [], commands: [], read: [], write: [], network: [], minutes: 10, output_bytes: 1e7, files: 10 };

async function session(i) {
  const workspace = join(folder, String(i));
  mkdirSync(join(workspace, "src"), { recursive: true });
  const { sandbox, settings } = await openAgentSandbox({
    name: "scripted",
    settings: AgentSettings.parse({ preset: "scripted" }),
    workspace,
    home: join(folder, `home-${i}`),
    limits: {},
    hosts: [],
    shown: [],
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
  const wrote = existsSync(join(workspace, "src/b.txt")) && readFileSync(join(workspace, "src/b.txt"), "utf8");
  if (ending.outcome.kind !== "completed" || wrote !== "hello") throw new Error(JSON.stringify(ending.outcome));
}

const memory = watchMemory();
const start = performance.now();
await Promise.all(Array.from({ length: sessions }, (_, i) => session(i)));
const rows = [{ name: "scripted", seconds: (performance.now() - start) / 1000, ...memory.stop() }];
rmSync(folder, { recursive: true, force: true });

const agents = fileURLToPath(new URL("../test/agents", import.meta.url));
if (existsSync(join(agents, "node_modules", "@aaif", "goose-binary-linux-x64"))) {
  const args = [join(agents, "run.mjs"), "goose", `--many=${sessions}`];
  const output = execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [, megabytes, processes, ms] = /\((\d+) MB, (\d+) processes\) (\d+) ms/.exec(output) ?? [];
  if (ms !== undefined)
    rows.push({ name: "goose", seconds: ms / 1000, megabytes: Number(megabytes), processes: Number(processes) });
}
console.log(JSON.stringify({ sessions, rows }));
