// The cost of viewers and telemetry to a run. A server carries out runs of one task with a scripted agent: in turn without
// anybody who looks and with 200 viewers of its events, and the makespans of each pair are compared. Telemetry: what
// asking costs that finds no collector, and the fold of one event. Prints one JSON document.
//   node bench/server.mjs [pairs] [viewers]
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isTelemetryOn } from "../dist/hands/telemetry/otlp-settings.js";
import { SpanFold } from "../dist/mind/telemetry/spans.js";

const PAIRS = Number(process.argv[2] ?? 5);
const VIEWERS = Number(process.argv[3] ?? 200);
const ASK = "Document src/reports.mjs in README.md";
const at = (path) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-"));
const cwd = join(folder, "desk");
const env = { PATH: process.env.PATH ?? "", HOME: folder, TMPDIR: folder, LANG: "C.UTF-8" };
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

function makeProject() {
  const steps = [
    ...Array.from({ length: 40 }, () => ({ read: "README.md" })),
    { sleep: 1500 },
    { write: "README.md", text: "# Documented\n" },
    { say: "DONE" },
  ];
  const script = join(folder, "script.json");
  writeFileSync(script, JSON.stringify({ tasks: [{ prompt_has: `Your task: ${ASK}\n`, steps }] }));
  const command = [process.execPath, at("hands/agents/scripted/scripted-agent.mjs"), "--script", script];
  const files = {
    "../.config/coordinator/config.yaml": JSON.stringify({
      agents: { scripted: { preset: "scripted", command } },
      workspace: { tools: [script] },
    }),
    "coordinator.yaml": JSON.stringify({ checks: [{ name: "test", kind: "test", run: "node --test" }] }),
    "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
    "README.md": "# Reports\n",
    "src/reports.mjs": "export const reports = [];\n",
    "test/reports.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
    ".gitignore": ".coordinator/\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(cwd, path, ".."), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=ada", "-c", "user.email=a@b.c", ...args], { cwd, env });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "ada");
  git("config", "user.email", "ada@example.org");
  git("add", ".");
  git("commit", "-qm", "Begin");
}

async function startServer() {
  const args = [at("cli/main.js"), "serve", "--project", cwd, "--port", "0"];
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  const line = await until(() => /^Open once to log in: (\S+?)\/#login=(\S+)$/m.exec(said));
  const api = `${line[1]}/api/v1`;
  const login = await fetch(`${api}/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ secret: line[2] }),
  });
  const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0];
  const ask = async (path, body) => {
    const response = await fetch(`${api}${path}`, {
      headers: { cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  return { api, cookie, ask, child };
}

async function until(look) {
  for (const end = performance.now() + 180_000; performance.now() < end; await sleep(100)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error("it did not come");
}

/** From the approval of the plan to the end of the run, by the times in its log. */
async function makespan({ api, cookie, ask }, viewers) {
  const { projects } = await ask("/projects");
  const at_ = `/projects/${projects[0].id}`;
  const { request_id } = await ask(`${at_}/requests`, { text: ASK, type: "technical" });
  const { run_id } = await until(async () => {
    const now = await ask(`${at_}/requests/${request_id}`);
    return now.state === "ended" ? now : null;
  });
  const { entries } = await until(async () => {
    const inbox = await ask("/inbox");
    return inbox.entries.some((entry) => entry.run_id === run_id) ? inbox : null;
  });
  let connected = 0;
  const open = Array.from({ length: viewers }, () => {
    const sent = request(`${api}${at_}/runs/${run_id}/events`, { headers: { cookie }, agent: false }, (response) => {
      connected++;
      response.resume();
    });
    sent.on("error", () => undefined);
    sent.end();
    return sent;
  });
  // Coming is not looking: all of them are there before the run begins.
  await until(() => connected === viewers);
  const entry_id = entries.find((entry) => entry.run_id === run_id).id;
  await ask(`${at_}/runs/${run_id}/decisions`, { entry_id, decision: { kind: "approve" } });
  await until(async () => (await ask(`${at_}/runs/${run_id}`)).status === "completed");
  for (const one of open) one.destroy();
  const { lines } = await ask(`${at_}/runs/${run_id}/timeline?limit=1000`);
  const time = (type) => Date.parse(lines.find((one) => one.type === type).at);
  return {
    ms: time("run_finished") - time("plan_approved"),
    events: await tape(`${api}${at_}/runs/${run_id}`, cookie),
  };
}

/** The events of a run, as the log has them. */
async function tape(run, cookie) {
  const response = await fetch(`${run}/tape`, { headers: { cookie } });
  const rows = (await response.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return rows.flatMap((row) => (row.event?.type === undefined || row.sequence === undefined ? [] : [row]));
}

function telemetryCost(events) {
  const times = 200_000;
  let began = performance.now();
  let on = 0;
  for (let i = 0; i < times; i++) if (isTelemetryOn(env)) on++;
  const off_us = ((performance.now() - began) * 1000) / times + on;
  began = performance.now();
  const rounds = 50;
  for (let i = 0; i < rounds; i++) {
    const fold = new SpanFold({ content: false });
    for (const logged of events) fold.take(logged);
  }
  const fold_us = ((performance.now() - began) * 1000) / (rounds * Math.max(1, events.length));
  return { off_us, fold_us, events: events.length };
}

let server = null;
try {
  makeProject();
  server = await startServer();
  await makespan(server, 0);
  const pairs = [];
  let events = [];
  for (let i = 0; i < PAIRS; i++) {
    // In turn the one and the other first: a machine is not equally fast from one minute to the next.
    const first = await makespan(server, i % 2 === 0 ? 0 : VIEWERS);
    const second = await makespan(server, i % 2 === 0 ? VIEWERS : 0);
    const [alone, viewed] = i % 2 === 0 ? [first, second] : [second, first];
    pairs.push({ alone_ms: alone.ms, viewed_ms: viewed.ms, ratio: viewed.ms / alone.ms });
    events = viewed.events;
  }
  const sum = (of) => pairs.reduce((all, pair) => all + of(pair), 0);
  const result = {
    viewers: VIEWERS,
    pairs,
    ratio_median: median(pairs.map(({ ratio }) => ratio)),
    ratio_of_sums: sum((pair) => pair.viewed_ms) / sum((pair) => pair.alone_ms),
    telemetry: telemetryCost(events),
  };
  console.log(JSON.stringify(result));
} finally {
  server?.child.kill("SIGTERM");
  await sleep(500);
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
